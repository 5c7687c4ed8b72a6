"""The argument `service` of `GpuWorkload`: fields that are merged over the generated Service."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...arguments.errors import wrong
from ...arguments.fields import check_fields_given, to_annotations, to_labels, to_service
from ...arguments.plain_values import frozen, given, plain_mapping
from ...arguments.spelling import did_you_mean, is_near
from ..objects import Manifest, merged, plain
from .kinds import WorkloadKind

if TYPE_CHECKING:
    from .ports import Port

_METADATA = {"annotations": to_annotations, "labels": to_labels}
_BALANCED = ("LoadBalancer",)
_OPEN = ("NodePort", "LoadBalancer")
# The types of a Service for which the API server takes a field (kubernetes/kubernetes
# pkg/apis/core/validation/validation.go, ValidateService).
_ONLY_FOR_TYPES = {
    "allocateLoadBalancerNodePorts": _BALANCED,
    "loadBalancerClass": _BALANCED,
    "loadBalancerIP": _BALANCED,
    "loadBalancerSourceRanges": _BALANCED,
    "healthCheckNodePort": _BALANCED,
    "externalTrafficPolicy": _OPEN,
}


# The fields that the API server takes only beside a value of another field.
_ONLY_BESIDE = (("healthCheckNodePort", "externalTrafficPolicy", "Local"), ("sessionAffinityConfig", "sessionAffinity", "ClientIP"))


def to_service_fields(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a Service's spec, with `annotations` and `labels`; an empty mapping for None."""
    rule = "a mapping of fields of a Service"
    check_fields_given(argument, value, "ServiceSpec", rule)
    fields = plain_mapping(argument, given(value), rule)
    for key in fields:
        if key in ("metadata", "spec"):
            hint = "write the fields without 'metadata' and 'spec', as in service={'type': 'LoadBalancer', 'annotations': {…}}"
            raise wrong(argument, "made of fields of a Service's spec, 'annotations' and 'labels'", key, hint)
        if key in ("name", "namespace"):
            raise wrong(argument, f"without '{key}'", fields[key], f"the Service has the {key} of the workload")
        if key not in _METADATA and (similar := next((known for known in _METADATA if is_near(key, known)), "")):
            raise wrong(argument, "made of fields of a Service's spec, 'annotations' and 'labels'", key, f"did you mean '{similar}'?")
    if "selector" in fields:
        hint = "the Service selects the workload's pods; for other pods make a Service of your own"
        raise wrong(argument, "without 'selector'", fields["selector"], hint)
    metadata = {key: dict(check(fields[key], f"{argument}[{key}]")) for key, check in _METADATA.items() if fields.get(key) is not None}
    spec = to_service({key: item for key, item in fields.items() if key not in _METADATA}, argument)
    checked: Mapping[str, Any] = frozen({**metadata, **plain(spec)})
    return checked


def check_service(
    fields: Mapping[str, Any], kind: WorkloadKind, ports: Mapping[str, Port], beside: Iterable[Mapping[str, Any]] = ()
) -> None:
    """Refuse fields that the API server would refuse on the Service of this workload. `beside` are further containers,
    which may have ports, too."""
    if kind not in (WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET):
        raise wrong("service", "given only to a Deployment or a StatefulSet", fields, f"this is a {kind}")
    if not ports and kind is WorkloadKind.DEPLOYMENT:
        raise wrong("service", "given only with 'port'", fields, "without a port the workload has no Service")
    is_headless = kind is WorkloadKind.STATEFUL_SET or fields.get("clusterIP") == "None"
    type_ = fields.get("type") or "ClusterIP"
    if type_ == "ExternalName":
        raise wrong("service[type]", "one of 'ClusterIP', 'NodePort', 'LoadBalancer'", type_, "an ExternalName has no pods")
    if kind is WorkloadKind.STATEFUL_SET and fields.get("clusterIP", "None") != "None":
        raise wrong("service[clusterIP]", "'None' for a StatefulSet", fields["clusterIP"], "the headless Service names the pods")
    if is_headless and type_ != "ClusterIP":
        hint = (
            "the headless Service names the pods of a StatefulSet; make a second Service of your own"
            if kind is WorkloadKind.STATEFUL_SET
            else ""
        )
        raise wrong("service[type]", "'ClusterIP' for a headless Service", type_, hint)
    _check_neighbours(fields, type_)
    _check_addresses(fields)
    _check_ports(fields, type_, ports)
    _check_targets(fields, ports, beside)


def _check_neighbours(fields: Mapping[str, Any], type_: str) -> None:
    for field, types in _ONLY_FOR_TYPES.items():
        if fields.get(field) is not None and type_ not in types:
            rule = "left out for a Service of the type " + type_
            raise wrong(f"service[{field}]", rule, fields[field], f"did you mean 'type': '{types[-1]}' as well?")
    for field, other, value in _ONLY_BESIDE:
        if fields.get(field) and fields.get(other) != value:
            raise wrong(f"service[{field}]", f"given only with '{other}': '{value}'", plain(fields[field]))


