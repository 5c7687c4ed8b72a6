"""Which config file a device plugin takes: the ConfigMap, its keys, and the one for nodes that choose none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..._arguments.spelling import did_you_mean
from ...upstream.charts.device_plugin_chart import CONFIG_LABEL
from ..facts.node_labels import node_labels_made
from ..facts.operators import Operator, operators
from ..facts.plugin_configs import ConfigChoice, Reader, config_choices
from ..finding import Severity
from ..model import Inputs, Path, equals, is_open, is_unknown, known_list, known_str
from ..rule import Example, Found, Rule
from ._charts import plugin_release

_FALLBACKS = ("named", "single")


def _choices(inputs: Inputs) -> Iterator[Found]:
    yield from _data_without_create(inputs)
    for choice in config_choices(inputs):
        found = _of_default(inputs, choice) or _of_labels(inputs, choice)
        if found:
            yield found


def _data_without_create(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        data = operator.written("devicePlugin", "config", "data")
        creates = operator.is_on("devicePlugin", "config", "create")
        held = any(choice.reader is operator and choice.keys is not None for choice in config_choices(inputs))
        # A ClusterPolicy holds no data: what was to be created is an object of its own there.
        if operator.release and operator.complete and isinstance(data, Mapping) and data and creates.is_no and not held:
            yield Found(
                severity=Severity.ERROR,
                message="devicePlugin.config.data is given and devicePlugin.config.create is not true: the chart makes no ConfigMap of it, and no "
                "other was read",
                about=operator.about,
                path=operator.path("devicePlugin", "config", "data"),
                fix="Set devicePlugin.config.create: true, with a devicePlugin.config.name",
            )


def _of_default(inputs: Inputs, choice: ConfigChoice) -> Found | None:
    default, keys = choice.default, choice.keys
    if is_unknown(default) or not choice.reader.complete:
        return None
    path = (*choice.path, "default")
    if isinstance(default, str) and "\n" in default.strip():
        return _found(choice, Severity.ERROR, "config.default holds YAML, where the name of a config belongs", path)
    if keys is None:
        return _no_config_map(inputs, choice)
    if not isinstance(keys, tuple):
        return None
    named = known_str(default) or ""
    if named and named not in keys:
        meant = did_you_mean(named, keys)
        said = f"config.default is {named!r}, and the configs are {_listed(keys)}: the plugin's init container ends with 'specified config "
        return _found(choice, Severity.ERROR, f"{said}does not exist'", path, f"{meant[0].upper()}{meant[1:]}" if meant else "")
    return None if named else _no_default(inputs, choice, keys)


def _no_config_map(inputs: Inputs, choice: ConfigChoice) -> Found | None:
    """A ConfigMap is in git as a rule; where nothing else of its namespace was read, it may be there all the same."""
    is_near = inputs.whole or any(equals(each.namespace, choice.reader.namespace).is_yes for each in inputs.of_kind("ConfigMap"))
    if not is_near or is_unknown(choice.name):
        return None
    return _found(
        choice,
        Severity.WARNING,
        f"config.name is {choice.name!r}, and no ConfigMap of that name was read: without it the plugin's pods stay in ContainerCreating",
        (*choice.path, "name"),
    )


def _no_default(inputs: Inputs, choice: ConfigChoice, keys: tuple[str, ...]) -> Found | None:
    if node_labels_made(inputs).may_give(CONFIG_LABEL) or not keys:
        return None  # nodes choose for themselves
    if isinstance(choice.reader, Operator):
        then = f"no default among {_listed(keys)}, and nothing that was read labels nodes with {CONFIG_LABEL}: the operator's plugin runs without a config"
        return _found(choice, Severity.WARNING, then, choice.path, f"Set devicePlugin.config.default: {keys[0]}")
    fallbacks = choice.reader.value("config", "fallbackStrategies")
    if is_open(fallbacks):
        return None
    taken = known_list(fallbacks) if isinstance(fallbacks, list) else _FALLBACKS
    if ("named" in taken and "default" in keys) or ("single" in taken and len(keys) == 1) or "empty" in taken:
        return None
    then = f"the configs are {_listed(keys)}, and none is the default: "
    ends = "the chart refuses to render" if choice.name is None else "the plugin's init container ends with 'no default was provided'"
    return _found(choice, Severity.ERROR, then + ends, choice.path, f"Set config.default to one of {', '.join(keys)}")


def _of_labels(inputs: Inputs, choice: ConfigChoice) -> Found | None:
    values = node_labels_made(inputs).made.get(CONFIG_LABEL) or ()
    keys = choice.keys if isinstance(choice.keys, tuple) else None
    missing = sorted(value for value in values if keys is not None and value and value not in keys)
    if keys is None or not missing:
        return None
    said = f"nodes are labelled {CONFIG_LABEL}={missing[0]}, and the configs are {_listed(keys)}"
    return _found(
        choice, Severity.ERROR, f"{said}: there the plugin's init container ends with 'specified config {missing[0]} does not exist'"
    )


def _listed(keys: tuple[str, ...]) -> str:
    return " and ".join(repr(key) for key in keys)


def _found(choice: ConfigChoice, severity: Severity, message: str, path: Path = (), fix: str = "") -> Found:
    reader: Reader = choice.reader
    return Found(severity=severity, message=message, about=reader.about, path=path or choice.path, fix=fix or None)


def _config(written: str) -> str:
    return f"{plugin_release()}    config: {written}\n"


RULES = (
    Rule(
        id="TG024",
        claim="A device plugin finds the config that it is to take",
        symptom="specified config default does not exist; no config was set, no default was provided, and all fallbacks failed; MountVolume.SetUp "
        'failed: configmap "time-slicing-config" not found',
        severity=Severity.ERROR,
        fix="Give the configs in config.map, or name in config.name a ConfigMap that holds them, and in config.default one of its keys",
        source="NVIDIA/k8s-device-plugin cmd/config-manager/main.go",
        judge=_choices,
        failing=Example(yaml=_config('{map: {shared: "version: v1", whole: "version: v1"}, default: share}')),
        passing=Example(yaml=_config('{map: {shared: "version: v1", default: "version: v1"}}')),
    ),
)
