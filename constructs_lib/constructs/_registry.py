"""The registry of the objects and constructs of an app: constructs look here for duplicate names and for conflicting constructs.

The registry is kept in Python, because each question to the construct tree costs a round trip to jsii's kernel. The kernel is asked for the app
of a construct, and for the namespace of its chart, only when there is something to compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cdk8s import Chart
from constructs import Construct

from .._arguments.errors import Argument, wrong
from ..manifests.objects import Manifest, Manifests
from ..upstream.kubernetes_api import CLUSTER_SCOPED

if TYPE_CHECKING:
    from ..nodes.contradictions import Contradiction
    from ..nodes.gpu_nodes import GpuNodes

OPERATOR, DEVICE_PLUGIN, RUNTIME_CLASS = "NvidiaGpuOperator", "StandaloneDevicePlugin", "NvidiaRuntimeClass"
BRIDGE, DASHBOARD, EXPORTER, NODE_FEATURE_DISCOVERY = "ValidationBridge", "GpuDashboard", "DcgmExporter", "NodeFeatureDiscovery"
ALERTS, DRA_DRIVER = "GpuAlerts", "DraDriver"

_UNKNOWN = "?"


class _Place:
    def __init__(self, scope: Construct) -> None:
        self.scope = scope
        self._root = _UNKNOWN
        self._namespace: str | None = _UNKNOWN

    @property
    def root(self) -> str:
        """The app, by jsii's reference, which is the same for every Python object of one app."""
        if self._root == _UNKNOWN:
            self._root = self.scope.node.root.__jsii_ref__.ref  # type: ignore[attr-defined]
        return self._root

    @property
    def namespace(self) -> str | None:
        """The chart's namespace."""
        if self._namespace == _UNKNOWN:
            self._namespace = (self.scope if isinstance(self.scope, Chart) else Chart.of(self.scope)).namespace
        return self._namespace

    def namespace_of(self, manifest: Manifest) -> str | None:
        """The namespace of an object that is made in this place; None for a cluster-scoped object."""
        if manifest["kind"] in CLUSTER_SCOPED:
            return None
        given = manifest["metadata"].get("namespace", _UNKNOWN)
        return self.namespace if given == _UNKNOWN else str(given)


class Maker(NamedTuple):
    """A construct, or a function, that takes a class of nodes. Only an error asks the kernel for its path."""

    kind: str
    scope: Construct
    id: str = ""

    def __str__(self) -> str:
        path = "/".join(filter(None, (self.scope.node.path, self.id)))
        return f"{self.kind} '{path}'" if path else self.kind


# The registry lives as long as the program: Python drops a chart that only the kernel still holds.
_places: dict[int, _Place] = {}
_constructs: list[tuple[_Place, str, Any]] = []
_objects: dict[tuple[str, str], list[tuple[_Place, Manifest, str]]] = {}
# The classes of nodes, each with the places that have the class, and the construct that was first with the class in the place.
_classes: dict[GpuNodes, dict[_Place, Maker]] = {}


def _place(scope: Construct) -> _Place:
    """The one `_Place` of a construct, so that its app is looked up once."""
    return _places.setdefault(id(scope), _Place(scope))


def chart_namespace(scope: Construct) -> str | None:
    """The namespace of the chart that contains a construct."""
    return _place(scope).namespace


def announce(scope: Construct, kind: str, settings: Any) -> None:
    """Register a construct by its kind and settings, for constructs that follow."""
    _constructs.append((_place(scope), kind, settings))


def neighbours(scope: Construct, kind: str) -> Iterator[Any]:
    """The settings of every registered construct of a kind in the same app."""
    here = _place(scope)
    for place, other_kind, settings in _constructs:
        if other_kind == kind and (place is here or place.root == here.root):
            yield settings


