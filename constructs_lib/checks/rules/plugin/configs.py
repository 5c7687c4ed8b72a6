"""The config file that a device plugin uses: the ConfigMap, its keys, the default, and files that no plugin reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    equals,
    is_given,
    is_open,
    is_unknown,
    known_list,
    known_str,
    same_namespace,
)
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.offers import others_plugin
from ....upstream.nvidia.gpu_resources import CONFIG_LABEL
from ...halves import label_setters
from ...rule import Edit, Example, Part, Rule, Severity, Violation, Witness, set_to
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
