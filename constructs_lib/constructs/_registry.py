"""The registry of an app's constructs. It is kept in Python, because each question to the construct tree costs a round
trip to jsii's kernel."""

from __future__ import annotations

from collections.abc import Iterable

from cdk8s import Chart
from constructs import Construct

from ..clusters.app_registry import Maker, Place, Registry
from ..nodes.gpu_nodes import GpuNodes


class _Scope(Place):
    """A scope of constructs. The kernel is asked for its app and its namespace, once each."""

    __slots__ = ("scope",)

    def __init__(self, registry: Registry, scope: Construct) -> None:
        super().__init__(registry)
        self.scope = scope

    def ask_root(self) -> str:
        """The app, by jsii's reference, which is the same for every Python object of one app."""
        return str(self.scope.node.root.__jsii_ref__.ref)  # type: ignore[attr-defined]

    def ask_namespace(self) -> str | None:
        """The namespace of the scope's chart."""
        return (self.scope if isinstance(self.scope, Chart) else Chart.of(self.scope)).namespace

    @property
    def path(self) -> str:
        """The path of the scope in the construct tree."""
        return self.scope.node.path


# The registry lives as long as the program, as every construct does: jsii keeps each one for the kernel.
_registry = Registry()
_places: dict[int, _Scope] = {}


def place_of(scope: Construct) -> _Scope:
    """The one place of a construct, so that its app is looked up once."""
    return _places.get(id(scope)) or _places.setdefault(id(scope), _Scope(_registry, scope))


def announce_nodes(scope: Construct, nodes: GpuNodes | Iterable[GpuNodes], function: str) -> None:
    """Check and register the classes of nodes that a function takes for a scope."""
    here = place_of(scope)
    here.announce_nodes(nodes, Maker(function, here))


def withdraw(scope: Construct, construct: Construct, kind: str, id: str) -> None:  # noqa: A002
    """Take a construct that was refused after it was made, with its contents, out of tree and registry."""
    scope.node.try_remove_child(id)
    place_of(construct).entries.clear()
    here = place_of(scope)
    here.withdraw(Maker(kind, here, id))
