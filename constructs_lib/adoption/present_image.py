"""The image that the nodes of a repository or of a live cluster have now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..arguments.errors import wrong
from ..doctor.gpu_node import GpuNode
from ..doctor.node_image import boot_of, custom_extensions, nvidia_extensions, official_others, schematic_id
from ..nodes.factory_ids import extensions_of
from ..observed.model import Inputs, NodeConfig, known_text
from ..observed.nodes.node_extensions import drivers, official_name
from ..observed.nodes.node_settings import gpu_node_configs
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV
from ..upstream.talos.installer_images import only_nvidia, read_installer
from ..upstream.talos.platforms import Arch, Platform
from .talos_settings import image_arguments, shown_by, unknown_settings

Driver = tuple[KernelModules | None, DriverTrack | None]


@dataclass(frozen=True, kw_only=True)
class PresentImage:
    """The image of the machines."""

    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments of `Schematic`, and `platform`, `secureboot` and `arch`, as an entry of `talos` in a cluster file
    has them."""
    drivers: set[Driver] = field(default_factory=set)
    """The flavour and the track of each driver."""
    notes: tuple[str, ...] = ()
    """A sentence for each part that is not taken over, or was not read."""
    is_read: bool = True
    hint: str = ""
    """The command that shows the image, if it was not read."""


def present_image(inputs: Inputs, nodes: Sequence[GpuNode] = (), *, is_one: bool = True) -> PresentImage:
    """The image by node configurations and schematics, else by the nodes of a cluster.

    Several images are refused, or with `is_one=False` taken as one with the extensions of all.
    """
    configs = gpu_node_configs(inputs) or inputs.node_configs
    if any(each.extensions is not None for each in configs):
        return image_of_configs(configs, is_one=is_one)
    return image_of_nodes(nodes) if nodes else image_of_configs(inputs.node_configs)


def image_of_configs(configs: Sequence[NodeConfig], *, is_one: bool = False) -> PresentImage:
    """The image by node configurations and schematics; one that is not read where none has extensions."""
    if with_extensions := [each for each in configs if each.extensions is not None]:
        return _of_configs(with_extensions, is_one=is_one)
    images = [read_installer(known_text(each.image)) for each in configs]
    return PresentImage(is_read=False, hint=next((_shown(each.schematic) for each in images if each), ""))


def _shown(schematic: str) -> str:
    return f"{shown_by(schematic)} prints the schematic, which --from reads"


def _of_configs(configs: list[NodeConfig], *, is_one: bool) -> PresentImage:
    own = [image_arguments([each]) for each in configs]
    other = next((each for each, its in zip(configs, own, strict=True) if its != own[0]), None)
    notes = [f"{each.label}: {part} is not taken over" for each in configs for part in _not_taken(each)]
    if other is not None and is_one:
        raise wrong(
            "from", "a source with one image", f"the images of {configs[0].label} and {other.label}", "give the file of one class of nodes"
        )
    if other is not None:
        notes.append(
            f"{configs[0].label} and {other.label} have different images: the image has the extensions of all, and of the rest what they share"
        )
    arguments, found = image_arguments(configs), {(each.flavour, each.track) for config in configs for each in drivers(config)}
    if not found:
        del arguments["fabric_manager"]  # without a driver the source does not say whether the nodes need it
    return PresentImage(arguments=arguments, drivers=found, notes=tuple(dict.fromkeys(notes)))


def _not_taken(config: NodeConfig) -> list[str]:
    """The settings without an argument, and the extensions that the Image Factory does not have."""
    return [*unknown_settings(config), *(f"the extension {each}" for each in config.extensions or () if not official_name(each))]


def image_of_nodes(nodes: Sequence[GpuNode]) -> PresentImage:
    """The image by the labels of nodes, and by the outputs of talosctl about their machines.

    The image has the extensions of all nodes.
    """
    nvidia = [each for node in nodes for each in nvidia_extensions(node)]
    boots = [boot_of(each) for each in nodes]
    arguments = {
        "extensions": sorted({name for each in nodes for name in official_others(each)}),
        "fabric_manager": any(each.kind == FABRIC_MANAGER for each in nvidia),
        "gdrcopy": any(GDRDRV in (each.extensions or {}) for each in nodes),
        "platform": next((platform for platform, _ in boots if platform not in ("", Platform.METAL)), None),
        "secureboot": any(is_secure for _, is_secure in boots),
        "arch": str(Arch.ARM64)
        if Arch.ARM64 in (each.node and each.node.at("status", "nodeInfo", "architecture") for each in nodes)
        else None,
    }
    return PresentImage(
        arguments={name: value for name, value in arguments.items() if value},
        drivers={(each.flavour, each.track) for each in nvidia if each.flavour},
        notes=tuple(_notes(nodes)),
    )


def _notes(nodes: Sequence[GpuNode]) -> Iterator[str]:
    """A sentence for each part of the image that is not taken over."""
    for each in nodes:
        if custom := custom_extensions(each):
            yield f"{each.name}: the image lacks {', '.join(custom)}, because the Image Factory has no such official extension"
        if not each.extensions:
            yield f"{each.name}: no extensions were read; {only_nvidia('--extension')}"
    schematics = sorted({known for each in nodes if (known := schematic_id(each)) and extensions_of(known) is None})
    for schematic in schematics:
        yield f"kernel arguments, overlay and META of the schematic are not taken over: {_shown(schematic)}"
    if not all(map(schematic_id, nodes)):
        yield "kernel arguments, overlay and META were not read: talosctl get extensions shows the ID of the schematic"
    if not all(platform and is_secure is not None for platform, is_secure in map(boot_of, nodes)):
        yield "platform and Secure Boot were not read: the image is that of a metal machine without Secure Boot, unless 'platform' and 'secureboot' say another"
