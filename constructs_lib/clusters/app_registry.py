"""The registry of the objects and parts of apps: parts look here for duplicate names and for parts that contradict each
other.

The constructs of a cdk8s app and the parts of a cluster file share this code. A place answers three questions about
itself: its app, its namespace and its path. A place in a cdk8s app asks jsii's kernel, so a question is asked only when
there is something to compare. An app never looks at the entries of another app, so the thousandth app of a process
costs what the second one does.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments.errors import Argument, wrong
from ..manifests.objects import Manifest, Manifests
from ..upstream.kubernetes.api import CLUSTER_SCOPED

if TYPE_CHECKING:
    from ..nodes.contradictions import Contradiction
    from ..nodes.gpu_nodes import GpuNodes

OPERATOR, DEVICE_PLUGIN, RUNTIME_CLASS = "NvidiaGpuOperator", "StandaloneDevicePlugin", "NvidiaRuntimeClass"
BRIDGE, DASHBOARD, EXPORTER, NODE_FEATURE_DISCOVERY = "ValidationBridge", "GpuDashboard", "DcgmExporter", "NodeFeatureDiscovery"
ALERTS, DRA_DRIVER = "GpuAlerts", "DraDriver"
WAY_IN, WEB_FRONT, QUEUE = "expose", "OpenWebUI", "KueueQueue"
STACK = "GpuStack"
FEATURES = "features of Kubernetes"

_UNKNOWN = "?"
SHARED = ("ResourceClaim", "ResourceFlavor", "Topology")
"""The kinds of objects that several parts may share."""
_CLASS = "GpuNodes"
_Key = str | tuple[str, str]
"""A kind of part, or the kind and the name of an object."""


class Registry:
    """The entries that the places of all apps have registered."""

    def __init__(self) -> None:
        self.apps: dict[str, list[Place]] = {}
        # By key: the place with entries, None for several places; and the places whose app is unknown.
        self.holders: dict[_Key, Place | None] = {}
        self.unasked: dict[_Key, list[Place]] = {}
        # The first class of nodes, and the first that differs from it: with both, a further class has something to
        # compare.
        self.two_classes: list[GpuNodes] = []


class Place:
    """A scope of parts, with what the parts in it have registered."""

    __slots__ = ("_namespace", "_registry", "_root", "entries")

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.entries: dict[_Key, tuple[Any, ...]] = {}
        self._root = _UNKNOWN
        self._namespace: str | None = _UNKNOWN

    def ask_root(self) -> str:
        """The app of the place, by a name that no other app has."""
        raise NotImplementedError

    def ask_namespace(self) -> str | None:
        """The namespace of the place's chart."""
        raise NotImplementedError

    @property
    def path(self) -> str:
        """The path of the place, for an error."""
        raise NotImplementedError

    @property
    def is_of_a_known_app(self) -> bool:
        """Whether the app is known already."""
        return self._root != _UNKNOWN

    @property
    def root(self) -> str:
        """The app of the place."""
        if self._root == _UNKNOWN:
            self._root = self.ask_root()
            self._registry.apps.setdefault(self._root, []).append(self)
        return self._root

    @property
    def namespace(self) -> str | None:
        """The namespace of the place's chart."""
        if self._namespace == _UNKNOWN:
            self._namespace = self.ask_namespace()
        return self._namespace

    def announce(self, kind: str, settings: Any) -> None:
        """Register a part by its kind and settings, for parts that follow."""
        self._register(kind, (settings,))

    def neighbours(self, kind: str) -> Iterator[Any]:
        """The settings of every registered part of a kind in the same app."""
        return self._of_the_app(kind)

    def overlapping(self, kind: str, nodes: GpuNodes | Iterable[GpuNodes], attribute: str = "nodes") -> Iterator[tuple[Any, GpuNodes]]:
        """The registered parts of a kind whose classes may mean nodes of these classes, each with such a class."""
        ours = _classes_of(nodes)
        for other in self.neighbours(kind):
            for theirs in _classes_of(getattr(other, attribute)):
                if any(each.may_overlap(theirs) for each in ours):
                    yield other, theirs

    def check_nodes(self, nodes: GpuNodes | Iterable[GpuNodes], maker: Maker) -> None:
        """Refuse a class of nodes that contradicts another class of the app, where both classes can mean the same
        nodes.

        Every part counts: a part that advertises GPUs, a workload, and an agent that only runs on the nodes. `maker` names the part that follows,
        with its path.

        Raises:
            ValueError:
                `'nodes' must be a class with sharing=None, as StandaloneDevicePlugin 'gpu/device-plugin' has …`.
        """
        for ours in _classes_of(nodes):
            if all(known == ours for known in self._registry.two_classes) or self._has(ours):
                continue  # no other class, or compared when the first part of the place took it
            for theirs, their_maker in self._of_the_app(_CLASS):
                if found := _contradiction(ours, theirs):
                    raise _contradicting(found, maker, their_maker)

    def announce_nodes(self, nodes: GpuNodes | Iterable[GpuNodes], maker: Maker) -> None:
        """Check and register the classes of nodes of a part."""
        classes, two_classes = _classes_of(nodes), self._registry.two_classes
        self.check_nodes(classes, maker)
        for each in classes:
            if not self._has(each):
                self._register(_CLASS, (_Class(each, maker),))
            if len(two_classes) < 2 and each not in two_classes:  # noqa: PLR2004
                two_classes.append(each)

    def withdraw(self, maker: Maker) -> None:
        """Forget the part that was registered last, and was refused after it."""
        if maker.kind in self.entries:
            self.entries[maker.kind] = self.entries[maker.kind][:-1]
        if _CLASS in self.entries:
            self.entries[_CLASS] = tuple(each for each in self.entries[_CLASS] if each.maker != maker)

    def classes_of_nodes(self) -> list[GpuNodes]:
        """The classes of nodes of every registered part in the same app, each class once, in the order of the parts."""
        return list(dict.fromkeys(each.nodes for each in self._of_the_app(_CLASS)))

    def advertised_classes(self) -> list[GpuNodes]:
        """The classes of nodes whose GPUs a part in the same app advertises to Kubernetes: a device plugin, an operator
        or a DRA driver."""
        classes = [plugin.nodes for plugin in self.neighbours(DEVICE_PLUGIN)]
        classes += [nodes for operator in self.neighbours(OPERATOR) for nodes in operator.plugin_classes]
        classes += [nodes for driver in self.neighbours(DRA_DRIVER) for nodes in driver.nodes]
        return list(dict.fromkeys(classes))

    def announce_objects(self, manifests: Manifests, maker: str) -> None:
        """Register the objects that `maker` makes."""
        for manifest in manifests.values():
            namespace = _given_namespace(manifest)
            is_shared = manifest["kind"] in SHARED
            self._register(_key(manifest), (_Object(namespace, maker, manifest),) if is_shared else _one_object(namespace, maker))

    def same_object(self, manifests: Manifests) -> tuple[Manifest, str] | None:
        """The first of these objects whose kind, name and namespace the app already has, and the maker of the existing
        object."""
        for manifest in manifests.values():
            for other in self._of_the_same_name(manifest):
                return manifest, other.maker
        return None

    def is_made(self, manifest: Manifest) -> bool:
        """Whether the app already has an identical object of a kind that several parts may share."""
        return any(other.shared == manifest for other in self._of_the_same_name(manifest))

    def _register(self, key: _Key, entries: tuple[Any, ...]) -> None:
        registry = self._registry
        if key not in self.entries:
            registry.holders[key] = self if key not in registry.holders else None
            if not self.is_of_a_known_app:
                registry.unasked.setdefault(key, []).append(self)
        self.entries[key] = self.entries.get(key, ()) + entries

    def _has(self, nodes: GpuNodes) -> bool:
        return any(each.nodes == nodes for each in self.entries.get(_CLASS, ()))

    def _of_the_app(self, key: _Key) -> Iterator[Any]:
        """The entries of a key in the app of the place."""
        return (entry for _, entry in self._with_places(key))

    def _with_places(self, key: _Key) -> Iterator[tuple[Place, Any]]:
        """The entries of a key in the app, each with its place. A place is asked for its app only where several places
        have entries."""
        registry = self._registry
        if key not in registry.holders:
            return
        if registry.holders[key] is self:
            yield from ((self, entry) for entry in self.entries[key])
            return
        root = self.root
        for place in registry.unasked.pop(key, ()):
            _ = place.root
        for place in registry.apps[root]:
            yield from ((place, entry) for entry in place.entries.get(key, ()))

    def _of_the_same_name(self, manifest: Manifest) -> Iterator[_Object]:
        ours = _Object(_given_namespace(manifest), "")
        return (other for place, other in self._with_places(_key(manifest)) if other.namespace(place) == ours.namespace(self))


