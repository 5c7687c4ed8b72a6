"""The only room that knows the traps of jsii and cdk8s: how dicts become the API objects of a construct.

An object costs at most three round trips to jsii's kernel: one to make it, and two for a patch that lays its body on it. A plain
`ApiObject` is patched after nothing else has looked at it, so that no field is lost (cdk8s-team/cdk8s#2163 is about the typed ones).
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import attrs
from cdk8s import ApiObject, ApiObjectMetadata, Chart, JsonPatch
from constructs import Construct

from .._arguments.errors import wrong, wrong_kind
from .._arguments.plain_values import instance, text
from ..manifests.objects import Manifest, Manifests, plain
from ..upstream.kubernetes_api import CLUSTER_SCOPED
from ..upstream.talos_features import EXEMPT_NAMESPACE
from ._registry import announce_nodes, announce_objects, chart_namespace, maker_of_the_same

# What cdk8s knows of metadata, and may add to.
_METADATA = ("name", "namespace", "labels", "annotations")


class GpuConstruct(Construct):
    """What every construct of ours is: checked settings, held as read-only attributes, and the objects that follow from them."""

    def __init__(self, scope: Construct, id: str, settings: Any, manifests: Manifests) -> None:  # noqa: A002
        """Refuse what the app has already, hold the checked settings, and emit the objects."""
        maker = type(self).__name__
        if same := maker_of_the_same(scope, manifests):
            raise _taken(*same)
        try:
            super().__init__(scope, id)
        except RuntimeError as error:
            if "already a Construct" not in str(error):
                raise
            raise wrong("id", "one that nothing else in its scope has", id, "a name of its objects that differs is not enough") from None
        for field in attrs.fields(type(settings)):
            object.__setattr__(self, field.name, getattr(settings, field.name))
        for child, manifest in manifests.items():
            emit(self, child, manifest)
        announce_objects(scope, manifests, maker)
        announce_nodes(scope, getattr(settings, "nodes", ()))

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        # jsii's metaclass calls every class with (*args, **kwargs), which is all that help() and a notebook would show.
        _, *arguments = inspect.signature(cls.__init__).parameters.values()
        cls.__signature__ = inspect.Signature(arguments)  # what inspect looks for first

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            msg = f"'{name}' must be given to {type(self).__name__}(…) (got {name}={value!r} after it was made); constructs don't change"
            raise AttributeError(msg)
        object.__setattr__(self, name, value)


class _NoFields:
    """An attribute that a class seems not to have, although a base class has it."""

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError


# A construct has the fields of its settings, and is no value. By this attribute cattrs, with which jsii writes its requests, tells values: it
# would write the fields, where jsii's kernel wants a reference.
setattr(GpuConstruct, "__attrs_attrs__", _NoFields())  # noqa: B010  # mypy would hold it to attrs' own declaration


def _taken(manifest: Manifest, maker: str) -> ValueError:
    what = f"a {manifest['kind']} that this app does not have yet"
    return wrong("name", f"that of {what}", manifest["metadata"]["name"], f"{maker} makes it already; the second would replace the first")


def check_place(scope: object, id: object) -> None:  # noqa: A002
    """Where a construct goes, checked before anything is built there."""
    rule = "a Chart, or a construct in one"
    instance("scope", scope, Construct, rule)
    if not isinstance(scope, Chart | GpuConstruct) and not _in_a_chart(scope):
        raise wrong_kind("scope", rule, scope, "put a Chart between the app and it: Chart(app, …)")
    text("id", id)


def _in_a_chart(scope: object) -> bool:
    """Asked of the kernel, as nothing else knows where somebody's own construct is."""
    try:
        Chart.of(scope)  # type: ignore[arg-type]  # a construct, which is checked before
    except RuntimeError:
        return False
    return True


def agent_namespace(scope: Construct, _: str) -> str:
    """Where an agent of the nodes runs when nobody says where: the chart's namespace, or the one that Pod Security leaves alone."""
    return chart_namespace(scope) or EXEMPT_NAMESPACE


def emit(scope: Construct, id: str, manifest: Manifest) -> ApiObject:  # noqa: A002
    """One object, with every field that it was given."""
    body = plain(manifest)
    api_version, kind, given = body.pop("apiVersion"), body.pop("kind"), body.pop("metadata")
    nowhere = kind in CLUSTER_SCOPED or given.get("namespace", "") is None
    metadata = ApiObjectMetadata(**{field: given.pop(field) for field in _METADATA if given.get(field) is not None})
    made = ApiObject(scope, id, api_version=api_version, kind=kind, metadata=metadata)
    patches = [JsonPatch.add(f"/{_pointer(field)}", value) for field, value in body.items()]
    patches += [JsonPatch.add(f"/metadata/{_pointer(field)}", value) for field, value in given.items() if value is not None]
    if nowhere:
        patches.append(_without_namespace())
    if patches:
        made.add_json_patch(*patches)
    return made


def _pointer(field: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return field.replace("~", "~0").replace("/", "~1")


@functools.cache
def _without_namespace() -> JsonPatch:
    return JsonPatch.remove("/metadata/namespace")
