"""The service of the fabric manager, without which no program can use the cards of a machine with NVSwitch."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command
from ...upstream.nvidia.driver_branches import DriverTrack
from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.features import NO_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ...upstream.talos.node_services import FABRIC_SERVICE
from ..evidence import Evidence
from ..fault import Fault
from ..gpu_node import GpuNode
from ..link import Link
from ..node_commands import new_image
from ..nvidia_extensions import NvidiaExtension, nvidia_extensions
from ..symptom_faults import symptom_fault, symptom_matches
from .failing_services import service_fault

_CONSEQUENCE = "Nothing starts the NVSwitches, so CUDA fails on every card: CUDA_ERROR_SYSTEM_NOT_READY (802)"
_SYMPTOMS = ("fabric-manager-libz", "fabric-manager-nothing-to-do", "fabric-not-ready")


def fabric_faults(node: GpuNode) -> Iterator[Fault]:
    """The fault of the fabric manager, by its release, its own log, or its state."""
    service = (node.machine.services or {}).get(FABRIC_SERVICE) if node.machine else None
    if service is not None and service.state == "Running":
        return
    fault = _of_release(node) or _of_log(node) or service_fault(node, FABRIC_SERVICE, _CONSEQUENCE)
    if fault is not None:
        yield fault


def _of_release(node: GpuNode) -> Fault | None:
    """The fault of a release of Talos whose fabric manager does not start."""
    manager = next((each for each in nvidia_extensions(node) if each.kind == FABRIC_MANAGER), None)
    if manager is None or node.talos_version is None:
        return None
    talos = node.talos_version.value.removeprefix("v")
    if fixed_in := NO_FABRIC_MANAGER.get(talos):
        return _broken_release(node, manager, "libz.so.1 is missing", fixed_in, "siderolabs/extensions#1073")
    if node.minor is not None and node.minor in UNCONFIGURED_FABRIC_MANAGER and manager.track is DriverTrack.PRODUCTION:
        return _broken_release(node, manager, "FABRIC_NODE_CONFIG_FILE has an invalid value", "VERSION", "siderolabs/extensions#511")
    return None


def _broken_release(node: GpuNode, manager: NvidiaExtension, reason: str, fixed_in: str, source: str) -> Fault:
    talos: Evidence | None = node.talos_version.evidence if node.talos_version else None
    return Fault(
        name="fabric-manager-release",
        cause=f"The fabric manager of this release of Talos does not start: {reason}",
        evidence=(manager.evidence, *([talos] if talos else [])),
        consequence=_CONSEQUENCE,
        fix=new_image(node, talos=fixed_in),
        verify=command("talosctl --nodes ADDRESS service {service}", service=FABRIC_SERVICE),
        source=source,
        rules=("TG111",),
    )


def _of_log(node: GpuNode) -> Fault | None:
    machine = node.machine
    logs = [machine.service_logs.get(FABRIC_SERVICE), machine.kernel_log] if machine else []
    matches = (each for each in symptom_matches(logs, Link.RUNTIME) if each[0].symptom.name in _SYMPTOMS)
    return next((symptom_fault(match, log, consequence=_CONSEQUENCE) for match, log in matches), None)
