"""A node with GPUs: its Node object and its machine, as far as either was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..arguments.patterns import pattern
from ..nodes.talos_version import TalosVersion
from ..observed.model.evidence import Evidence
from ..observed.model.live_object import LiveObject
from ..observed.model.talos_machine import Extension, Seen, TalosMachine
from ..observed.nodes.node import Node, is_card_label, live_node
from ..upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD, WORKLOAD_LABEL
from ..upstream.talos.extension_names import LABEL_PREFIX, MODULES, TOOLKIT
from ..upstream.talos.features import KERNEL_MODULES
from ..upstream.talos.node_services import PERSISTENCED

_OS_IMAGE = pattern(r"^Talos \(v(?P<version>[^)]+)\)")
_DRIVER_WORDS = ("NVRM", "ext-nvidia-", f'module "{KERNEL_MODULES[0]}"')
"""The words of a kernel's log that only a machine with NVIDIA's driver has, or one that should have it."""
_VFIO_DRIVER, _NVIDIA_IDS = "driver vfio-pci", "10de:"


@dataclass(frozen=True, kw_only=True, eq=False)
class GpuNode:
    """A node that has GPUs, or whose image, labels or outputs say that it should have."""

    name: str
    node: LiveObject | None
    """The Node object; None if only talosctl's outputs were read."""
    machine: TalosMachine | None
    """The machine; None if no output of talosctl about it was read."""

    @property
    def talos_version(self) -> Seen | None:
        """The version of Talos that runs on the node, such as `1.13.2`."""
        if self.machine is not None and self.machine.talos_version is not None:
            return self.machine.talos_version
        image = self.node.at("status", "nodeInfo", "osImage") if self.node else None
        found = _OS_IMAGE.match(image) if isinstance(image, str) else None
        if self.node is None or found is None:
            return None
        return Seen(value=found["version"], evidence=self.node.evidence(f"osImage: {image}", "status.nodeInfo"))

    @property
    def minor(self) -> int | None:
        """The minor version of Talos, such as 13; None if the version was not read or is no version."""
        seen = self.talos_version
        try:
            return None if seen is None else TalosVersion.parse("talos_version", seen.value).minor
        except (TypeError, ValueError):
            return None

    @property
    def extensions(self) -> Mapping[str, Extension] | None:
        """The extensions of the image by name; None if none was read.

        They come from talosctl or the labels of Talos, or both where talosctl's list may be cut.
        """
        labelled = None if self.node is None else {each.name: each for each in self._labelled(self.node)}
        if self.machine is None or self.machine.extensions is None:
            return labelled
        return self.machine.extensions if self.machine.has_all_extensions else {**(labelled or {}), **self.machine.extensions}

    @property
    def has_all_extensions(self) -> bool:
        """Whether an extension that is not among `extensions` is not in the image."""
        if self.machine is not None and self.machine.extensions is not None and self.machine.has_all_extensions:
            return True
        is_listed = self.machine is not None and self.machine.extensions is not None
        return self.node is not None and (not is_listed or any(self._labelled(self.node)))

    @staticmethod
    def _labelled(node: LiveObject) -> Iterator[Extension]:
        for key, value in node.labels.items():
            if key.startswith(LABEL_PREFIX):
                name = key.removeprefix(LABEL_PREFIX)
                yield Extension(name=name, version=f"{value}", evidence=node.evidence(f"{key}: {value}", "metadata.labels"))

    @property
    def module_extensions(self) -> list[Extension]:
        """The extensions with NVIDIA's kernel modules."""
        return [each for each in (self.extensions or {}).values() if each.name.startswith(tuple(MODULES.values()))]

    @property
    def toolkits(self) -> list[Extension]:
        """The extensions with NVIDIA's container toolkit."""
        return [each for each in (self.extensions or {}).values() if each.name.startswith(TOOLKIT)]

    @cached_property
    def observed(self) -> Node | None:
        """The node as pods meet it: labels, taints and offers. None without a Node object."""
        return None if self.node is None else live_node(self.node.body)

    @cached_property
    def offered(self) -> Mapping[str, int]:
        """The allocatable GPUs by resource; zeros stay."""
        return {} if self.observed is None else self.observed.allocatable

    @property
    def offer(self) -> Evidence | None:
        """The line by which the Node offers GPUs; None if it offers none."""
        line = next((f"{name}: {amount}" for name, amount in self.offered.items() if amount), "")
        return self.node.evidence(line, "status.allocatable") if self.node and line else None

    @cached_property
    def capacity(self) -> Mapping[str, int]:
        """The GPUs that a device plugin has registered, by resource; those that are unhealthy are not allocatable."""
        return {} if self.observed is None else self.observed.capacity

    @property
    def cards(self) -> list[Evidence]:
        """The cards of the machine, each by one line: the functions of a card, such as its sound, are one card.

        NVSwitches are none. Empty if none was read.
        """
        cards: dict[str, Evidence] = {}
        devices = self.machine.pci if self.machine else None
        for address, device in sorted((devices or {}).items(), key=lambda each: each[0]):
            if not any(word in device.value.lower() for word in ("switch", "bridge")):
                cards.setdefault(address.rpartition(".")[0] or address, device.evidence)
        return list(cards.values())

    @property
    def products(self) -> list[str]:
        """The names of the cards, as Talos has them of their PCI devices."""
        devices = (self.machine.pci if self.machine else None) or {}
        shown = {id(each) for each in self.cards}
        return [each.value for _, each in sorted(devices.items(), key=lambda item: item[0]) if id(each.evidence) in shown]

    @property
    def card_evidence(self) -> Evidence | None:
        """The line that shows a card of NVIDIA's in the machine. None if no such line was read."""
        if self.machine is not None and self.machine.pci:
            return next(iter(self.machine.pci.values())).evidence
        labels = self.node.labels if self.node else {}
        label = next(filter(is_card_label, labels), None)
        return self.node.evidence(f"{label}: {labels[label]}", "metadata.labels") if self.node and label else None

    @cached_property
    def readiness(self) -> Mapping[str, object] | None:
        """The condition Ready of the Node; None if it was not read.

        `Unknown` says that the kubelet has stopped reporting.
        """
        conditions = self.node.mappings("status", "conditions") if self.node else []
        return next((each for each in conditions if each.get("type") == "Ready"), None)

    @property
    def is_lost(self) -> bool:
        """Whether the kubelet has stopped reporting: what Kubernetes shows of the node and its pods is then old."""
        return self.readiness is not None and self.readiness.get("status") == "Unknown"


