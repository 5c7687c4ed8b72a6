"""The emission of manifests as API objects of a construct, with the workarounds that jsii and cdk8s need.

One object costs at most three round trips to jsii's kernel: one creates the object, and two make a patch with its body
and apply it. Objects with an equal field share the patch, as the claims of a platform and the objects of similar
clusters do. A plain `ApiObject` is patched before anything else reads it, so no field is lost (cdk8s-team/cdk8s#2163 is
about typed objects).

The requests are those of cdk8s' own Python classes, without the classes: their checks of types cost a third of Python's
time for an object, and every value is checked before.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any

import attrs
import jsii
from cdk8s import ApiObject, Chart, JsonPatch
from constructs import Construct, IValidation

from ..arguments.docstrings import documented
from ..arguments.errors import wrong, wrong_kind
from ..arguments.plain_values import instance, text
from ..clusters.app_registry import Maker, Place
from ..clusters.part import Part, announce, checked_objects
from ..manifests.objects import Manifest, Manifests, json_pointer, plain
from ..upstream.kubernetes.api import CLUSTER_SCOPED
from ._registry import place_of

# The metadata fields that cdk8s has arguments for, and may extend.
_PACKAGE = __name__.partition(".")[0] + "."
_METADATA = ("name", "namespace", "labels", "annotations")
_SHARED_PATCHES = 1024
_json = json.JSONEncoder(default=plain).encode


class GpuConstruct(Construct):
    """The base class of every construct of this library: checked settings as read-only attributes, and the objects that
    follow from the settings.

    A construct documents its arguments; what it does not say of one, its settings and its other base classes say.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
    """

    _arguments: frozenset[str] = frozenset()
    # Settings with the same values are equal; a construct is equal to itself alone, and is shown as every construct of
    # cdk8s.
    __eq__ = object.__eq__
    __hash__ = object.__hash__
    __repr__ = object.__repr__

    def __init__(self, scope: Construct, id: str, settings: Any, part: Part[Any, Any], manifests: Manifests | None = None) -> None:  # noqa: A002
        """Refuse what contradicts the app, set the checked settings as attributes, and emit the objects.

        `manifests` holds the objects of the part, where they are known already.
        """
        here = place_of(scope)
        maker = Maker(part.name, here, id)
        objects = checked_objects(here, part, settings, maker, manifests)
        try:
            super().__init__(scope, id)
        except RuntimeError as error:
            if "already a Construct" not in str(error):
                raise
            raise wrong("id", "unique in its scope", id, "another 'name' for the objects is not enough") from None
        self._scope = scope
        self._arguments = _arguments_of(type(settings))  # type: ignore[arg-type]  # mypy: a class is hashable
        for name in self._arguments:
            object.__setattr__(self, name, getattr(settings, name))
        self._objects = {child: emit(self, child, manifest) for child, manifest in objects.items()}
        announce(here, part, settings, maker, objects)
        if part.at_synth is not None and (errors := part.at_synth(settings)) is not None:
            self.node.add_validation(_AtSynth(here, errors))

    @property
    def scope(self) -> Construct:
        """The parent construct."""
        return self._scope

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        # jsii's metaclass calls every class with (*args, **kwargs). Without `__signature__` help() and notebooks would
        # show only these two.
        _, *parameters = inspect.signature(cls.__init__).parameters.values()
        cls.__signature__ = inspect.Signature(parameters)
        if cls.__module__.startswith(_PACKAGE):  # the class of an app has its own documentation
            document(cls, *sorted(inspect.getmro(cls)[1:], key=lambda base: issubclass(base, GpuConstruct)))

    def __setattr__(self, name: str, value: object) -> None:
        # A subclass of an app may keep attributes of its own.
        is_ours = name in self._arguments or type(self).__module__.startswith(_PACKAGE)
        if is_ours and not name.startswith("_"):
            msg = f"'{name}' must be given to {type(self).__name__}(…) (got {name}={value!r} afterwards); constructs are immutable"
            raise AttributeError(msg)
        object.__setattr__(self, name, value)


def document(construct: type, *others: type) -> None:
    """Let other classes say of the arguments of a construct what its own docstring does not say."""
    construct.__doc__ = documented(construct.__doc__, inspect.signature(construct).parameters, *(each.__doc__ for each in others))


@functools.cache
def _arguments_of(settings: type) -> frozenset[str]:
    """The names of the arguments of a construct. One set serves all constructs of a class."""
    return frozenset(field.name for field in attrs.fields(settings))


class _NoFields:
    """A descriptor that hides an attribute of a base class."""

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError


# A construct inherits the fields of its settings class. cattrs, with which jsii writes its requests, takes a class with
# `__attrs_attrs__` for a value and would write its fields, where jsii's kernel wants a reference.
setattr(GpuConstruct, "__attrs_attrs__", _NoFields())  # noqa: B010  # mypy would hold it to attrs' own declaration


@jsii.implements(IValidation)
class _AtSynth:
    """The errors of a part that only the whole app shows. cdk8s asks for them at the start of every synth."""

    def __init__(self, place: Place, errors: Callable[[Place], list[str]]) -> None:
        self._place, self._errors = place, errors

    def validate(self) -> list[str]:
        """The errors that stop the synth."""
        return self._errors(self._place)


def check_place(scope: object, id: object) -> None:  # noqa: A002
    """Check the scope and the id of a construct before anything is built there."""
    rule = "a Chart, or a construct in a Chart"
    instance("scope", scope, Construct, rule)
    if not isinstance(scope, Chart | GpuConstruct) and not _in_a_chart(scope):
        raise wrong_kind("scope", rule, scope, "put a Chart between the app and the construct: Chart(app, …)")
    text("id", id)


def _in_a_chart(scope: object) -> bool:
    """Whether a construct is inside a Chart. jsii's kernel answers, because only the kernel knows the place of another
    library's construct."""
    try:
        Chart.of(scope)  # type: ignore[arg-type]  # a construct, which is checked before
    except RuntimeError:
        return False
    return True


def emit(scope: Construct, id: str, manifest: Manifest) -> ApiObject:  # noqa: A002
    """Emit one object with every field of its manifest."""
    body = dict(manifest)
    api_version, kind, fields = body.pop("apiVersion"), body.pop("kind"), plain(body.pop("metadata"))
    without_namespace = kind in CLUSTER_SCOPED or fields.get("namespace", "") is None
    metadata = {field: fields.pop(field) for field in _METADATA if fields.get(field) is not None}
    api_object = ApiObject.__new__(ApiObject)
    jsii.create(ApiObject, api_object, [scope, id, {"apiVersion": api_version, "kind": kind, "metadata": metadata}])
    patches = [_add(f"/{json_pointer(field)}", _json(value)) for field, value in body.items()]
    patches += [_add(f"/metadata/{json_pointer(field)}", _json(value)) for field, value in fields.items() if value is not None]
    if without_namespace:
        patches.append(_without_namespace())
    if patches:
        jsii.invoke(api_object, "addJsonPatch", patches)
    return api_object


@functools.lru_cache(maxsize=_SHARED_PATCHES)
def _add(path: str, value: str) -> JsonPatch:
    """The patch that adds a field, with its value as JSON. Nothing changes a patch: cdk8s applies a copy of it."""
    patch: JsonPatch = jsii.sinvoke(JsonPatch, "add", [path, json.loads(value)])
    return patch


@functools.cache
def _without_namespace() -> JsonPatch:
    return JsonPatch.remove("/metadata/namespace")
