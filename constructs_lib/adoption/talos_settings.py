"""The settings of a node in Talos' own files by their paths, and the arguments of an entry of `talos` that say them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..arguments.commands import command
from ..arguments.credentials.places import credential_path
from ..clusters.argument_types import arguments_of
from ..nodes.talos_version import TalosVersion
from ..observed.model import NodeConfig, Unknown, at, known_items, known_str, known_text, mappings
from ..observed.nodes.node_extensions import official_name
from ..talos.image.existing_schematic import schematic_settings
from ..talos.image.schematic import Schematic
from ..upstream.talos.config_documents import OMNI_DOMAIN
from ..upstream.talos.extension_names import ALIASES, FABRIC_MANAGER, GDRDRV, NVIDIA_ALIASES, PREFIX
from ..upstream.talos.features import (
    CUSTOMIZATION_PATH,
    DOCUMENTS,
    GDRCOPY_MODULE,
    IMAGE_FACTORY,
    KERNEL_MODULES,
    PEERMEM_MODULE,
    RUNTIME_CLASS,
)
from ..upstream.talos.installer_images import read_installer
from ..upstream.talos.platforms import Arch, Platform
from .node_classes import NodeClasses
from .tree import Path, UnreadError, plain_value

Settings = dict[Path, Any]
"""The settings by their paths.

The first step is a section: `extensions`, `sysctls`, …; `rest` is what no file of this library says.
"""

EXTENSIONS, ARGUMENTS, SCHEMATIC, IMAGE = "extensions", "extra_kernel_args", "schematic", "image"
MODULES, SYSCTLS, LABELS, TAINTS, FILES, REST = "kernel_modules", "sysctls", "labels", "taints", "files", "rest"
UNREAD = "a value that can't be read"
_OF_MACHINE = frozenset({"kernel", "sysctls", "nodeLabels", "nodeTaints", "files", "type"})


def node_settings(config: NodeConfig) -> Settings:
    """The settings of a node configuration."""
    settings: Settings = dict(_of_image(config))
    for section, values in ((SYSCTLS, config.sysctls), (LABELS, config.labels)):
        settings |= {(section, name): str(value) for name, value in _plain(values).items()}
    settings |= {(FILES, str(_read(at(file, "path")))): str(_read(at(file, "content"))).strip() for file in config.files or ()}
    for key, value, effect in config.taints or ():
        settings[TAINTS, str(_read(key))] = ":".join(text for each in (value, effect) if (text := str(_read(each) or "")))
    for _, document in config.documents:
        settings.update(_of_document(document) if "kind" in document else _of_machine(document))
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
    yield from (((SCHEMATIC, name), value) for name, value in schematic_settings(schematic).items())
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
    """The modules of a machine configuration, and what no file of this library says."""
    machine = at(document, "machine")
    yield from (_module(module) for _, module in mappings(at(machine, "kernel", "modules")))
    for key, value in _plain(machine).items():
        if key not in _OF_MACHINE and not (key == "install" and set(value) == {"image"}):
            yield (REST, f"machine.{key}"), value
    yield from (((REST, key), value) for key, value in _plain(document).items() if key not in ("machine", "version", "debug", "persist"))


def _of_document(document: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    kind = known_str(document.get("kind"))
    if kind == "KernelModuleConfig":
        yield _module(document)
    elif kind == "CRICustomizationConfig":
        yield (FILES, CUSTOMIZATION_PATH), str(_read(document.get("content"))).strip()
    elif kind not in ("SysctlConfig", "KubeNodeConfig"):
        yield (REST, kind or "a document whose kind can't be read"), True


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
        return plain_value(value)
    except UnreadError:
        return UNREAD


_DEFAULTS = {"platform": str(Platform.METAL), "secureboot": False, "arch": str(Arch.AMD64)}
_OF_SCHEMATIC = frozenset(arguments_of(Schematic))
_VALUES = {"overlay": "Overlay", "secure_boot": "SecureBoot"}
"""The arguments of `Schematic` that are values, with their kinds in a cluster file."""
_TEXTS = ("embedded_config", "meta")
"""The arguments with text of any content."""
_OF_THE_DRIVER = frozenset({*KERNEL_MODULES, GDRCOPY_MODULE, PEERMEM_MODULE})


def talos_entries(nodes: NodeClasses) -> list[dict[str, Any]]:
    """An entry for each class of nodes whose configuration was read.

    None without a release of Talos, and none for a class with an unread image: an entry without its driver would put the
    default driver on the nodes.
    """
    if not nodes.has_configs:
        nodes.origins.append("no node configuration was read, so the file has no Talos files")
        return []
    release = str(nodes.classes[0]["talos_version"])
    if not re.match(r"\d+\.\d+\.\d+", release):
        nodes.notes.append(f"the Talos files need a release with its patch, and {release} is known: give --talos {release}.N")
        return []
    several = len(nodes.classes) > 1
    nodes.notes += [note for note in map(_unread_image, nodes.without_image) if note not in nodes.notes]
    return [
        {**({"nodes": each["name"]} if several else {}), **_arguments(configs, release)}
        for each, configs in zip(nodes.classes, nodes.configs, strict=True)
        if not any(config in nodes.without_image for config in configs)
    ]


def _unread_image(config: NodeConfig) -> str:
    installer = read_installer(known_text(config.image))
    shown = (
        f"{shown_by(installer.schematic)} prints its schematic" if installer else "talosctl get extensions shows the ID of its schematic"
    )
    return (
        f"the image of {config.label} was not read, so its driver is not known, and the file has no Talos files with a default one: {shown}; "
        "save the schematic beside the files, and adopt them again"
    )


def shown_by(schematic: str) -> str:
    """The command that prints a schematic of the Image Factory."""
    return f"{command('curl --fail https://{factory}/schematics/{id}', factory=IMAGE_FACTORY, id=schematic)}"


def _arguments(configs: list[NodeConfig], talos: str) -> dict[str, Any]:
    """The arguments of an entry without its class. A setting that is not that of all configurations is left out."""
    settings = _common([node_settings(each) for each in configs])
    modules = _section(settings, MODULES)
    runtimes = {known_str(each.default_runtime) for each in configs if each.default_runtime is not None}
    parameters = {name: value for name, value in modules.items() if value and isinstance(value, list)}
    given: dict[str, Any] = {
        **without_credentials(image_arguments(configs)),
        "kernel_module_parameters": parameters,
        "extra_kernel_modules": [name for name in modules if name not in _OF_THE_DRIVER],
        "sysctls": {name: value for name, value in _section(settings, SYSCTLS).items() if credential_path({name: value}) is None},
        "default_runtime": runtimes == {RUNTIME_CLASS},
        "omni": _omni(configs),
        "style": "fields" if TalosVersion.parse("talos_version", talos).minor in DOCUMENTS and any(map(_has_fields, configs)) else "",
    }
    return {name: value for name, value in given.items() if value}


def image_arguments(configs: list[NodeConfig]) -> dict[str, Any]:
    """The arguments of the image of these configurations: its platform, Secure Boot, and the arguments of `Schematic`.

    An extension of one configuration is in the image of all, so that no node loses it. Another setting is that of all
    configurations.
    """
    each_settings = [node_settings(each) for each in configs]
    settings = _common(each_settings)
    extensions = list(dict.fromkeys(name for each in each_settings for name in _section(each, EXTENSIONS) if name.startswith(PREFIX)))
    given = {
        "extensions": [name for name in extensions if "nvidia" not in name],
        "fabric_manager": any(name.startswith(f"{PREFIX}{FABRIC_MANAGER}") for name in extensions),
        "gdrcopy": f"{PREFIX}{GDRDRV}" in extensions,
        "extra_kernel_args": list(_section(settings, ARGUMENTS)),
        **{
            name: {_VALUES[name]: value} if name in _VALUES else value
            for name, value in _section(settings, SCHEMATIC).items()
            if name in _OF_SCHEMATIC
        },
        **{name: value for name, value in _section(settings, IMAGE).items() if value != _DEFAULTS.get(name)},
    }
    return {name: value for name, value in given.items() if value or name == "fabric_manager"}


def unknown_settings(config: NodeConfig) -> list[str]:
    """The settings of a schematic for which `Schematic` has no argument, by their paths."""
    return [each for each in _section(node_settings(config), SCHEMATIC) if each not in _OF_SCHEMATIC]


def without_credentials(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an image for a file of a repository: what may hold a credential is left out."""
    kept = {name: value for name, value in arguments.items() if name not in _TEXTS or not is_hidden(f"{value}")}
    return {**kept, "extra_kernel_args": [each for each in kept.get("extra_kernel_args", ()) if not is_hidden(each)]}


