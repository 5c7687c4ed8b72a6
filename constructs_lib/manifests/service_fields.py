"""The argument `service` of `GpuWorkload`: fields that are merged over the generated Service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._arguments.errors import wrong
from .._arguments.fields import to_annotations, to_labels, to_service
from .._arguments.plain_values import frozen, given, plain_mapping
from .._arguments.spelling import did_you_mean, is_near
from .objects import Manifest, merged, plain
from .workload_kinds import WorkloadKind

if TYPE_CHECKING:
    from .workload_ports import Port

_METADATA = {"annotations": to_annotations, "labels": to_labels}
_BALANCED = ("LoadBalancer",)
_OPEN = ("NodePort", "LoadBalancer")
# The types of a Service for which the API server takes a field (kubernetes/kubernetes pkg/apis/core/validation/validation.go, ValidateService).
_ONLY_FOR_TYPES = {
    "allocateLoadBalancerNodePorts": _BALANCED,
    "loadBalancerClass": _BALANCED,
    "loadBalancerIP": _BALANCED,
    "loadBalancerSourceRanges": _BALANCED,
    "healthCheckNodePort": _BALANCED,
    "externalTrafficPolicy": _OPEN,
}


def to_service_fields(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a Service's spec, with `annotations` and `labels`; an empty mapping for None."""
    fields = plain_mapping(argument, given(value), "a mapping of fields of a Service")
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


def check_service(fields: Mapping[str, Any], kind: WorkloadKind, ports: Mapping[str, Port]) -> None:
    """Refuse fields that the API server would refuse on the Service of this workload."""
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
    for field, types in _ONLY_FOR_TYPES.items():
        if fields.get(field) is not None and type_ not in types:
            rule = "left out for a Service of the type " + type_
            raise wrong(f"service[{field}]", rule, fields[field], f"did you mean 'type': '{types[-1]}' as well?")
    _check_ports(fields, type_, ports)


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