def _check_addresses(fields: Mapping[str, Any]) -> None:
    cluster_ip = fields.get("clusterIP")
    if cluster_ip and cluster_ip != "None" and not _is(ipaddress.ip_address, cluster_ip):
        raise wrong("service[clusterIP]", "an IP address, or 'None' for a headless Service", cluster_ip)
    for address in fields.get("externalIPs") or ():
        if not _is(ipaddress.ip_address, address):
            raise wrong("service[externalIPs]", "a list of IP addresses", address)
    for block in fields.get("loadBalancerSourceRanges") or ():
        # The API server takes a block of addresses with its prefix length alone, and ipaddress reads a plain address as
        # a block, too.
        if "/" not in block or not _is(_network, block.strip()):
            hint = f"did you mean '{block}/{ipaddress.ip_address(block).max_prefixlen}'?" if _is(ipaddress.ip_address, block) else ""
            raise wrong("service[loadBalancerSourceRanges]", "a list of CIDR blocks such as '10.0.0.0/8'", block, hint)


def _network(written: str) -> object:
    return ipaddress.ip_network(written, strict=False)


def _is(parse: Callable[[str], object], written: str) -> bool:
    try:
        parse(written)
    except ValueError:
        return False
    return True


def _check_ports(fields: Mapping[str, Any], type_: str, ports: Mapping[str, Port]) -> None:
    if "ports" not in fields:
        return
    given_ports = fields["ports"] or ()
    names = ", ".join(f"'{name}'" for name in ports)
    if not given_ports:
        raise wrong("service[ports]", "a list of ports", fields["ports"], "the ports follow from 'port'")
    for index, port in enumerate(given_ports):
        place = f"service[ports.{index}"
        if not port.get("name"):
            raise wrong(
                f"{place}.name]", f"a port of the workload, {names}, or a new name", port.get("name"), "a port is merged by its name"
            )
        if port["name"] not in ports and port.get("port") is None:
            hint = did_you_mean(port["name"], ports) or "a port of another name needs 'port'"
            raise wrong(f"{place}.name]", f"a port of the workload, {names}", port["name"], hint)
        if port.get("nodePort") is not None and type_ not in _OPEN:
            raise wrong(
                f"{place}.nodePort]",
                f"left out for a Service of the type {type_}",
                port["nodePort"],
                "did you mean 'type': 'NodePort' as well?",
            )
    merged_ports = _ports({name: {"port": port.number, **port.fields} for name, port in ports.items()}, given_ports)
    for field in ("port", "nodePort"):
        used = [(port[field], port.get("protocol", "TCP")) for port in merged_ports.values() if port.get(field) is not None]
        if len(set(used)) < len(used):
            raise wrong("service[ports]", f"without the same '{field}' twice", [number for number, _ in used])


def _check_targets(fields: Mapping[str, Any], ports: Mapping[str, Port], beside: Iterable[Mapping[str, Any]]) -> None:
    further = {port.get("name") for container in beside for port in container.get("ports") or ()}
    for index, port in enumerate(fields.get("ports") or ()):
        if port.get("targetPort") not in further:
            _check_target(port, f"service[ports.{index}", ports)


def _check_target(port: Mapping[str, Any], place: str, ports: Mapping[str, Port]) -> None:
    """Refuse a port that reaches no port of the container: the Service would silently have no endpoints there."""
    target = port.get("targetPort", port["name"])
    if not isinstance(target, str):
        return
    if target not in ports:
        if "targetPort" in port:
            names = ", ".join(f"'{name}'" for name in ports)
            raise wrong(f"{place}.targetPort]", f"a number, or a port of the workload, {names}", target, did_you_mean(target, ports))
        return
    protocol = port.get("protocol") or (ports[port["name"]].protocol if port["name"] in ports else "TCP")
    if protocol != ports[target].protocol:
        rule = f"'{ports[target].protocol}', as the port '{target}' of the workload"
        raise wrong(f"{place}.protocol]", rule, protocol, "a Service port of another protocol has no endpoints")


def _ports(base: Mapping[str, dict[str, Any]], over: Any) -> dict[str, dict[str, Any]]:
    ports = {name: dict(port) for name, port in base.items()}
    for port in over:
        ports[port["name"]] = merged(ports.get(port["name"], {}), port)
    return ports


def shaped_service(service: Manifest, fields: Mapping[str, Any]) -> Manifest:
    """A Service with the given fields; ports are merged by their name."""
    metadata = {key: fields[key] for key in _METADATA if key in fields}
    spec = {key: item for key, item in fields.items() if key not in _METADATA}
    if "ports" in spec:
        base = {port["name"]: port for port in service["spec"].get("ports", ())}
        spec["ports"] = list(_ports(base, spec["ports"]).values())
    return {**service, "metadata": merged(service["metadata"], metadata), "spec": merged(service["spec"], spec)}
