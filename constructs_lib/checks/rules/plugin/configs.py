"""The config file that a device plugin uses: the ConfigMap, its keys, the default, and files that no plugin reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....arguments.spelling import most_similar
from ....observed.agents.agents import PLUGIN, hidden_kinds
from ....observed.agents.operators import Operator, may_run_operator, operators
from ....observed.agents.plugin_configs import (
    ConfigChoice,
    PluginConfig,
    Reader,
    config_choices,
    config_readers,
    has_config,
    may_read,
    mounted_config_maps,
    plugin_configs,
)
from ....observed.model import (
    Inputs,
    KubernetesObject,
    Path,
    all_of,
    at,
    equals,
    is_given,
    is_open,
    is_unknown,
    joined,
    known_items,
    known_list,
    known_str,
    mappings,
    same_namespace,
)
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.offers import others_plugin
from ....upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE
from ...halves import label_setters
from ...rule import Edit, Example, Part, Rule, Severity, Violation, Witness, removal, set_to
from .._causes import INSTALLER
from .._shared import plugin_release

_FALLBACKS = ("named", "single")


def _config(written: str) -> str:
    return f"{plugin_release()}    config: {written}\n"


@Rule(
    id="TG024",
    claim="The config that a device plugin is to use exists",
    symptom="specified config  does not exist; no config was set, no default was provided, and all "
    'fallbacks failed; MountVolume.SetUp failed: configmap "time-slicing-config" not found',
    fix="Put the configs into config.map, or set config.name to the ConfigMap that holds the configs, and set config.default to one of its keys",
    source="NVIDIA/k8s-device-plugin cmd/config-manager/main.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_config('{map: {shared: "version: v1", whole: "version: v1"}, default: share}')),
    passing=Example(_config('{map: {shared: "version: v1", default: "version: v1"}}')),
)
def _choices(inputs: Inputs) -> Iterator[Violation]:
    yield from _data_without_create(inputs)
    for choice in config_choices(inputs):
        violation = _of_default(inputs, choice) or _of_labels(inputs, choice)
        if violation:
            yield violation


def _data_without_create(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        data = operator.written("devicePlugin", "config", "data")
        creates = operator.is_on("devicePlugin", "config", "create")
        held = any(choice.reader is operator and choice.keys is not None for choice in config_choices(inputs))
        # A ClusterPolicy holds no data: its ConfigMap is an object of its own.
        if operator.release and operator.complete and isinstance(data, Mapping) and data and creates.is_no and not held:
            yield Violation(
                Severity.ERROR,
                "devicePlugin.config.data is set, but devicePlugin.config.create is not true. The chart creates no ConfigMap, and no other one was "
                "read. Without a ConfigMap the plugin's pods stay in ContainerCreating",
                operator.about,
                operator.path("devicePlugin", "config", "data"),
                fix="Set devicePlugin.config.create: true, and devicePlugin.config.name",
                edits=set_to(True, operator.path("devicePlugin", "config", "create"))
                if is_given(operator.written("devicePlugin", "config", "name"))
                else (),
                related=((operator.about, operator.path("devicePlugin", "config", "create")),),
            )


def _of_default(inputs: Inputs, choice: ConfigChoice) -> Violation | None:
    default, keys = choice.default, choice.keys
    if is_unknown(default) or not choice.reader.complete:
        return None
    path = (*choice.path, "default")
    if isinstance(default, str) and "\n" in default.strip():
        return _violation(choice, Severity.ERROR, "config.default holds YAML in place of the name of a config", path)
    if keys is None:
        return _no_config_map(inputs, choice)
    if not isinstance(keys, tuple):
        return None
    named = known_str(default) or ""
    if named and named not in keys:
        similar = most_similar(named, keys)
        message = f"config.default is {named!r}, but the configs are {_listed(keys)}. The plugin's init container exits with 'specified config {named} "
        fix = f"Set config.default: {similar}" if similar else ""
        return _violation(choice, Severity.ERROR, f"{message}does not exist'", path, fix, set_to(similar, safe=False) if similar else ())
    return None if named else _no_default(inputs, choice, keys)


def _no_config_map(inputs: Inputs, choice: ConfigChoice) -> Violation | None:
    """A ConfigMap that was not read, if another one of its namespace was read: a ConfigMap is usually in git."""
    is_near = any(equals(each.namespace, choice.reader.namespace).is_yes for each in inputs.of_kind("ConfigMap"))
    if not is_near or is_unknown(choice.name):
        return None
    return _violation(
        choice,
        Severity.WARNING,
        f"config.name is {choice.name!r}, but no ConfigMap with that name was read. Without the ConfigMap the plugin's pods stay in ContainerCreating",
        (*choice.path, "name"),
    )


def _no_default(inputs: Inputs, choice: ConfigChoice, keys: tuple[str, ...]) -> Violation | None:
    if labels_of_nodes(inputs).may_give(CONFIG_LABEL) or not keys:
        return None  # nodes choose for themselves
    if isinstance(choice.reader, Operator):
        message = (
            f"devicePlugin.config.default is not set for the configs {_listed(keys)}, and nothing {inputs.here} sets the node label {CONFIG_LABEL}. "
            "The operator's plugin runs without a config"
        )
        edits = set_to(keys[0], (*choice.path, "default"), safe=False) if len(keys) == 1 else ()
        return _violation(choice, Severity.WARNING, message, choice.path, f"Set devicePlugin.config.default: {keys[0]}", edits)
    fallbacks = choice.reader.value("config", "fallbackStrategies")
    if is_open(fallbacks):
        return None
    taken = known_list(fallbacks) if isinstance(fallbacks, list) else _FALLBACKS
    if ("named" in taken and "default" in keys) or ("single" in taken and len(keys) == 1) or "empty" in taken:
        return None
    message = f"config.default is not set for the configs {_listed(keys)}: "
    effect = "the chart refuses to render" if choice.name is None else "the plugin's init container exits with 'no default was provided'"
    return _violation(choice, Severity.ERROR, message + effect, choice.path, f"Set config.default to one of {', '.join(keys)}")


def _of_labels(inputs: Inputs, choice: ConfigChoice) -> Violation | None:
    values = labels_of_nodes(inputs).values.get(CONFIG_LABEL) or ()
    keys = choice.keys if isinstance(choice.keys, tuple) else None
    missing = sorted(value for value in values if keys is not None and value and value not in keys)
    if keys is None or not missing:
        return None
    message = f"the node label {CONFIG_LABEL}={missing[0]} names none of the configs {_listed(keys)}"
    effect = f"On these nodes the plugin's init container exits with 'specified config {missing[0]} does not exist'"
    return _violation(choice, Severity.ERROR, f"{message}. {effect}", (), "", (), *label_setters(inputs, CONFIG_LABEL, missing[0]))


def _listed(keys: tuple[str, ...]) -> str:
    return " and ".join(repr(key) for key in keys)


def _violation(
    choice: ConfigChoice, severity: Severity, message: str, path: Path = (), fix: str = "", edits: tuple[Edit, ...] = (), *others: Part
) -> Violation:
    about, held = choice.reader.about, "data" if isinstance(choice.reader, Operator) else "map"
    configs = (choice.about, ("data",)) if choice.about else (about, (*choice.path, held))
    return Violation(severity, message, about, path or choice.path, fix=fix or None, edits=edits, related=(configs, *others))


_TIME_SLICING = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: device-plugin-config, namespace: kube-system}
data:
  time-sliced: |-
    version: v1
    sharing:
      timeSlicing:
        resources: [{name: nvidia.com/gpu, replicas: 4}]
"""


