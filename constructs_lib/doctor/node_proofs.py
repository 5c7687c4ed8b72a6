"""The lines that show that the driver of a node is loaded, or that it runs the card."""

from __future__ import annotations

from ..arguments.commands import Command
from ..arguments.patterns import pattern
from ..observed.model.evidence import Evidence
from ..upstream.talos.features import KERNEL_MODULES
from ..upstream.talos.node_services import DRIVER_FILES, PERSISTENCED
from .gpu_cluster import GpuCluster
from .gpu_node import GpuNode

_DRIVER_MODULE = KERNEL_MODULES[0]
_PLACE = pattern(r":\d+$|(?<=\.talos\.dev)/\S+(?= )")
"""The line or the name of one entry in the source of an evidence."""


def offer(cluster: GpuCluster, node: GpuNode) -> Evidence | None:
    """The GPUs that the device plugin or the DRA driver offers on the node. Both count them with the driver's own
    library, so modules, driver and runtime hold. The offer of a node without news is old, and proves nothing."""
    if node.is_lost:
        return None
    if node.offer is not None:
        return node.offer
    counts = ((each, len(each.mappings("spec", "devices"))) for each in cluster.slices.get(node.name, ()))
    return next((each.evidence(f"devices: {count}", "spec.devices") for each, count in counts if count), None)


def loaded_driver(cluster: GpuCluster, node: GpuNode) -> Evidence | None:
    """The line that shows that the driver's module is loaded."""
    machine = node.machine
    if machine is None:
        return offer(cluster, node)
    module = (machine.modules or {}).get(_DRIVER_MODULE)
    if module is not None or machine.has_all_modules:
        return module.evidence if module else None
    if machine.driver_version is not None:
        return machine.driver_version.evidence
    service = (machine.services or {}).get(PERSISTENCED)
    return service.evidence if service and service.state == "Running" else offer(cluster, node)


def waiting_service(node: GpuNode) -> Evidence | None:
    """The service that waits for a file which the driver makes when its modules are loaded."""
    services = node.machine.services if node.machine and node.machine.services else {}
    waiting = (each for each in services.values() if each.state == "Waiting" and any(file in each.event for file in DRIVER_FILES))
    return next((each.evidence for each in waiting), None)


def absence(text: str, entry: Evidence | None, command: Command) -> Evidence:
    """The absence of an entry in a list that was read whole, by the source of another entry; of an empty list, by its
    command."""
    return Evidence(text=text, source=_PLACE.sub("", entry.source) if entry else str(command))
