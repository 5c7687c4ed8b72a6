"""GPU sharing by MPS, which is not known to work on Talos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...observed.agents.agents import Agent
from ...observed.agents.plugin_configs import PluginConfig, plugin_configs
from ...observed.agents.plugin_options import options_of
from ...observed.model import Inputs, at, equals, mappings
from ...observed.nodes.node_labels import labels_of_nodes
from ...upstream.nvidia.plugin_words import MIG_STRATEGY, MOST_MPS_CLIENTS, MigStrategy
from ...upstream.talos.features import MPS_BREAKS
from ...upstream.talos.minors import Minors
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from .plugin_config_contents import GPU, sharing

_CAPABLE = "nvidia.com/mps.capable"


def _mps(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        if isinstance(config.at("sharing", "mps"), Mapping):
            severity, reason = next(_against_mps(inputs, config))
            yield Violation(
                severity=severity, message=f"the config {config.key!r} shares GPUs by MPS{reason}", about=config.about, path=config.path
            )


def _against_mps(inputs: Inputs, config: PluginConfig) -> Iterator[tuple[Severity, str]]:
    talos = inputs.talos_version
    if talos and talos.minor in MPS_BREAKS:
        yield Severity.ERROR, f". On Talos {talos} the MPS server exits as soon as a pod connects (init 250 result=11)"
    if equals(config.at("flags", "migStrategy"), MigStrategy.MIXED).is_yes or _mixes(inputs, config):
        yield Severity.ERROR, " beside MIG. The plugin exits with 'using --mig-strategy=mixed is not supported with MPS'"
    for _, resource in mappings(config.at("sharing", "mps", "resources")):
        replicas = at(resource, "replicas")
        if isinstance(replicas, int) and replicas > MOST_MPS_CLIENTS:
            yield (
                Severity.ERROR,
                f" with {replicas} replicas. The MPS daemon serves at most {MOST_MPS_CLIENTS} clients of a GPU, and exits with more",
            )
    if _nothing_runs_the_daemon(inputs, config):
        yield (
            Severity.WARNING,
            f", but nothing in these files sets the node label {_CAPABLE}. Unless something else sets the label, the MPS daemon stays at DESIRED 0, and the plugin waits for the daemon",
        )
    yield (
        Severity.WARNING,
        ". No report is known of MPS working on Talos. On a GeForce card the MPS server was seen to exit, and pods then ran on the CPU without an error",
    )


def _mixes(inputs: Inputs, config: PluginConfig) -> bool:
    options = (option for reader in config.readers for option in options_of(inputs, reader, MIG_STRATEGY))
    return any(equals(option.value, MigStrategy.MIXED).is_yes for option in options)


def _nothing_runs_the_daemon(inputs: Inputs, config: PluginConfig) -> bool:
    """Whether the chart's MPS daemon selects a label that GPU feature discovery would set, and GPU feature discovery is off."""
    charts = [reader.about for reader in config.readers if isinstance(reader, Agent) and reader.release and reader.complete]
    return bool(charts) and not labels_of_nodes(inputs).makes(_CAPABLE)


RULES = (
    Rule(
        **WORDS["TG025"],
        severity=Severity.ERROR,
        check=_mps,
        failing=Example(talos="1.12", yaml=sharing("mps", GPU)),
        passing=Example(talos="1.12", yaml=sharing("timeSlicing", GPU)),
        talos=Minors(until=14),
        without_talos=True,
    ),
)
