"""The entry of `talos` for a class of nodes: the arguments that say the settings which all of its node configurations have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..arguments.credentials.places import credential_path
from ..clusters.argument_types import arguments_of
from ..nodes.talos_version import TalosVersion
from ..observed.model import NodeConfig, at, known_items, known_str, mappings
from ..talos.image.schematic import Schematic
from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV, PREFIX
from ..upstream.talos.features import DOCUMENTS, GDRCOPY_MODULE, KERNEL_MODULES, PEERMEM_MODULE
from ..upstream.talos.omni_metadata import OMNI_DOMAIN
from ..upstream.talos.platforms import Arch, Platform
from .node_classes import NodeClasses
from .talos_settings import ARGUMENTS, EXTENSIONS, IMAGE, MODULES, SCHEMATIC, SYSCTLS, Settings, node_settings

_DEFAULTS = {"platform": str(Platform.METAL), "secureboot": False, "arch": str(Arch.AMD64)}
_OF_SCHEMATIC = frozenset(arguments_of(Schematic))
_VALUES = {"overlay": "Overlay", "secure_boot": "SecureBoot"}
"""The arguments of `Schematic` that are values, with their kinds in a cluster file."""
_TEXTS = ("embedded_config", "meta")
"""The arguments with text of any content."""
_OF_THE_DRIVER = frozenset({*KERNEL_MODULES, GDRCOPY_MODULE, PEERMEM_MODULE})


def talos_entries(nodes: NodeClasses) -> list[dict[str, Any]]:
    """An entry for each class of nodes whose configuration was read; none without a release of Talos."""
    if not nodes.has_configs:
        nodes.origins.append("no node configuration was read, so the file has no Talos files")
        return []
    release = str(nodes.classes[0]["talos_version"])
    if not re.match(r"\d+\.\d+\.\d+", release):
        nodes.notes.append(f"the Talos files need a release with its patch, and {release} is known: give --talos {release}.N")
        return []
    several = len(nodes.classes) > 1
    return [
        {**({"nodes": each["name"]} if several else {}), **_arguments(configs, release)}
        for each, configs in zip(nodes.classes, nodes.configs, strict=True)
    ]


def _arguments(configs: list[NodeConfig], talos: str) -> dict[str, Any]:
    """The arguments of an entry without its class. A setting that is not that of all configurations is left out."""
    settings = _common([node_settings(each) for each in configs])
    modules = _section(settings, MODULES)
    parameters = {name: value for name, value in modules.items() if value and isinstance(value, list)}
    given: dict[str, Any] = {
        **without_credentials(image_arguments(configs)),
        "kernel_module_parameters": parameters,
        "extra_kernel_modules": [name for name in modules if name not in _OF_THE_DRIVER],
        "sysctls": {name: value for name, value in _section(settings, SYSCTLS).items() if credential_path({name: value}) is None},
        "default_runtime": _sets_default_runtime(configs),
        "omni": _omni(configs),
        "style": "fields" if TalosVersion.parse("talos_version", talos).minor in DOCUMENTS and any(map(_has_fields, configs)) else "",
    }
    return {name: value for name, value in given.items() if value}


def image_arguments(configs: list[NodeConfig]) -> dict[str, Any]:
    """The arguments of the image of these configurations: its platform, Secure Boot, and the arguments of `Schematic`.

    An extension of one configuration is in the image of all, so that no node loses it. Another setting is that of all configurations.
    """
    each_settings = [node_settings(each) for each in configs]
    settings = _common(each_settings)
    extensions = list(dict.fromkeys(name for each in each_settings for name in _items(each, EXTENSIONS) if name.startswith(PREFIX)))
    given = {
        "extensions": [name for name in extensions if "nvidia" not in name],
        "fabric_manager": any(name.startswith(f"{PREFIX}{FABRIC_MANAGER}") for name in extensions),
        "gdrcopy": f"{PREFIX}{GDRDRV}" in extensions,
        "extra_kernel_args": list(_items(settings, ARGUMENTS)),
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


def without_argument(entry: Mapping[str, Any], refused: str) -> dict[str, Any] | None:
    """An entry without the argument that an error names; None where the entry has no such argument."""
    name, _, inner = refused.rstrip("]").partition("[")
    value = entry.get(name)
    if isinstance(value, list) and inner.isdigit():
        value = [each for index, each in enumerate(value) if index != int(inner)]
    elif isinstance(value, Mapping) and inner in value:
        value = {key: each for key, each in value.items() if key != inner}
    elif name in entry and name != "nodes":
        value = None
    else:
        return None
    return {key: each for key, each in {**entry, name: value}.items() if each}


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


def _items(settings: Settings, section: str) -> Iterator[str]:
    yield from _section(settings, section)


def _omni(configs: list[NodeConfig]) -> dict[str, str]:
    """The target of the resources of Omni with the configurations; empty where they have several targets, or none."""
    resources = [resource for each in configs for _, resource in mappings(each.at("resources"))]
    targets = [
        {key.removeprefix(f"{OMNI_DOMAIN}/").replace("-", "_"): value for key, value in known_items(at(each, "metadata", "labels"))}
        for each in resources
    ]
    return targets[0] if targets and all(each == targets[0] for each in targets) else {}


def _sets_default_runtime(configs: list[NodeConfig]) -> bool:
    runtimes = [known_str(each.default_runtime) for each in configs if each.default_runtime is not None]
    return bool(runtimes) and all(each == "nvidia" for each in runtimes)


def _has_fields(config: NodeConfig) -> bool:
    """Whether a configuration has the fields for which newer Talos has documents. Talos refuses a setting in both forms."""
    machines = [at(document, "machine") for _, document in config.documents if "kind" not in document]
    fields = ("kernel", "sysctls", "nodeLabels", "nodeTaints")
    return any(at(machine, field) is not None for machine in machines for field in fields)
