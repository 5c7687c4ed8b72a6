"""What a cluster file leaves open and the library decided: each decision with its reason."""

from __future__ import annotations

from collections.abc import Iterator

from ..manifests.plugin.settings import DevicePluginSettings
from ..nodes.file_classes import FileClass
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.image_extensions import image_extensions
from ..upstream.nvidia.card_names import architecture
from ..upstream.talos.features import EXEMPT_NAMESPACE
from .app_registry import DEVICE_PLUGIN
from .composer import Composer
from .description import STACK, WORKLOADS, Description


def followed(description: Description, composer: Composer) -> Iterator[str]:
    """A sentence about each decision, such as `gpu-1: open kernel modules, because …`."""
    stack = composer.charts[STACK] if ("charts", STACK) in description.places else None
    if description.content.get("stack") is None and stack is not None and not composer.with_operator:
        minors = " and ".join(dict.fromkeys(each.talos_version.minor_version for each in composer.every()))
        yield f"stack: standalone, because the device plugin alone serves the cards on Talos {minors}; stack: operator is the other route"
    yield from description.notes
    for each, nodes in zip(description.classes, composer.every(), strict=True):
        name = each.keys[0]
        if len(each.keys) > 1:
            yield f"{name}: one class of {len(each.keys)} nodes with {', '.join(each.keys[1:])}, because the file describes them alike"
        if nodes.passthrough is None:
            yield from (f"{name}: {words}" for words in _driver(each, nodes))
        yield f"{name}: {_selected(nodes)}"
    for plugin in next(iter(composer.charts.values())).neighbours(DEVICE_PLUGIN) if stack is not None else ():
        yield from _plugin(plugin)
    for workload in composer.workloads:
        yield from (f"{workload.name}: {each}" for each in getattr(workload, "remarks", ()))
    if description.content.get("workloads") and WORKLOADS in composer.charts:
        yield f"workloads: namespace {WORKLOADS}, which the file makes; 'namespace' of a workload names another"


def _driver(each: FileClass, nodes: GpuNodes) -> Iterator[str]:
    card = nodes.product
    kind = None if card is None else architecture(card)
    because = (
        f"because {card} is {kind}" if kind else f"the default, because {'no card is given' if card is None else f'{card} is not known'}"
    )
    release = nodes.talos_version.release
    driver = release.drivers.get(str(nodes.track))
    if "kernel_modules" not in each.arguments:
        yield f"{nodes.kernel_modules} kernel modules, {because}"
    if "driver_track" not in each.arguments:
        version = f", {driver} in Talos {release.newest}" if driver and nodes.talos_version.is_known else ""
        yield f"driver of the {nodes.track} track{version}; 'driver_track' names another"
    if "memory_per_gpu" not in each.arguments and nodes.memory_per_gpu is not None:
        yield f"{nodes.memory_per_gpu} of memory for each card, that of {card}"
    if nodes.talos_version.needs.by_class:
        *others, last = image_extensions(nodes, {**each.machine, "extensions": ()})
        yield f"extensions {', '.join(others)} and {last} in the image, beside your own"


def _selected(nodes: GpuNodes) -> str:
    if nodes.node_selector:
        labels = ", ".join(f"{key}={value}" for key, value in nodes.node_selector.items())
        return f"pods select the label {labels}, which the machine configuration sets"
    return "pods select nodes by the label that Talos sets for the toolkit extension, so no label has to be set"


def _plugin(plugin: DevicePluginSettings) -> Iterator[str]:
    nodes = plugin.nodes
    strategy = ", ".join(map(str, plugin.device_list_strategy))
    if nodes.runtime_class is not None:
        yield f"device plugin: strategy {strategy}, because containerd of Talos {nodes.talos_version.minor_version} has the runtime nvidia, which the RuntimeClass names"
    if plugin.namespace == EXEMPT_NAMESPACE:
        yield f"device plugin: namespace {EXEMPT_NAMESPACE}, the one that Talos exempts from Pod Security"
    if not plugin.feature_discovery:
        yield "node feature discovery: left out, because no part needs its labels, and it is a Helm chart: 'gitops' adds it where cards are shared"
