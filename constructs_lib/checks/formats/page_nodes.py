"""The nodes on a cluster's page: a diagram of workloads, nodes and GPU stack, the classes with cards, drivers and
images, and the capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...nodes.factory_ids import id_of_written
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.taints import taint_text
from ...observed.agents.agents import agents
from ...observed.agents.operators import operators
from ...observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read
from ...observed.nodes.node_extensions import nvidia_extensions
from ...observed.nodes.node_settings import gpu_node_configs
from ...observed.pods.workloads import workloads
from ...observed.usage.gpu_usage import shown_name, usage, usage_gaps
from ...observed.usage.usage_rows import Usage, gibibytes, may_run
from .capacity_table import gap_lines, offers_of
from .markdown_text import code, label, prose, table, titled_label
from .page_classes import PageClasses, nodes_at
from .page_sums import sum_lines

# A line of a label up to this width in pixels stays whole.
_WRAPPING = '%%{init: {"flowchart": {"wrappingWidth": 260, "rankSpacing": 36}}}%%'
# The text has the colours of the reader's scheme; the boxes let its background through.
_STYLES = (
    "  classDef workload fill:#388bfd22,stroke:#388bfd",
    "  classDef nodes fill:#2da44e22,stroke:#2da44e",
    "  classDef part fill:#a371f722,stroke:#a371f7",
    "  classDef group fill:#8c959f11,stroke:#8c959f",
)

# The label of a part of the stack, and the numbers of the classes that it serves.
_Part = tuple[str, list[int]]
_MANY = 3


def diagram(inputs: Inputs, classes: PageClasses) -> list[str]:
    """The lines of the diagram; none without a GPU part."""
    rows, parts = _in_order(inputs), _parts(inputs)
    columns = (
        ("Workloads", "workload", _workload_boxes(rows)),
        ("GPU nodes", "nodes", _node_boxes(inputs, rows, classes)),
        ("GPU stack", "part", [text for text, _ in parts]),
    )
    shown = [column for column in columns if column[2]]
    if not shown:
        return []
    boxes = [line for title, name, labels in shown for line in _column(title, name, labels)]
    styled = [f"  class {','.join(f'{name}Group' for _, name, _ in shown)} group"]
    return ["```mermaid", _WRAPPING, "flowchart LR", *boxes, *_links(inputs, rows, parts), *_STYLES, *styled, "```"]


def card_of(nodes: GpuNodes) -> str:
    """`2 x RTX 4090, 24Gi each`, as far as the class says."""
    count = "" if nodes.gpus_per_node is None else f"{nodes.gpus_per_node} x "
    memory = f", {nodes.memory_per_gpu} each" if nodes.memory_per_gpu else ""
    return f"{count}{nodes.product or 'GPU'}{memory}"


def _in_order(inputs: Inputs) -> tuple[Usage, ...]:
    """The workloads in the order of the classes that they run on, so that few lines cross."""
    last = len(inputs.nodes)
    return tuple(sorted(usage(inputs), key=lambda row: min(map(inputs.nodes.index, row.nodes), default=last)))


def _column(title: str, name: str, labels: list[str]) -> Iterator[str]:
    yield f"  subgraph {name}Group[{label(title)}]"
    for number, text in enumerate(labels):
        yield f"    {name}{number}[{text}]:::{name}"
    yield "  end"


def _workload_boxes(rows: tuple[Usage, ...]) -> list[str]:
    amounts: dict[str, dict[str, None]] = {}
    for row in rows:
        amount = f"{row.total.least}" if row.total.is_exact else f"{row.total.least} or more"
        amounts.setdefault(row.name, {})[f"{amount} x {row.requested}"] = None
    return [titled_label(name, *lines) for name, lines in amounts.items()]


def _node_boxes(inputs: Inputs, rows: tuple[Usage, ...], classes: PageClasses) -> list[str]:
    if not inputs.nodes:
        return [titled_label(each.label, _extension_text(each)) for each in gpu_node_configs(inputs)]
    return [titled_label(classes.label(nodes), *_class_lines(nodes, rows)) for nodes in inputs.nodes]


def _class_lines(nodes: GpuNodes, rows: tuple[Usage, ...]) -> Iterator[str]:
    if nodes.count is not None:
        yield f"{nodes.count} node{'' if nodes.count == 1 else 's'}"
    yield card_of(nodes)
    for resource, amount in offers_of(nodes, rows):
        yield f"offers {'' if amount is None else f'{amount} x '}{shown_name(nodes, resource)}"
    for taint in nodes.taints:
        yield f"taint {taint_text(taint)}"


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
    return f"{about.name}" if isinstance(about, KubernetesObject) else about.label


def _links(inputs: Inputs, rows: tuple[Usage, ...], parts: list[_Part]) -> Iterator[str]:
    """Who uses the nodes, and who serves them. An invisible link keeps a box that has none in its column."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(row.name for row in rows))}
    used = dict.fromkeys((numbers[row.name], inputs.nodes.index(nodes)) for row in rows for nodes in row.nodes)
    yield from (f"  workload{workload} --> nodes{nodes}" for workload, nodes in used)
    yield from (f"  nodes{nodes} -.- part{number}" for number, (_, serves) in enumerate(parts) for nodes in serves)
    if rows:
        unused = set(range(len(inputs.nodes))) - {nodes for _, nodes in used}
        yield from (f"  workload0 ~~~ nodes{nodes}" for nodes in sorted(unused))
    if inputs.nodes:
        yield from (f"  nodes0 ~~~ part{number}" for number, (_, serves) in enumerate(parts) if not serves)


