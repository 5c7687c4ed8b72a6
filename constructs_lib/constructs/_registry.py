"""The registry of the objects and constructs of an app: constructs look here for duplicate names and for conflicting constructs.

The registry is kept in Python, because each question to the construct tree costs a round trip to jsii's kernel. The kernel is asked for the app
of a construct, and for the namespace of its chart, only when there is something to compare. An app never looks at the entries of another app, so
the thousandth app of a process costs what the second one does.
"""

from __future__ import annotations

import functools
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
WAY_IN, WEB_FRONT = "expose", "OpenWebUI"

_UNKNOWN = "?"
_SHARED = ("ResourceClaim", "ResourceFlavor")
"""The kinds of objects that several constructs may share."""
_CLASS = "GpuNodes"
_Key = str | tuple[str, str]
"""A kind of construct, or the kind and the name of an object."""


class _Place:
    """A scope of constructs, with what the constructs in it have registered."""

    __slots__ = ("_namespace", "_root", "entries", "scope")

    def __init__(self, scope: Construct) -> None:
        self.scope = scope
        self.entries: dict[_Key, tuple[Any, ...]] = {}
        self._root = _UNKNOWN
        self._namespace: str | None = _UNKNOWN

    @property
    def is_of_a_known_app(self) -> bool:
        """Whether the kernel was asked for the app."""
        return self._root != _UNKNOWN

    @property
    def root(self) -> str:
        """The app, by jsii's reference, which is the same for every Python object of one app."""
        if self._root == _UNKNOWN:
            self._root = self.scope.node.root.__jsii_ref__.ref  # type: ignore[attr-defined]
            _apps.setdefault(self._root, []).append(self)
        return self._root

    @property
    def namespace(self) -> str | None:
        """The chart's namespace."""
        if self._namespace == _UNKNOWN:
            self._namespace = (self.scope if isinstance(self.scope, Chart) else Chart.of(self.scope)).namespace
        return self._namespace


class Maker(NamedTuple):
    """A construct, or a function, that takes a class of nodes. Only an error asks the kernel for its path."""

    kind: str
    scope: Construct
    id: str = ""

    def __str__(self) -> str:
        path = "/".join(filter(None, (self.scope.node.path, self.id)))
        return f"{self.kind} '{path}'" if path else self.kind


class _Object(NamedTuple):
    """A registered object. Only an object that several constructs may share keeps its manifest: a fleet of apps in one process has many objects."""

    given_namespace: str | None
    maker: str
    shared: Manifest | None = None

    def namespace(self, place: _Place) -> str | None:
        """The namespace of the object; None for a cluster-scoped object."""
        return place.namespace if self.given_namespace == _UNKNOWN else self.given_namespace


class _Class(NamedTuple):
    """A registered class of nodes, and the construct that was first with the class in a place."""

    nodes: GpuNodes
    maker: Maker


# The registry lives as long as the program, as every construct does: jsii keeps each one for the kernel.
_places: dict[int, _Place] = {}
_apps: dict[str, list[_Place]] = {}
# By key: the place with entries, None for several places; and the places whose app is unknown.
_holders: dict[_Key, _Place | None] = {}
_unasked: dict[_Key, list[_Place]] = {}
# The first class of nodes, and the first that differs from it: with both, a further class has something to compare.
_two_classes: list[GpuNodes] = []


def _place(scope: Construct) -> _Place:
    """The one `_Place` of a construct, so that its app is looked up once."""
    return _places.get(id(scope)) or _places.setdefault(id(scope), _Place(scope))


def _register(scope: Construct, key: _Key, entries: tuple[Any, ...]) -> None:
    here = _place(scope)
    if key not in here.entries:
        _holders[key] = here if key not in _holders else None
        if not here.is_of_a_known_app:
            _unasked.setdefault(key, []).append(here)
    here.entries[key] = here.entries.get(key, ()) + entries


def _of_the_app(scope: Construct, key: _Key) -> Iterator[Any]:
    """The entries of a key in the app of a construct."""
    return (entry for _, entry in _with_places(scope, key))


def _with_places(scope: Construct, key: _Key) -> Iterator[tuple[_Place, Any]]:
    """The entries of a key in the app of a construct, each with its place. The kernel is asked for apps only where several places have entries."""
    here = _place(scope)
    if key not in _holders:
        return
    if _holders[key] is here:
        yield from ((here, entry) for entry in here.entries[key])
        return
    root = here.root
    for place in _unasked.pop(key, ()):
        _ = place.root
    for place in _apps[root]:
        yield from ((place, entry) for entry in place.entries.get(key, ()))


def chart_namespace(scope: Construct) -> str | None:
    """The namespace of the chart that contains a construct."""
    return _place(scope).namespace


