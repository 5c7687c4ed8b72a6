"""A whole cluster of Talos nodes of which none has NVIDIA's driver, beside pods that need one."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.gpu_resources import GPU_PRESENT
from ..facts.agents import device_plugins, dra_drivers
from ..facts.gpu_node_configs import is_for_gpus
from ..facts.node_extensions import may_load, modules
from ..facts.node_settings import is_whole
from ..facts.operators import operators
from ..facts.workloads import gpu_workloads
from ..finding import Severity
from ..model import Inputs, NodeConfig, Read, at, equals, is_open
from ..rule import Example, Rule, Violation
from ._talos import MODULES, OPEN, schematic, talconfig

_MODULE = "nvidia"
# Modules of nodes whose cards are for virtual machines, or are Jetsons.
_OTHER_DRIVERS = {"vfio_pci", "nvgpu"}


def _no_driver(inputs: Inputs) -> Iterator[Violation]:
    servers = _servers(inputs)
    if not servers or not gpu_workloads(inputs) or not _is_whole_cluster(inputs) or any(map(_may_have_gpus, inputs.node_configs)):
        return
    for config in _labelled(inputs):
        yield Violation(
            severity=Severity.ERROR,
            message=f"{config.name} has the label {GPU_PRESENT}=true, but loads no module nvidia, and neither does any other node in these files. "
            f"{servers[0].label} finds no GPU: 'Failed to initialize NVML: Driver Not Loaded' or 'ERROR_LIBRARY_NOT_FOUND'",
            about=config,
            path=(*config.paths.get("labels", ()), GPU_PRESENT),
        )
    if not _labelled(inputs):
        names = sorted(f"{config.name}" for config in inputs.node_configs)
        yield Violation(
            severity=Severity.WARNING,
            message=f"none of the cluster's {len(names)} nodes in these files loads the module nvidia ({', '.join(names[:3])}"
            f"{', …' if len(names) > 3 else ''}). GPU pods stay Pending: 'Insufficient nvidia.com/gpu'",
            about=servers[0],
        )


def _servers(inputs: Inputs) -> list[Read]:
    """What offers GPUs to pods: operators, device plugins and DRA drivers."""
    return [each.about for each in (*operators(inputs), *device_plugins(inputs), *dra_drivers(inputs))]


def _is_whole_cluster(inputs: Inputs) -> bool:
    """Whether the whole configuration of every node was read: control plane and all. A described class of nodes has its own patch."""
    configs = inputs.node_configs
    return not inputs.nodes and all(map(is_whole, configs)) and any(config.control_plane for config in configs)


def _may_have_gpus(config: NodeConfig) -> bool:
    loaded = modules(config)
    return is_for_gpus(config) or may_load(config, _MODULE) or not loaded.isdisjoint(_OTHER_DRIVERS) or is_open(config.extensions)


def _labelled(inputs: Inputs) -> list[NodeConfig]:
    """The nodes whose own configuration says that they have a GPU."""
    return [config for config in inputs.node_configs if equals(at(config.labels, GPU_PRESENT), "true").is_yes]
