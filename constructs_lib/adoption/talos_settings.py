"""The settings of a node in Talos' own files, by their paths: the image, the kernel, the labels, the taints, the files, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..observed.model import NodeConfig, Unknown, at, known_str, mappings
from ..observed.nodes.node_extensions import official_name
from ..talos.image.schematic_file import schematic_settings
from ..upstream.talos.extension_names import ALIASES, NVIDIA_ALIASES, PREFIX
from ..upstream.talos.features import CUSTOMIZATION_PATH
from ..upstream.talos.installer_images import read_installer
from .plain_objects import Path, UnreadError, plain_value

Settings = dict[Path, Any]
"""The settings by their paths. The first step is a section: `extensions`, `sysctls`, …; `rest` is what no file of this library says."""

EXTENSIONS, ARGUMENTS, SCHEMATIC, IMAGE = "extensions", "extra_kernel_args", "schematic", "image"
MODULES, SYSCTLS, LABELS, TAINTS, FILES, REST = "kernel_modules", "sysctls", "labels", "taints", "files", "rest"
UNREAD = "a value that can't be read"
_OF_MACHINE = frozenset({"kernel", "sysctls", "nodeLabels", "nodeTaints", "files", "type"})


def node_settings(config: NodeConfig) -> Settings:
    """The settings of a node configuration."""
    settings: Settings = dict(_of_image(config))
    for _, document in config.documents:
        settings.update(_of_machine(document))
    for key, value, effect in config.taints or ():
        settings[TAINTS, str(_read(key))] = ":".join(text for each in (value, effect) if (text := str(_read(each) or "")))
    return settings


def installed_image(image: str) -> Settings:
    """The platform and Secure Boot in the name of an installer image of the Image Factory."""
    installer = read_installer(image.strip())
    return {} if installer is None else {(IMAGE, "platform"): str(installer.platform), (IMAGE, "secureboot"): installer.is_secure}


def _of_image(config: NodeConfig) -> Iterator[tuple[Path, Any]]:
    for written in config.extensions or ():
        yield (EXTENSIONS, _extension(written)), True
    schematic = _plain(config.at("image_settings", "schematic"))
    for argument in at(schematic, "customization", "extraKernelArgs") or ():
        yield (ARGUMENTS, str(argument)), True
    settings = schematic_settings(schematic)
    yield from (((SCHEMATIC, name), value) for name, value in {**settings.arguments, **settings.unknown}.items())
    if isinstance(image := known_str(config.image), str):
        yield from installed_image(image).items()
    spec = _plain(config.at("image_settings", "machineSpec"))
    for key, name in (("mode", "platform"), ("secureboot", "secureboot"), ("arch", "arch")):
        if key in spec:
            yield (IMAGE, name), spec[key]
    for key in sorted(spec.keys() - {"mode", "secureboot", "arch"}):
        yield (REST, f"machineSpec.{key}"), spec[key]


def _extension(written: Any) -> str:
    """The name by which the Image Factory finds an extension, which may be written by an alias."""
    name = official_name(written)
    short = name.removeprefix(PREFIX)
    official = {**ALIASES, **NVIDIA_ALIASES}.get(short, short)
    return f"{PREFIX}{official}" if name else str(_read(written))


def _of_machine(document: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    kind = known_str(document.get("kind"))
    if "kind" in document:
        yield from _of_document(kind or "a document whose kind can't be read", document)
        return
    machine = at(document, "machine")
    for _, module in mappings(at(machine, "kernel", "modules")):
        yield _module(module)
    for section, key in ((SYSCTLS, "sysctls"), (LABELS, "nodeLabels")):
        yield from (((section, name), str(value)) for name, value in _plain(at(machine, key)).items())
    for _, file in mappings(at(machine, "files")):
        yield (FILES, str(_read(at(file, "path")))), str(_read(at(file, "content"))).strip()
    for key, value in _plain(machine).items():
        if key not in _OF_MACHINE and not (key == "install" and set(value) == {"image"}):
            yield (REST, f"machine.{key}"), value
    for key, value in _plain(document).items():
        if key not in ("machine", "version", "debug", "persist"):
            yield (REST, key), value


def _of_document(kind: str, document: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    match kind:
        case "KernelModuleConfig":
            yield _module(document)
        case "SysctlConfig":
            yield from (((SYSCTLS, name), str(value)) for name, value in _plain(document.get("params")).items())
        case "KubeNodeConfig":
            yield from (((LABELS, name), str(value)) for name, value in _plain(document.get("labels")).items())
        case "CRICustomizationConfig":
            yield (FILES, CUSTOMIZATION_PATH), str(_read(document.get("content"))).strip()
        case _:
            yield (REST, kind), True


def _module(module: Any) -> tuple[Path, Any]:
    name = str(_read(at(module, "name"))).replace("-", "_")
    parameters = _read(at(module, "parameters") or [])
    return (MODULES, name), sorted(parameters) if isinstance(parameters, list) else parameters


def _plain(value: Any) -> dict[str, Any]:
    """A mapping as plain data. A key or a value that can't be read is named as such."""
    items = value.items() if isinstance(value, Mapping) else ()
    return {UNREAD if isinstance(key, Unknown) else str(key): _read(each) for key, each in items}


def _read(value: Any) -> Any:
    try:
        return plain_value(value, [])
    except UnreadError:
        return UNREAD
