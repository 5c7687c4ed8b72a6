"""A whole cluster of Talos nodes of which none has NVIDIA's driver, beside pods that need one."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import device_plugins, dra_drivers
from ....observed.agents.operators import operators
from ....observed.model import Inputs, NodeConfig, Read, at, equals, is_open
from ....observed.nodes.gpu_node_configs import is_for_gpus
from ....observed.nodes.node_extensions import may_load, modules
from ....observed.nodes.node_settings import is_whole
from ....observed.pods.workloads import gpu_workloads
from ....upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import RUNTIME_CLASS, plugin_release
from .._pods import pod
from .._talos import talconfig

_MODULE = "nvidia"
# Modules of nodes whose cards are for virtual machines, or are Jetsons.
_OTHER_DRIVERS = {"vfio_pci", "nvgpu"}


_LABELS = '    nodeLabels: {nvidia.com/gpu.present: "true"}\n'
_PATCHED = """\
    patches:
      - |
        machine:
          kernel:
            modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
"""
_CONTROL_PLANE = "  - {hostname: cp-1, ipAddress: 10.0.0.11, controlPlane: true}\n"
_CLUSTER = f"{plugin_release()}{pod().removeprefix(RUNTIME_CLASS)}---\n%s{_CONTROL_PLANE}"


@Rule(
    id="TG123",
    claim="A node of the cluster loads NVIDIA's driver where pods request GPUs",
    symptom="0/2 nodes are available: 1 Insufficient nvidia.com/gpu; no /dev/nvidia0; Failed to initialize NVML: Driver Not Loaded",
    fix="Give a node an image with NVIDIA's extensions (talos-gpu schematic), and set machine.kernel.modules: "
    "[{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}] (talhelper: kernelModules)",
    source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_CLUSTER % talconfig(_LABELS)),
    # The modules are in a patch, and not in the node's own fields.
    passing=Example(_CLUSTER % talconfig(f"{_LABELS}{_PATCHED}")),
)
def _no_driver(inputs: Inputs) -> Iterator[Violation]:
    servers = _servers(inputs)
    if not servers or not gpu_workloads(inputs) or not _is_whole_cluster(inputs) or any(map(_may_have_driver, inputs.node_configs)):
        return
    count = len(inputs.node_configs)
    nobody = (
        f"none of the {count} nodes {inputs.here} loads the module nvidia"
        if count > 1
        else f"the only node {inputs.here} does not load the module nvidia"
    )
    labelled = _labelled(inputs)
    for config in labelled:
        message = (
            f"{config.name} has the label {PRESENT_LABEL}=true, but {nobody}. The node has no /dev/nvidia0, and GPU pods stay Pending: "
            "'Insufficient nvidia.com/gpu'"
        )
        yield Violation(Severity.ERROR, message, config, (*config.paths.get("labels", ()), PRESENT_LABEL))
    if not labelled:
        message = f"{nobody}. Unless the cluster has further nodes, no node offers a GPU, and GPU pods stay Pending: 'Insufficient nvidia.com/gpu'"
        yield Violation(Severity.WARNING, message, servers[0])


def _servers(inputs: Inputs) -> list[Read]:
    """The releases and objects that offer GPUs to pods: operators, device plugins and DRA drivers."""
    agents = [*device_plugins(inputs), *dra_drivers(inputs)]
    return [*(operator.about for operator in operators(inputs)), *(agent.about for agent in agents)]


def _is_whole_cluster(inputs: Inputs) -> bool:
    """Whether the whole configuration of every node was read, of the control plane, too. Described classes of nodes
    have their own patches."""
    configs = inputs.node_configs
    return not inputs.nodes and all(map(is_whole, configs)) and any(config.control_plane for config in configs)


def _may_have_driver(config: NodeConfig) -> bool:
    loaded = modules(config)
    return (
        is_for_gpus(config)
        or may_load(config, _MODULE)
        or not loaded.isdisjoint(_OTHER_DRIVERS)
        or config.extensions is None
        or is_open(config.extensions)
    )


def _labelled(inputs: Inputs) -> list[NodeConfig]:
    """The nodes whose own configuration says that they have a GPU."""
    return [config for config in inputs.node_configs if equals(at(config.labels, PRESENT_LABEL), "true").is_yes]
