"""What Talos is told about the nodes, taken together: their runtime and taints, and what the API server enforces."""

from __future__ import annotations

from ...nodes.talos_version import TalosVersion
from ...upstream.talos_features import RUNTIME_CLASS
from ..model import Answer, Inputs, NodeConfig, Taint, Unknown, any_of, equals, is_unknown, question
from .gpu_node_configs import gpu_node_configs

# Laxest first.
_LEVELS = ("off", "privileged", "baseline", "restricted")


def talos_of(config: NodeConfig, inputs: Inputs) -> TalosVersion | None:
    """The Talos of a node: what is said of it, else that of all; None where it is not known, or not one that this library knows."""
    written = config.talos_version
    if not isinstance(written, str):
        return inputs.talos_version
    try:
        return TalosVersion.parse("talos_version", written)
    except (TypeError, ValueError):
        return None


def is_all(config: NodeConfig) -> bool:
    """Whether it is all that a node gets, so that what is missing in it is missing."""
    return config.scope == "node" and config.complete


@question
def default_runtime_is_nvidia(inputs: Inputs) -> Answer | None:
    """Whether pods that name no RuntimeClass get NVIDIA's runtime; None where no whole configuration of a GPU node was read."""
    written = [config.default_runtime for config in inputs.node_configs if config.default_runtime is not None]
    answers = [equals(each, RUNTIME_CLASS) for each in written]
    if not any_of(answers).is_no:
        return any_of(answers)
    if inputs.may_hide("CRICustomizationConfig"):
        return Answer.UNKNOWN
    return Answer.NO if any(is_all(config) for config in gpu_node_configs(inputs)) else None


@question
def node_taints(inputs: Inputs) -> list[tuple[Taint, NodeConfig]]:
    """The taints that Talos or the kubelet gives nodes, and whose."""
    return [(taint, config) for config in inputs.node_configs for taint in config.taints or ()]


@question
def pod_security(inputs: Inputs) -> str | Unknown | None:
    """The level that Pod Security enforces where a namespace says nothing, the laxest of several; None where no configuration says it.

    What whole configurations of nodes say goes before what pieces do, which may be of another cluster, or of none any more.
    """
    configs = [config for config in inputs.node_configs if config.pod_security is not None]
    written = [config.pod_security for config in configs if is_all(config)] or [config.pod_security for config in configs]
    if any(is_unknown(each) for each in written) or inputs.may_hide("KubeAdmissionControlConfig", "KubeAPIServerConfig"):
        return Unknown()
    return next((each for each in _LEVELS if each in written), None)
