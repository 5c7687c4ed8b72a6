"""The link `runtime` of a GPU node: NVIDIA's services have prepared the node, so that the container runtime can inject
the card."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import Command, command
from ...observed.model.evidence import Evidence
from ...observed.model.talos_machine import Service
from ...symptoms.link import Link
from ...upstream.nvidia.driver_branches import DriverTrack
from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.features import BPF_JIT_HARDEN, BPF_UNHARDENED, NO_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ...upstream.talos.generations import CDI_LAYOUT, LEGACY_LAYOUT, NRI_TOOLKIT
from ...upstream.talos.node_services import CDI_GENERATOR, DRIVER_FILES, FABRIC_SERVICE, PERSISTENCED, RESTARTS
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..node_commands import SERVICES, loaded_modules, new_image
from ..node_image import NvidiaExtension, nvidia_extensions
from ..node_proofs import loaded_driver, offer
from ..symptom_faults import symptom_fault, symptom_matches

_SOURCE = "siderolabs/talos internal/app/machined/pkg/system/runner/restart; siderolabs/extensions#888; siderolabs/talos#14373"


def is_failing(service: Service) -> bool:
    """Whether the program of a service has ended with an error, or ends again and again."""
    return service.state == "Failed" or (service.state == "Waiting" and RESTARTS in service.event)


def service_fault(node: GpuNode, name: str, consequence: str) -> Fault | None:
    """The fault of a service of the node; None for a service that runs, has finished, or was not read."""
    services = node.machine.services if node.machine else None
    service = (services or {}).get(name)
    if service is None or not (is_failing(service) or service.state == "Waiting"):
        return None
    is_waiting = not is_failing(service)
    waits_for_driver = is_waiting and any(file in service.event for file in DRIVER_FILES)
    return Fault(
        name="service-waits" if is_waiting else "service-fails",
        cause=_cause(name, service, is_waiting=is_waiting),
        evidence=(service.evidence,),
        consequence=consequence,
        fix=command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia  # has the reason; give its lines to talos-gpu why")
        if waits_for_driver
        else command(
            "talosctl --nodes ADDRESS logs {name}   # has the reason; give its lines to talos-gpu why\ntalosctl --nodes ADDRESS service {name} restart",
            name=name,
        ),
        verify=SERVICES,
        source=_SOURCE,
    )


def _cause(name: str, service: Service, *, is_waiting: bool) -> str:
    if not is_waiting:
        return f"The service {name} does not stay up: its program ends"
    awaited = service.event.removeprefix("Waiting for ").strip()
    return f"The service {name} waits{f' for {awaited}' if awaited else ''}"


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


_HARDENING = command("talosctl --nodes ADDRESS get kernelparamstatuses {name}", name=f"proc.sys.{BPF_JIT_HARDEN}")
_HARDENED = "2"
_NRI_TOOLKIT = command("kubectl get pods --all-namespaces -l app=nvidia-container-toolkit-daemonset")
_FINISHED, _RUNNING = "Finished", "Running"


def runtime(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    faults = (*_service_faults(node), *fabric_faults(node), *_hardening(cluster, node)) or tuple(_boot_timeout(cluster, node))
    if faults:
        return Broken(faults=faults)
    proof = offer(cluster, node) or _proof(node)
    return Healthy(evidence=proof) if proof else NotSeen(command=_command(node))


def _service_faults(node: GpuNode) -> Iterator[Fault]:
    """The fault of the first service that has not done its work; the CDI generator waits for the persistence daemon."""
    for name, consequence in (
        (PERSISTENCED, "NVIDIA's other services wait for this one, and Talos reboots the node after 70 minutes"),
        (CDI_GENERATOR, "The node has no /run/cdi/nvidia.yaml, so the container runtime knows no card"),
    ):
        fault = service_fault(node, name, consequence)
        if fault is not None:
            yield fault
            return


def _hardening(cluster: GpuCluster, node: GpuNode) -> Iterator[Fault]:
    """The kernel setting that hides the device filter of a container from the legacy runtime."""
    machine = node.machine
    if machine is None or node.minor is None or node.minor not in BPF_UNHARDENED or offer(cluster, node) is not None:
        return
    setting = (machine.sysctls or {}).get(BPF_JIT_HARDEN)
    if setting is not None and setting.value == _HARDENED:
        yield Fault(
            name="device-filter",
            cause=f"The sysctl {BPF_JIT_HARDEN} is {_HARDENED}, the default of Talos, so nvidia-container-cli can't extend the device filter of a container",
            evidence=(setting.evidence,),
            consequence='No container with a GPU starts: "failed to add device rules: last insn is not an exit or jmp"',
            fix=loaded_modules(node),
            verify=_HARDENING,
            source="NVIDIA/libnvidia-container#176; siderolabs/extensions#101",
            rules=("TG073",),
        )
        return
    if setting is None:
        logs = [machine.kernel_log, *machine.service_logs.values()]
        matches = (each for each in symptom_matches(logs, Link.RUNTIME) if each[0].symptom.name == "device-filter")
        yield from (symptom_fault(match, log, fix=loaded_modules(node)) for match, log in matches)


def _boot_timeout(cluster: GpuCluster, node: GpuNode) -> Iterator[Fault]:
    """The kernel's words about services that never start, where no driver is loaded. Each boot has such words for some
    seconds."""
    machine = node.machine
    if machine is not None and machine.services is None and loaded_driver(cluster, node) is None:
        matches = symptom_matches([machine.kernel_log], Link.RUNTIME)
        yield from (symptom_fault(match, log) for match, log in matches if match.symptom.name == "boot-timeout")


def _proof(node: GpuNode) -> Evidence | None:
    """The line that shows that the services have done all that this Talos needs."""
    machine = node.machine
    if machine is None or node.minor is None:
        return None
    if node.minor in NRI_TOOLKIT:
        return None
    if node.minor in CDI_LAYOUT:
        generator = (machine.services or {}).get(CDI_GENERATOR)
        return generator.evidence if generator and generator.state == _FINISHED else None
    daemon = (machine.services or {}).get(PERSISTENCED)
    if daemon is None or daemon.state != _RUNNING or node.minor not in LEGACY_LAYOUT:
        return None
    return daemon.evidence if node.minor not in BPF_UNHARDENED or BPF_JIT_HARDEN in (machine.sysctls or {}) else None


def _command(node: GpuNode) -> Command:
    machine = node.machine
    if node.minor is not None and node.minor in NRI_TOOLKIT:
        return _NRI_TOOLKIT
    needs_setting = node.minor is not None and node.minor in BPF_UNHARDENED
    if needs_setting and machine is not None and machine.services is not None and BPF_JIT_HARDEN not in (machine.sysctls or {}):
        return _HARDENING
    return SERVICES
