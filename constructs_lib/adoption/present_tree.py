"""The GPU nodes and the GPU stack that a repository describes now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..arguments.errors import wrong
from ..clusters.description import Gitops, Stack
from ..nodes.talos_version import TalosVersion
from ..observed.agents.agents import device_plugins
from ..observed.agents.operators import operators
from ..observed.model import Inputs, NodeConfig, Read, known_str
from ..observed.model.cluster_views import cluster_views
from ..observed.model.live_object import parsed
from ..observed.nodes.node_settings import gpu_node_configs, talos_of
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from .node_classes import NodeClasses, node_classes
from .present_image import PresentImage, image_of_configs, present_image
from .present_nodes import Present, PresentClass, file_key, replaced

_ENGINES = {
    "HelmRelease": Gitops.FLUX,
    "Application": Gitops.ARGOCD,
    "ApplicationSet": Gitops.ARGOCD,
    "OCIRepository": Gitops.FLUX,
    "HelmRepository": Gitops.FLUX,
    "GitRepository": Gitops.FLUX,
}
"""The kinds of objects by which each engine installs a chart."""


def present_tree(inputs: Inputs, talos: str | None, cluster: str | None = None) -> Present:
    """The classes of nodes, the stack and the engine of a cluster of a repository."""
    inputs, chosen = _of_cluster(inputs, cluster)
    inputs, other = _of_release(inputs, talos)
    found = node_classes(inputs, talos)
    classes = [*_classes(found, inputs)]
    present = Present(classes=classes, notes=[*chosen, *other, *found.notes, *found.origins])
    _take_stack(present, inputs)
    return present


def _of_cluster(inputs: Inputs, cluster: str | None) -> tuple[Inputs, list[str]]:
    """The inputs of the cluster of that name; without a name those of the only cluster with GPU nodes."""
    views = cluster_views(inputs)
    names = [name for name, view in views.items() if gpu_node_configs(view)]
    if cluster is None and len(names) > 1:
        raise wrong(
            "cluster",
            f"one of {', '.join(map(repr, names))}",
            None,
            "the source has GPU nodes in several clusters, and a file has those of one",
        )
    if cluster is not None and cluster not in views:
        hint = "" if views else "the source has one cluster; leave the name out"
        raise wrong("cluster", f"one of {', '.join(map(repr, views))}" if views else "left out", cluster, hint)
    if not views or (cluster is None and not names):
        return inputs, []
    name = cluster or names[0]
    return views[name], [] if cluster else [f"cluster {name}: the only one of {len(views)} with GPU nodes"]


def _of_release(inputs: Inputs, talos: str | None) -> tuple[Inputs, list[str]]:
    """The inputs without the node configurations for another minor release than the given one."""
    if talos is None:
        return inputs, []
    minor = TalosVersion.parse("talos_version", talos).minor
    other = [each for each in gpu_node_configs(inputs) if (own := talos_of(each, inputs)) is not None and own.minor != minor]
    kept = tuple(each for each in inputs.node_configs if each not in other)
    files = dict.fromkeys(f"{each.file}: left out, because it is for Talos {each.talos_version}" for each in other)
    return replace(inputs, node_configs=kept), list(files)


def _classes(found: NodeClasses, inputs: Inputs) -> Iterator[PresentClass]:
    for arguments, configs in zip(found.classes, found.configs, strict=True):
        is_only = len(found.classes) == 1 and not any(each.extensions is not None for each in configs)
        image = present_image(inputs, is_one=False) if is_only and not _named_nodes(configs) else image_of_configs(configs)
        addresses = {file_key(str(each.name)): _address(each) for each in _named_nodes(configs)}
        count = {"count": len(addresses)} if addresses else {}
        unread = tuple(_unread_image(image, arguments, configs))
        yield PresentClass(arguments={**arguments, **count}, image=image, addresses=addresses, without_card=unread)


def _named_nodes(configs: Sequence[NodeConfig]) -> list[NodeConfig]:
    """The configurations of single nodes, by their hostnames."""
    return [each for each in configs if each.scope == "node" and each.is_hostname and known_str(each.name)]


def _address(config: NodeConfig) -> str:
    """The first address of a node in talhelper's file."""
    written = known_str(config.at("addresses", "ipAddress")) or ""
    return parsed(written.partition(",")[0].strip()) or ""


def _unread_image(image: PresentImage, arguments: Mapping[str, Any], configs: Sequence[NodeConfig]) -> Iterator[str]:
    """The sentences about nodes whose driver nobody read: the file has a default that their cards may not run on."""
    if image.is_read or {"kernel_modules", "driver_track", "product"} & arguments.keys():
        return
    nodes = ", ".join(each.label for each in _named_nodes(configs)) or "the nodes"
    default = f"{KernelModules.OPEN} modules of the {DriverTrack.PRODUCTION} track, which no card older than Turing runs on"
    yield f"{nodes}: the extensions of the image were not read, so the file has the default driver, {default}: give --card"
    if image.hint:
        yield f"{image.hint}: save its answer as a file of the repository"


def _take_stack(present: Present, inputs: Inputs) -> None:
    """The component that serves the cards now, and the engine that installs charts."""
    engines = [engine for kind, engine in _ENGINES.items() if inputs.of_kind(kind)]
    present.gitops = str(engines[0]) if engines else None
    now: list[tuple[Read, Stack]] = [(each.about, Stack.OPERATOR) for each in operators(inputs)]
    now += [(each.about, Stack.STANDALONE) for each in device_plugins(inputs) if not now]
    for about, stack in now[:1]:
        present.stack = str(stack)
        if (engine := _ENGINES.get(str(about.at("kind")))) is not None:
            present.gitops = str(engine)
        present.notes.append(replaced(f"{about.label} in {about.file}", stack))
