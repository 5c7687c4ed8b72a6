"""The chart releases of the provider hashicorp/helm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....yaml.located import Map, Place, Seq
from ....yaml.unknown import Unknown, at, known_str, source_of, text_of
from ...model import ChartRelease
from .. import limits
from ..helm.release_values import as_helm_reads, at_path, chart_of, first_map, merged, release_lines
from .computed import argument
from .instances import Instance
from .values import Encoded, text_in

RELEASE = "helm_release"
_VALUES = ("values",)
_SETS = ("set", "set_list", "set_sensitive", "set_wo")


def release(instance: Instance) -> ChartRelease:
    """The release of a `helm_release`, with its values merged as Helm merges them."""
    body = instance.module.value(instance.body, instance.scope)
    place = instance.block.place
    layers, complete = _layers(instance)
    values = merged(layers)
    chart, repository = at(body, "chart"), at(body, "repository")
    shown = Map({**body, "values": values, "repo": repository if repository is not None else chart}, dict(body.places))
    return ChartRelease(
        body=shown,
        chart=chart_of("" if chart is None else chart),
        name="" if (name := text_of(at(body, "name"))) is None else name,
        namespace=text_of(at(body, "namespace")) if "namespace" in body else "default",
        version=text_of(at(body, "version")),
        given=values,
        values_path=_VALUES,
        complete=complete and not any(name == "dynamic" and labels[:1] <= _SETS for name, labels, _ in instance.body.blocks),
        **release_lines(shown, place, values, _VALUES),
    )


def _layers(instance: Instance) -> tuple[list[Any], bool]:
    """The values of a release, those of `set` at the end, and whether all of them were read."""
    written, complete = argument(instance, "values"), True
    layers: list[Any] = []
    if written is not None and not isinstance(written, Seq):
        return [], False
    for index, each in enumerate(written or ()):
        layer = _layer(instance, each, (written.place(index) if written else None) or instance.block.place)
        layers.append(layer)
        complete = complete and layer is not None
    for setting, place in _settings(instance):
        name, value = known_str(at(setting, "name")), at(setting, "value")
        kind = known_str(at(setting, "type"))
        value = value if isinstance(value, Seq) else text_in(value) if kind in {"string", "literal"} else as_helm_reads(text_in(value))
        layer = at_path(name, value, place) if name and kind in {None, "", "auto", "string"} else None
        layers.append(layer)
        complete = complete and layer is not None
    return layers, complete


def _layer(instance: Instance, written: Any, place: Place) -> Map | None:
    if isinstance(written, Encoded):
        return written.value if isinstance(written.value, Map) else None
    text, tree = source_of(written), instance.module.tree
    if text is None or not tree.files.may_spend(limits.WRITTEN * len(text), place):
        return None
    if not text.strip():
        return Map()
    begins = tree.origins.get(text, (place[0], place[1] + ("\n" in text)))
    document = first_map(tree.files.embedded(text, begins, template="{{" in text))
    return document.value if document else None


def _settings(instance: Instance) -> Iterator[tuple[Any, Place]]:
    """The values that are set one by one: as blocks up to version 2 of the provider, as a list from 3 on."""
    for name in _SETS:
        for body in instance.body.inner(name):
            yield instance.module.value(body, instance.scope), body.place
        listed = argument(instance, name)
        for index, each in enumerate(listed if isinstance(listed, Seq) else ()):
            yield each, listed.place(index) or instance.block.place
        if isinstance(listed, Unknown):
            yield listed, instance.block.place
