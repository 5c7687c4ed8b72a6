"""More memory of GPUs than the cards have, where pods say how much they take."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import chain, repeat

from ..._arguments.quantities import amount_of, byte_quantity
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.pod_annotations import GPU_MEMORY_ANNOTATION
from ...nodes.sharing import TimeSlicing
from ...upstream.plugin_words import MigStrategy
from ..facts.gpu_usage import Usage, gibibytes, memory_annotation, name_of, usage
from ..facts.workloads import Workload, workloads
from ..finding import Severity
from ..model import Inputs, Path, at, known_str
from ..rule import Example, Found, Rule
from ._pods import pod


def _too_much_memory(inputs: Inputs) -> Iterator[Found]:
    for nodes in inputs.nodes:
        # A partition has less memory than its card, and how much its profile says.
        if nodes.memory_per_gpu is None or nodes.mig_strategy != MigStrategy.NONE:
            continue
        card = amount_of(nodes.memory_per_gpu)
        declared = [(row, row.memory) for row in usage(inputs) if row.nodes == (nodes,) and row.memory is not None]
        for row, memory in declared:
            if memory > card * (row.gpus or 1):
                message = f"it declares {gibibytes(memory)} of GPU memory, and a GPU of {name_of(nodes)} has {nodes.memory_per_gpu}"
                yield _memory(row, message, Severity.ERROR)
        if isinstance(nodes.sharing, TimeSlicing) and nodes.count is not None and nodes.gpus_per_node is not None:
            fitting = [(row, memory) for row, memory in declared if memory <= card * (row.gpus or 1)]
            yield from _together(fitting, nodes, nodes.sharing, card, nodes.count * nodes.gpus_per_node)


def _together(declared: list[tuple[Usage, Decimal]], nodes: GpuNodes, sharing: TimeSlicing, card: Decimal, cards: int) -> Iterator[Found]:
    """Time-slicing isolates no memory: what shares a card has to fit into it."""
    pods = list(chain.from_iterable(repeat((row, memory), row.pods or 0) for row, memory in declared))
    shown = ", ".join(f"{row.workload.name} {row.pods or '?'} x {gibibytes(memory)}" for row, memory in declared)
    total = sum((memory for _, memory in pods), Decimal(0))
    # The scheduler knows nothing of it: the largest may meet on one card.
    worst = sum(sorted((memory for _, memory in pods), reverse=True)[: sharing.replicas], Decimal(0))
    if total > card * cards:
        have = f"{nodes.memory_per_gpu}" if cards == 1 else f"{cards} x {nodes.memory_per_gpu}"
        message = f"the pods that share the GPUs of {name_of(nodes)} declare {gibibytes(total)} of their memory, which is {have} ({shown})"
        yield _memory(declared[-1][0], message, Severity.ERROR)
    elif cards > 1 and worst > card:
        message = (
            f"pods that may share one GPU of {name_of(nodes)} declare {gibibytes(worst)}, and it has {nodes.memory_per_gpu}: time-slicing "
            f"places them by their number, not by their memory ({shown})"
        )
        yield _memory(declared[-1][0], message, Severity.WARNING)


def _memory(row: Usage, message: str, severity: Severity) -> Found:
    return Found(severity=severity, message=message, about=row.workload.about, path=_annotated(row.workload))


def _annotated(workload: Workload) -> Path:
    """Where the annotation is, on the pod template or on the object."""
    below = ("metadata", "annotations", GPU_MEMORY_ANNOTATION)
    own = at(workload.metadata, "annotations", GPU_MEMORY_ANNOTATION)
    return (*workload.path[:-1], *below) if own is not None and workload.path[-1:] == ("spec",) else below


def _no_quantity(inputs: Inputs) -> Iterator[Found]:
    for workload in workloads(inputs):
        written = known_str(memory_annotation(workload))
        if written is None:
            continue
        try:
            byte_quantity(GPU_MEMORY_ANNOTATION, written)
        except (TypeError, ValueError) as error:
            yield Found(
                severity=Severity.WARNING,
                message=f"{error}, so that its memory is not counted",
                about=workload.about,
                path=_annotated(workload),
            )


_SHARED = (GpuNodes(talos_version="1.13", count=1, gpus_per_node=1, memory_per_gpu="16Gi", sharing=TimeSlicing(replicas=5)),)


def _declaring(memory: str) -> str:
    """Two pods, each of which declares this much memory."""
    first = pod().replace(
        "name: ollama, namespace: ollama", f'name: ollama, namespace: ollama, annotations: {{{GPU_MEMORY_ANNOTATION}: "{memory}"}}'
    )
    return first + "---\n" + first.partition("---\n")[2].replace("name: ollama", "name: comfyui")


RULES = (
    Rule(
        id="TG097",
        claim="The memory that pods declare fits into the GPUs that they share",
        symptom="CUDA out of memory; ggml_cuda_pool_vmm: out of memory, in a pod that ran well alone",
        severity=Severity.ERROR,
        fix="Run fewer of them at once, let them take less (a smaller model, context or --gpu-memory-utilization), or share by MPS, which limits each",
        source="https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-time-slicing",
        judge=_too_much_memory,
        failing=Example(yaml=_declaring("12Gi"), nodes=_SHARED),
        passing=Example(yaml=_declaring("6Gi"), nodes=_SHARED),
    ),
    Rule(
        id="TG099",
        claim="The annotation talos-gpu/gpu-memory is an amount of memory",
        symptom="A pod is missing in the sums of talos-gpu check --capacity",
        severity=Severity.WARNING,
        fix="Write a quantity such as 6Gi",
        source="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/",
        judge=_no_quantity,
        failing=Example(yaml=_declaring("six")),
        passing=Example(yaml=_declaring("6Gi")),
    ),
)
