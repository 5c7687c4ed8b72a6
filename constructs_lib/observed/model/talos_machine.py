"""A machine as talosctl printed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .evidence import Evidence, Log
from .input_kinds import NodeConfig
from .live_object import parsed


@dataclass(frozen=True, kw_only=True, slots=True)
class Extension:
    """An extension of the running image: `nvidia-container-toolkit-lts` with the version `580.126.20-v1.18.2`."""

    name: str
    version: str
    evidence: Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A service of Talos, as `talosctl services` prints it."""

    name: str
    state: str
    """`Running`, `Waiting`, `Preparing`, `Failed`, `Finished`, …."""
    health: str
    """`OK`, `Fail`, `?`."""
    event: str
    """The last event: `Waiting for file "/dev/nvidia0" to exist`."""
    evidence: Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """A value that was read, with its line."""

    value: str
    evidence: Evidence


@dataclass(kw_only=True, slots=True)
class TalosMachine:
    """The statements of talosctl's outputs about one machine. None means that no output about it was read; an empty
    collection means that none exist.

    `names` are the host name and the addresses under which the outputs name the machine.
    """

    names: set[str] = field(default_factory=set)
    talos_version: Seen | None = None
    extensions: dict[str, Extension] | None = None
    """By their names without the prefix `siderolabs/`."""
    extension_numbers: dict[str, str] = field(default_factory=dict)
    """The names in the list of extensions by the ids that Talos gives them: `0`, `1`, …."""
    schematic: Seen | None = None
    """The ID of the schematic, from the extension `schematic`."""
    modules: dict[str, Seen] | None = None
    """The loaded kernel modules by name, from /proc/modules or Talos' resource, with underscores."""
    has_all_modules: bool | None = None
    """Whether a module that is not among `modules` is not loaded: /proc/modules was read, which is one text, and not a
    list of resources that may be cut.
    """
    configured_modules: dict[str, Seen] | None = None
    """The modules that the configuration loads, with their parameters as the value."""
    services: dict[str, Service] | None = None
    pci: dict[str, Seen] | None = None
    """The devices of NVIDIA by their PCI address, with the product as the value; empty if the machine has none."""
    driver_version: Seen | None = None
    """The version of the loaded driver, from /proc/driver/nvidia/version, the kernel's log or nvidia-smi."""
    sysctls: dict[str, Seen] | None = None
    config: NodeConfig | None = None
    """The machine configuration, without its secrets."""
    is_secure_boot: Seen | None = None
    smi: dict[str, Seen] | None = None
    """Fields of `nvidia-smi -q` by card and field: `GPU 0: ECC Errors Aggregate DRAM Uncorrectable`."""
    card_pods: dict[tuple[str, str], Seen] | None = None
    """The memory that pods hold, in MiB, by the card, such as `GPU 0` or `GPU 0 MIG 7`, and NAMESPACE/NAME of the pod. They
    come from the labels of dcgm-exporter's metrics.
    """
    kernel_log: Log | None = None
    service_logs: dict[str, Log] = field(default_factory=dict)
    refused: dict[str, Evidence] = field(default_factory=dict)
    """Resources that Talos refused to show, with its words: `PermissionDenied`."""

    def known(self, field: str) -> dict[Any, Any]:
        """The collection of a field, which is empty from the first output about it on."""
        if getattr(self, field) is None:
            setattr(self, field, {})
        collection: dict[Any, Any] = getattr(self, field)
        return collection

    @property
    def has_all_extensions(self) -> bool:
        """Whether the list of extensions was read whole: its numbers have no gap, and its last entry is the schematic,
        which the Image Factory appends.

        Source: siderolabs/talos internal/app/machined/pkg/controllers/runtime/extension_status.go;
        siderolabs/image-factory internal/profile/profile.go (2026-11-23)
        """
        numbers = sorted(int(each) for each in self.extension_numbers if each.isdecimal())
        return bool(numbers) and numbers == list(range(len(numbers))) and self.extension_numbers[str(numbers[-1])] == "schematic"

    @property
    def name(self) -> str:
        """The host name; the first address where no output has the host name."""
        return min(self.names, key=lambda each: (bool(parsed(each)), each), default="a machine")
