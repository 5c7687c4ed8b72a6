"""Faults in working trees: what makes a rule's failing example differ from its passing one, planted into a cluster that works.

An example is read as parts (objects, releases, nodes), and the parts into the same place of the cluster: values into the release of their chart, settings into
the nodes with GPUs, other objects beside the cluster's own. What only the passing example has is taken away. So each layout then writes the fault in its way.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

import yaml

from constructs_lib.checks.rule import Example, Rule
from constructs_lib.observed.model import Inputs, NodeConfig, known_str
from constructs_lib.observed.read.repository import read_text

from .breaks import BREAKS
from .layouts import LAYOUTS
from .model import App, Cluster, Node, Object, Release
from .working import DCGM, DRA, NFD, NVDP, NVIDIA, Draw

REPOSITORIES = {
    "gpu-operator": NVIDIA,
    "nvidia-device-plugin": NVDP,
    "gpu-feature-discovery": NVDP,
    "dcgm-exporter": DCGM,
    "node-feature-discovery": NFD,
    "dra-driver-nvidia-gpu": DRA,
    "app-template": "oci://ghcr.io/bjw-s-labs/helm/app-template",
}
ROUTES = {"gpu-operator": "operator", "nvidia-device-plugin": "plugin", "dra-driver-nvidia-gpu": "dra"}
_OWN = {"sysctls", "nodeLabels", "network", "type", "token", "ca", "install"}


@dataclass
class Parts:
    """What an example holds."""

    objects: list[Object] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    nodes: list[NodeConfig] = field(default_factory=list)
    files: list[Any] = field(default_factory=list)
    """Documents that belong to no other part."""
    machine: Object = field(default_factory=dict)
    """Further fields of the first node below `machine`."""

    @property
    def route(self) -> str | None:
        """The route of the cluster into which the example fits; None if it fits into each."""
        routes = [ROUTES[each.chart] for each in self.releases if each.chart in ROUTES]
        routes += ["plugin" for each in self.releases if each.chart == "dcgm-exporter"]
        charts = str([each for each in self.objects if each["kind"] in ("HelmRelease", "Application")])
        return next(iter(routes + [route for chart, route in ROUTES.items() if f"'{chart}'" in charts]), None)


def parts_of(example: Example) -> Parts:
    """The parts of an example."""
    inputs = read_text(example.yaml, chart=example.chart, talos=example.talos)
    parts = Parts(nodes=list(inputs.node_configs))
    for document in yaml.safe_load_all(example.yaml):
        release = _release(document, example.chart)
        if release:
            parts.releases.append(release)
        elif isinstance(document, dict) and {"apiVersion", "kind", "metadata"} <= document.keys():
            parts.objects.append(document)
        elif not _is_node(document, inputs):
            parts.files.append(document)
    for _, document in parts.nodes[0].documents if parts.nodes else ():
        if "kind" not in document:
            parts.machine = {key: plain(value) for key, value in document.get("machine", {}).items() if key not in _OWN}
            if "parameters" not in str(parts.machine.get("kernel")):
                parts.machine.pop("kernel", None)
        else:
            parts.files.append(plain(document))
    return parts


def plain(value: Any) -> Any:
    """The value without its places."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else str(value) if isinstance(value, str) else value


def _is_node(document: Any, inputs: Inputs) -> bool:
    """Whether the document is a node's, so that the node stands for it."""
    return (
        bool(inputs.node_configs)
        and isinstance(document, dict)
        and bool({"machine", "nodes", "customization"} & document.keys() or "kind" in document)
    )


def _release(document: Any, values_of: str | None) -> Release | None:
    if values_of and not {"apiVersion", "kind"} & document.keys():
        chart, _, version = values_of.partition("@")
        return Release(chart, REPOSITORIES[chart], version, chart, chart, document)
    if not isinstance(document, dict) or document.get("kind") != "HelmRelease" or set(document["spec"]) - {"chart", "values", "interval"}:
        return None
    spec, meta = document["spec"]["chart"]["spec"], document["metadata"]
    if "version" not in spec or spec["chart"] not in REPOSITORIES:
        return None
    values = document["spec"].get("values") or {}
    return Release(spec["chart"], REPOSITORIES[spec["chart"]], spec["version"], meta["name"], meta.get("namespace", "default"), values)


