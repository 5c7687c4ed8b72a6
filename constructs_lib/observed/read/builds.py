"""Objects that several builds make of one text: overlays of one base, or one folder that several clusters deploy.

A cluster gets the objects of its own build. Two builds that make one object differently are of two clusters, because a
cluster keeps one object of a kind, namespace and name. In the whole tree, values in which the builds differ are unknown.
https://kubernetes.io/docs/tasks/manage-kubernetes-objects/kustomization/#bases-and-overlays (2026-11-28)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

from ...yaml.located import Document, Map, Place, Seq
from ...yaml.unknown import GAP
from ..model import ChartRelease, PartKey, Unknown, at, part_key
from ..model.cluster_views import MOST
from .objects import kind_of

Part = Document | ChartRelease
_Part = TypeVar("_Part", Document, ChartRelease)
Builds = Mapping[str, Sequence[Part]]
"""The objects and releases of each build, or of each cluster, by its name."""


def agreed(one: Any, other: Any, written: Any = None) -> Any:
    """The value of which two builds make these. A part in which they differ is unknown; `written` is the value before
    variables were substituted."""
    if one is other or repr(one) == repr(other):
        return other
    if isinstance(one, Map) and isinstance(other, Map):
        items = {key: agreed(one[key], item, at(written, key)) if key in one else Unknown() for key, item in other.items()}
        return Map({**dict.fromkeys(one, Unknown()), **items}, {**one.places, **other.places})
    if isinstance(one, Seq) and isinstance(other, Seq) and len(one) == len(other):
        return Seq([agreed(one[index], item, at(written, index)) for index, item in enumerate(other)], other.places)
    return written if isinstance(written, Unknown) else Unknown("" if written is None else f"{written}", GAP)


def each_once(parts: Iterable[_Part]) -> tuple[list[_Part], set[Place]]:
    """Each object or release once, with the places of those that builds make differently."""
    every: list[_Part] = list(parts)
    places = [each.place if isinstance(each, Document) else _place(each) for each in every]
    count = Counter(places)
    if len(count) == len(every):
        return every, set()
    groups: dict[object, list[tuple[Place, _Part]]] = {}
    for place, each in zip(places, every, strict=True):
        groups.setdefault(place if count[place] == 1 else (place, _name(each)), []).append((place, each))
    result, differing = list[_Part](), set[Place]()
    for several in groups.values():
        contents = {_content(each): each for _, each in several} if len(several) > 1 else {"": several[0][1]}
        result.append(reduce(_one_part, contents.values()))
        if len(contents) > 1:
            differing.add(several[0][0])
    return result, differing


def possible_builds(builds: Builds, kinds: Container[str] | None = None) -> dict[PartKey, frozenset[str]]:
    """The builds beside which a part may be in one cluster, for the parts of builds that make one object differently;
    `kinds` are the kinds of such objects, if not all are.
    """
    compared = {name: [each for each in parts if _kind(each) in kinds] for name, parts in builds.items()} if kinds else builds
    apart = _differing(compared)
    made: dict[PartKey, set[str]] = {}
    for name in apart:
        for each in builds[name]:
            made.setdefault(key_of(each), set()).add(name)
    return {key: frozenset(name for name in apart if own - apart[name]) for key, own in made.items()}


Whole = tuple[Sequence[_Part], AbstractSet[Place]]
"""Each part of the whole tree once, and the places of those that builds make differently."""


OwnParts = Mapping[str, tuple[Sequence[Document], Sequence[ChartRelease]]]


def own_parts(builds: Builds, rest: Iterable[Part], documents: Whole[Document], releases: Whole[ChartRelease]) -> OwnParts:
    """The objects and releases as each cluster gets them, for the clusters that get one which builds make differently.

    `rest` are the parts whose cluster is not known.
    """
    others, result = list(rest), dict[str, tuple[Sequence[Document], Sequence[ChartRelease]]]()
    for name, parts in builds.items() if (documents[1] or releases[1]) and len(builds) <= MOST else ():
        every = (*parts, *others)
        own = _own([each for each in every if isinstance(each, Document)], *documents)
        rendered = _own([each for each in every if isinstance(each, ChartRelease)], *releases)
        if own is not documents[0] or rendered is not releases[0]:
            result[name] = own, rendered
    return result


def _own(parts: Iterable[_Part], whole: Sequence[_Part], differing: AbstractSet[Place]) -> Sequence[_Part]:
    """The whole with the parts of one cluster in place of those that builds make differently."""
    own: dict[Place, list[_Part]] = {}
    for each in each_once(each for each in parts if _place(each) in differing)[0]:
        own.setdefault(_place(each), []).append(each)
    if not own:
        return whole
    others = [each for each in whole if _place(each) not in own]
    return others + [each for several in own.values() for each in several]


def only_suspended(applied: Iterable[tuple[str, Sequence[Part]]]) -> dict[PartKey, str]:
    """The parts that only suspended deployers apply, each with the label of one. `applied` are the parts of each
    deployer, with its label if it is suspended.
    """
    every = [*applied]
    result = {key_of(part): label for label, parts in every if label for part in parts}
    for label, parts in every if result else ():
        for part in () if label else parts:
            result.pop(key_of(part), None)
    return result


def pruners(pruned: Iterable[tuple[str, Sequence[Part]]]) -> dict[PartKey, str]:
    """The label of a deployer that prunes a part; empty for a part that only others apply."""
    result: dict[PartKey, str] = {}
    for label, parts in pruned:
        for part in parts:
            result[key_of(part)] = result.get(key_of(part)) or label
    return result


def same_again(releases: Iterable[ChartRelease], known: Iterable[ChartRelease]) -> list[ChartRelease]:
    """The releases, each as the known one that is the same."""
    every = {_known_by(each): each for each in known}
    return [every.get(_known_by(each), each) for each in releases]


def _known_by(release: ChartRelease) -> object:
    return release.part, release.label, _content(release)


def key_of(part: Part) -> PartKey:
    """The key of an object or a release."""
    return part_key(*part.place, part.value) if isinstance(part, Document) else part.part


def _place(part: Part) -> Place:
    return part.place if isinstance(part, Document) else (part.file, part.line_of(()) or 0)


def _name(part: Part) -> tuple[str, ...]:
    if isinstance(part, ChartRelease):
        return "", f"{part.namespace}", f"{part.name}", f"{part.chart}"
    return tuple(f"{at(part.value, *path)}" for path in (("kind",), ("metadata", "namespace"), ("metadata", "name")))


def _kind(part: Part) -> str:
    return kind_of(part.value if isinstance(part, Document) else part.body)


def _content(part: Part) -> str:
    return repr(part.value) if isinstance(part, Document) else repr((part.given, part.version, part.complete))


def _one_part(one: _Part, other: _Part) -> _Part:
    if isinstance(one, Document) and isinstance(other, Document):
        return Document(agreed(one.value, other.value, other.written), other.place, other.written)
    if isinstance(one, ChartRelease) and isinstance(other, ChartRelease):
        version = other.version if repr(one.version) == repr(other.version) else Unknown()
        return replace(other, given=agreed(one.given, other.given), version=version, complete=one.complete and other.complete)
    return other


def _differing(builds: Builds) -> dict[str, set[str]]:
    """The builds that make one object differently, each with the others; none if they are too many to judge apart."""
    every = [each.place if isinstance(each, Document) else _place(each) for parts in builds.values() for each in parts]
    if len({*every}) == len(every):
        return {}
    by_place: dict[Place, list[tuple[str, Part]]] = {}
    for name, parts in builds.items():
        for each in parts:
            by_place.setdefault(_place(each), []).append((name, each))
    result: dict[str, set[str]] = {}
    for several in by_place.values():
        by_name: dict[object, dict[str, set[str]]] = {}
        for name, each in several if len(several) > 1 else ():
            by_name.setdefault(_name(each), {}).setdefault(_content(each), set()).add(name)
        for contents in by_name.values():
            names = set[str]().union(*contents.values())
            for own in contents.values() if len(contents) > 1 else ():
                for name in own:
                    result.setdefault(name, set()).update(names - own)
            if len(result) > MOST:
                return {}
    return {name: others for name, others in result.items() if others}
