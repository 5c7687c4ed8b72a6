"""Monitors that scrape nothing of the GPUs: their selectors against Services and pods, their ports against those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..finding import Severity
from ..questions.workloads import Workload, workloads
from ..read import Inputs, KubernetesObject, Unknown, at, mappings
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
    candidates = [each for each in (_services(inputs) if kind == "Service" else _pods(inputs)) if _in_reach(monitor, each[1])]
    wanted = ", ".join(f"{key}={value}" for key, value in selector.items())
    matched = [each for each in candidates if all(each[2].get(key) == value for key, value in selector.items())]
    if matched:
        yield from _ports(monitor, kind, matched)
        return
    alike = [each for each in candidates if any(each[2].get(key) == value for key, value in selector.items()) or each[0] == monitor.name]
    if alike:
        name, _, labels, _ = alike[0]
        found = ", ".join(f"{key}={value}" for key, value in labels.items()) or "no labels"
        yield Found(
            severity=Severity.ERROR if inputs.whole else Severity.WARNING,
            message=f"it selects {wanted}, and the {kind} {name} has {found}: it scrapes nothing of it",
            about=monitor,
            path=("spec", "selector", "matchLabels"),
        )
    elif inputs.whole and not inputs.releases:
        yield Found(
            severity=Severity.ERROR,
            message=f"it selects {wanted}, which no {kind} has: it scrapes nothing",
            about=monitor,
            path=("spec", "selector", "matchLabels"),
        )


_Candidate = tuple[str, str | None, Mapping[str, Any], list[str]]
"""A Service, or the pods of a workload: name, namespace, labels, and the names of its ports."""


def _services(inputs: Inputs) -> Iterator[_Candidate]:
    for each in inputs.of_kind("Service"):
        ports = [str(port.get("name") or "") for _, port in mappings(each.at("spec", "ports"))]
        yield each.name, each.namespace, each.labels, ports


def _pods(inputs: Inputs) -> Iterator[_Candidate]:
    for workload in workloads(inputs):
        labels = workload.metadata.get("labels")
        if workload.complete and workload.kind and isinstance(labels, Mapping):
            yield _name(workload), workload.namespace, labels, list(_port_names(workload))


def _name(workload: Workload) -> str:
    return str(at(workload.about.body, "metadata", "name") or "")


def _port_names(workload: Workload) -> Iterator[str]:
    for container in workload.containers:
        for _, port in mappings(container.body.get("ports")):
            yield str(port.get("name") or "")


def _in_reach(monitor: KubernetesObject, namespace: str | None) -> bool:
    reach = monitor.at("spec", "namespaceSelector")
    if at(reach, "any") is True or namespace is None or monitor.namespace is None:
        return True
    names = at(reach, "matchNames")
    return namespace in names if isinstance(names, list) and names else namespace == monitor.namespace


def _ports(monitor: KubernetesObject, kind: str, matched: Sequence[_Candidate]) -> Iterator[Found]:
    key = "endpoints" if kind == "Service" else "podMetricsEndpoints"
    has = {name for each in matched for name in each[3]}
    for index, endpoint in mappings(monitor.at("spec", key)):
        port = endpoint.get("port")
        if isinstance(port, str) and port and not isinstance(port, Unknown) and port not in has:
            named = " and ".join(sorted(each for each in has if each)) or "without a name"
            yield Found(
                severity=Severity.ERROR,
                message=f"it scrapes the port {port}, and the ports of the {kind} {matched[0][0]} are {named}: it scrapes nothing",
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