@cache
def both(rule: Rule) -> tuple[Parts, Parts]:
    """The parts of the failing and of the passing example; none if the fault is in files, whatever the cluster is."""
    if rule.id in BREAKS:
        return Parts(), Parts()
    return parts_of(rule.failing), parts_of(rule.passing)


def minor_of(rule: Rule, random: Random) -> int:
    """The minor of Talos on which the rule's failing example fails."""
    failing, _ = both(rule)
    stated = rule.failing.talos or next((text for each in failing.nodes if (text := known_str(each.talos_version))), None)
    nodes = [*rule.failing.nodes]
    if nodes:
        stated = str(nodes[0].talos_version)
    if stated:
        return max(9, min(14, int(stated.removeprefix("v").split(".")[1])))
    fitting = [minor for minor in range(9, 15) if minor in rule.talos]
    return random.choice(fitting or [13])


AS_IT_IS = {"TG070", "TG086", "TG102", "TG160"}
"""The rules whose fault is in the form of a file: the example stands in place of the nodes' files."""
UNLABELLED = {"TG007"}
"""The rules about labels that nothing sets: the nodes have none."""
NODES_OF = {"TG123": ["talhelper", "terraform"], "TG136": ["talhelper", "terraform"]}
"""The layouts of nodes that say the fault. The extensions of the factory's image are not in a machine configuration."""
LAYOUTS_OF: dict[str, tuple[str, ...]] = {
    "TG007": tuple(each for each in LAYOUTS if each != "terraform"),
    "TG036": ("bare-manifests",),
    "TG138": ("flux-template", "flux-plain", "argo-applications", "app-of-apps", "kustomize-overlays", "bare-manifests"),
    "TG140": (
        "flux-template",
        "flux-plain",
        "application-set-directories",
        "application-set-list",
        "application-set-matrix",
        "kustomize-overlays",
        "clustertool",
    ),
}
"""The layouts in which a rule's failing example is a fault. What a text of Terraform names, it may set. Argo CD and Flux give a namespace to an object that has none. An ApplicationSet, or a
chart around others, names a release by its folder, so no name stands twice. Only layouts with kustomizations have one that can't be built."""


def faulty(rule: Rule, random: Random) -> tuple[Cluster, str]:
    """A cluster with the fault of a rule, and its route."""
    failing, passing = both(rule)
    route = failing.route or ("plugin" if _class_only_in(passing, failing) else None)
    draw = Draw(random, "home", minor=minor_of(rule, random), route=route, has_nodes=rule.id not in UNLABELLED, shares=False)
    cluster = draw.drawn()
    stated = next((text for each in failing.nodes if (text := known_str(each.talos_version))), None)
    cluster.talos = stated or cluster.talos
    version = next((text for each in failing.nodes if (text := known_str(each.kubernetes_version))), None)
    cluster.kubernetes = f"v{version.removeprefix('v')}" if version else cluster.kubernetes
    _take_away(cluster, failing, passing)
    _plant_releases(cluster, failing)
    _plant_objects(cluster, failing)
    if rule.id in AS_IT_IS:
        cluster.files["talos/planted.yaml"] = rule.failing.yaml
    elif failing.nodes:
        _plant_nodes(cluster, failing)
    if failing.files and rule.id not in AS_IT_IS:
        cluster.files["talos/planted.yaml"] = failing.files
    return cluster, draw.route


def _class_only_in(passing: Parts, failing: Parts) -> bool:
    """Whether the passing example alone has a RuntimeClass: the operator makes one of its own."""
    kinds = [{each["kind"] for each in parts.objects} for parts in (passing, failing)]
    return "RuntimeClass" in kinds[0] - kinds[1]


def _identity(body: Object) -> tuple[str, str]:
    return body["kind"], body["metadata"]["name"]


