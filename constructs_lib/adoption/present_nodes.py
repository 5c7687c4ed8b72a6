"""The nodes that a repository or a live cluster has now: the arguments of their class, and their image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..arguments.commands import command
from ..arguments.errors import Argument, Phrase, warn, wrong
from ..doctor.gpu_node import GpuNode
from ..doctor.node_image import boot_of, custom_extensions, nvidia_extensions, official_others, schematic_id
from ..nodes.factory_ids import extensions_of
from ..observed.model import Inputs, KubernetesObject, NodeConfig, known_items, known_str, known_text
from ..observed.nodes.node import live_node
from ..observed.nodes.node_extensions import drivers, official_name
from ..observed.nodes.node_labels import SET_BY_PEOPLE
from ..observed.nodes.node_settings import gpu_node_configs
from ..observed.nodes.offers import card_name, live_offer
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE, SHARED_SUFFIX
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV, LABEL_PREFIX
from ..upstream.talos.features import IMAGE_FACTORY
from ..upstream.talos.installer_images import only_nvidia, read_installer
from ..upstream.talos.platforms import Arch, Platform
from .node_classes import ABOUT_GPUS, common_class, common_items, node_classes, sharing_of
from .talos_settings import image_arguments, unknown_settings

Driver = tuple[KernelModules | None, DriverTrack | None]


@dataclass(frozen=True, kw_only=True)
class PresentImage:
    """The image of the machines."""

    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments of `Schematic`, and `platform`, `secureboot` and `arch`, as an entry of `talos` in a cluster file
    has them."""
    drivers: set[Driver] = field(default_factory=set)
    """The flavour and the track of each driver."""
    notes: tuple[str, ...] = ()
    """A sentence for each part that is not taken over, or was not read."""
    is_read: bool = True
    hint: str = ""
    """The command that shows the image, if it was not read."""


def present_image(inputs: Inputs, nodes: Sequence[GpuNode] = (), *, is_one: bool = True) -> PresentImage:
    """The image by node configurations and schematics, else by the nodes of a cluster.

    Several images are refused, or with `is_one=False` taken as one with the extensions of all.
    """
    configs = [each for each in gpu_node_configs(inputs) or inputs.node_configs if each.extensions is not None]
    if configs:
        return _of_configs(configs, is_one=is_one)
    if nodes:
        return _of_nodes(nodes)
    images = [read_installer(known_text(each.image)) for each in inputs.node_configs]
    return PresentImage(is_read=False, hint=next((_shown(each.schematic) for each in images if each), ""))


def _shown(schematic: str) -> str:
    shown = command("curl --fail https://{factory}/schematics/{id}", factory=IMAGE_FACTORY, id=schematic)
    return f"{shown} prints the schematic, which --from reads"


def _of_configs(configs: list[NodeConfig], *, is_one: bool) -> PresentImage:
    own = [image_arguments([each]) for each in configs]
    other = next((each for each, its in zip(configs, own, strict=True) if its != own[0]), None)
    notes = [f"{each.label}: {part} is not taken over" for each in configs for part in _not_taken(each)]
    if other is not None and is_one:
        raise wrong(
            "from", "a source with one image", f"the images of {configs[0].label} and {other.label}", "give the file of one class of nodes"
        )
    if other is not None:
        notes.append(
            f"{configs[0].label} and {other.label} have different images: the image has the extensions of all, and of the rest what they share"
        )
    arguments, found = image_arguments(configs), {(each.flavour, each.track) for config in configs for each in drivers(config)}
    if not found:
        del arguments["fabric_manager"]  # without a driver the source does not say whether the nodes need it
    return PresentImage(arguments=arguments, drivers=found, notes=tuple(dict.fromkeys(notes)))


def _not_taken(config: NodeConfig) -> list[str]:
    """The settings without an argument, and the extensions that the Image Factory does not have."""
    return [*unknown_settings(config), *(f"the extension {each}" for each in config.extensions or () if not official_name(each))]


