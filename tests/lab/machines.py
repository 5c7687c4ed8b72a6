"""Machines of the laboratory: Nodes as Talos registers them with a machine configuration and an image that this library has written.

Nothing here reads a `GpuNodes`. The labels, the taints and the driver of a machine follow from the text of its machine configuration and of its
schematic alone; the cards are the hardware, and an input.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import yaml

# Talos publishes each extension of the image as a label with its version (siderolabs/talos pkg/machinery/constants, K8sExtensionPrefix).
EXTENSION = "extensions.talos.dev/"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
MODULES = {"nvidia", "nvidia_uvm"}  # CUDA needs both
PLENTY = {"cpu": "256", "memory": "2Ti", "ephemeral-storage": "2Ti", "pods": "110"}


@dataclasses.dataclass(frozen=True)
class Card:
    """A physical GPU: its product as NVML names it, its memory in MiB, and the PCI class, 0300 with outputs and 0302 without.

    `partitions` are the profiles of the MIG partitions that the card has before an agent starts.
    """

    product: str = "NVIDIA GeForce RTX 4090"
    memory: int = 24564
    pci_class: str = "0300"
    partitions: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Machine:
    """One machine with the configuration and the image that were written for its class of nodes."""

    name: str
    config: str
    schematic: str
    talos: str
    cards: tuple[Card, ...] = (Card(),)
    control_plane: bool = False

    @cached_property
    def documents(self) -> tuple[dict[str, Any], ...]:
        return tuple(document for document in yaml.safe_load_all(self.config) if document)

    @property
    def minor(self) -> int:
        """The minor version of Talos."""
        return int(self.talos.split(".")[1])

    @property
    def extensions(self) -> list[str]:
        """The extensions of the image, without their maker."""
        document = yaml.safe_load(self.schematic)
        return [name.rpartition("/")[2] for name in document["customization"]["systemExtensions"]["officialExtensions"]]

    @property
    def loads_driver(self) -> bool:
        """Whether the driver works: the image has the modules and the libraries, of one track, and the configuration loads the modules."""
        tracks = [
            {name.rpartition("-")[2] for name in self.extensions if name.startswith(parts)}
            for parts in (("nvidia-open-gpu-kernel-modules", "nonfree-kmod-nvidia"), "nvidia-container-toolkit")
        ]
        return bool(tracks[0]) and tracks[0] == tracks[1] and set(self._modules) >= MODULES

    @property
    def _modules(self) -> Iterator[str]:
        for document in self.documents:
            if document.get("kind") == "KernelModuleConfig":
                yield document["name"]
            for module in self._machine(document).get("kernel", {}).get("modules", ()):
                yield module["name"]

    @property
    def labels(self) -> dict[str, str]:
        """The labels that Talos and its kubelet set."""
        labels = {"kubernetes.io/hostname": self.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
        labels |= {f"{EXTENSION}{name}": f"v{self.talos}" for name in self.extensions}
        if self._joins_as_control_plane:
            labels[CONTROL_PLANE] = ""
        for document in self.documents:
            labels |= self._machine(document).get("nodeLabels", {})
            if document.get("kind") == "KubeNodeConfig":
                labels |= document.get("labels", {})
        return labels

    @property
    def _joins_as_control_plane(self) -> bool:
        """Whether Talos adds the label and the taint of the control plane; beside a KubeNodeConfig Talos adds neither."""
        return self.control_plane and all(document.get("kind") != "KubeNodeConfig" for document in self.documents)

    @property
    def taints(self) -> list[dict[str, str]]:
        """The taints of the node after it has joined. A worker of Talos up to 1.13 gets none from `nodeTaints`: its kubelet registers with its own."""
        taints = [{"key": CONTROL_PLANE, "effect": "NoSchedule"}] if self._joins_as_control_plane else []
        for document in self.documents:
            machine = self._machine(document)
            written = machine.get("nodeTaints", {}) if self.control_plane else {}
            if document.get("kind") == "KubeNodeConfig":
                written = document.get("taints", {})
            taints += [_taint(key, text) for key, text in written.items()]
            if not self.control_plane:
                taints += machine.get("kubelet", {}).get("extraConfig", {}).get("registerWithTaints", [])
        return taints

    @staticmethod
    def _machine(document: dict[str, Any]) -> dict[str, Any]:
        machine: dict[str, Any] = document.get("machine", {})
        return machine

    def node(self) -> dict[str, Any]:
        """The Node as it joins, without a GPU: a device plugin has still to start."""
        metadata = {"name": self.name, "labels": self.labels}
        return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": self.taints}}

    def status(self, **devices: str) -> dict[str, Any]:
        """The status that the kubelet writes: cpu, memory, pods, and the devices that plugins advertise."""
        amounts = {**PLENTY, **devices}
        identity = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name}}
        return {**identity, "status": {"capacity": amounts, "allocatable": amounts}}


def _taint(key: str, text: str) -> dict[str, str]:
    value, _, effect = text.rpartition(":")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}
