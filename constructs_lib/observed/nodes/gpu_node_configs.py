"""GPU nodes, by Talos' configuration and by the described classes."""

from __future__ import annotations

from ..model import Inputs, NodeConfig, contains, question


def is_for_gpus(config: NodeConfig) -> bool:
    """Whether a node configuration is for NVIDIA cards, by its extensions or its kernel modules."""
    names = [*(config.extensions or ()), *(config.kernel_modules or ())]
    return any(contains(name, "nvidia").is_yes for name in names)


@question
def gpu_node_configs(inputs: Inputs) -> list[NodeConfig]:
    """The node configurations for NVIDIA cards."""
    return [config for config in inputs.node_configs if is_for_gpus(config)]


@question
def gpu_nodes_run_talos(inputs: Inputs) -> bool:
    """Whether the nodes with GPUs surely run Talos.

    In a mixed cluster GPU nodes may run another OS, whose driver and toolkit the operator can install. A Talos version
    without a node configuration is the user's statement about the nodes of the manifests.
    """
    if inputs.nodes or gpu_node_configs(inputs):
        return True
    return inputs.talos_version is not None and not inputs.node_configs