def _of_nodes(nodes: Sequence[GpuNode]) -> PresentImage:
    """The image by the labels of nodes, and by the outputs of talosctl about their machines.

    The image has the extensions of all nodes.
    """
    nvidia = [each for node in nodes for each in nvidia_extensions(node)]
    boots = [boot_of(each) for each in nodes]
    arguments = {
        "extensions": sorted({name for each in nodes for name in official_others(each)}),
        "fabric_manager": any(each.kind == FABRIC_MANAGER for each in nvidia),
        "gdrcopy": any(GDRDRV in (each.extensions or {}) for each in nodes),
        "platform": next((platform for platform, _ in boots if platform not in ("", Platform.METAL)), None),
        "secureboot": any(is_secure for _, is_secure in boots),
        "arch": str(Arch.ARM64)
        if Arch.ARM64 in (each.node and each.node.at("status", "nodeInfo", "architecture") for each in nodes)
        else None,
    }
    return PresentImage(
        arguments={name: value for name, value in arguments.items() if value},
        drivers={(each.flavour, each.track) for each in nvidia if each.flavour},
        notes=tuple(_notes(nodes)),
    )


def _notes(nodes: Sequence[GpuNode]) -> Iterator[str]:
    """A sentence for each part of the image that is not taken over."""
    for each in nodes:
        if custom := custom_extensions(each):
            yield f"{each.name}: the image lacks {', '.join(custom)}, because the Image Factory has no such official extension"
        if not each.extensions:
            yield f"{each.name}: no extensions were read; {only_nvidia('--extension')}"
    schematics = sorted({known for each in nodes if (known := schematic_id(each)) and extensions_of(known) is None})
    for schematic in schematics:
        yield f"kernel arguments, overlay and META of the schematic are not taken over: {_shown(schematic)}"
    if not all(map(schematic_id, nodes)):
        yield "kernel arguments, overlay and META were not read: talosctl get extensions shows the ID of the schematic"
    if not all(platform and is_secure is not None for platform, is_secure in map(boot_of, nodes)):
        yield "platform and Secure Boot were not read: the image is that of a metal machine without Secure Boot, unless 'platform' and 'secureboot' say another"


_BY_OTHERS = (LABEL_PREFIX, "nvidia.com/", FEATURE_PREFIX, "node.kubernetes.io/", "node-role.kubernetes.io/")
_CARDS, _EXTENSIONS = "gpus_per_node", "extensions"


def known_nodes(inputs: Inputs, talos: str | None) -> Mapping[str, Any]:
    """The arguments of the class of nodes that the inputs state. Refuses nodes that differ in them."""
    nodes = inputs.of_kind("Node")
    live = [each for each in nodes if any(map(_is_nvidia_extension, each.labels)) or live_node(each.body).capacity]
    if live:
        return {**_of_live(live), **_live_labels(live, [each for each in nodes if each not in live])}
    if nodes:
        hint = f"no node has a label {LABEL_PREFIX}nvidia-… of Talos, or the resource {GPU_RESOURCE}"
        raise wrong("from", "a source with GPU nodes", "nodes without GPUs", hint)
    classes = node_classes(inputs, talos).classes
    return classes[0] if len(classes) == 1 else common_class(classes)


def _of_live(nodes: list[KubernetesObject]) -> dict[str, Any]:
    """The values that all GPU nodes state.

    Nodes of several kinds are refused, and another value that differs is left out with a warning.
    """
    rows = {str(each.name): _row(each) for each in nodes}
    versions = {row.get("talos_version") for row in rows.values()} - {None}
    if len(versions) > 1:
        hint = "a file has a class for each Talos; give the nodes of one"
        raise wrong("from", "a source with nodes of one Talos version", ", ".join(sorted(map(str, versions))), hint)
    _check_one_kind(rows)
    cards = {name: row[_CARDS] for name, row in rows.items() if _CARDS in row}
    if len(set(cards.values())) > 1:
        told = ", ".join(f"{name}: {number}" for name, number in cards.items())
        warn(Phrase("the nodes differ in ", Argument(_CARDS), f" ({told}), so none is taken from them"))
    return {**{name: value for name, value in common_items(rows.values()).items() if value and name != _EXTENSIONS}, "count": len(nodes)}


