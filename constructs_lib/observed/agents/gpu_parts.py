"""The parts of a GPU stack in the inputs, counted: a report claims nothing about a part that was not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.nvidia.gpu_resources import NVIDIA
from ..model import Inputs, literal, question, starts_with
from ..nodes.node_settings import gpu_node_configs
from ..pods.claims import CLAIM_KINDS, claims_of, is_of_nvidia
from ..pods.pod_templates import Workload
from ..pods.workloads import workloads
from .agents import agents, device_plugins, dra_drivers, exporters
from .operators import operators

PLUGINS, OPERATORS, DRA_DRIVERS, EXPORTERS = "device plugin", "GPU operator", "DRA driver", "DCGM exporter"
WORKLOADS, GPU_NODES, RUNTIME_CLASSES = "GPU workload", "GPU node configuration", "RuntimeClass of NVIDIA"
OTHERS = "other mention of NVIDIA"


@question
def gpu_parts(inputs: Inputs) -> Mapping[str, int]:
    """The number of parts of each kind, without kinds of which there is none. Other inputs are counted if there is
    nothing else."""
    runtime_classes = [each for each in inputs.of_kind("RuntimeClass") if starts_with(each.at("handler"), "nvidia").is_yes]
    numbers = {
        OPERATORS: len(operators(inputs)),
        PLUGINS: len(device_plugins(inputs)),
        DRA_DRIVERS: len(dra_drivers(inputs)),
        EXPORTERS: len(exporters(inputs)),
        RUNTIME_CLASSES: len(runtime_classes),
        WORKLOADS: len(_workloads(inputs)),
        GPU_NODES: len(gpu_node_configs(inputs)),
    }
    parts = {name: number for name, number in numbers.items() if number}
    others = 0 if parts else sum(names_nvidia(each.body) for each in (*inputs.objects, *inputs.releases, *inputs.node_configs))
    return {OTHERS: others} if others else parts


def _workloads(inputs: Inputs) -> list[Workload]:
    """The workloads that request or claim a GPU, name NVIDIA's runtime or see GPUs by a variable, without the agents of
    the stack."""
    of_the_stack = {id(agent.about) for agent in agents(inputs)} | {id(operator.about) for operator in operators(inputs)}
    claims = {(each.kind, f"{each.name}") for each in inputs.of_kind(*CLAIM_KINDS.values()) if is_of_nvidia(each)}
    found = [each for each in workloads(inputs) if each.uses_gpus or (claims and not claims.isdisjoint(claims_of(each)))]
    return [each for each in found if id(each.about) not in of_the_stack and each.agent is None]


def names_nvidia(body: Any) -> bool:
    """Whether a text in a document names NVIDIA or a component of its GPU stack."""
    return any(NVIDIA.search(text) for text in _texts(body))


def _texts(value: Any) -> Iterator[str]:
    """All texts inside a value: keys, and what is written."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            pending += [*each, *each.values()]
        elif isinstance(each, list | tuple):
            pending += each
        elif isinstance(text := literal(each), str):
            yield text
