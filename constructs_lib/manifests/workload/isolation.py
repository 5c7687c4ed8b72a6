"""The NetworkPolicy of a workload."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import warn, wrong, wrong_kind
from ...arguments.fields import named, to_optional_text
from ...arguments.names import label_map, namespace_name
from ...arguments.plain_values import texts, whole_number
from ...upstream.kubernetes.network import DNS_LABELS, DNS_NAMESPACE, NAMESPACE_LABEL, PRIVATE_BLOCKS
from ..objects import MAIN, Manifests
from .part_settings import PartSettings, port_name
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


def _to_namespaces(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(namespace_name(argument, name) for name in texts(argument, value))


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class IsolationSettings(PartSettings):
    """The checked arguments of `isolate`, which documents each argument."""

    from_namespaces: tuple[str, ...] = attrs.field(default=(), converter=_to_namespaces, kw_only=True)
    from_pods: tuple[Pods, ...] = attrs.field(default=(), converter=to_pods, kw_only=True)
    port: str | None = attrs.field(default=None, converter=to_optional_text, kw_only=True)
    egress: tuple[Pods | str, ...] | bool = attrs.field(default=(), converter=to_egress, kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.port is not None:
            port_name(self.workload, self.port)
        given = [name for name in ("from_namespaces", "from_pods") if getattr(self, name)]
        if given and not self.workload.ports:
            raise wrong(given[0], "left out for a workload without a 'port'", getattr(self, given[0]), "nobody can reach its pods")
        if self.workload.downloads and isinstance(self.egress, tuple):
            self._check_download(self.egress)

    def _check_download(self, egress: tuple[Pods | str, ...]) -> None:
        argument, name = self.workload.downloads, self.workload.name
        if not egress:
            hint = f"{name} itself downloads its '{argument}'; give ['internet'], or the proxy or registry that has the '{argument}'"
            raise wrong("egress", f"given where the server downloads its '{argument}'", egress, hint)
        if not any(isinstance(target, str) for target in egress) and "HTTPS_PROXY" not in self.workload.env:
            warn(
                f"{name}: 'egress' has no way to the internet, from which the server downloads its '{argument}'. Add 'internet', if none of "
                "the targets has them"
            )


def isolation(settings: IsolationSettings) -> Manifests:
    """The NetworkPolicy."""
    workload = settings.workload
    namespace = workload.own_namespace
    spec: dict[str, Any] = {"podSelector": {"matchLabels": {NAME_LABEL: workload.name}}, "policyTypes": ["Ingress"]}
    if ports := ports_of(workload, settings.port):
        peers = [pods_peer(pods, namespace) for pods in settings.from_pods]
        if settings.from_namespaces:
            peers.append(namespace_peer(settings.from_namespaces))
        spec["ingress"] = [{"from": peers or [{"podSelector": {}}], "ports": ports}]
        if workload.clients and (peers or settings.port is not None):
            jobs = [{"podSelector": {"matchLabels": {NAME_LABEL: job}}} for job in workload.clients]
            spec["ingress"].append({"from": jobs, "ports": ports_of(workload)[:1]})  # a server of a recipe has its own port first
    if workload.has_peers:
        gang = {"podSelector": {"matchLabels": {NAME_LABEL: workload.name}}}
        spec["ingress"] = [*spec.get("ingress", ()), {"from": [gang]}]
    if settings.egress is not True:
        spec["policyTypes"].append("Egress")
        targets = settings.egress if isinstance(settings.egress, tuple) else ()
        spec["egress"] = [
            dns_rule(),
            *([{"to": [gang]}] if workload.has_peers else []),
            *(target_rule(target, namespace) for target in targets),
        ]
    return {MAIN: settings.manifest("networking.k8s.io/v1", "NetworkPolicy", spec)}
