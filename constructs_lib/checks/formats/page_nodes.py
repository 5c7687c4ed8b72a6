"""The classes of nodes on a cluster's page: cards, drivers and images, and the capacity with what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from ...arguments.quantities import amount_of, byte_quantity
from ...nodes.factory_ids import id_of_written
from ...nodes.gpu_nodes import GpuNodes
from ...observed.model import Inputs, NodeConfig
from ...observed.nodes.gpu_node_configs import gpu_node_configs
from ...observed.nodes.node_extensions import nvidia_extensions
from ...observed.usage.gpu_usage import offered, shown_name, usage
from ...observed.usage.usage_gaps import usage_gaps
from ...observed.usage.usage_rows import Usage, gibibytes, name_of
from .capacity_table import gap_lines
from .markdown_text import code, prose, table
from .page_diagram import card_of, taint_text

_Schematic = str | None


def node_lines(inputs: Inputs) -> Iterator[str]:
    """A table of the classes, and one of the images and configurations."""
    classes = table(("class", "nodes", "cards", "driver", "labels", "taints"), map(_class_row, inputs.nodes))
    yield from classes or ["No class of GPU nodes was described; `--nodes FILE` or the flags of a class add cards, drivers and capacity."]
    configs = gpu_node_configs(inputs)
    images = [each for each in configs if each.image is not None or each.extensions is not None or each.talos_version is not None]
    yield from ("", *table(("file", "Talos", "image", "NVIDIA extensions"), map(_config_row, images))) if images else ()
    if not configs:
        yield from ("", "No configuration of a GPU node was read.")


def _class_row(nodes: GpuNodes) -> tuple[str, ...]:
    labels = ", ".join(code(f"{key}={value}") for key, value in nodes.node_labels.items())
    taints = ", ".join(code(taint_text(each)) for each in nodes.taints)
    sharing = "" if nodes.sharing is None else f", shared by {nodes.sharing.replicas}"
    count = "not given" if nodes.count is None else str(nodes.count)
    return code(name_of(nodes)), count, prose(card_of(nodes)) + sharing, driver_text(nodes), labels or "none", taints or "none"


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


def capacity_lines(inputs: Inputs) -> Iterator[str]:
    """The amounts that the classes offer, that workloads request, and that are left."""
    rows = usage(inputs)
    offers = [
        _offer_row(nodes, resource, rows)
        for nodes in inputs.nodes
        for resource in dict.fromkeys([nodes.resource_name, *(row.resource for row in rows if row.resource and nodes in row.nodes)])
    ]
    yield from table(("class", "offers", "requested", "by jobs that end", "left", "GPU memory"), offers)
    if offers:
        yield ""
    yield from table(("workload", "requests", "GPU memory of a pod", "runs on"), map(_workload_row, rows)) or ["No GPU workload was read."]
    gaps = list(gap_lines(usage_gaps(inputs)))
    if gaps:
        yield from ("", *(f"- {prose(each)}" for each in gaps))


def _offer_row(nodes: GpuNodes, resource: str, rows: tuple[Usage, ...]) -> tuple[str, ...]:
    mine = [row for row in rows if nodes in row.nodes and row.resource == resource]
    lasting, ending = ([row for row in mine if row.passes is passes] for passes in (False, True))
    amount = offered(nodes, resource)
    requested = sum(row.total.least for row in lasting)
    is_exact = all(row.total.is_exact and len(row.nodes) == 1 for row in lasting)
    left = "not known" if amount is None else f"{amount - requested}" if is_exact else "not known"
    name = code(shown_name(nodes, resource))
    return (
        code(name_of(nodes)),
        f"{'a number not given' if amount is None else amount} of {name}",
        f"{requested}" if is_exact else f"{requested} or another number",
        f"{sum(row.total.least for row in ending)}",
        left,
        _memory_text(nodes, lasting),
    )


def _memory_text(nodes: GpuNodes, rows: list[Usage]) -> str:
    """The memory that workloads declare, of the memory of all GPUs of the class."""
    if nodes.memory_per_gpu is None:
        return "not given"
    if nodes.gpus_per_node is None or nodes.count is None:
        return f"{nodes.memory_per_gpu} each"
    whole = amount_of(byte_quantity("memory_per_gpu", nodes.memory_per_gpu)) * nodes.gpus_per_node * nodes.count
    declared = [row.memory * row.pods.least for row in rows if row.memory is not None]
    return f"{gibibytes(sum(declared, Decimal()))} declared of {gibibytes(whole)}" if declared else f"{gibibytes(whole)}, none declared"


def _workload_row(row: Usage) -> tuple[str, ...]:
    total = row.total
    amount = f"{total.least}" if total.is_exact else f"{total.least} or more"
    memory = "not declared" if row.memory is None else gibibytes(row.memory)
    where = ", ".join(code(name_of(each)) for each in row.nodes) or "no described class"
    return code(row.name), f"{amount} of {code(row.requested)}", memory, where
