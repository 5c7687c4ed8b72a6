"""A working cluster without a layout: nodes, and apps with objects and releases of charts. A layout writes it as files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]


@dataclass
class Release:
    """A release of a Helm chart."""

    chart: str
    repository: str
    version: str
    name: str
    namespace: str
    values: Object = field(default_factory=dict)

    @property
    def is_oci(self) -> bool:
        return self.repository.startswith("oci://")


@dataclass
class App:
    """What one folder of a repository deploys into one namespace."""

    name: str
    namespace: str
    objects: list[Object] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)


@dataclass
class Node:
    """A Talos node, as far as GPUs are concerned."""

    name: str
    address: str
    is_control_plane: bool = False
    extensions: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    taints: list[Object] = field(default_factory=list)
    """Taints with key, value and effect."""
    sysctls: dict[str, str] = field(default_factory=dict)
    machine: Object = field(default_factory=dict)
    """Further fields below `machine`."""
    kernel_args: list[str] = field(default_factory=list)
    image: str | None = None
    """The installer image, if it is not the factory's."""


@dataclass
class Cluster:
    """A cluster that works. `pod_security` says why privileged pods are admitted where no namespace is labelled."""

    name: str
    talos: str
    kubernetes: str
    apps: list[App] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    pod_security: str = "labels"
    exempt: list[str] = field(default_factory=list)
    files: dict[str, Any] = field(default_factory=dict)
    """Files that are written as they are: a text, or a list of documents."""

    @property
    def minor(self) -> int:
        return int(self.talos.split(".")[1])

    @property
    def gpu_nodes(self) -> list[Node]:
        return [each for each in self.nodes if each.modules]
