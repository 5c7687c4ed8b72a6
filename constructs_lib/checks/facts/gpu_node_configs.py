"""Which nodes have GPUs, as far as Talos' own configuration and the described classes say."""

from __future__ import annotations

from ..model import Inputs, NodeConfig, contains, question


def is_for_gpus(config: NodeConfig) -> bool:
    """Whether a node configuration is made for NVIDIA's cards: by its extensions, or by the kernel modules that it loads."""
    said = [*(config.extensions or ()), *(config.kernel_modules or ())]
    return any(contains(each, "nvidia").is_yes for each in said)


@question
def gpu_node_configs(inputs: Inputs) -> list[NodeConfig]:
    """The node configurations that are made for NVIDIA's cards."""
    return [config for config in inputs.node_configs if is_for_gpus(config)]


@question
def gpu_nodes_run_talos(inputs: Inputs) -> bool:
    """Whether the nodes with GPUs surely run Talos.

    In a mixed cluster they may run another OS, whose driver and toolkit the operator can install. A Talos version with no node configuration
    beside it was said by somebody, of the nodes that the manifests are for.
    """
    if inputs.nodes or gpu_node_configs(inputs):
        return True
    return inputs.talos_version is not None and not inputs.node_configs
