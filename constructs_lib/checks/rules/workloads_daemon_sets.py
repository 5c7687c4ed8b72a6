"""DaemonSets whose selectors match the pods of another DaemonSet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...observed.model import Inputs, Unknown, at, equals, is_given, is_unknown, known_items, text_of
from ...observed.pods.workloads import Workload, workloads
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import RUNTIME_CLASS


def _overlap(inputs: Inputs) -> Iterator[Violation]:
    by_label: dict[tuple[str | None, str, str], list[Workload]] = {}
    daemon_sets = [each for each in workloads(inputs) if each.kind == "DaemonSet" and each.complete and not is_unknown(each.namespace)]
    for each in daemon_sets:
        for label in _labels(each).items():
            by_label.setdefault((_namespace(each), *label), []).append(each)
    reported: set[frozenset[int]] = set()
    for each in daemon_sets:
        selector = _selector(each)
        first = next(iter(selector.items()), None)
        if first is None or is_given(at(each.controller, "selector", "matchExpressions")) or not each.is_nvidia:
            continue
        for other in by_label.get((_namespace(each), *first), ()):
            pair = frozenset((id(each.about), id(other.about)))
            if pair not in reported and _is_selected(selector, other) and equals(_name(other), _name(each)).is_no:
                reported.add(pair)
                yield Violation(
                    severity=Severity.INFO,
                    message=f"the selector also matches the pods of {other.about.label}. Either DaemonSet adopts a pod that loses its owner, and logs and "
                    "disruption budgets by this selector cover both DaemonSets",
                    about=each.about,
                    path=("spec", "selector"),
                )


def _namespace(workload: Workload) -> str | None:
    return workload.namespace if isinstance(workload.namespace, str) else None


def _name(workload: Workload) -> str | Unknown | None:
    return text_of(workload.about.at("metadata", "name"))


def _selector(workload: Workload) -> Mapping[str, str]:
    """The labels that a DaemonSet selects; none if a label can't be read."""
    written = at(workload.controller, "selector", "matchLabels")
    known = {key: value for key, value in known_items(written) if isinstance(value, str)}
    return known if isinstance(written, Mapping) and len(known) == len(written) else {}


def _labels(workload: Workload) -> Mapping[str, str]:
    return {key: value for key, value in known_items(at(workload.metadata, "labels")) if isinstance(value, str)}


def _is_selected(selector: Mapping[str, str], workload: Workload) -> bool:
    labels = _labels(workload)
    return all(key in labels and labels[key] == value for key, value in selector.items())


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


_PLUGIN = ("nvidia-device-plugin", "nvidia-device-plugin")
_DISCOVERY = ("gpu-feature-discovery", "gpu-feature-discovery")

RULES = (
    Rule(
        **WORDS["TG058"],
        severity=Severity.INFO,
        check=_overlap,
        failing=Example(
            yaml=RUNTIME_CLASS + _daemon_set(*_PLUGIN, "{app: nvidia}") + _daemon_set(*_DISCOVERY, "{app: nvidia, component: discovery}")
        ),
        passing=Example(
            yaml=RUNTIME_CLASS
            + _daemon_set(*_PLUGIN, "{app: nvidia, component: plugin}")
            + _daemon_set(*_DISCOVERY, "{app: nvidia, component: discovery}")
        ),
    ),
)