class Maker(NamedTuple):
    """A part, or a function, that takes a class of nodes. Only an error asks for its path."""

    kind: str
    place: Place
    id: str = ""

    def __str__(self) -> str:
        path = "/".join(filter(None, (self.place.path, self.id)))
        return f"{self.kind} '{path}'" if path else self.kind


class _Object(NamedTuple):
    """A registered object. Only an object that several parts may share keeps its manifest: a fleet of apps in one
    process has many objects."""

    given_namespace: str | None
    maker: str
    shared: Manifest | None = None

    def namespace(self, place: Place) -> str | None:
        """The namespace of the object; None for a cluster-scoped object."""
        return place.namespace if self.given_namespace == _UNKNOWN else self.given_namespace


class _Class(NamedTuple):
    """A registered class of nodes, and the part that was first with the class in a place."""

    nodes: GpuNodes
    maker: Maker


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


def _classes_of(nodes: GpuNodes | Iterable[GpuNodes]) -> tuple[GpuNodes, ...]:
    """The classes of an argument `nodes`, which may be one class."""
    return tuple(nodes) if isinstance(nodes, Iterable) else (nodes,)


@functools.cache
def _one_object(given_namespace: str | None, maker: str) -> tuple[_Object]:
    """The entries of an object. All objects of a maker share them."""
    return (_Object(given_namespace, maker),)


def _given_namespace(manifest: Manifest) -> str | None:
    """The namespace that an object itself has; None for a cluster-scoped object."""
    return None if manifest["kind"] in CLUSTER_SCOPED else str(manifest["metadata"].get("namespace", _UNKNOWN))


def _key(manifest: Manifest) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]


def name_taken(manifest: Manifest, maker: str) -> ValueError:
    """The error for an object whose kind, name and namespace `maker` has made."""
    kind = manifest["kind"]
    hint = f"{maker} already makes a {kind} of this name; the second object would replace the first"
    return wrong("name", f"unique among the objects of kind {kind} in this app", manifest["metadata"]["name"], hint)


def remark(asking: Mapping[str, Sequence[str]], where: str) -> str:
    """The remark about resources that workloads request, by the paths of the workloads, and that nothing in an app or a
    file advertises: the stack may be elsewhere. Empty where everything is advertised."""
    parts = [f"nothing in {where} advertises {name}, which {_listed(paths)} requests" for name, paths in asking.items() if paths]
    return "; ".join(parts)


def _listed(paths: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(paths))
    return distinct[0] + (f" (and {len(distinct) - 1} more)" if len(distinct) > 1 else "")
