"""Talos settings of the nodes: their version, their completeness, and the default runtime of all."""

from __future__ import annotations

from ...nodes.talos_version import TalosVersion
from ...upstream.talos.features import RUNTIME_CLASS
from ..model import Answer, Inputs, NodeConfig, any_of, equals, known_str, question
from .gpu_node_configs import gpu_node_configs


def talos_of(config: NodeConfig, inputs: Inputs) -> TalosVersion | None:
    """The Talos of a node: its own version, or else the version of all nodes; None if it is not given, or not known to
    this library."""
    written = config.talos_version
    if not isinstance(written, str):
        return inputs.talos_version
    try:
        return TalosVersion.parse("talos_version", written)
    except (TypeError, ValueError):
        return None


def is_whole(config: NodeConfig) -> bool:
    """Whether a node gets this configuration and nothing else, so that a setting missing here is missing on the
    node."""
    return config.scope == "node" and config.complete


def node_name(config: NodeConfig) -> str:
    """The name of a node in a command; the placeholder NODE if the name is not known."""
    return (known_str(config.name) if config.scope == "node" and config.is_hostname else None) or "NODE"


@question
def default_runtime_is_nvidia(inputs: Inputs) -> Answer | None:
    """Whether pods without a runtimeClassName get NVIDIA's runtime; None if no whole configuration of a GPU node was
    read."""
    written = [config.default_runtime for config in inputs.node_configs if config.default_runtime is not None]
    answers = [equals(each, RUNTIME_CLASS) for each in written]
    if not any_of(answers).is_no:
        return any_of(answers)
    if inputs.may_hide("CRICustomizationConfig"):
        return Answer.UNKNOWN
    return Answer.NO if any(is_whole(config) for config in gpu_node_configs(inputs)) else None
