"""GPU memory: the amounts that pods declare, against the memory of their cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, repeat
from typing import TYPE_CHECKING

from ....arguments.quantities import amount_of, byte_quantity
from ....nodes import GPU_MEMORY_ANNOTATION
from ....observed.model import Inputs, Path, at, known_str
from ....observed.pods.workloads import Workload, workloads
from ....observed.usage.gpu_usage import Usage, gibibytes, memory_annotation, name_of, usage
from ....upstream.nvidia.plugin_words import MigStrategy
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import pod
from .requests import related

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ....nodes.gpu_nodes import GpuNodes

_SHARED = """\
talos: "1.13"
nodes:
  gpu:
    count: 1
    cards: 1
    memory: 16Gi
    sharing: {time_slicing: 5}
"""


def _declaring(memory: str) -> str:
    """Two pods that declare this much memory each."""
    first = pod().replace(
        "name: ollama, namespace: ollama", f'name: ollama, namespace: ollama, annotations: {{{GPU_MEMORY_ANNOTATION}: "{memory}"}}'
    )
    return first + "---\n" + first.partition("---\n")[2].replace("name: ollama", "name: comfyui")


@Rule(
    id="TG097",
    claim="The GPU memory that pods declare fits on the GPUs that they share",
    symptom="CUDA out of memory; ggml_cuda_pool_vmm: out of memory, in a pod that works alone",
    fix="Lower the GPU memory that the pods use and declare (a smaller model or context, vLLM: "
    "--gpu-memory-utilization), run fewer pods at once, or place the pods on different GPUs",
    source="https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-time-slicing",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=Example(_declaring("12Gi"), nodes_file=_SHARED),
    passing=Example(_declaring("6Gi"), nodes_file=_SHARED),
)
def _too_much_memory(inputs: Inputs) -> Iterator[Violation]:
    for nodes in inputs.nodes:
        if nodes.dra is not None and nodes.dra.shares == "memory" and nodes.memory_per_gpu is not None:
            yield from _claimed(inputs, nodes, amount_of(nodes.memory_per_gpu))
            continue
        # A MIG partition has less memory than its card; its profile says how much.
        if nodes.memory_per_gpu is None or nodes.mig_strategy != MigStrategy.NONE:
            continue
        card = amount_of(nodes.memory_per_gpu)
        declared = [(row, row.memory) for row in usage(inputs) if row.nodes == (nodes,) and row.memory is not None]
        for row, memory in declared:
            if memory > card * (row.gpus or 1):
                message = f"the pod declares {gibibytes(memory)} of GPU memory, but a GPU of {name_of(nodes)} has {nodes.memory_per_gpu}: CUDA out of memory"
                yield _memory(row, message, Severity.ERROR)
        if nodes.sharing is not None and not nodes.by_mps and nodes.count is not None and nodes.gpus_per_node is not None:
            fitting = [(row, memory) for row, memory in declared if memory <= card * (row.gpus or 1)]
            yield from _together(fitting, nodes, nodes.sharing.replicas, card, nodes.count * nodes.gpus_per_node)


def _claimed(inputs: Inputs, nodes: GpuNodes, card: Decimal) -> Iterator[Violation]:
    """Violations of claims that take a part of the memory of each GPU, or the whole GPU: the scheduler places no more
    than fits."""
    rows = [row for row in usage(inputs) if row.by_claim and row.nodes == (nodes,) and row.resource == nodes.resource_name and row.gpus]
    for row in rows:
        if row.claimed is not None and row.claimed > card:
            message = f"the claim takes {gibibytes(row.claimed)} of GPU memory, but a GPU of {name_of(nodes)} has {nodes.memory_per_gpu}. The pod stays Pending"
            yield Violation(Severity.ERROR, message, row.workload.about, row.path)
    cards = None if nodes.count is None or nodes.gpus_per_node is None else nodes.count * nodes.gpus_per_node
    fitting = [row for row in rows if row.claimed is None or row.claimed <= card]
    before: list[Usage] = []
    for row in sorted(fitting, key=lambda each: each.passes) if cards is not None else ():
        before.append(row)
        total = sum((_taken(each, card) for each in before), Decimal(0))
        if total > card * (cards or 0):
            effect = "The workload waits until other pods end" if row.passes else "Pods stay Pending"
            listed = ", ".join(f"{each.name} {gibibytes(_taken(each, card))}" for each in before)
            message = (
                f"claims on {name_of(nodes)} take at least {gibibytes(total)} of GPU memory, but the GPUs have {cards} x {nodes.memory_per_gpu}. "
                f"{effect} ({listed})"
            )
            severity = Severity.WARNING if row.passes else Severity.ERROR
            yield Violation(severity, message, row.workload.about, row.path, related=related(before))
            return


def _taken(row: Usage, card: Decimal) -> Decimal:
    """The GPU memory that the claims of a workload surely take. A claim without a request for memory takes whole
    GPUs."""
    return (card if row.claimed is None else row.claimed) * row.total.least


def _together(declared: list[tuple[Usage, Decimal]], nodes: GpuNodes, replicas: int, card: Decimal, cards: int) -> Iterator[Violation]:
    """Violations of pods that share a card: time-slicing isolates no memory, so their sum has to fit."""
    pods = list(chain.from_iterable(repeat(memory, min(row.pods.least, replicas)) for row, memory in declared))
    shown = ", ".join(f"{row.name} {row.pods} x {gibibytes(memory)}" for row, memory in declared)
    total = sum((memory * row.pods.least for row, memory in declared), Decimal(0))
    # The scheduler knows nothing of GPU memory: the largest pods may meet on one card.
    worst = sum(sorted(pods, reverse=True)[:replicas], Decimal(0))
    if total > card * cards:
        have = f"{nodes.memory_per_gpu}" if cards == 1 else f"{cards} x {nodes.memory_per_gpu}"
        message = f"the pods that share the GPUs of {name_of(nodes)} declare {gibibytes(total)} of GPU memory, but the GPUs have {have}: CUDA out of memory ({shown})"
        yield _memory(declared[-1][0], message, Severity.ERROR, declared)
    elif cards > 1 and worst > card:
        message = (
            f"pods that can share one GPU of {name_of(nodes)} declare {gibibytes(worst)} of GPU memory, but the GPU has {nodes.memory_per_gpu}. "
            f"Time-slicing places pods by count, not by memory ({shown})"
        )
        yield _memory(declared[-1][0], message, Severity.WARNING, declared)


def _memory(row: Usage, message: str, severity: Severity, declared: Iterable[tuple[Usage, Decimal]] = ()) -> Violation:
    others = tuple((each.workload.about, _annotated(each.workload)) for each, _ in declared)
    return Violation(severity, message, row.workload.about, _annotated(row.workload), related=others)


def _annotated(workload: Workload) -> Path:
    """The path of the annotation, on the pod template or on the object."""
    below = ("metadata", "annotations", GPU_MEMORY_ANNOTATION)
    own = at(workload.metadata, "annotations", GPU_MEMORY_ANNOTATION)
    return (*workload.path[:-1], *below) if own is not None and workload.path[-1:] == ("spec",) else below


@Rule(
    id="TG099",
    claim="The annotation talos-gpu/gpu-memory is a quantity of memory",
    symptom="talos-gpu check --capacity leaves a pod out of its sums",
    fix='Set the annotation to a quantity, such as talos-gpu/gpu-memory: "6Gi"',
    source="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/",
    severity=Severity.WARNING,
    shown_by=Witness.LIBRARY,
    failing=Example(_declaring("six")),
    passing=Example(_declaring("6Gi")),
)
def _no_quantity(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        written = known_str(memory_annotation(workload))
        if written is None:
            continue
        try:
            byte_quantity(GPU_MEMORY_ANNOTATION, written)
        except (TypeError, ValueError) as error:
            yield Violation(Severity.WARNING, f"{error}. The sums leave the pod's GPU memory out", workload.about, _annotated(workload))
