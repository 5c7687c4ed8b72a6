"""DaemonSets that take each other's pods for their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..facts.workloads import Workload, workloads
from ..finding import Severity
from ..model import Inputs, Unknown, at, mappings
from ..rule import Example, Found, Rule


def _overlap(inputs: Inputs) -> Iterator[Found]:
    by_label: dict[tuple[str | None, str, str], list[Workload]] = {}
    those = [each for each in workloads(inputs) if each.kind == "DaemonSet" and each.complete and isinstance(_selector(each), Mapping)]
    for each in those:
        for key, value in _labels(each).items():
            by_label.setdefault((each.namespace, str(key), str(value)), []).append(each)
    said: set[frozenset[int]] = set()
    for each in those:
        selector = _selector(each)
        first = next(iter(selector.items()), None)
        if first is None or mappings(at(each.controller, "selector", "matchExpressions")) or not each.is_nvidia:
            continue
        others = by_label.get((each.namespace, str(first[0]), str(first[1])), ())
        for other in others:
            pair = frozenset((id(each.about), id(other.about)))
            if pair not in said and _matches(selector, _labels(other)) and _name(other) != _name(each):
                said.add(pair)
                yield Found(
                    severity=Severity.INFO,
                    message=f"its selector matches the pods of {other.about.label} too: a pod that loses its owner goes to either, and so do logs and "
                    "disruption budgets by that selector",
                    about=each.about,
                    path=("spec", "selector"),
                )


def _name(workload: Workload) -> str:
    return str(at(workload.about.body, "metadata", "name"))


def _selector(workload: Workload) -> Mapping[str, object]:
    found = at(workload.controller, "selector", "matchLabels")
    return found if isinstance(found, Mapping) and not any(isinstance(each, Unknown) for each in found.values()) else {}


def _labels(workload: Workload) -> Mapping[str, object]:
    found = workload.metadata.get("labels")
    return found if isinstance(found, Mapping) else {}


def _matches(selector: Mapping[str, object], labels: Mapping[str, object]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())


def _daemon_set(name: str, command: str, labels: str) -> str:
    return f"""\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}, namespace: kube-system}}
spec:
  selector: {{matchLabels: {labels}}}
  template:
    metadata: {{labels: {labels}}}
    spec:
      runtimeClassName: nvidia
      containers:
        - name: main
          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
          command: [{command}]
"""


_RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
"""
_PLUGIN = ("nvidia-device-plugin", "nvidia-device-plugin")
_DISCOVERY = ("gpu-feature-discovery", "gpu-feature-discovery")

RULES = (
    Rule(
        id="TG058",
        claim="The selectors of two DaemonSets of one namespace match different pods",
        symptom="kubectl logs of one DaemonSet shows the pods of another; a pod that was orphaned is adopted by the wrong one",
        severity=Severity.INFO,
        fix="Give each a label of its own, such as app.kubernetes.io/component, in its selector and its pods",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
        judge=_overlap,
        failing=Example(
            yaml=_RUNTIME_CLASS + _daemon_set(*_PLUGIN, "{app: nvidia}") + _daemon_set(*_DISCOVERY, "{app: nvidia, component: discovery}")
        ),
        passing=Example(
            yaml=_RUNTIME_CLASS
            + _daemon_set(*_PLUGIN, "{app: nvidia, component: plugin}")
            + _daemon_set(*_DISCOVERY, "{app: nvidia, component: discovery}")
        ),
    ),
)
