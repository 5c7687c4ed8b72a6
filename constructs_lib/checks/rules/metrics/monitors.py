"""ServiceMonitors and PodMonitors of GPUs that scrape nothing: selectors and ports that no Service or pod has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ....observed.model import (
    Answer,
    Inputs,
    KubernetesObject,
    Unknown,
    all_of,
    at,
    equals,
    is_among,
    is_given,
    is_open,
    is_unknown,
    known_items,
    known_list,
    known_str,
    mappings,
    question,
    text_of,
)
from ....observed.pods.workloads import workloads
from ....upstream.kubernetes.api import POD_TEMPLATES
from ...rule import Example, Part, Rule, Severity, Violation, Witness, set_to

_ABOUT_GPUS = ("dcgm", "nvidia", "gpu")

_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: dcgm-exporter, namespace: monitoring, labels: {app.kubernetes.io/name: dcgm-exporter}}
spec:
  selector: {app.kubernetes.io/name: dcgm-exporter}
  ports: [{name: metrics, port: 9400}]
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: dcgm-exporter, namespace: monitoring}
spec:
  selector: {matchLabels: {app.kubernetes.io/name: dcgm-exporter}}
"""


@Rule(
    id="TG059",
    claim="A ServiceMonitor or PodMonitor of GPUs matches a Service or a pod, and one of its ports",
    symptom="no data for any DCGM_FI_ metric; the target is missing in Prometheus, without an error",
    fix="Set spec.selector.matchLabels to the labels of the Service itself (PodMonitor: of the pods), and "
    "namespaceSelector to its namespace",
    source="https://github.com/prometheus-operator/prometheus-operator/blob/main/Documentation/platform/troubleshooting.md",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_SERVICE + '  endpoints: [{port: "9400"}]\n'),
    passing=Example(_SERVICE + "  endpoints: [{port: metrics}]\n"),
)
def _scrape_nothing(inputs: Inputs) -> Iterator[Violation]:
    for monitor in inputs.of_kind("ServiceMonitor", "PodMonitor"):
        written, expressions = monitor.at("spec", "selector", "matchLabels"), monitor.at("spec", "selector", "matchExpressions")
        selector = {key: text for key, value in known_items(written) if (text := known_str(value)) is not None}
        is_known = isinstance(written, Mapping) and len(selector) == len(written) and not is_given(expressions)
        if is_known and selector and _is_about_gpus(monitor, selector):
            yield from _unmatched(inputs, monitor, selector)


def _is_about_gpus(monitor: KubernetesObject, selector: Mapping[str, str]) -> bool:
    words = f"{known_str(monitor.name)} {' '.join(selector.values())}".lower()
    return any(each in words for each in _ABOUT_GPUS)


def _unmatched(inputs: Inputs, monitor: KubernetesObject, selector: Mapping[str, str]) -> Iterator[Violation]:
    kind = "Service" if monitor.kind == "ServiceMonitor" else "pod"
    known = _services(inputs) if kind == "Service" else _pods(inputs)
    wanted = ", ".join(f"{key}={value}" for key, value in selector.items())
    matched = known.matched(monitor, selector)
    may_match = known.may_match(monitor, selector) or inputs.may_hide(*(("Service",) if kind == "Service" else POD_TEMPLATES))
    alike = None if matched or may_match else known.alike(monitor, selector)
    if matched:
        yield from _ports(monitor, kind, matched)
    elif alike:
        labels = ", ".join(f"{key}={value}" for key, value in known_items(alike.labels)) or "no labels"
        message = (
            f"the selector {wanted} does not match the {kind} {alike.name}, which has {labels}. Prometheus scrapes nothing from the {kind}"
        )
        yield Violation(Severity.WARNING, message, monitor, ("spec", "selector", "matchLabels"))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Target:
    """A Service, or the pods of a workload, with the names of its ports; a name may be unknown."""

    name: str | Unknown
    namespace: str | Unknown | None
    labels: Any
    ports: list[str | Unknown]
    part: Part
    """The place of its ports."""