def is_hidden(argument: str) -> bool:
    """Whether a kernel argument may hold a credential, such as the token of `siderolink.api`."""
    return credential_path(argument) is not None


def _common(of_configs: list[Settings]) -> Settings:
    """The settings that all configurations have which state the section."""
    result: Settings = {}
    for settings in of_configs:
        for path, value in settings.items():
            stating = [other for other in of_configs if any(each[0] == path[0] for each in other)]
            if all(other.get(path) == value for other in stating):
                result[path] = value
    return result


def _section(settings: Settings, section: str) -> dict[str, Any]:
    return {str(path[1]): value for path, value in settings.items() if path[0] == section}


def _omni(configs: list[NodeConfig]) -> dict[str, str]:
    """The target of the resources of Omni with the configurations; empty where they have several targets, or none."""
    resources = [resource for each in configs for _, resource in mappings(each.at("resources"))]
    targets = [
        {key.removeprefix(f"{OMNI_DOMAIN}/").replace("-", "_"): value for key, value in known_items(at(each, "metadata", "labels"))}
        for each in resources
    ]
    return targets[0] if targets and all(each == targets[0] for each in targets) else {}


def _has_fields(config: NodeConfig) -> bool:
    """Whether a configuration has the fields for which newer Talos has documents: Talos refuses a setting in both
    forms."""
    fields = ("kernel", "sysctls", "nodeLabels", "nodeTaints")
    return any(at(each, "machine", field) is not None for _, each in config.documents if "kind" not in each for field in fields)