def check_nodes(scope: Construct, nodes: GpuNodes | Iterable[GpuNodes], maker: Maker) -> None:
    """Refuse a class of nodes that contradicts another class of the app, where both classes can mean the same nodes.

    Every construct counts: a construct that advertises GPUs, a workload, and an agent that only runs on the nodes. `maker` names the construct that
    follows, with its path.

    Raises:
        ValueError: `'nodes' must be a class with sharing=None, as StandaloneDevicePlugin 'gpu/device-plugin' has …`.
    """
    here = _place(scope)
    for ours in _classes_of(nodes):
        if here in _classes.get(ours, ()):
            continue  # this class was compared when the first construct of the place took it
        for theirs, makers in _classes.items():
            if found := _contradiction(ours, theirs):
                for place, their_maker in makers.items():
                    if place is here or place.root == here.root:
                        raise _contradicting(found, maker, their_maker)


def _contradiction(ours: GpuNodes, theirs: GpuNodes) -> Contradiction | None:
    if ours is theirs:
        return None
    from ..nodes.contradictions import contradiction  # only a second class needs this module

    return contradiction(ours, theirs)


def _contradicting(found: Contradiction, maker: Maker, their_maker: Maker) -> ValueError:
    own = "'labels'" if found.argument == "name" else "'name' or 'labels'"
    hint = (
        f"{maker} can run on the same nodes, and a node has one value of '{found.argument}': pass one GpuNodes to both, or give each class of nodes "
        f"its own {own}"
    )
    rule = f"a class with {Argument(found.argument, found.other)}, as {their_maker} has"
    return wrong("nodes", rule, Argument(found.argument, found.one), hint, part=found.argument)


def announce_nodes(scope: Construct, nodes: GpuNodes | Iterable[GpuNodes], maker: Maker | None = None) -> None:
    """Check and register the classes of nodes of a construct. Default of `maker`: `request_gpus`, with the scope as its workload."""
    classes, maker = _classes_of(nodes), maker or Maker("request_gpus", scope)
    check_nodes(scope, classes, maker)
    for each in classes:
        _classes.setdefault(each, {}).setdefault(_place(scope), maker)


def _classes_of(nodes: GpuNodes | Iterable[GpuNodes]) -> tuple[GpuNodes, ...]:
    """The classes of an argument `nodes`, which may be one class."""
    return tuple(nodes) if isinstance(nodes, Iterable) else (nodes,)


def classes_of_nodes(scope: Construct) -> list[GpuNodes]:
    """The classes of nodes of every registered construct in the same app, each class once, in the order of the constructs."""
    here = _place(scope)
    return [nodes for nodes, makers in _classes.items() if any(place is here or place.root == here.root for place in makers)]


def advertised_classes(scope: Construct) -> list[GpuNodes]:
    """The classes of nodes whose GPUs a construct in the same app advertises to Kubernetes: a device plugin, an operator or a DRA driver."""
    classes = [plugin.nodes for plugin in neighbours(scope, DEVICE_PLUGIN)]
    classes += [nodes for operator in neighbours(scope, OPERATOR) for nodes in operator.plugin_classes]
    classes += [nodes for driver in neighbours(scope, DRA_DRIVER) for nodes in driver.nodes]
    return list(dict.fromkeys(classes))


def announce_objects(scope: Construct, manifests: Manifests, maker: str) -> None:
    """Register the objects that `maker` makes."""
    for manifest in manifests.values():
        _objects.setdefault(_key(manifest), []).append((_place(scope), manifest, maker))


def same_object(scope: Construct, manifests: Manifests) -> tuple[Manifest, str] | None:
    """The first of these objects whose kind, name and namespace the app already has, and the maker of the existing object."""
    for manifest in manifests.values():
        for _, maker in _of_the_same_name(scope, manifest):
            return manifest, maker
    return None


def is_made(scope: Construct, manifest: Manifest) -> bool:
    """Whether the app already has an identical object."""
    return any(other == manifest for other, _ in _of_the_same_name(scope, manifest))


def _of_the_same_name(scope: Construct, manifest: Manifest) -> Iterator[tuple[Manifest, str]]:
    here = _place(scope)
    for place, other, maker in _objects.get(_key(manifest), ()):
        same_app = place is here or place.root == here.root
        if same_app and place.namespace_of(other) == here.namespace_of(manifest):
            yield other, maker


def _key(manifest: Manifest) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]
