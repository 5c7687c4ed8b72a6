"""The arguments of `Schematic` in a schematic of the Image Factory that somebody else wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

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


class SchematicSettings(NamedTuple):
    """The settings of a schematic beside its extensions and kernel arguments."""

    arguments: dict[str, Any]
    """The arguments of `Schematic`; `overlay` and `secure_boot` are mappings of the arguments of `Overlay` and `SecureBoot`."""
    unknown: dict[str, Any]
    """The settings for which `Schematic` has no argument, by their paths."""


def schematic_settings(document: Mapping[str, Any]) -> SchematicSettings:
    """The settings of a schematic."""
    arguments: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for path, value in _fields(document):
        if path in _READ_ELSEWHERE:
            continue
        if path == _META and isinstance(value, list) and all(isinstance(each, Mapping) and "key" in each for each in value):
            arguments["meta"] = {_number(each["key"]): each.get("value", "") for each in value}
        elif path in _PLAIN:
            name, _, inner = _PLAIN[path].partition(".")
            if inner:
                arguments.setdefault(name, {})[inner] = value
            else:
                arguments[name] = value
        else:
            unknown[".".join(path)] = value
    return SchematicSettings(arguments, unknown)


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
