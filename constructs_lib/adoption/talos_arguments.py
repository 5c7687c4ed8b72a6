"""The entry of `talos` for a class of nodes: the arguments that say the settings which all of its node configurations have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._arguments.credential_places import credential_path
from ..checks.model import NodeConfig, at, known_items, known_str, mappings
from ..nodes.talos_version import TalosVersion
from ..upstream.extension_names import FABRIC_MANAGER, GDRDRV, PREFIX
from ..upstream.omni_metadata import OMNI_DOMAIN
from ..upstream.platforms import Arch, Platform
from ..upstream.talos_features import DOCUMENTS, GDRCOPY_MODULE, KERNEL_MODULES, PEERMEM_MODULE
from .difference import Path
from .node_classes import NodeClasses
from .talos_settings import ARGUMENTS, EXTENSIONS, IMAGE, MODULES, SCHEMATIC, SYSCTLS, Settings, node_settings

_DEFAULTS = {"platform": str(Platform.METAL), "secureboot": False, "arch": str(Arch.AMD64)}
_SECURE_BOOT = {"enrollKeys": "enroll_keys", "includeWellKnownCertificates": "include_well_known_certificates"}
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
    extensions = [name for name in _items(settings, EXTENSIONS) if name.startswith(PREFIX)]
    modules = _section(settings, MODULES)
    parameters = {name: value for name, value in modules.items() if value and isinstance(value, list)}
    has_fabric_manager = any(name.startswith(f"{PREFIX}{FABRIC_MANAGER}") for name in extensions)
    given: dict[str, Any] = {
        "extensions": [name for name in extensions if "nvidia" not in name],
        "fabric_manager": has_fabric_manager,
        "gdrcopy": f"{PREFIX}{GDRDRV}" in extensions,
        "extra_kernel_args": [each for each in _items(settings, ARGUMENTS) if not is_hidden(each)],
        "kernel_module_parameters": parameters,
        "extra_kernel_modules": [name for name in modules if name not in _OF_THE_DRIVER],
        "sysctls": {name: value for name, value in _section(settings, SYSCTLS).items() if credential_path({name: value}) is None},
        "default_runtime": _sets_default_runtime(configs),
        "bootloader": settings.get((SCHEMATIC, "customization", "bootloader")),
        "secure_boot": _value("SecureBoot", settings, ("customization", "secureboot"), _SECURE_BOOT),
        "overlay": _value("Overlay", settings, ("overlay",), {"image": "image", "name": "name"}),
        "omni": _omni(configs),
        "style": "fields" if TalosVersion.parse("talos_version", talos).minor in DOCUMENTS and any(map(_has_fields, configs)) else "",
    }
    image = {name: value for name, value in _section(settings, IMAGE).items() if value != _DEFAULTS.get(name)}
    return {name: value for name, value in {**given, **image}.items() if value}


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


def _value(kind: str, settings: Settings, path: Path, names: Mapping[str, str]) -> dict[str, Any]:
    """The value of a kind with the settings below a path of the schematic, by the names of its arguments; empty without a setting."""
    given = {name: settings[SCHEMATIC, *path, key] for key, name in names.items() if (SCHEMATIC, *path, key) in settings}
    return {kind: given} if given else {}


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
