"""`Part`: everything that a construct and a cluster file share about one kind of part, without cdk8s."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from ..arguments.errors import wrong
from ..arguments.names import dns_label, dns_subdomain
from ..manifests.objects import Manifest, Manifests
from ..upstream.talos.features import EXEMPT_NAMESPACE
from .app_registry import STACK, Maker, Place, name_taken

_P = ParamSpec("_P")
_S = TypeVar("_S")


Default = Callable[[Place, str], object]
"""The default of an argument that follows from the chart and the id of a part."""


@dataclass(frozen=True)
class Part(Generic[_P, _S]):
    """One kind of part: the name under which users write it, its arguments, its objects, and what it tells and asks its
    neighbours."""

    name: str
    settings: Callable[_P, _S]
    """The class of the checked arguments."""
    manifests: Callable[[Place, _S], Manifests]
    """The objects of the part, by their IDs. Refuses arguments that contradict the neighbours."""
    announced: Callable[[_S], Iterable[tuple[str, Any]]] = lambda _: ()
    """The announcements of the part to the parts that follow: pairs of a kind and settings."""
    at_synth: Callable[[_S], Callable[[Place], list[str]] | None] | None = None
    """Gives the function for the errors that only the whole app shows, because parts that follow decide; None where
    there are no such errors."""
    defaults: Mapping[str, Default] = field(default_factory=dict)
    """The defaults that follow from the chart and the id, by argument."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """The reason why a required argument has no default, by argument."""
    contents: Callable[[_S, Make], Mapping[str, Any]] | None = None
    """The parts in a part that is made of others, by attribute."""
    passed_on: Mapping[str, str] = field(default_factory=dict)
    """The parts that get an argument's mapping as their own arguments, by argument."""


class Make(Protocol):
    """A function that makes a part in another: by its name, its id and its arguments."""

    def __call__(self, name: str, id: str, /, **arguments: Any) -> Any:  # noqa: A002
        """Make the part."""
        ...


def checked_objects(place: Place, part: Part[Any, Any], settings: Any, maker: Maker, manifests: Manifests | None = None) -> Manifests:
    """The objects of a part. Arguments, classes of nodes and objects that contradict the rest of the app are
    refused."""
    objects = part.manifests(place, settings) if manifests is None else manifests
    place.check_nodes(getattr(settings, "nodes", ()), maker)
    if same := place.same_object(objects):
        raise _second_stack(place, same[0]) or name_taken(*same)
    return objects


def _second_stack(place: Place, manifest: Manifest) -> ValueError | None:
    """The error for an object that two stacks of an app would make; None for an app with one stack."""
    _, *others = [*place.neighbours(STACK)] or [None]
    if not others:
        return None
    hint = f"a second GpuStack would make another {manifest['kind']} '{manifest['metadata']['name']}'"
    return wrong("nodes", "every class of GPU nodes of this app, in one GpuStack", list(others[-1]), hint)


def announce(place: Place, part: Part[Any, Any], settings: Any, maker: Maker, objects: Manifests) -> None:
    """Register a part for the parts that follow."""
    place.announce_objects(objects, part.name)
    place.announce_nodes(getattr(settings, "nodes", ()), maker)
    for kind, told in part.announced(settings):
        place.announce(kind, told)


def id_as_label(_: Place, place: str) -> str:
    """The id, which must be the name of pods and Services."""
    return dns_label("id", place)


def id_as_subdomain(_: Place, place: str) -> str:
    """The id, which must be the name of an object."""
    return dns_subdomain("id", place)


def agent_namespace(around: Place, _: str) -> str:
    """The default namespace of a node agent: the chart's namespace, or kube-system, which Talos exempts from Pod
    Security."""
    return around.namespace or EXEMPT_NAMESPACE


def owned_by_operator(argument: str, name: str, rule: str) -> ValueError:
    """The error for a RuntimeClass that has the same name as the RuntimeClass of an operator in the same app."""
    hint = "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out, or give it another name"
    return wrong(argument, rule, name, hint)
