"""Shared memory of GPU containers: the container runtime gives a container 64 MiB at /dev/shm, and a volume in memory
counts towards its limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ....arguments.quantities import amount_of
from ....observed.agents.agents import device_plugins
from ....observed.agents.operators import operators
from ....observed.agents.plugin_configs import Reader
from ....observed.agents.plugin_options import options_of
from ....observed.model import Inputs, Path, at, equals, is_among, is_open, known_str, mappings, search
from ....observed.nodes.offers import may_offer_more, offers
from ....observed.pods.workloads import Container, Workload, gpu_workloads, whole_number
from ....upstream.nvidia.gpu_resources import GPU_RESOURCE
from ....upstream.nvidia.plugin_words import MIG_STRATEGY, MigStrategy
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import in_deployment

_MOUNTS = ("/dev/shm", "/dev/shm/", "/dev", "/dev/")  # noqa: S108  # paths in a container
# Servers that split a model by layers and exchange no data at /dev/shm.
_WITHOUT_NCCL = r"(^|/)(ollama|llama\.cpp|koboldcpp)([:@]|$)"


_TWO = "          resources: {limits: {nvidia.com/gpu: 2}}\n"
_VOLUME = (
    "          volumeMounts: [{name: shm, mountPath: /dev/shm}]\n      volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}]\n"
)
_VLLM = ("ollama/ollama:0.32.15", "vllm/vllm-openai:v0.11.0")


@Rule(
    id="TG103",
    claim="A container with several GPUs has more shared memory than the runtime's 64 MiB",
    symptom="NCCL WARN Error while creating shared memory segment /dev/shm/nccl-… (size 9637888); unhandled "
    "system error; Bus error (core dumped)",
    fix="Add volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}], and mount it: volumeMounts: "
    "[{name: shm, mountPath: /dev/shm}]. Shared memory counts towards the container's memory limit",
    source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/runtime_and_mpi_issues.html#shared-memory",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(in_deployment("  strategy: {type: Recreate}\n", _TWO).replace(*_VLLM)),
    passing=Example(in_deployment("  strategy: {type: Recreate}\n", _TWO + _VOLUME).replace(*_VLLM)),
)
def _too_small(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            number = whole_number(container.gpus.get(GPU_RESOURCE, 0))
            if number is None or number < 2 or container.init or not workload.complete:  # noqa: PLR2004  # one GPU exchanges no data
                continue
            if _is_small(workload, container) and not _may_be_parts(inputs):
                message = (
                    f"the container requests {number} GPUs and has nothing mounted at /dev/shm, so its shared memory is the runtime's 64 MiB. "
                    "NCCL and tensor-parallel servers need more, and end with an unhandled system error or with a bus error"
                )
                yield Violation(Severity.WARNING, message, workload.about, (*container.path, "resources", "limits", GPU_RESOURCE))


def _is_small(workload: Workload, container: Container) -> bool:
    """Whether the container surely has no shared memory but the runtime's, and does not surely run without NCCL."""
    listed = at(container.body, "volumeMounts")
    if is_open(listed) or search(_WITHOUT_NCCL, container.image).is_yes:
        return False
    return equals(at(workload.spec, "hostIPC"), True).is_no and all(
        is_among(at(mount, "mountPath"), _MOUNTS).is_no for _, mount in mappings(listed)
    )


def _may_be_parts(inputs: Inputs) -> bool:
    """Whether `nvidia.com/gpu` may be a share or a partition of a GPU: NCCL does not connect those."""
    if may_offer_more(inputs) or any(GPU_RESOURCE in offer.shared for offer in offers(inputs) or ()):
        return True
    readers: list[Reader] = [*device_plugins(inputs), *operators(inputs)]
    strategies = [nodes.mig_strategy for nodes in inputs.nodes]
    strategies += [option.value for reader in readers for option in options_of(inputs, reader, MIG_STRATEGY)]
    return any(not equals(strategy, MigStrategy.SINGLE).is_no for strategy in strategies)


_LIMITED = "          resources: {limits: {nvidia.com/gpu: 1, memory: %s}}\n"


@Rule(
    id="TG130",
    claim="A volume in memory is smaller than the memory limit of the container that fills it",
    symptom="OOMKilled (exit code 137) of a container that writes to /dev/shm, or to another emptyDir with medium: Memory",
    fix="Raise the memory limit by the sizeLimit of the volume, or lower the sizeLimit: the process needs memory beside the files",
    source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir; kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(in_deployment("  strategy: {type: Recreate}\n", _LIMITED % "2Gi" + _VOLUME)),
    passing=Example(in_deployment("  strategy: {type: Recreate}\n", _LIMITED % "6Gi" + _VOLUME)),
)
def _beyond_the_limit(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        sizes = _sizes_in_memory(workload)
        for container in workload.containers if sizes else ():
            limits = _memory_limits(workload, container)
            for name in _written(container):
                size = sizes.get(name)
                limit, path = min(limits, key=lambda each: amount_of(each[0]), default=("", ()))
                if size is not None and limit and amount_of(size) >= amount_of(limit):
                    whose = "the container's" if path[: len(container.path)] == container.path else "the pod's"
                    message = (
                        f"the volume {name} in memory has the sizeLimit {size}, and {whose} memory limit is {limit}. The files of the volume "
                        "count towards the limit, so the container is OOMKilled before the volume is full"
                    )
                    yield Violation(Severity.WARNING, message, workload.about, path)


def _sizes_in_memory(workload: Workload) -> dict[str | None, str]:
    """The known size limits of volumes in memory, by the name of the volume."""
    volumes = [each for _, each in mappings(at(workload.spec, "volumes")) if equals(at(each, "emptyDir", "medium"), "Memory").is_yes]
    sizes = {known_str(at(each, "name")): _quantity(at(each, "emptyDir", "sizeLimit")) for each in volumes}
    return {name: size for name, size in sizes.items() if name and size}


def _written(container: Container) -> Iterable[str | None]:
    """The names of the volumes that a container can write, each once."""
    mounts = [mount for _, mount in mappings(at(container.body, "volumeMounts")) if equals(at(mount, "readOnly"), True).is_no]
    return dict.fromkeys(known_str(at(mount, "name")) for mount in mounts)


def _memory_limits(workload: Workload, container: Container) -> list[tuple[str, Path]]:
    """The known memory limits of a container: its own limit and that of the pod, each with its path."""
    path = ("resources", "limits", "memory")
    places = [(at(container.body, *path), (*container.path, *path)), (at(workload.spec, *path), (*workload.path, *path))]
    return [(limit, place) for value, place in places if (limit := _quantity(value))]


def _quantity(value: Any) -> str:
    """A quantity above 0 as a text; empty for a value that is none."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if amount_of(text) > 0 else ""
