"""Config files of a device plugin in a ConfigMap that no device plugin reads."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.agents import PLUGIN, hidden_kinds
from ...observed.agents.operators import Operator, may_run_operator, operators
from ...observed.agents.plugin_configs import (
    PluginConfig,
    Reader,
    config_readers,
    has_config,
    may_read,
    mounted_config_maps,
    plugin_configs,
)
from ...observed.model import Inputs, KubernetesObject, equals, is_given, same_namespace
from ...observed.nodes.offers import others_plugin
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import plugin_release


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
            yield Violation(
                severity=Severity.WARNING,
                message=f"the ConfigMap holds a config for the device plugin ({config.key}), but {without[0].about.label} does not name the ConfigMap. The "
                f"plugin runs without the config{effect}",
                about=about,
                path=config.path,
                fix=_fix(config, about, without[0]),
            )


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

RULES = (
    Rule(
        **WORDS["TG116"],
        severity=Severity.WARNING,
        check=_unused,
        failing=Example(yaml=plugin_release() + _TIME_SLICING),
        passing=Example(yaml=plugin_release() + "    config: {name: '${CONFIG_MAP}'}\n" + _TIME_SLICING),
    ),
)