def _take_away(cluster: Cluster, failing: Parts, passing: Parts) -> None:
    """Take away what only the passing example has."""
    gone = {_identity(each) for each in passing.objects} - {_identity(each) for each in failing.objects}
    charts = {each.chart for each in passing.releases} - {each.chart for each in failing.releases}
    for app in cluster.apps:
        app.objects = [each for each in app.objects if _identity(each) not in gone]
        app.releases = [each for each in app.releases if each.chart not in charts]


def _plant_releases(cluster: Cluster, failing: Parts) -> None:
    names = [(each.name, each.namespace) for each in failing.releases]
    if len({*names}) < len(names):  # one name twice is the fault: the cluster's own release has another
        charts = {each.chart for each in failing.releases}
        for app in cluster.apps:
            app.releases = [each for each in app.releases if each.chart not in charts]
    own = [(app, index) for app in cluster.apps for index in range(len(app.releases))]
    taken: set[tuple[int, int]] = set()
    for release in failing.releases:
        place = next(
            ((app, index) for app, index in own if app.releases[index].chart == release.chart and (id(app), index) not in taken), None
        )
        if place is None:
            cluster.apps.append(
                App(
                    release.name if release.name not in {each.name for each in cluster.apps} else f"{release.name}-2",
                    release.namespace,
                    [],
                    [release],
                )
            )
            continue
        app, index = place
        taken.add((id(app), index))
        app.releases[index] = replace(app.releases[index], version=release.version, values=release.values)


def _plant_objects(cluster: Cluster, failing: Parts) -> None:
    """Put the objects beside the cluster's own; one of the same name takes its place."""
    planted = {_identity(each) for each in failing.objects}
    for app in cluster.apps:
        app.objects = [each for each in app.objects if _identity(each) not in planted]
    by_namespace: dict[str, list[Object]] = {}
    for each in failing.objects:
        by_namespace.setdefault(each["metadata"].get("namespace", ""), []).append(each)
    namespace = next((name for name in by_namespace if name), "default")
    for name, objects in by_namespace.items():
        cluster.apps.append(App(f"planted-{name or 'cluster'}", name or namespace, objects))


def _plant_nodes(cluster: Cluster, failing: Parts) -> None:
    """Give the settings of the failing node to the nodes with GPUs."""
    config = failing.nodes[0]
    taken: set[str] = set()
    for index, node in enumerate(cluster.nodes):
        if node.modules:
            planted = _node(node, failing.machine, config)
            cluster.nodes[index] = replace(planted, name=node.name) if planted.name in taken else planted
            taken.add(planted.name)


def _node(node: Node, machine: Object, config: NodeConfig) -> Node:
    is_node = config.scope == "node"
    return replace(
        node,
        name=str(config.name) if is_node and config.is_hostname else node.name,
        is_control_plane=config.control_plane if config.control_plane is not None and is_node else node.is_control_plane,
        extensions=node.extensions if config.extensions is None else [str(each) for each in config.extensions],
        modules=[str(each) for each in config.kernel_modules or ()] if is_node or config.kernel_modules else node.modules,
        labels={**node.labels, **(plain(dict(config.labels)) if config.labels else {})},
        sysctls=plain(dict(config.sysctls)) if config.sysctls else {},
        machine=machine,
        kernel_args=[str(each) for each in config.kernel_args or ()],
        taints=[] if "nodeTaints" in machine or "kubelet" in machine else node.taints,
        image=str(config.image) if config.image and "siderolabs" in str(config.image) else None,
    )


def node_layouts_of(rule: Rule) -> list[str]:
    """The layouts of nodes that can say what the failing example says of its node."""
    nodes = both(rule)[0].nodes
    if rule.id in AS_IT_IS:
        return ["nothing"]
    by_hand = ["talhelper", "terraform", "clustertool"]
    if rule.id in NODES_OF:
        return NODES_OF[rule.id]
    if not nodes:
        return [*by_hand, "machine-configs", "patches", "omni", "documents"]
    if nodes[0].scope != "node" and nodes[0].extensions:
        return [*by_hand, "patches", "omni"]  # a schematic by itself
    return by_hand if nodes[0].extensions else [*by_hand, "machine-configs"]