class _Targets:
    """Services or pods that monitors may select, by label and by name; `unread` holds the targets with an unreadable
    label or namespace."""

    def __init__(self, targets: Iterable[_Target]) -> None:
        self.by_label: dict[tuple[str, str], list[_Target]] = {}
        self.by_name: dict[str, list[_Target]] = {}
        self.unread: list[_Target] = []
        for each in targets:
            labels = [(key, text_of(value)) for key, value in known_items(each.labels)]
            if is_open(each.labels) or is_unknown(each.namespace) or any(is_unknown(value) for _, value in labels):
                self.unread.append(each)
            if isinstance(each.name, str):
                self.by_name.setdefault(each.name, []).append(each)
            for key, value in labels:
                if isinstance(value, str):
                    self.by_label.setdefault((key, value), []).append(each)

    def matched(self, monitor: KubernetesObject, selector: Mapping[str, str]) -> list[_Target]:
        """The targets in a monitor's namespaces that its selector surely matches, sought among the targets with the
        rarest label."""
        rarest = min((self.by_label.get(each, []) for each in selector.items()), key=len)
        return [each for each in rarest if _is_selected(monitor, selector, each).is_yes]

    def may_match(self, monitor: KubernetesObject, selector: Mapping[str, str]) -> bool:
        """Whether a monitor may select a target that is not fully readable."""
        targets = self.unread if _is_known(monitor) else chain.from_iterable(self.by_name.values())
        return any(not _is_selected(monitor, selector, each).is_no for each in targets)

    def alike(self, monitor: KubernetesObject, selector: Mapping[str, str]) -> _Target | None:
        """A target in a monitor's namespaces with the monitor's name, or one of its labels: the target that its author
        may have meant."""
        lists = [self.by_name.get(known_str(monitor.name) or "", []), *(self.by_label.get(each, []) for each in selector.items())]
        return next((each for each in chain.from_iterable(lists) if _in_reach(monitor, each.namespace).is_yes), None)


@question
def _services(inputs: Inputs) -> _Targets:
    return _Targets(
        _Target(
            name=each.name,
            namespace=each.namespace,
            labels=each.at("metadata", "labels"),
            ports=_port_names(each.at("spec", "ports")),
            part=(each, ("spec", "ports")),
        )
        for each in inputs.of_kind("Service")
    )


@question
def _pods(inputs: Inputs) -> _Targets:
    return _Targets(
        _Target(
            name="" if (name := text_of(each.about.at("metadata", "name"))) is None else name,
            namespace=each.namespace,
            labels=at(each.metadata, "labels"),
            ports=[name for container in each.containers for name in _port_names(at(container.body, "ports"))],
            part=(each.about, (*each.path, "containers")),
        )
        for each in workloads(inputs)
        if each.kind and at(each.metadata, "labels") is not None
    )


def _port_names(ports: Any) -> list[str | Unknown]:
    names = [text_of(at(port, "name")) for _, port in mappings(ports)]
    return [name for name in names if name is not None] + ([Unknown()] if is_open(ports) else [])


def _is_selected(monitor: KubernetesObject, selector: Mapping[str, str], target: _Target) -> Answer:
    labels = [equals(text_of(at(target.labels, key)), value) for key, value in selector.items()]
    return all_of([*labels, _in_reach(monitor, target.namespace)])


def _is_known(monitor: KubernetesObject) -> bool:
    """Whether the namespaces that a monitor reaches are known."""
    reach = monitor.at("spec", "namespaceSelector")
    return not any(map(is_open, (monitor.namespace, reach, at(reach, "any"), at(reach, "matchNames"))))


def _in_reach(monitor: KubernetesObject, namespace: str | Unknown | None) -> Answer:
    reach = monitor.at("spec", "namespaceSelector")
    everywhere, names = at(reach, "any"), at(reach, "matchNames")
    if everywhere is True or namespace is None or monitor.namespace is None:
        return Answer.YES
    if is_open(reach) or is_unknown(everywhere):
        return Answer.UNKNOWN
    return is_among(namespace, known_list(names) or [monitor.namespace]) if not is_open(names) else Answer.UNKNOWN


def _ports(monitor: KubernetesObject, kind: str, matched: list[_Target]) -> Iterator[Violation]:
    key = "endpoints" if kind == "Service" else "podMetricsEndpoints"
    ports = [name for each in matched for name in each.ports]
    for index, endpoint in mappings(monitor.at("spec", key)):
        port = at(endpoint, "port")
        if isinstance(port, str) and port and is_among(port, ports).is_no:
            names = sorted({name for name in ports if isinstance(name, str)} - {""})
            have = f"names its ports {' and '.join(names)}" if names else "has no named ports"
            message = (
                f"the monitor selects the port with the name {port!r}, but the {kind} {matched[0].name} {have}. Prometheus scrapes nothing"
            )
            fix = f"Set port: {' or '.join(names)}" if names else f"Set name: {port} on the port of the {kind}"
            edits = set_to(names[0]) if len(names) == 1 else ()
            related = tuple(each.part for each in matched)
            yield Violation(Severity.ERROR, message, monitor, ("spec", key, index, "port"), fix=fix, edits=edits, related=related)
