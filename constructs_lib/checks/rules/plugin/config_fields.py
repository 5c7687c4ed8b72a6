"""The contents of a device plugin's config file: what ends the plugin, and what the plugin ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....arguments.spelling import most_similar
from ....observed.agents.plugin_configs import PluginConfig, plugin_configs
from ....observed.model import Inputs, Path, all_of, at, equals, is_given, is_open, joined, known_items, known_str, mappings
from ....upstream.nvidia.gpu_resources import GPU_RESOURCE
from ....upstream.nvidia.plugin_words import CONFIG_FIELDS, REPLICATED_RESOURCE
from ...rule import Example, Rule, Severity, Violation, Witness, removal
from .._shared import plugin_release

_BLOCKS = ("timeSlicing", "mps")
_FEWEST = 2
_RESOURCES = ("resources",)

_CONFIG = """\
    config:
      map:
        default: |
          version: v1
"""


def sharing(block: str, resource: str) -> str:
    """A device plugin's release with a config that shares one resource."""
    return f"""\
{plugin_release()}{_CONFIG}          sharing:
            {block}:
              resources:
                - {resource}
"""


@Rule(
    id="TG022",
    claim="A device plugin can read its config",
    symptom="unable to parse config file; number of replicas must be >= 2; no resources specified; CrashLoopBackOff of nvidia-device-plugin",
    fix="Set sharing.timeSlicing.resources: [{name: nvidia.com/gpu, replicas: 2}], with 2 or more replicas, or "
    "remove sharing for whole GPUs",
    source="NVIDIA/k8s-device-plugin api/config/v1/replicas.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(sharing("timeSlicing", "{name: nvidia.com/gpu, replicas: 1}")),
    passing=Example(plugin_release() + _CONFIG),
)
def _invalid(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        problem = next(_problems(config), None)
        if problem:
            message = f"the plugin exits when it reads the config {config.key!r}: {problem}"
            related = tuple((each.about, each.path()) for each in config.readers)
            yield Violation(Severity.ERROR, message, config.about, config.path, related=related)


def _problems(config: PluginConfig) -> Iterator[str]:
    if config.problem:
        yield config.problem
    version = config.at("version")
    if is_given(version) and equals(version, "v1").is_no:
        yield f"version is {version!r}, but the plugin knows only v1 (unknown version: {version})"
    sharing = config.at("sharing")
    if isinstance(sharing, Mapping):
        blocks = {key: block for key in _BLOCKS if isinstance(block := at(sharing, key), Mapping)}
        if len(blocks) > 1:
            yield "sharing has both timeSlicing and mps, which exclude each other"
        for key, block in blocks.items():
            yield from _problems_of_block(key, block)


def _problems_of_block(key: str, block: Mapping[str, Any]) -> Iterator[str]:
    for flag in ("renameByDefault", "failRequestsGreaterThanOne"):
        value = at(block, flag)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield f"sharing.{key}.{flag} is {value!r}, but must be true or false"
    resources = at(block, "resources")
    if not is_open(resources) and (not isinstance(resources, list) or not resources):
        yield f"sharing.{key} has no resources (no resources specified)"
    for index, resource in mappings(resources):
        yield from _problems_of_resource(f"sharing.{key}.resources[{index}]", resource)


def _problems_of_resource(where: str, resource: Mapping[str, Any]) -> Iterator[str]:
    name, replicas = at(resource, "name"), at(resource, "replicas")
    if name is None:
        yield f"{where} has no name (no resource name specified)"
    elif isinstance(name, str) and not re.fullmatch(r"[a-z0-9./-]+", name):
        meant = f"; did you mean {name.replace('+', '.')!r}?" if "+" in name else ""
        yield f"{where}.name is {name!r}, which is not a valid resource name{meant}"
    if replicas is None:
        yield f"{where} has no replicas (no replicas specified)"
    elif is_open(replicas):
        return
    elif isinstance(replicas, bool) or not isinstance(replicas, int):
        yield f"{where}.replicas is {replicas!r}, but must be a whole number"
    elif replicas < _FEWEST:
        yield f"{where}.replicas is {replicas} (number of replicas must be >= 2)"


GPU = "{name: nvidia.com/gpu, replicas: 4}"


@Rule(
    id="TG023",
    claim="A device plugin reads every field of its config",
    symptom="Setting the 'rename' field in sharing.timeSlicing.resources is not yet supported in the config. Ignoring; "
    "Customizing the 'resources' field is not yet supported; a node advertises fewer GPUs than the config says",
    fix="Remove the field",
    source="NVIDIA/k8s-device-plugin api/config/v1/config.go",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(sharing("timeSlicing", "{name: nvidia.com/gpu, replicas: 4, rename: nvidia.com/share}")),
    passing=Example(sharing("timeSlicing", GPU)),
)
def _ignored(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        for part in _ignored_parts(config):
            yield Violation(
                Severity.INFO if part.path == _RESOURCES and _are_default(config.at(*_RESOURCES)) else Severity.WARNING,
                f"the plugin ignores {part} in the config {config.key!r}",
                config.about,
                config.path,
                fix=part.fix,
                edits=removal(inside=part.path, safe=False) if part.is_removed else (),
            )


def _are_default(resources: Any) -> bool:
    """Whether ignored resources only say what the plugin does anyway: each GPU is nvidia.com/gpu."""
    return set(re.findall(r"nvidia\.com/[\w.-]+", str(resources))) == {GPU_RESOURCE}


class _Ignored(NamedTuple):
    """A part of a config that the plugin does not use. `is_removed` says that nothing is lost when it goes."""

    path: Path
    fix: str
    is_removed: bool = True

    def __str__(self) -> str:
        return "resources at the top level" if self.path == _RESOURCES else _written(self.path)


def _written(path: Path) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def _ignored_parts(config: PluginConfig) -> Iterator[_Ignored]:
    yield from _unknown_fields(config, config.body, CONFIG_FIELDS, ())
    if is_given(config.at(*_RESOURCES)) and not is_open(config.at(*_RESOURCES)):
        yield _Ignored(_RESOURCES, "Remove resources. To share GPUs, name the resource in sharing.timeSlicing.resources")
    for key in _BLOCKS:
        path = ("sharing", key)
        for index, resource in mappings(config.at(*path, "resources")):
            where = (*path, "resources", index)
            yield from _unknown_fields(config, resource, REPLICATED_RESOURCE, where)
            yield from _ignored_of_resource(resource, config.at(*path, "renameByDefault"), where)


def _unknown_fields(config: PluginConfig, values: Any, known: Mapping[str, Any], path: Path) -> Iterator[_Ignored]:
    # A shared block and its resources are read as maps of Go, every other mapping as a struct, whose fields match in any case.
    is_map = len(path) > 1 and path[0] == "sharing"
    names = {name if is_map else name.lower(): name for name in known}
    for key, value in known_items(values):
        name = names.get(key if is_map else key.lower())
        if name is None:
            home = next(_homes(config, key), None)
            similar = most_similar(key, known)
            if home:
                fix = f"Move {_written((*path, key))} to {home}"
            elif similar:
                fix = f"Rename {key} to {similar}"
            else:
                fix = f"Remove {key}. The plugin knows {', '.join(known)} there"
            yield _Ignored((*path, key), fix, is_removed=not (home or similar))
        elif below := known[name]:
            yield from _unknown_fields(config, value, below, (*path, key))


def _homes(config: PluginConfig, key: str, fields: Mapping[str, Any] = CONFIG_FIELDS, path: Path = ()) -> Iterator[str]:
    """The places where the plugin reads a field of this name, those of the block that the config has first."""
    if key in fields:
        yield _written((*path, key))
    for name, below in sorted(fields.items(), key=lambda field: not is_given(config.at(*path, field[0]))):
        if below:
            yield from _homes(config, key, below, (*path, name))


def _ignored_of_resource(resource: Mapping[str, Any], by_default: Any, where: Path) -> Iterator[_Ignored]:
    rename = known_str(at(resource, "rename"))
    is_default = all_of([equals(by_default, True), equals(joined(at(resource, "name"), ".shared"), rename)])
    if rename and is_default.is_no:
        fix = f"Set {_written(where[:2])}.renameByDefault: true, which appends .shared, or remove rename"
        yield _Ignored((*where, "rename"), fix)
    devices = at(resource, "devices")
    if devices is not None and not is_open(devices) and equals(devices, "all").is_no:
        fix = "Remove devices: the plugin shares every GPU of the node. Nodes that differ need configs of their own"
        yield _Ignored((*where, "devices"), fix)
