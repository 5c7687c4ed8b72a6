"""The NetworkPolicy of a workload."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named, to_optional_text
from ...arguments.names import namespace_name
from ...arguments.plain_values import texts
from ..objects import MAIN, Manifests, manifest
from .network_peers import Pods, dns_rule, namespace_peer, pods_peer, ports_of, target_rule, to_egress, to_pods
from .part_settings import PartSettings, port_name
from .settings import NAME_LABEL


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
    policy = manifest(
        "networking.k8s.io/v1", "NetworkPolicy", settings.name, namespace=workload.namespace, **settings.metadata, spec=spec
    )  # fmt: skip
    return {MAIN: policy}
