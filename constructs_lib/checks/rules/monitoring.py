"""Monitors that scrape nothing of the GPUs: their selectors against Services and pods, their ports against those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..facts.workloads import Workload, workloads
from ..finding import Severity
from ..model import Inputs, KubernetesObject, Unknown, at, mappings, question
from ..rule import Example, Found, Rule

_ABOUT_GPUS = ("dcgm", "nvidia", "gpu")


def _scrape_nothing(inputs: Inputs) -> Iterator[Found]:
    for monitor in inputs.of_kind("ServiceMonitor", "PodMonitor"):
        selector = monitor.at("spec", "selector", "matchLabels")
        if not isinstance(selector, Mapping) or not selector or not _is_about_gpus(monitor, selector):
            continue
        if mappings(monitor.at("spec", "selector", "matchExpressions")) or any(isinstance(value, Unknown) for value in selector.values()):
            continue
        yield from _judge(inputs, monitor, selector)


def _is_about_gpus(monitor: KubernetesObject, selector: Mapping[str, Any]) -> bool:
    words = f"{monitor.name} {' '.join(str(value) for value in selector.values())}".lower()
    return any(each in words for each in _ABOUT_GPUS)


def _judge(inputs: Inputs, monitor: KubernetesObject, selector: Mapping[str, Any]) -> Iterator[Found]:
    kind = "Service" if monitor.kind == "ServiceMonitor" else "pod"
    known = _services(inputs) if kind == "Service" else _pods(inputs)
    wanted = ", ".join(f"{key}={value}" for key, value in selector.items())
    matched = known.matched(monitor, selector)
    alike = None if matched else known.alike(monitor, selector)
    # What a chart makes is not read.
    all_read = inputs.whole and not inputs.releases
    if matched:
        yield from _ports(monitor, kind, matched)
    elif alike:
        found = ", ".join(f"{key}={value}" for key, value in alike.labels.items()) or "no labels"
        yield Found(
            severity=Severity.ERROR if all_read else Severity.WARNING,
            message=f"it selects {wanted}, and the {kind} {alike.name} has {found}: it scrapes nothing of it",
            about=monitor,
            path=("spec", "selector", "matchLabels"),
        )
    elif all_read:
        yield Found(
            severity=Severity.ERROR,
            message=f"it selects {wanted}, which no {kind} has: it scrapes nothing",
            about=monitor,
            path=("spec", "selector", "matchLabels"),
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Target:
    """A Service, or the pods of a workload, with the names of its ports."""

    name: str
    namespace: str | None
    labels: Mapping[str, Any]
    ports: list[str]


class _Targets:
    """What monitors may select, by its labels and by its name."""

    def __init__(self, targets: Iterable[_Target]) -> None:
        self.by_label: dict[tuple[str, str], list[_Target]] = {}
        self.by_name: dict[str, list[_Target]] = {}
        for each in targets:
            self.by_name.setdefault(each.name, []).append(each)
            for key, value in each.labels.items():
                self.by_label.setdefault((str(key), str(value)), []).append(each)

    def matched(self, monitor: KubernetesObject, selector: Mapping[str, Any]) -> list[_Target]:
        """Those in reach of a monitor that it selects, sought among those that have its rarest label."""
        lists = [self.by_label.get((str(key), str(value)), []) for key, value in selector.items()]
        wanted = {str(key): str(value) for key, value in selector.items()}
        found = [each for each in min(lists, key=len) if all(str(each.labels.get(key)) == value for key, value in wanted.items())]
        return [each for each in found if _in_reach(monitor, each.namespace)]

    def alike(self, monitor: KubernetesObject, selector: Mapping[str, Any]) -> _Target | None:
        """One in reach that has the name of a monitor, or one of the labels that it selects: what its author may have meant."""
        lists = [self.by_name.get(monitor.name, []), *(self.by_label.get((str(key), str(value)), []) for key, value in selector.items())]
        return next((each for each in chain.from_iterable(lists) if _in_reach(monitor, each.namespace)), None)


@question
def _services(inputs: Inputs) -> _Targets:
    return _Targets(
        _Target(name=each.name, namespace=each.namespace, labels=each.labels, ports=_port_names(each.at("spec", "ports")))
        for each in inputs.of_kind("Service")
    )


@question
def _pods(inputs: Inputs) -> _Targets:
    those = [each for each in workloads(inputs) if each.complete and each.kind and isinstance(each.metadata.get("labels"), Mapping)]
    return _Targets(
        _Target(
            name=_name(each),
            namespace=each.namespace,
            labels=each.metadata["labels"],
            ports=[name for container in each.containers for name in _port_names(container.body.get("ports"))],
        )
        for each in those
    )


def _port_names(ports: Any) -> list[str]:
    return [str(port.get("name") or "") for _, port in mappings(ports)]


def _name(workload: Workload) -> str:
    return str(at(workload.about.body, "metadata", "name") or "")


def _in_reach(monitor: KubernetesObject, namespace: str | None) -> bool:
    reach = monitor.at("spec", "namespaceSelector")
    if at(reach, "any") is True or namespace is None or monitor.namespace is None:
        return True
    names = at(reach, "matchNames")
    return namespace in names if isinstance(names, list) and names else namespace == monitor.namespace


def _ports(monitor: KubernetesObject, kind: str, matched: list[_Target]) -> Iterator[Found]:
    key = "endpoints" if kind == "Service" else "podMetricsEndpoints"
    has = {name for each in matched for name in each.ports}
    for index, endpoint in mappings(monitor.at("spec", key)):
        port = endpoint.get("port")
        if isinstance(port, str) and port and not isinstance(port, Unknown) and port not in has:
            named = " and ".join(sorted(each for each in has if each)) or "without a name"
            yield Found(
                severity=Severity.ERROR,
                message=f"it scrapes the port {port}, and the ports of the {kind} {matched[0].name} are {named}: it scrapes nothing",
                about=monitor,
                path=("spec", key, index, "port"),
                fix=f"Scrape the port {named}" if any(has) else f"Name the port of the {kind} {port}",
            )


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

RULES = (
    Rule(
        id="TG059",
        claim="A monitor of GPUs selects something that is there, and a port that it has",
        symptom="DCGM_FI_DEV_GPU_UTIL: no data; the target is missing in Prometheus, without an error",
        severity=Severity.ERROR,
        fix="Select the labels that the Service itself has (the pods of a PodMonitor), in its namespace",
        source="https://github.com/prometheus-operator/prometheus-operator/blob/main/Documentation/platform/troubleshooting.md",
        judge=_scrape_nothing,
        failing=Example(yaml=_SERVICE + '  endpoints: [{port: "9400"}]\n'),
        passing=Example(yaml=_SERVICE + "  endpoints: [{port: metrics}]\n"),
    ),
)