def _check_one_kind(rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse nodes that need several classes: the first cluster file has one."""
    for name in ("product", "taints", "sharing", "mig_strategy", _EXTENSIONS):
        stated = {node: _text(row[name]) for node, row in rows.items() if name in row}
        alike = [node for node, text in stated.items() if text == next(iter(stated.values()))]
        if other := next((node for node in stated if node not in alike), None):
            those = command("kubectl get node {*nodes} -o yaml | talos-gpu init --from -", nodes=alike)
            hint = f"the nodes differ in '{name}', and the file has one class: {those}"
            got = "; ".join(f"{node}: {stated[node]}" for node in (alike[0], other))
            raise wrong("from", "a source with GPU nodes of one kind", got, hint)


def _text(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, list) else f"{value}"


def _row(node: KubernetesObject) -> dict[str, Any]:
    """The arguments of a class of nodes that a node states, and its extensions of NVIDIA."""
    row: dict[str, Any] = {}
    image = known_str(node.at("status", "nodeInfo", "osImage")) or ""
    if match := re.fullmatch(r"Talos \(v(\d+\.\d+\.\d+(?:-\w+\.\d+)?)\)", image):
        row["talos_version"] = match[1]
    if product := known_str(node.labels.get(f"{GPU_RESOURCE}.product")):
        row["product"] = card_name(product)
    row |= _division(node)
    is_whole = row.get("mig_strategy") != MigStrategy.SINGLE  # else the label counts partitions
    if (count := known_str(node.labels.get(f"{GPU_RESOURCE}.count"))) and count.isdigit() and is_whole:
        row[_CARDS] = int(count)
    row["taints"] = sorted(str(each) for each in live_node(node.body).taints if each.stays)
    extensions = sorted(key.removeprefix(LABEL_PREFIX) for key in node.labels if _is_nvidia_extension(key))
    return {**row, **({_EXTENSIONS: extensions} if extensions else {})}


def _division(node: KubernetesObject) -> dict[str, Any]:
    """The sharing and the MIG strategy of a node. A warning names a part that its labels do not tell."""
    offer, row = live_offer(live_node(node.body)), dict[str, Any]()
    strategy = known_str(node.labels.get("nvidia.com/mig.strategy")) or ""
    partitions = any(each.startswith(MIG_RESOURCE) for each in offer.names)
    if partitions or strategy in (MigStrategy.SINGLE, MigStrategy.MIXED):
        row["mig_strategy"] = str(MigStrategy.MIXED) if partitions else strategy
        made = "the tool that makes them stays, or 'mig_devices' of the class says them"
        warn(f"{node.name}: the partitions of MIG are not taken over: {made}")
    if offer.shared:
        is_renamed = any(each.endswith(SHARED_SUFFIX) for each in offer.names)
        sharing = sharing_of(f"{GPU_RESOURCE}{SHARED_SUFFIX if is_renamed else ''}", next(iter(offer.shared.values())))
        row |= {"sharing": sharing} if sharing else {}
        if not sharing:
            unknown = "no label says by how many pods; the file has whole GPUs, unless --sharing says the number"
            warn(f"{node.name}: its GPUs are shared, and {unknown}")
    return row


def _is_nvidia_extension(label: object) -> bool:
    return isinstance(label, str) and label.startswith(LABEL_PREFIX) and "nvidia" in label


def _live_labels(nodes: list[KubernetesObject], others: list[KubernetesObject]) -> dict[str, Any]:
    """The labels about GPUs that all nodes have: `labels`, by which pods select them, unless another node has such a
    label too."""
    every = [dict(known_items(each.labels)) for each in nodes]
    common = {key: value for key, value in common_items(every).items() if isinstance(value, str)}
    own = {key: value for key, value in common.items() if _is_own(key)}
    elsewhere = {key for key, value in own.items() if any(dict(known_items(each.labels)).get(key) == value for each in others)}
    lost = {key for each in every for key in each if key.startswith(SET_BY_PEOPLE) or (_is_own(key) and key not in common)}
    if lost:
        warn(f"labels of the nodes that the file does not have: {', '.join(sorted(lost))}")
    parts = {"labels": own.keys() - elsewhere, "extra_labels": elsewhere}
    return {name: {key: own[key] for key in sorted(keys)} for name, keys in parts.items() if keys}


def _is_own(key: str) -> bool:
    """Whether a label about GPUs is one that people set."""
    return bool(ABOUT_GPUS.search(key)) and not key.startswith(_BY_OTHERS)
