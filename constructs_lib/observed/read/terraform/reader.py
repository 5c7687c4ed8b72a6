"""Reads the root modules among folders: their node configurations, releases and objects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....arguments.patterns import pattern
from ....upstream.nvidia.gpu_resources import NVIDIA
from ...model import NodeConfig, known_str
from ..files import MODULES, Files
from ..objects import Rendered
from .computed import argument
from .expressions import Evaluator
from .instances import Instance, Tree
from .kubernetes import KINDS
from .modules import Module
from .nodes import Nodes
from .releases import RELEASE, release
from .syntax import SPOKEN, is_available

_OF_TALOS = pattern(r"\btalos_(?:machine|image_factory|cluster)")
_IN_A_CLUSTER = (RELEASE, "kubernetes_", "kubectl_")
_MANAGED = pattern(
    r"aws_eks_cluster|azurerm_kubernetes_cluster|google_container_cluster|oci_containerengine_cluster|digitalocean_kubernetes_cluster|"
    r"linode_lke_cluster|scaleway_k8s_cluster|ovh_cloud_project_kube|vultr_kubernetes|rancher2_cluster\w*|k3d_cluster|kind_cluster|minikube_cluster"
)
"""The resources of clusters whose nodes do not run Talos."""


@dataclass
class TerraformInputs:
    """The inputs that were read from root modules."""

    built: Rendered = field(default_factory=Rendered)
    configs: list[NodeConfig] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    """The files that a configuration or a release includes."""
    clusters: dict[str, set[str]] = field(default_factory=dict)
    """The names of the clusters of the configurations, by file: each root module has a state of its own."""


def read(paths: Iterable[Path], files: Files) -> TerraformInputs:
    """The inputs in the modules of these files. Nothing is read without python-hcl2."""
    result = TerraformInputs()
    hcl = [path for path in paths if path.name.endswith(MODULES)]
    texts = [files.text(path, is_yaml=False) for path in hcl]
    if not is_available() or not any(map(SPOKEN.search, texts)):
        return result
    folders = dict.fromkeys(path.parent for path in hcl)
    evaluator, called = Evaluator(files), set[Path]()
    trees = [Module(Tree(evaluator, folder), folder) for folder in folders]
    for module in trees:
        called |= {each.folder for each in _below(module) if each is not module}
    for module in trees:
        if module.folder not in called:
            _add(module, result)
    for path in {path: None for module in trees for path in module.tree.read}:
        if path in files.unread:
            files.skip(path, "its modules call each other in a circle, which Terraform refuses")
            _forget(path, files)
    return result


def _add(root: Module, result: TerraformInputs) -> None:
    """Add the inputs of a root module and of the modules that it calls."""
    tree = root.tree
    modules = [*_below(root)]
    instances = [each for module in modules for each in _instances(module)]
    configs, built = [*Nodes(tree).configs(instances)], Rendered()
    result.configs += configs
    others = _others(modules)
    for each in instances:
        kind = each.block.labels[0]
        if each.block.kind != "resource" or not kind.startswith(_IN_A_CLUSTER):
            continue
        if reason := others.get(_provider(each)) or others.get("*"):
            tree.files.skip(each.block.place[0], f"{each.address} is {reason}", each.block.place[1])
        elif kind == RELEASE:
            built.releases.append(release(each))
        elif kind in KINDS:
            built.documents += KINDS[kind](each)
    if configs:
        cluster = _cluster(root, instances)
        built.settle(cluster)
        for config in configs:
            result.clusters.setdefault(config.file, set()).add(cluster)
    result.built.add(built)
    for module in modules:
        _name_unread(module)
    result.merged |= {place[0] for place in tree.origins.values()}
    for path in tree.read:
        _forget(path, tree.files)


def _cluster(root: Module, instances: list[Instance]) -> str:
    """The cluster of a root module: the name in its configurations, or else its folder."""
    written = (argument(each, "cluster_name") for each in instances if each.block.labels[0] == "talos_machine_configuration")
    names = {name for each in written if (name := known_str(each))}
    return names.pop() if len(names) == 1 else root.tree.files.shown(root.folder)


def _below(module: Module) -> Iterator[Module]:
    """A module, and the modules that it calls."""
    yield module
    for block in module.blocks:
        for each in module.instances(block) if block.kind == "module" else ():
            if (child := module.child(each)) is not None:
                yield from _below(child)


def _instances(module: Module) -> Iterator[Instance]:
    for block in module.blocks:
        if block.kind in {"resource", "data", "ephemeral"} and block.labels and SPOKEN.match(block.labels[0]):
            yield from module.instances(block)


def _provider(instance: Instance) -> str:
    """The provider configuration of an instance, without the provider's name: its alias. Empty for the default one."""
    written = instance.body.attributes.get("provider")
    return "" if written is None else written.source.written(written.tree).rpartition(".")[2]


def _others(modules: list[Module]) -> dict[str, str]:
    """The provider configurations of other clusters, each with the reason: all but the one with the most objects.

    An alias of helm and one of kubernetes with the same name are one cluster. `*` stands for all of them.
    """
    text = "\n".join(block.source.text for module in modules for block in module.blocks if block.kind in {"resource", "module"})
    if (managed := _MANAGED.search(text)) and not _OF_TALOS.search(text):
        return {"*": f"of a cluster that does not run Talos: {managed[0]}"}
    counted = Counter(
        _provider(each) for module in modules for each in _instances(module) if each.block.labels[0].startswith(_IN_A_CLUSTER)
    )
    main = max(counted, key=lambda alias: (counted[alias], alias == ""), default="")
    return {alias: f"of another cluster: provider {alias or 'default'}" for alias in counted if alias != main}


def _name_unread(module: Module) -> None:
    """Name the resources that speak of NVIDIA and are not read."""
    for block in module.blocks:
        kind = block.labels[0] if block.labels else ""
        if (
            block.kind == "resource"
            and NVIDIA.search(block.source.text)
            and not re.match(rf"talos_|{RELEASE}$", kind)
            and kind not in KINDS
        ):
            module.tree.files.skip(block.source.file, f"the resource {'.'.join(block.labels)} is not read", block.source.line)


def _forget(path: Path, files: Files) -> None:
    """Take a file from the list of those that are not read."""
    files.unread[:] = [each for each in files.unread if each != path]
