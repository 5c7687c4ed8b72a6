"""The fields of a pod that keep the GPU from its containers: RuntimeClass, limit, NVIDIA_VISIBLE_DEVICES, the CUDA of
the image."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command
from ...arguments.patterns import pattern
from ...observed.model import equals
from ...observed.model.evidence import Evidence
from ...observed.model.talos_machine import Seen
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.nvidia.driver_branches import CUDA_FLOORS, cuda_of
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, VISIBLE_DEVICES
from ...upstream.nvidia.plugin_words import LIST_STRATEGY, SPELLINGS, DeviceListStrategy
from ...upstream.talos.features import RUNTIME_CLASS
from ...upstream.talos.generations import CLASS_HANDLER, CLASS_ONLY, NRI_TOOLKIT
from ..fault import Advice, Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LivePod

_UNSEEN = "The program sees no GPU"
_SMI = command("kubectl exec POD --namespace NAMESPACE -- nvidia-smi")
_TALOS_DOCS = "https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu"
_BRANCH = pattern(r"^(\d{3})\.")


def certain_faults(cluster: GpuCluster, pod: LivePod) -> tuple[Fault, ...]:
    """The faults that hold whatever the log says. They need the release of Talos and, for the RuntimeClass, the machine
    configuration of the node.

    From Talos 1.13 on, a variable hides a GPU only if the device plugin hands GPUs over by that variable, and NVIDIA's
    runtime reads the variable.
    """
    node = cluster.node(pod.node)
    talos = node.talos_version if node else None
    if node is None or talos is None or node.minor is None or not pod.counted_gpus:
        return ()
    has_class = pod.spec.get("runtimeClassName") == RUNTIME_CLASS
    if node.minor in CLASS_ONLY and not has_class and not pod.spec.get("runtimeClassName"):
        config = cluster.node_configs.get(node.name)
        if config is not None and equals(config.default_runtime, RUNTIME_CLASS).is_no:
            return (_no_class(pod, talos.evidence),)
    if node.minor in CLASS_ONLY:
        return tuple(hiding_faults(pod))[:1]
    strategy = _by_variable(cluster, node) if has_class else None
    return tuple(hiding_faults(pod, strategy))[:1] if strategy is not None else ()


def _by_variable(cluster: GpuCluster, node: GpuNode) -> Evidence | None:
    """The line that shows that the device plugin of the node hands GPUs over by the variable alone."""
    names = SPELLINGS[LIST_STRATEGY].variables
    for plugin in (each for agent in cluster.of_agent(AgentKind.PLUGIN) for each in agent.on(node.name)):
        for container in plugin.containers:
            for name in (name for name in names if container.value(name) == DeviceListStrategy.ENVVAR):
                return plugin.about.evidence(f"{name}={DeviceListStrategy.ENVVAR}", f"{container.field}.env")
    return None


def likely_fault(cluster: GpuCluster, pod: LivePod, line: Evidence, symptoms: set[str]) -> Fault | None:
    """The fault of the pod's own fields that explains a line by which the program says that it sees no GPU; None if
    they explain nothing."""
    node = cluster.node(pod.node)
    newer = _newer_cuda(pod, node, line) if symptoms & _TOO_OLD else None
    if newer is not None or (symptoms and not symptoms & _ABSENT):
        return newer
    if not pod.counted_gpus and not pod.claims:
        return _no_limit(pod, line)
    return next(hiding_faults(pod, line), None) or _class_fault(cluster, pod, node, line)


_TOO_OLD = {"driver-too-old", "cuda-804"}
_READ_BY_RUNTIME = "the device plugin hands the GPU over by a variable that only NVIDIA's runtime reads"
_ABSENT = {"no-gpu-in-pod", "nvml-missing"}


def _class_fault(cluster: GpuCluster, pod: LivePod, node: GpuNode | None, line: Evidence) -> Fault | None:
    minor, talos = (node.minor, node.talos_version) if node else (None, None)
    if node is None or minor is None or talos is None or not pod.counted_gpus:
        return None
    config = cluster.node_configs.get(node.name)
    if config is not None and equals(config.default_runtime, RUNTIME_CLASS).is_yes:
        return None
    if not pod.spec.get("runtimeClassName") and minor in CLASS_HANDLER:
        if minor in CLASS_ONLY:
            return _no_class(pod, line, talos.evidence)
        variable = _by_variable(cluster, node)
        return _no_class(pod, line, variable, reason=_READ_BY_RUNTIME) if variable else None
    is_beside = minor in NRI_TOOLKIT and pod.spec.get("runtimeClassName") == RUNTIME_CLASS
    return _class_beside_nri(pod, line, talos.evidence) if is_beside else None


def _no_class(
    pod: LivePod, *lines: Evidence, reason: str = f"{CLASS_ONLY.when} only the RuntimeClass nvidia gives a container the GPU"
) -> Fault:
    return Fault(
        name="runtime-class-not-named",
        cause=f"The pod names no RuntimeClass, and {reason}",
        evidence=(*lines, pod.about.evidence("no runtimeClassName", "spec")),
        consequence=_UNSEEN,
        fix=Advice("Set in the pod spec", f"runtimeClassName: {RUNTIME_CLASS}"),
        verify=_SMI,
        source=_TALOS_DOCS,
        rules=("TG040",),
        is_of_pod=True,
    )


def _class_beside_nri(pod: LivePod, *lines: Evidence) -> Fault:
    return Fault(
        name="runtime-class-beside-nri",
        cause=f"The pod names the RuntimeClass nvidia, and {NRI_TOOLKIT.when} containerd has no such handler: it injects the GPU by CDI without one",
        evidence=(*lines, pod.about.evidence(f"runtimeClassName: {RUNTIME_CLASS}", "spec")),
        consequence=_UNSEEN,
        fix=Advice("Take runtimeClassName out of the pod spec"),
        verify=_SMI,
        source="siderolabs/extensions e9498f6, nvidia-gpu/nvidia-container-toolkit/README.md",
        rules=("TG042",),
        is_of_pod=True,
    )


def _no_limit(pod: LivePod, line: Evidence) -> Fault:
    return Fault(
        name="gpu-limit-missing",
        cause=f"The pod requests no GPU: no container has a limit {GPU_RESOURCE} or a claim",
        evidence=(line, pod.about.evidence(f"runtimeClassName: {pod.spec.get('runtimeClassName')}, no limit {GPU_RESOURCE}", "spec")),
        consequence=f"{_UNSEEN}: Kubernetes gives the container none",
        fix=Advice("Set in the container", f"resources: {{limits: {{{GPU_RESOURCE}: 1}}}}"),
        verify=_SMI,
        source="NVIDIA/k8s-device-plugin#346",
        rules=("TG044",),
        is_of_pod=True,
    )


def hiding_faults(pod: LivePod, *lines: Evidence) -> Iterator[Fault]:
    """The variables of the pod's own containers that hide the GPUs from them wherever NVIDIA's runtime reads them."""
    for container in pod.containers:
        if container.gpus and container.hides_gpus:
            value = container.value(VISIBLE_DEVICES) or ""
            yield Fault(
                name="gpus-hidden-by-variable",
                cause=f"The container sets {VISIBLE_DEVICES}={value}, which hides the GPU that Kubernetes allocated to it",
                evidence=(*lines, pod.about.evidence(f"{VISIBLE_DEVICES}={value}", f"{container.field}.env")),
                consequence=_UNSEEN,
                fix=Advice(f"Take {VISIBLE_DEVICES} out of the container"),
                verify=_SMI,
                source="NVIDIA/k8s-device-plugin#61",
                rules=("TG043",),
                is_of_pod=True,
            )


def _newer_cuda(pod: LivePod, node: GpuNode | None, line: Evidence) -> Fault | None:
    driver = driver_of_node(node)
    found = _BRANCH.match(driver.value) if driver else None
    if driver is None or found is None:
        return None
    for container in pod.containers:
        image = str(container.image)
        cuda = cuda_of(image)
        if cuda is not None and CUDA_FLOORS.get(cuda, 0) > int(found[1]):
            return Fault(
                name="cuda-newer-than-driver",
                cause=f"The image is built with CUDA {cuda}, which needs the driver {CUDA_FLOORS[cuda]} or newer, and the node runs {found[1]}",
                evidence=(line, pod.about.evidence(f"image: {image}", container.field), driver.evidence),
                consequence="CUDA does not start in the program",
                fix=command(
                    "talos-gpu matrix --cuda {cuda}   # a Talos with a newer driver; or use an image with an older CUDA", cuda=cuda
                ),
                verify=command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version"),
                source="https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html",
                rules=("TG091",),
                is_of_pod=True,
            )
    return None


def driver_of_node(node: GpuNode | None) -> Seen | None:
    """The driver that runs on the node, else that of the extension with its modules."""
    if node is None:
        return None
    if node.machine is not None and node.machine.driver_version is not None:
        return node.machine.driver_version
    return next((Seen(value=each.version, evidence=each.evidence) for each in node.module_extensions), None)
