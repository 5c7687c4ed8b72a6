"""Options of a device plugin that accept only certain words."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.spelling import most_similar
from ...observed.agents.agents import GFD, PLUGIN, device_plugins
from ...observed.agents.plugin_options import PluginOption, plugin_options, strategies
from ...observed.model import Inputs, Path, Read, equals, known_list, known_str
from ...observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ...upstream.nvidia.plugin_words import (
    ALLOCATION_POLICY,
    CONFIG_FALLBACKS,
    DISCOVERY_ONLY_STRATEGY,
    DISCOVERY_STRATEGY,
    ID_STRATEGY,
    LIST_STRATEGY,
    MIG_STRATEGY,
    AllocationPolicy,
    DeviceDiscoveryStrategy,
    DeviceIDStrategy,
    DeviceListStrategy,
    MigStrategy,
)
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import RUNTIME_CLASS

_WORDS: dict[str, tuple[str, ...]] = {
    LIST_STRATEGY: tuple(map(str, DeviceListStrategy)),
    ID_STRATEGY: tuple(map(str, DeviceIDStrategy)),
    DISCOVERY_STRATEGY: tuple(map(str, DeviceDiscoveryStrategy)),
    MIG_STRATEGY: tuple(map(str, MigStrategy)),
    ALLOCATION_POLICY: tuple(map(str, AllocationPolicy)),
}
_OF_DISCOVERY = (*_WORDS[DISCOVERY_STRATEGY], DISCOVERY_ONLY_STRATEGY)


def _unknown_words(inputs: Inputs) -> Iterator[Violation]:
    for option in plugin_options(inputs):
        known = _OF_DISCOVERY if option.name == DISCOVERY_STRATEGY and option.kind == GFD else _WORDS.get(option.name)
        for word in _written(option) if known else ():
            if known and word not in known:
                yield _wrong(option, word, known)
            elif (
                word == DeviceDiscoveryStrategy.TEGRA
                and option.name == DISCOVERY_STRATEGY
                and option.kind == PLUGIN
                and gpu_nodes_run_talos(inputs)
            ):
                yield _of_a_tegra(option)
    for plugin in device_plugins(inputs):
        fallbacks = plugin.value("config", "fallbackStrategies") if plugin.release else None
        for word in known_list(fallbacks):
            if isinstance(word, str) and word not in CONFIG_FALLBACKS:
                path = plugin.path("config", "fallbackStrategies")
                yield _unknown(
                    plugin.about, path, "config.fallbackStrategies", word, CONFIG_FALLBACKS, Severity.ERROR, "unknown fallback strategy"
                )


def _written(option: PluginOption) -> list[str]:
    """The known words of an option. A config file has a list or one word: a comma in the file is part of the word."""
    if option.name == LIST_STRATEGY and not (option.in_file and isinstance(option.value, str)):
        return strategies(option.value)
    word = known_str(option.value)
    return [] if word is None else [word]


def _wrong(option: PluginOption, word: str, known: tuple[str, ...]) -> Violation:
    error = {LIST_STRATEGY: "invalid strategy", MIG_STRATEGY: "unknown MIG strategy"}.get(option.name, f"invalid --{option.name} option")
    severity = Severity.ERROR if option.wins else Severity.WARNING
    if option.in_file and "," in word and all(each.strip() in known for each in word.split(",")):
        return Violation(
            severity=severity,
            message=f"{option.written} is {word!r}, which a config file takes for one word. The plugin exits with '{error}: {word}'",
            about=option.about,
            path=option.path,
            fix=f"Write a list: [{', '.join(each.strip() for each in word.split(','))}]",
        )
    return _unknown(option.about, option.path, option.written, word, known, severity, error)


def _of_a_tegra(option: PluginOption) -> Violation:
    return Violation(
        severity=Severity.WARNING,
        message=f"{option.written} is 'tegra', but Talos has no driver for a Tegra. The plugin offers one device named tegra on each node, and none of its "
        "cards",
        about=option.about,
        path=option.path,
        fix="Use nvml, or auto, which is the default",
    )


def _unknown(about: Read, path: Path, written: str, word: str, known: tuple[str, ...], severity: Severity, error: str) -> Violation:
    effect = ". The" if severity is Severity.ERROR else ", and another setting overrides it. Without the override the"
    similar = most_similar(word, known)
    return Violation(
        severity=severity,
        message=f"{written} is {word!r}{effect} plugin exits with '{error}: {word}'",
        about=about,
        path=path,
        edits=set_to(similar) if similar and equals(about.at(*path), word).is_yes else (),
        fix=f"Write {similar} in place of {word}. The plugin accepts {', '.join(known)}" if similar else f"Use one of {', '.join(known)}",
    )


PLUGIN_PODS = f"""\
{RUNTIME_CLASS}---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: nvidia-device-plugin, namespace: kube-system}}
spec:
  selector: {{matchLabels: {{app: nvidia-device-plugin}}}}
  template:
    metadata: {{labels: {{app: nvidia-device-plugin}}}}
    spec:
      runtimeClassName: nvidia
      nodeSelector: {{kubernetes.io/hostname: gpu-1}}
      containers:
        - name: nvidia-device-plugin-ctr
          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
          env:
            - {{name: DEVICE_LIST_STRATEGY, value: "%s"}}
"""

RULES = (
    Rule(
        **WORDS["TG009"],
        severity=Severity.ERROR,
        check=_unknown_words,
        failing=Example(talos="1.12", yaml=PLUGIN_PODS % "envvars"),
        passing=Example(talos="1.12", yaml=PLUGIN_PODS % "envvar"),
    ),
)
