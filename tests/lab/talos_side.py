"""Talos' side of a machine of the laboratory: its image, its modules and its services, with the faults that it has.

The facts are those of siderolabs/talos and siderolabs/extensions nvidia-gpu at the tags of `RELEASES`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import sentences as words
from kernel_lines import Fact
from machines import Machine


@dataclasses.dataclass(frozen=True)
class Release:
    """The parts of a release of Talos: kernel, containerd, kubelet, NVIDIA's driver by track, and its container toolkit."""

    kernel: str
    containerd: str
    kubelet: str
    drivers: Mapping[str, str]
    toolkit: str


# siderolabs/talos and siderolabs/extensions nvidia-gpu/vars.yaml at the tags
RELEASES = {
    "1.11.0": Release("6.12.43", "2.1.4", "1.34.0", {"lts": "535.247.01", "production": "570.172.08"}, "1.17.8"),
    "1.12.11": Release("6.18.42", "2.2.5", "1.35.4", {"lts": "580.126.20", "production": "570.211.01"}, "1.18.2"),
    "1.13.9": Release("6.18.44", "2.2.4", "1.36.3", {"lts": "580.178.04", "production": "595.91.07"}, "1.19.1"),
    "1.14.0": Release("6.18.44", "2.3.3", "1.36.3", {"lts": "580.178.04", "production": "595.91.07"}, "1.19.1"),
}
# pciutils/pciids: the product, its ID, and the PCI subclass
PRODUCTS = {
    "NVIDIA GeForce RTX 4090": ("AD102 [GeForce RTX 4090]", "0x2684"),
    "NVIDIA GeForce RTX 5070 Ti": ("GB203 [GeForce RTX 5070 Ti]", "0x2c05"),
    "NVIDIA GeForce GTX 1080": ("GP104 [GeForce GTX 1080]", "0x1b80"),
    "NVIDIA H100 80GB HBM3": ("GH100 [H100 SXM5 80GB]", "0x2330"),
}
# A module that every machine of the laboratory has, beside NVIDIA's.
OTHER = "intel_rapl_msr"
SIZES = {OTHER: 16384, "nvidia": 14389248, "nvidia_uvm": 2387968, "nvidia_modeset": 1916928, "nvidia_drm": 147456}
NEEDS: dict[str, list[str]] = {
    OTHER: [],
    "nvidia": [],
    "nvidia_uvm": ["nvidia"],
    "nvidia_modeset": ["nvidia"],
    "nvidia_drm": ["nvidia_modeset"],
}
BUS_FILE = "/sys/bus/pci/drivers/nvidia"
MOMENT = "2026-11-22T09:58:07Z"


@dataclasses.dataclass(frozen=True)
class Service:
    """A row of `talosctl services`."""

    state: str
    health: str
    event: str


RUNNING = Service("Running", "?", words.STARTED("{name}", 2218, "{name}"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class TalosSide:
    """A machine as Talos shows it. What is None follows from the machine: its image, its configuration and its cards."""

    machine: Machine
    address: str = "10.0.0.11"
    extensions: Mapping[str, str] | None = None
    """The extensions of the running image with their versions."""
    loaded: tuple[str, ...] | None = None
    driver: str = ""
    """The kernel driver of the cards, such as vfio-pci."""
    facts: tuple[Fact, ...] = ()
    """The faults that the kernel's log shows."""
    services: Mapping[str, Service] = dataclasses.field(default_factory=dict)
    sysctls: Mapping[str, str] = dataclasses.field(default_factory=dict)
    extra_pci: tuple[Mapping[str, str], ...] = ()
    shows_config: bool = False
    """Whether the machine configuration was printed."""
    has_cards: bool = True
    """Whether the PCI bus shows the cards."""

    @property
    def release(self) -> Release:
        return RELEASES[self.machine.talos]

    @property
    def image(self) -> Mapping[str, str]:
        """The extensions with their versions: modules are built for the kernel of the release, the toolkit has a version of its own."""
        if self.extensions is not None:
            return self.extensions
        return {name: extension_version(name, self.machine.talos) for name in self.machine.extensions}

    @property
    def modules_extension(self) -> str:
        return next((name for name in self.image if name.startswith(("nvidia-open-gpu", "nonfree-kmod"))), "")

    @property
    def configured(self) -> list[str]:
        """The modules that the configuration loads, as Talos reads it."""
        return list(self.machine._modules)

    @property
    def modules(self) -> tuple[str, ...]:
        """The loaded modules."""
        if self.loaded is not None:
            return self.loaded
        fails = not self.modules_extension or any(each.unloads for each in self.facts)
        return () if fails else tuple(each for each in self.configured if each in SIZES and each != OTHER)

    @property
    def driver_version(self) -> str:
        return self.image[self.modules_extension].partition("-")[0] if self.modules_extension else ""

    @property
    def is_bound(self) -> bool:
        """Whether NVIDIA's driver has the cards."""
        return "nvidia" in self.modules and not self.driver and self.has_cards

    @property
    def banner(self) -> str:
        """The name of the driver in the words of its modules."""
        if self.modules_extension.startswith("nvidia-open"):
            return f"NVIDIA UNIX Open Kernel Module for x86_64  {self.driver_version}  Release Build  (root@buildkitsandbox)"
        return f"NVIDIA UNIX x86_64 Kernel Module  {self.driver_version}  Thu Jul 30 21:09:13 UTC 2026"

    @property
    def card_address(self) -> str:
        """The PCI address of the first card."""
        return address(0)

    @property
    def card_number(self) -> str:
        """The PCI ID of the first card, such as 2684."""
        return PRODUCTS[self.machine.cards[0].product][1][2:] if self.machine.cards else ""


def extension_version(name: str, talos: str) -> str:
    """The version of an extension as its manifest has it."""
    release = RELEASES[talos]
    driver = release.drivers.get(name.rpartition("-")[2], "")
    return f"{driver}-v{release.toolkit}" if "toolkit" in name else f"{driver}-v{talos}" if driver else f"v{talos}"


def address(index: int) -> str:
    """The PCI address of a card."""
    return f"0000:{index + 1:02x}:00.0"