@Rule(
    id="TG116",
    claim="A device plugin reads the ConfigMap with its config",
    symptom="nvidia.com/gpu: 1 in place of 4 in the Capacity of the node, after a ConfigMap with timeSlicing and replicas: 4 was applied",
    fix="Set config.name in the values of the device plugin, or devicePlugin.config.name in those of the GPU operator, to the ConfigMap",
    source="NVIDIA/k8s-device-plugin#990",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(plugin_release() + _TIME_SLICING),
    passing=Example(plugin_release() + "    config: {name: '${CONFIG_MAP}'}\n" + _TIME_SLICING),
    causes=(INSTALLER,),
)
def _unused(inputs: Inputs) -> Iterator[Violation]:
    configs = {id(each.about): each for each in reversed(plugin_configs(inputs)) if not each.readers}
    if not configs or PLUGIN in hidden_kinds(inputs) or others_plugin(inputs) or (may_run_operator(inputs) and not operators(inputs)):
        return
    readers = config_readers(inputs)
    without = [each for each in readers if _runs(each) and not has_config(each)]
    for config in reversed(configs.values()):
        about = config.about
        if (
            without
            and isinstance(about, KubernetesObject)
            and not any(may_read(each, about) for each in readers)
            and not _is_mounted(inputs, about)
        ):
            effect = ", and shares no GPU: each card counts once" if is_given(config.at("sharing")) else ""
            message = (
                f"the ConfigMap holds a config for the device plugin ({config.key}), but {without[0].about.label} does not name the ConfigMap. The "
                f"plugin runs without the config{effect}"
            )
            yield Violation(Severity.WARNING, message, about, config.path, fix=_fix(config, about, without[0]))


def _runs(reader: Reader) -> bool:
    return reader.is_on("devicePlugin", "enabled").is_yes if isinstance(reader, Operator) else reader.kind == PLUGIN


def _is_mounted(inputs: Inputs, config_map: KubernetesObject) -> bool:
    """Whether a pod of any kind mounts the ConfigMap, or may."""
    return any(
        not equals(config_map.name, name).is_no
        for each in inputs.objects
        for name in mounted_config_maps(each.pod_spec)
        if name is not None
    )


def _fix(config: PluginConfig, config_map: KubernetesObject, reader: Reader) -> str:
    name = config_map.name
    if isinstance(reader, Operator):
        fix = f"Set devicePlugin.config.name: {name} and devicePlugin.config.default: {config.key}"
    elif reader.release:
        fix = f"Set config.name: {name} and config.default: {config.key} in the values of the plugin"
    else:
        fix = f"Mount the ConfigMap {name} in the plugin's pods, and set CONFIG_FILE to the path of {config.key}"
    elsewhere = same_namespace(config_map.namespace, reader.namespace).is_no
    return f"{fix}. Move the ConfigMap to the plugin's namespace, {reader.namespace}" if elsewhere else fix


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