def announce(scope: Construct, kind: str, settings: Any) -> None:
    """Register a construct by its kind and settings, for constructs that follow."""
    _register(scope, kind, (settings,))


def neighbours(scope: Construct, kind: str) -> Iterator[Any]:
    """The settings of every registered construct of a kind in the same app."""
    return _of_the_app(scope, kind)


def check_nodes(scope: Construct, nodes: GpuNodes | Iterable[GpuNodes], maker: Maker) -> None:
    """Refuse a class of nodes that contradicts another class of the app, where both classes can mean the same nodes.

    Every construct counts: a construct that advertises GPUs, a workload, and an agent that only runs on the nodes. `maker` names the construct that
    follows, with its path.

    Raises:
        ValueError: `'nodes' must be a class with sharing=None, as StandaloneDevicePlugin 'gpu/device-plugin' has …`.
    """
    for ours in _classes_of(nodes):
        if all(each == ours for each in _two_classes) or _has(_place(scope), ours):
            continue  # no other class, or compared when the first construct of the place took it
        for theirs, their_maker in _of_the_app(scope, _CLASS):
            if found := _contradiction(ours, theirs):
                raise _contradicting(found, maker, their_maker)


def withdraw(scope: Construct, construct: Construct, maker: Maker) -> None:
    """Take a construct that was refused after it was made, and all that is in it, out of the tree and out of the registry."""
    scope.node.try_remove_child(maker.id)
    _place(construct).entries.clear()
    entries = _place(scope).entries
    if _CLASS in entries:
        entries[_CLASS] = tuple(each for each in entries[_CLASS] if each.maker != maker)


def _has(place: _Place, nodes: GpuNodes) -> bool:
    return any(each.nodes == nodes for each in place.entries.get(_CLASS, ()))


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
        if not _has(_place(scope), each):
            _register(scope, _CLASS, (_Class(each, maker),))
        if len(_two_classes) < 2 and each not in _two_classes:  # noqa: PLR2004
            _two_classes.append(each)


def _classes_of(nodes: GpuNodes | Iterable[GpuNodes]) -> tuple[GpuNodes, ...]:
    """The classes of an argument `nodes`, which may be one class."""
    return tuple(nodes) if isinstance(nodes, Iterable) else (nodes,)


def classes_of_nodes(scope: Construct) -> list[GpuNodes]:
    """The classes of nodes of every registered construct in the same app, each class once, in the order of the constructs."""
    return list(dict.fromkeys(each.nodes for each in _of_the_app(scope, _CLASS)))


def advertised_classes(scope: Construct) -> list[GpuNodes]:
    """The classes of nodes whose GPUs a construct in the same app advertises to Kubernetes: a device plugin, an operator or a DRA driver."""
    classes = [plugin.nodes for plugin in neighbours(scope, DEVICE_PLUGIN)]
    classes += [nodes for operator in neighbours(scope, OPERATOR) for nodes in operator.plugin_classes]
    classes += [nodes for driver in neighbours(scope, DRA_DRIVER) for nodes in driver.nodes]
    return list(dict.fromkeys(classes))


def announce_objects(scope: Construct, manifests: Manifests, maker: str) -> None:
    """Register the objects that `maker` makes."""
    for manifest in manifests.values():
        namespace = _given_namespace(manifest)
        is_shared = manifest["kind"] in _SHARED
        _register(scope, _key(manifest), (_Object(namespace, maker, manifest),) if is_shared else _one_object(namespace, maker))


@functools.cache
def _one_object(given_namespace: str | None, maker: str) -> tuple[_Object]:
    """The entries of an object. All objects of a maker share them."""
    return (_Object(given_namespace, maker),)


def same_object(scope: Construct, manifests: Manifests) -> tuple[Manifest, str] | None:
    """The first of these objects whose kind, name and namespace the app already has, and the maker of the existing object."""
    for manifest in manifests.values():
        for other in _of_the_same_name(scope, manifest):
            return manifest, other.maker
    return None


def is_made(scope: Construct, manifest: Manifest) -> bool:
    """Whether the app already has an identical object of a kind that several constructs may share."""
    return any(other.shared == manifest for other in _of_the_same_name(scope, manifest))


def _of_the_same_name(scope: Construct, manifest: Manifest) -> Iterator[_Object]:
    here, ours = _place(scope), _Object(_given_namespace(manifest), "")
    return (other for place, other in _with_places(scope, _key(manifest)) if other.namespace(place) == ours.namespace(here))


def _given_namespace(manifest: Manifest) -> str | None:
    """The namespace that an object itself has; None for a cluster-scoped object."""
    return None if manifest["kind"] in CLUSTER_SCOPED else str(manifest["metadata"].get("namespace", _UNKNOWN))


def _key(manifest: Manifest) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]
