"""The machine configuration of nodes whose GPUs belong to virtual machines: `vfio_pci` takes the cards, and no NVIDIA extension is in the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...arguments.errors import Argument, Phrase, Value, wrong
from ...nodes.passthrough import Passthrough
from ...upstream.nvidia.virtual_machines import VFIO_MODULES, VFIO_PCI

_WITHOUT_EXTENSION = "the GPUs of these nodes belong to virtual machines, so the image has no NVIDIA extension"


def refuse_nvidia(**settings: bool) -> None:
    """Refuse every setting that is True: each belongs to an NVIDIA extension."""
    for argument, value in settings.items():
        if value:
            raise wrong(argument, Phrase(Value(False), " with ", Argument("passthrough")), value, _WITHOUT_EXTENSION)


def refuse_nvidia_extension(argument: str, name: str) -> None:
    """Refuse an NVIDIA extension by name."""
    if "nvidia" in name:
        raise wrong(argument, Phrase("left out with ", Argument("passthrough")), name, _WITHOUT_EXTENSION)


def vfio_modules(extra: Sequence[str]) -> list[str]:
    """The modules to load, each once."""
    return [*VFIO_MODULES, *(name for name in extra if name.replace("-", "_") not in VFIO_MODULES)]


def with_device_ids(parameters: Mapping[str, tuple[str, ...]], cards: Passthrough) -> dict[str, tuple[str, ...]]:
    """The parameters by module, with the PCI IDs of the devices that `vfio_pci` takes."""
    others = parameters.get(VFIO_PCI, ())
    for parameter in others:
        if parameter.partition("=")[0] == "ids":
            hint = "'pci_ids' of Passthrough names the devices"
            raise wrong(f"kernel_module_parameters[{VFIO_PCI}]", "without 'ids'", parameter, hint)
    return {**parameters, VFIO_PCI: (cards.module_parameter, *others)}


def why_vfio(cards: Passthrough) -> list[str]:
    """The comment of the modules in the patch."""
    return [
        f"{VFIO_PCI} takes every device with the IDs {', '.join(cards.pci_ids)} at boot, and gives the devices to virtual machines. On a running",
        "node the parameter has an effect after a reboot. Check: talosctl get pcidevices -o yaml (driver: vfio-pci).",
    ]
