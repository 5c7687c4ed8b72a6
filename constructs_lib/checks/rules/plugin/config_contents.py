"""The config file of a device plugin: contents on which the plugin exits, and contents that the plugin ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....arguments.spelling import most_similar
from ....observed.agents.plugin_configs import PluginConfig, plugin_configs
from ....observed.model import Inputs, all_of, at, equals, is_given, is_open, joined, known_items, known_str, mappings
from ....upstream.nvidia.gpu_resources import GPU_RESOURCE
from ...edit import Edit, removal
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import plugin_release

_BLOCKS = ("timeSlicing", "mps")
_TOP = ("version", "flags", "resources", "sharing", "imex")
_FEWEST = 2
_RESOURCES = "resources at the top level"


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
    symptom="unable to parse config file: number of replicas must be >= 2; no resources specified; "
    "CrashLoopBackOff of nvidia-device-plugin",
    fix="Set sharing.timeSlicing.resources: [{name: nvidia.com/gpu, replicas: 2}], with 2 or more replicas, or "
    "remove sharing for whole GPUs",
    source="NVIDIA/k8s-device-plugin api/config/v1/replicas.go",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(sharing("timeSlicing", "{name: nvidia.com/gpu, replicas: 1}")),
    passing=Example(plugin_release() + _CONFIG),
)
def _invalid(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        problem = next(_problems(config), None)
        if problem:
            message = f"the plugin exits when it reads the config {config.key!r}: {problem}"
            yield Violation(Severity.ERROR, message, config.about, config.path)


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
    symptom="Customizing the 'resources' field is not yet supported in the config. Ignoring; a node advertises "
    "fewer GPUs than the config says",
    fix="Remove the field",
    source="NVIDIA/k8s-device-plugin api/config/v1/config.go",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(sharing("timeSlicing", "{name: nvidia.com/gpu, replicas: 4, rename: nvidia.com/share}")),
    passing=Example(sharing("timeSlicing", GPU)),
)
def _ignored(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        for part, fix in _ignored_parts(config):
            yield Violation(
                Severity.INFO if part == _RESOURCES and _are_default(config.at("resources")) else Severity.WARNING,
                f"the plugin ignores {part} in the config {config.key!r}",
                config.about,
                config.path,
                fix=fix,
                edits=_without(part),
            )


def _without(part: str) -> tuple[Edit, ...]:
    """The edit that removes an ignored part, such as `sharing.timeSlicing.resources[0].rename`."""
    keys = tuple(int(key) if key.isdecimal() else key for key in re.findall(r"\w+", part))
    return removal(inside=keys, safe=False) if re.fullmatch(r"[\w.\[\]]+", part) else ()


def _are_default(resources: Any) -> bool:
    """Whether ignored resources only say what the plugin does anyway: each GPU is nvidia.com/gpu."""
    return set(re.findall(r"nvidia\.com/[\w.-]+", str(resources))) == {GPU_RESOURCE}


def _ignored_parts(config: PluginConfig) -> Iterator[tuple[str, str]]:
    for key, _ in known_items(config.body):
        if key in _BLOCKS:
            yield f"{key} beside sharing", f"Move {key} below sharing: sharing.{key}"
        elif key not in _TOP:
            similar = most_similar(key, _TOP)
            yield key, f"Rename {key} to {similar}" if similar else f"Use one of {', '.join(_TOP)}"
    if is_given(config.at("resources")) and not is_open(config.at("resources")):
        yield _RESOURCES, "Remove resources. To share GPUs, name the resource in sharing.timeSlicing.resources"
    sharing = config.at("sharing")
    for key, _ in known_items(sharing):
        if key in _BLOCKS:
            yield from _ignored_of_block(key, config.at("sharing", key))
        else:
            yield f"sharing.{key}", f"Use sharing.{_BLOCKS[0]} or sharing.{_BLOCKS[1]}"


def _ignored_of_block(key: str, block: Any) -> Iterator[tuple[str, str]]:
    for index, resource in mappings(at(block, "resources")):
        rename, where = known_str(at(resource, "rename")), f"sharing.{key}.resources[{index}]"
        name, by_default = at(resource, "name"), at(block, "renameByDefault")
        is_default = all_of([equals(by_default, True), equals(joined(name, ".shared"), rename)])
        if rename and is_default.is_no:
            yield f"{where}.rename", f"Set sharing.{key}.renameByDefault: true, which appends .shared, or remove rename"
        devices = at(resource, "devices")
        if devices is not None and not is_open(devices) and equals(devices, "all").is_no:
            yield f"{where}.devices", "Remove devices: the plugin shares every GPU of the node. Nodes that differ need configs of their own"
