"""The diagram of a cluster's page: classes of nodes with taints and resources, the GPU stack, and the workloads that use it."""

from __future__ import annotations

from collections.abc import Iterator

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.taints import Taint
from ..facts.agents import agents
from ..facts.gpu_node_configs import gpu_node_configs
from ..facts.gpu_usage import offered, shown_name, usage
from ..facts.operators import operators
from ..facts.usage_rows import Usage, may_run, name_of
from ..facts.workloads import workloads
from ..model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read
from .markdown_text import label


def diagram(inputs: Inputs) -> list[str]:
    """The lines of the diagram; none without a GPU part."""
    rows = usage(inputs)
    lines = ["flowchart LR"]
    resources: dict[tuple[int, str], str] = {}
    for number, nodes in enumerate(inputs.nodes):
        lines += _class(number, nodes, rows, resources)
    if not inputs.nodes:
        lines += _configured(inputs)
    lines += [*_stack(inputs), *_workloads(inputs, rows, resources)]
    return ["```mermaid", *lines, "```"] if len(lines) > 1 else []


def card_of(nodes: GpuNodes) -> str:
    """`2 x RTX 4090, 24Gi each`, as far as the class says."""
    count = "" if nodes.gpus_per_node is None else f"{nodes.gpus_per_node} x "
    memory = f", {nodes.memory_per_gpu} each" if nodes.memory_per_gpu else ""
    return f"{count}{nodes.product or 'GPU'}{memory}"


def count_of_nodes(nodes: GpuNodes) -> str:
    """`2 nodes`; for a class without a number, `nodes`."""
    return "nodes" if nodes.count is None else f"{nodes.count} node{'' if nodes.count == 1 else 's'}"


def taint_text(taint: Taint) -> str:
    """A taint in the notation of kubectl."""
    return f"{_taint_name(taint)}:{taint.effect}"


def _taint_name(taint: Taint) -> str:
    return f"{taint.key}={taint.value}" if taint.value else taint.key


def _class(number: int, nodes: GpuNodes, rows: tuple[Usage, ...], resources: dict[tuple[int, str], str]) -> Iterator[str]:
    yield f"  subgraph pool{number}[{label(f'{name_of(nodes)}: {count_of_nodes(nodes)}', card_of(nodes))}]"
    for index, taint in enumerate(nodes.taints):
        yield f"    taint{number}x{index}[/{label(f'taint {_taint_name(taint)}', str(taint.effect))}/]"
    names = dict.fromkeys([nodes.resource_name, *(row.resource for row in rows if row.resource and nodes in row.nodes)])
    for index, resource in enumerate(names):
        amount = offered(nodes, resource)
        shown = "?" if amount is None else amount
        resources[number, resource] = f"gpu{number}x{index}"
        yield f"    gpu{number}x{index}([{label(f'{shown_name(nodes, resource)}: {shown}')}])"
    yield "  end"


def _configured(inputs: Inputs) -> Iterator[str]:
    for number, config in enumerate(gpu_node_configs(inputs)):
        yield f"  config{number}[{label(config.label, _extension_text(config))}]"


def _extension_text(config: NodeConfig) -> str:
    names = [f"{each}".rpartition("/")[2] for each in config.extensions or () if "nvidia" in f"{each}"]
    return f"{len(names)} NVIDIA extension{'' if len(names) == 1 else 's'}" if names else "GPU kernel modules"


def stack_parts(inputs: Inputs) -> list[tuple[str, Read]]:
    """The parts of the GPU stack: operators, and the agents that run on their own."""
    parts: list[tuple[str, Read]] = [("GPU operator", each.about) for each in operators(inputs)]
    of_operators = {id(about) for _, about in parts}
    return parts + [(each.kind, each.about) for each in agents(inputs) if id(each.about) not in of_operators]


def _short_name(about: Read) -> str:
    if isinstance(about, ChartRelease):
        return f"{about.chart}{'' if about.version is None else f' {about.version}'}"
    return f"{about.kind} {about.name}" if isinstance(about, KubernetesObject) else about.label


def _stack(inputs: Inputs) -> Iterator[str]:
    parts = stack_parts(inputs)
    if not parts:
        return
    yield f"  subgraph stack[{label('GPU stack')}]"
    for number, (kind, about) in enumerate(parts):
        yield f"    part{number}[{label(kind, _short_name(about))}]"
    yield "  end"
    pods = {id(each.about): each for each in workloads(inputs)}
    # The operator chooses nodes by NVIDIA's PCI devices. Of a chart's own agent the page says nothing.
    everywhere = {id(each.about) for each in operators(inputs)}
    for number, (_, about) in enumerate(parts):
        workload = pods.get(id(about))
        for index, nodes in enumerate(inputs.nodes):
            if id(about) in everywhere or (workload is not None and may_run(workload, nodes, inputs.nodes)):
                yield f"  part{number} -.-> pool{index}"


def _workloads(inputs: Inputs, rows: tuple[Usage, ...], resources: dict[tuple[int, str], str]) -> Iterator[str]:
    names: dict[str, str] = {}
    for row in rows:
        if row.name not in names:
            names[row.name] = f"work{len(names)}"
            yield f"  {names[row.name]}[{label(row.name)}]"
        total = row.total
        amount = f"{total.least}" if total.is_exact else f"{total.least} or more"
        for nodes in row.nodes:
            yield f"  {names[row.name]} -->|{label(amount)}| {resources[inputs.nodes.index(nodes), row.resource]}"