def _parts(inputs: Inputs) -> list[_Part]:
    """The parts of the stack in the order of the classes that they serve, so that few lines cross. A part that serves every
    class of many says so in its box, because its lines would go through the boxes of others."""
    everywhere = list(range(len(inputs.nodes))) if len(inputs.nodes) >= _MANY else None
    parts = []
    for kind, about in stack_parts(inputs):
        serves = _served(inputs, about)
        words = [_short_name(about), *(["on every class"] if serves == everywhere else [])]
        parts.append((titled_label(f"{kind[:1].upper()}{kind[1:]}", *words), [] if serves == everywhere else serves))
    return sorted(parts, key=lambda part: sum(part[1]) / max(len(part[1]), 1))


def _served(inputs: Inputs, about: Read) -> list[int]:
    """The numbers of the classes that a part of the stack runs on. Of a chart's own agent the page says nothing."""
    if any(about is each.about for each in operators(inputs)):  # the operator chooses nodes by NVIDIA's PCI devices
        return list(range(len(inputs.nodes)))
    pods = [each for each in workloads(inputs) if each.about is about]
    return [number for number, nodes in enumerate(inputs.nodes) if any(may_run(each, nodes, inputs.all_nodes) for each in pods)]


_Schematic = str | None


def node_lines(inputs: Inputs, described: PageClasses) -> Iterator[str]:
    """A table of the classes, and one of the images and configurations."""
    classes = table(("class", "nodes", "cards", "driver", "labels", "taints"), (_class_row(each, described) for each in inputs.nodes))
    yield from classes or ["No class of GPU nodes was described; a cluster file or the flags of a class add cards, drivers and capacity."]
    configs = gpu_node_configs(inputs)
    images = [each for each in configs if each.image is not None or each.extensions is not None or each.talos_version is not None]
    yield from ("", *table(("file", "Talos", "image", "NVIDIA extensions"), map(_config_row, images))) if images else ()
    if not configs:
        yield from ("", "No configuration of a GPU node was read.")


def _class_row(nodes: GpuNodes, described: PageClasses) -> tuple[str, ...]:
    labels = ", ".join(code(f"{key}={value}") for key, value in nodes.node_labels.items())
    taints = ", ".join(code(taint_text(each)) for each in nodes.taints)
    sharing = "" if nodes.sharing is None else f", shared by {nodes.sharing.replicas}"
    places = ", ".join(map(code, nodes_at(described.of(nodes))))
    count = "not given" if nodes.count is None else f"{nodes.count}{f': {places}' if places else ''}"
    return code(described.label(nodes)), count, prose(card_of(nodes)) + sharing, driver_text(nodes), labels or "none", taints or "none"


def driver_text(nodes: GpuNodes) -> str:
    """The modules and the track, with the driver of the newest patch of the release."""
    release = nodes.talos_version.release
    driver = release.drivers.get(str(nodes.track)) if nodes.talos_version.is_known else None
    return f"{nodes.kernel_modules} modules, {nodes.track} track" + (f" ({driver} in Talos {release.newest})" if driver else "")


def _config_row(config: NodeConfig) -> tuple[str, ...]:
    extensions = ", ".join(code(each.name.rpartition("/")[2]) for each in nvidia_extensions(config))
    schematic = schematic_of(config)
    image = f"schematic {code(schematic)}" if schematic else "not in this file"
    if config.image is not None:
        image = code(config.image)
    version = "not in this file" if config.talos_version is None else code(config.talos_version)
    return (
        code(config.file if config.scope == "patch" else f"{config.file}: {config.label}"),
        version,
        image,
        extensions or "none in this file",
    )


def schematic_of(config: NodeConfig) -> _Schematic:
    """The ID of the schematic that a configuration is; None for another configuration, and for an ID that is not
    known."""
    schematic = config.at("schematic")
    return id_of_written(schematic) if isinstance(schematic, Mapping) else None


def capacity_lines(inputs: Inputs, classes: PageClasses) -> Iterator[str]:
    """What the classes offer and who takes of it, what each workload requests, and what is not counted."""
    rows = usage(inputs)
    yield from sum_lines(inputs, classes.label)
    yield from table(("workload", "requests", "GPU memory of a pod", "runs on"), (_workload_row(each, classes) for each in rows)) or [
        "No GPU workload was read."
    ]
    gaps = list(gap_lines(usage_gaps(inputs)))
    if gaps:
        yield from ("", *(f"- {prose(each)}" for each in gaps))


def _workload_row(row: Usage, classes: PageClasses) -> tuple[str, ...]:
    total = row.total
    amount = f"{total.least}" if total.is_exact else f"{total.least} or more"
    memory = "not declared" if row.memory is None else gibibytes(row.memory)
    where = ", ".join(code(classes.label(each)) for each in row.nodes) or "no described class"
    return code(row.name), f"{amount} of {code(row.requested)}", memory, where
