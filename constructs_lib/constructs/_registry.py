"""What else is in the same app: no two objects have one name, and of some constructs a cluster can't have two that are alike.

Kept on our side, because asking the construct tree costs a round trip for each question; the kernel is asked which app a construct is in,
and which namespace its chart has, only when there is somebody to compare with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cdk8s import Chart
from constructs import Construct

from ..manifests.objects import Manifest, Manifests
from ..upstream.kubernetes_api import CLUSTER_SCOPED

if TYPE_CHECKING:
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
        """The app, by the reference that jsii knows it by: the same for every Python object that stands for it."""
        if self._root == _UNKNOWN:
            self._root = self.scope.node.root.__jsii_ref__.ref  # type: ignore[attr-defined]
        return self._root

    @property
    def namespace(self) -> str | None:
        """The chart's."""
        if self._namespace == _UNKNOWN:
            self._namespace = (self.scope if isinstance(self.scope, Chart) else Chart.of(self.scope)).namespace
        return self._namespace

    def namespace_of(self, manifest: Manifest) -> str | None:
        """Where an object that is made here goes; None for one of the cluster."""
        if manifest["kind"] in CLUSTER_SCOPED:
            return None
        given = manifest["metadata"].get("namespace", _UNKNOWN)
        return self.namespace if given == _UNKNOWN else str(given)


# A construct is remembered for as long as the program runs: Python lets go of a chart that only the kernel still holds.
_places: dict[int, _Place] = {}
_made: list[tuple[_Place, str, Any]] = []
_objects: dict[tuple[str, str], list[tuple[_Place, Manifest, str]]] = {}
_classes: list[tuple[_Place, GpuNodes]] = []


def _place(scope: Construct) -> _Place:
    """The one place that a construct is, so that its app is asked for once."""
    return _places.setdefault(id(scope), _Place(scope))


def chart_namespace(scope: Construct) -> str | None:
    """The namespace of the chart that a construct is in."""
    return _place(scope).namespace


def announce(scope: Construct, what: str, settings: Any) -> None:
    """Remember what was made, for those that come later."""
    _made.append((_place(scope), what, settings))


def neighbours(scope: Construct, what: str) -> Iterator[Any]:
    """The settings of everything of this kind that was made in the same app."""
    here = _place(scope)
    for place, kind, settings in _made:
        if kind == what and (place is here or place.root == here.root):
            yield settings


def announce_nodes(scope: Construct, nodes: GpuNodes | Iterable[GpuNodes]) -> None:
    """Remember the classes of nodes that something was made for."""
    place = _place(scope)
    _classes.extend((place, each) for each in (nodes if isinstance(nodes, Iterable) else (nodes,)))


def classes_of_nodes(scope: Construct) -> list[GpuNodes]:
    """The classes of nodes that anything in the same app was made for, each once."""
    here = _place(scope)
    found: list[GpuNodes] = []
    for place, nodes in _classes:
        if nodes not in found and (place is here or place.root == here.root):
            found.append(nodes)
    return found


def announce_objects(scope: Construct, manifests: Manifests, maker: str) -> None:
    """Remember the objects that `maker` makes."""
    for manifest in manifests.values():
        _objects.setdefault(_key(manifest), []).append((_place(scope), manifest, maker))


def maker_of_the_same(scope: Construct, manifests: Manifests) -> tuple[Manifest, str] | None:
    """The first of these objects that the app has already, and what made it."""
    for manifest in manifests.values():
        for _, maker in _of_the_same_name(scope, manifest):
            return manifest, maker
    return None


def is_made(scope: Construct, manifest: Manifest) -> bool:
    """Whether the app has this very object already."""
    return any(other == manifest for other, _ in _of_the_same_name(scope, manifest))


def _of_the_same_name(scope: Construct, manifest: Manifest) -> Iterator[tuple[Manifest, str]]:
    here = _place(scope)
    for place, other, maker in _objects.get(_key(manifest), ()):
        same_app = place is here or place.root == here.root
        if same_app and place.namespace_of(other) == here.namespace_of(manifest):
            yield other, maker


def _key(manifest: Manifest) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]
