"""The peers of a NetworkPolicy: pods, namespaces, blocks of addresses, the cluster's DNS server."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ...arguments.errors import wrong, wrong_kind
from ...arguments.names import label_map
from ...arguments.plain_values import whole_number
from ...upstream.kubernetes.network import DNS_LABELS, DNS_NAMESPACE, NAMESPACE_LABEL, PRIVATE_BLOCKS
from .settings import NAME_LABEL, WorkloadSettings

Pods = WorkloadSettings | Mapping[str, str]

INTERNET = "internet"


def to_pods(value: Iterable[Pods], argument: str = "") -> tuple[Pods, ...]:
    """A list of workloads and of labels of pods."""
    rule = "a list of workloads and of labels of pods"
    if isinstance(value, str | Mapping | WorkloadSettings) or not isinstance(value, Iterable):
        raise wrong_kind(argument, rule, value, "" if isinstance(value, str) else "put the value into a list")
    return tuple(_to_pod(each, f"{argument}[{index}]") for index, each in enumerate(value))


def _to_pod(value: Pods, argument: str) -> Pods:
    if isinstance(value, WorkloadSettings):
        return value
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, "a workload, or the labels of pods", value)
    if not value:
        raise wrong(argument, "a workload, or at least one label", dict(value), "no label selects every pod of the namespace")
    return MappingProxyType(label_map(argument, value))


def to_egress(value: Iterable[Pods | str] | bool, argument: str = "") -> tuple[Pods | str, ...] | bool:
    """A list of targets; True for no limit."""
    if value is True:
        return True
    if isinstance(value, bool | str | Mapping | WorkloadSettings) or not isinstance(value, Iterable):
        hint = f"did you mean [{value!r}]?" if isinstance(value, str) else ""
        raise wrong_kind(
            argument, "True, or a list of workloads, labels of pods, 'internet' and blocks such as '10.0.0.0/8:443'", value, hint
        )
    return tuple(_to_target(each, f"{argument}[{index}]") for index, each in enumerate(value))


def _to_target(value: Pods | str, argument: str) -> Pods | str:
    if not isinstance(value, str):
        return _to_pod(value, argument)
    if value == INTERNET:
        return value
    block, port = _block(value)
    rule = "'internet', or a block of addresses such as '10.0.0.0/8' or '10.0.0.0/8:443'"
    try:
        ipaddress.ip_network(block)
    except ValueError as error:
        hint = "a NetworkPolicy knows no host names; 'internet' is every public address" if re.search("[g-z]", block) else str(error)
        raise wrong(argument, rule, value, hint) from None
    if "/" not in block:
        raise wrong(argument, rule, value, f"did you mean '{ipaddress.ip_network(block)}'?")
    if port is not None:
        whole_number(argument, port, 1, 65535)
    return value


def _block(written: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(.*/[0-9]+):([0-9]{1,9})", written)
    return (match[1], int(match[2])) if match else (written, None)


def pods_peer(pods: Pods, namespace: str | None) -> dict[str, Any]:
    """The peer that selects pods; those of a workload in its own namespace."""
    if not isinstance(pods, WorkloadSettings):
        return {"podSelector": {"matchLabels": dict(pods)}}
    peer: dict[str, Any] = {"podSelector": {"matchLabels": {NAME_LABEL: pods.name}}}
    theirs = pods.own_namespace
    return peer if theirs in (None, namespace) else {**namespace_peer([str(theirs)]), **peer}


def namespace_peer(names: Iterable[str]) -> dict[str, Any]:
    """The peer that selects every pod of the namespaces."""
    return {"namespaceSelector": {"matchExpressions": [{"key": NAMESPACE_LABEL, "operator": "In", "values": list(names)}]}}


def ports_of(workload: WorkloadSettings, name: str | None = None) -> list[dict[str, Any]]:
    """The ports of the workload's pods, or one of them. A policy sees the port of the pod, not that of the Service."""
    return [{"port": port.number, "protocol": port.protocol} for key, port in workload.ports.items() if name in (None, key)]


def target_rule(target: Pods | str, namespace: str | None) -> dict[str, Any]:
    """The rule that lets pods reach one target."""
    if target == INTERNET:
        blocks = [{"ipBlock": {"cidr": block, "except": list(private)}} for block, private in PRIVATE_BLOCKS.items()]
        return {"to": blocks, "ports": [{"port": 443, "protocol": "TCP"}]}
    if isinstance(target, str):
        block, port = _block(target)
        limit = {} if port is None else {"ports": [{"port": port, "protocol": "TCP"}]}
        return {"to": [{"ipBlock": {"cidr": block}}], **limit}
    ports = ports_of(target) if isinstance(target, WorkloadSettings) else []
    return {"to": [pods_peer(target, namespace)], **({"ports": ports} if ports else {})}


def dns_rule() -> dict[str, Any]:
    """The rule that lets pods ask the cluster's DNS server."""
    peer = {**namespace_peer([DNS_NAMESPACE]), "podSelector": {"matchLabels": dict(DNS_LABELS)}}
    return {"to": [peer], "ports": [{"port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]}