def has_gpus(node: GpuNode) -> bool:
    """Whether anything that was read says that the node has GPUs for containers, or should have."""
    labels = node.node.labels if node.node else {}
    if labels.get(WORKLOAD_LABEL) in (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD):
        return False
    if not node.module_extensions and not node.toolkits and node.machine is not None and vfio_evidence(node.machine) is not None:
        return False
    is_told = node.machine is not None and _tells_of_driver(node.machine)
    return bool(node.module_extensions or node.toolkits or node.capacity or is_told or node.card_evidence is not None)


def vfio_evidence(machine: TalosMachine) -> Evidence | None:
    """The line that shows that every card is bound to vfio-pci, or is to be: devices, or configured ids."""
    devices = [each.evidence for each in (machine.pci or {}).values()]
    if devices and all(_VFIO_DRIVER in each.text for each in devices):
        return devices[0]
    configured = machine.configured_modules or {}
    module = configured.get("vfio_pci") or configured.get("vfio-pci")
    return module.evidence if module and _NVIDIA_IDS in module.value.lower() else None


def _tells_of_driver(machine: TalosMachine) -> bool:
    """Whether the configuration, the modules, the services or the kernel's log of a machine name NVIDIA's driver."""
    modules = {*(machine.configured_modules or ()), *(machine.modules or ())}
    lines = (text for _, text in machine.kernel_log.kept) if machine.kernel_log else ()
    is_read = (
        KERNEL_MODULES[0] in modules or PERSISTENCED in (machine.services or ()) or machine.driver_version is not None or bool(machine.smi)
    )
    return is_read or any(word in text for text in lines for word in _DRIVER_WORDS)
