"""The arguments of every object beside a workload: the workload, its port, and the object's name and labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments.errors import NOTHING, wrong
from ...arguments.fields import named, settle, to_annotations, to_labels, to_optional_dns_label
from ...arguments.names import dns_label
from ...arguments.plain_values import instance
from ...arguments.spelling import did_you_mean
from ..objects import Manifest, manifest
from .ports import Port
from .settings import NAME_LABEL, WorkloadSettings


def to_workload(value: WorkloadSettings, argument: str = "") -> WorkloadSettings:
    """A workload, with or without GPUs."""
    return instance(argument, value, WorkloadSettings, "a GpuWorkload or a Companion")


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class PartSettings:
    """The checked arguments of an object beside a workload."""

    workload: WorkloadSettings = attrs.field(converter=to_workload)
    name: str = attrs.field(default=None, converter=to_optional_dns_label, kw_only=True)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels, kw_only=True)
    annotations: Mapping[str, str] = attrs.field(default=None, converter=to_annotations, kw_only=True)

    def __attrs_post_init__(self) -> None:
        settle(self, "name", self.workload.name)

    @property
    def metadata(self) -> dict[str, Mapping[str, str]]:
        """The labels and annotations of the object."""
        return {"labels": {NAME_LABEL: self.workload.name, **self.labels}, "annotations": self.annotations}

    def manifest(self, api_version: str, kind: str, spec: Mapping[str, Any], **rest: Any) -> Manifest:
        """The object."""
        marks = {"namespace": self.workload.namespace, **self.metadata}
        return manifest(api_version, kind, self.name, **{**marks, **rest}, spec=spec)


def port_name(workload: WorkloadSettings, given: object) -> str:
    """The name of one port of a server: the given one, else `http`, else the only one."""
    if not workload.is_server:
        raise wrong("workload", "a Deployment or a StatefulSet", str(workload.kind), "a Job serves no port", part="kind")
    if not workload.ports:
        raise wrong("workload", "a workload with a 'port'", workload.port, "without a port the workload has no Service", part="port")
    if given is None and ("http" in workload.ports or len(workload.ports) == 1):
        return "http" if "http" in workload.ports else next(iter(workload.ports))
    names = ", ".join(f"'{name}'" for name in workload.ports)
    if given not in workload.ports:
        hint = did_you_mean(given, workload.ports) if isinstance(given, str) else ""
        raise wrong("port", f"the name of a port of the workload, {names}", NOTHING if given is None else given, hint)
    return str(given)


def default_name(workload: WorkloadSettings, port: str) -> str:
    """The name of an object for one port: that of the workload, with the port where another port is the default."""
    is_default = port == "http" or len(workload.ports) == 1
    return dns_label("name", workload.name if is_default else f"{workload.name}-{port}")


def tcp_port(workload: WorkloadSettings, name: str, user: str) -> Port:
    """A port of TCP; `user` is who talks to it, as "Prometheus"."""
    port = workload.ports[name]
    if port.protocol != "TCP":
        raise wrong(
            "port", "a TCP port", workload.port and workload.port[name], f"{user} speaks HTTP, and the port '{name}' is for UDP alone"
        )
    return port
