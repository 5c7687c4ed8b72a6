"""What Talos is told about the nodes, taken together: their runtime, labels and taints, and what the API server enforces."""

from __future__ import annotations

from collections.abc import Mapping

from ...nodes.talos_version import TalosVersion
from ...upstream.talos_features import RUNTIME_CLASS
from ..model import Inputs, NodeConfig, Unknown, question
from .gpu_node_configs import gpu_node_configs

# Laxest first.
_LEVELS = ("off", "privileged", "baseline", "restricted")


def talos_of(config: NodeConfig, inputs: Inputs) -> TalosVersion | None:
    """The Talos of a node: what is said of it, else that of all; None where it is not known, or not one that this library knows."""
    said = config.talos_version
    if said is None or isinstance(said, Unknown):
        return inputs.talos_version
    try:
        return TalosVersion.parse("talos_version", said)
    except (TypeError, ValueError):
        return None


def is_all(config: NodeConfig) -> bool:
    """Whether it is all that a node gets, so that what is missing in it is missing."""
    return config.scope == "node" and config.complete


@question
def default_runtime_is_nvidia(inputs: Inputs) -> bool | None:
    """Whether pods that name no RuntimeClass get NVIDIA's runtime; None where no whole configuration of a GPU node tells."""
    said = [config.default_runtime for config in inputs.node_configs if config.default_runtime is not None]
    if RUNTIME_CLASS in said:
        return True
    if any(isinstance(each, Unknown) for each in said):
        return None
    return False if any(is_all(config) for config in gpu_node_configs(inputs)) else None


@question
def node_labels(inputs: Inputs) -> list[tuple[str, object, NodeConfig]]:
    """The labels that Talos gives nodes: key, value and whose."""
    configs = [config for config in inputs.node_configs if isinstance(config.labels, Mapping)]
    return [(key, value, config) for config in configs for key, value in (config.labels or {}).items()]


@question
def node_taints(inputs: Inputs) -> list[tuple[str, str, str, NodeConfig]]:
    """The taints that Talos or the kubelet gives nodes: key, value, effect and whose."""
    return [(*taint, config) for config in inputs.node_configs for taint in config.taints or ()]


@question
def pod_security(inputs: Inputs) -> str | None:
    """The level that Pod Security enforces where a namespace says nothing, the laxest of several; None where no configuration says it.

    What whole configurations of nodes say goes before what pieces do, which may be of another cluster, or of none any more.
    """
    configs = [config for config in inputs.node_configs if config.pod_security is not None]
    said = {config.pod_security for config in configs if is_all(config)} or {config.pod_security for config in configs}
    if any(isinstance(each, Unknown) for each in said):
        return None
    return next((each for each in _LEVELS if each in said), None)
