"""Schematics that exist: their images by ID, compared with the nodes, and the settings in their text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text
from ...nodes.fabric_manager import fabric_manager_fault
from ...nodes.factory_ids import extensions_of
from ...nodes.gpu_nodes import GpuNodes, to_nodes
from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.platforms import Arch
from .factory_images import FactoryImages, checked_arch, to_factory
from .official_extensions import nvidia_extensions

_PLAIN = {
    ("customization", "embeddedMachineConfiguration"): "embedded_config",
    ("customization", "bootloader"): "bootloader",
    ("customization", "diskImage", "sectorSize"): "sector_size",
    ("customization", "secureboot", "enrollKeys"): "secure_boot.enroll_keys",
    ("customization", "secureboot", "includeWellKnownCertificates"): "secure_boot.include_well_known_certificates",
    ("overlay", "image"): "overlay.image",
    ("overlay", "name"): "overlay.name",
    ("overlay", "options"): "overlay.options",
}
"""The argument of each field; an argument with a dot is that of a value.

Source: siderolabs/image-factory pkg/schematic/schematic.go at 26b95ca (2026-11-22)
"""
_READ_ELSEWHERE = {("customization", "systemExtensions", "officialExtensions"), ("customization", "extraKernelArgs")}
_META = ("customization", "meta")


def schematic_settings(document: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a schematic beside its extensions and kernel arguments: by the arguments of `Schematic`, of which
    those of `Overlay` and `SecureBoot` are mappings, and by their paths where `Schematic` has no argument.
    """
    arguments: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for path, value in _fields(document):
        if path in _READ_ELSEWHERE:
            continue
        name, _, inner = _PLAIN.get(path, "").partition(".")
        if path == _META and isinstance(value, list) and all(isinstance(each, Mapping) and "key" in each for each in value):
            arguments["meta"] = {_number(each["key"]): each.get("value", "") for each in value}
        elif inner:
            arguments.setdefault(name, {})[inner] = value
        elif name:
            arguments[name] = value
        else:
            others[".".join(path)] = value
    return arguments | others


def _fields(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """The fields that are not empty, which the factory leaves out. The options of an overlay are one field."""
    if value is None or (isinstance(value, str | list | Mapping) and not value):
        return []
    if not isinstance(value, Mapping) or path in _PLAIN:
        return [(path, value)]
    return [field for key, each in value.items() for field in _fields(each, (*path, str(key)))]


def _number(key: Any) -> Any:
    """The key of META, which YAML may have as text such as "0xa"."""
    try:
        return int(key, 0) if isinstance(key, str) else key
    except ValueError:
        return key


_ID = r"[0-9a-f]{64}"


def _to_id(value: str, argument: str = "") -> str:
    rule = "the ID of a schematic (64 hexadecimal digits, in lower case)"
    schematic = text(argument, value, rule)
    if not re.fullmatch(_ID, schematic):
        inside = re.search(rf"(?<![0-9a-f]){_ID}(?![0-9a-f])", schematic.lower())
        raise wrong(argument, rule, schematic, f"did you mean '{inside[0]}'?" if inside else "")
    return schematic


def _to_optional_nodes(value: GpuNodes | None, argument: str = "") -> GpuNodes | None:
    return None if value is None else to_nodes(value, argument)


@named_arguments(id="the factory returned the ID of the schematic")
@attrs.frozen(field_transformer=named)
class ExistingSchematic(FactoryImages):
    """The images of an existing schematic, by its ID.

    An ID is a hash and does not show the extensions. But the schematics with only NVIDIA extensions are few, and so are
    those with one further official extension; their IDs are known. A known ID is refused when the nodes need other
    modules; so is the ID of Talos without extensions.

    Args:
        id: The ID: 64 hexadecimal digits.
        nodes: The nodes that run these images. Default: none; the ID is not compared.
        factory: The host of the Image Factory. Default: "factory.talos.dev".

    Raises:
        TypeError, ValueError: `'id' must be the ID of a schematic …`, `'id' must be of a schematic with …`.

    Example:
        >>> images = ExistingSchematic("af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7")
        >>> images.installer_image("v1.11.5")
        'factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.11.5'

    https://docs.siderolabs.com/talos/v1.14/learn-more/image-factory
    """

    id: str = attrs.field(converter=_to_id)
    nodes: GpuNodes | None = attrs.field(default=None, converter=_to_optional_nodes, kw_only=True)
    factory: str = attrs.field(default=IMAGE_FACTORY, converter=to_factory, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.nodes is not None:
            _check_agreement(self.id, self.nodes)
            fault = fabric_manager_fault(self.nodes.talos_version, self.nodes)
            if fault and self.fabric_manager:
                rule = f"of a schematic without fabric manager on Talos {self.nodes.talos_version}"
                raise wrong("id", rule, self.id, f"{fault.reason}; use Talos {fault.fixed_in} or newer")

    @property
    def overlay(self) -> None:
        """None: the ID does not show an overlay."""

    @property
    def arch(self) -> Arch:
        """The architecture that follows from the card of the nodes, else amd64."""
        return checked_arch(None, nodes=self.nodes, overlay=None)

    @property
    def fabric_manager(self) -> bool:
        """Whether the ID is known as that of a schematic with NVIDIA's fabric manager."""
        return any(FABRIC_MANAGER in name for name in extensions_of(self.id) or ())


def _check_agreement(schematic: str, nodes: GpuNodes) -> None:
    known = extensions_of(schematic)
    if known is None or nodes.track not in nodes.talos_version.release.drivers:
        return
    if nodes.passthrough is not None:
        if extra := [name for name in known if "nvidia" in name]:
            hint = f"the schematic has {' and '.join(extra)}; the GPUs of these nodes belong to virtual machines"
            raise wrong("id", "of a schematic without NVIDIA's extensions", schematic, hint)
        return
    needed = nvidia_extensions(nodes)
    if not set(needed) <= set(known):
        hint = f"the schematic has {' and '.join(known) or 'no extensions'}"
        raise wrong("id", f"of a schematic with {' and '.join(needed)}", schematic, hint)
