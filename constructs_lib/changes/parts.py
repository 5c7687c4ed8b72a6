"""The parts of the GPU stack on two sides: what is added, removed or changed, and what a change does in the cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..observed.agents.agents import device_plugins
from ..observed.agents.gpu_parts import names_nvidia
from ..observed.model import Inputs, KubernetesObject, NodeConfig, Read, is_unknown
from ..observed.nodes.node_settings import is_for_gpus
from ..observed.pods.workloads import Workload, workloads
from ..upstream.choice import Choice
from .effects import node_effects, object_effects, release_effects
from .field_changes import FieldChange, field_changes
from .hidden_fields import is_hidden, secret_names
from .told_apart import Key, told_apart
from .versions import charts_of

_About = TypeVar("_About", bound=Read)

_FIRST = ("version", "image", "tag", "digest", "repository", "talos_version")
"""The fields that are told first."""
_VALUES = frozenset(("values", "valuesObject", "valuesInline", "valuesContent"))
"""The fields of objects that have the values of a release. Other releases have theirs in files of their own."""
_NO_CHANGE = ("metadata.annotations.kubectl.kubernetes.io/last-applied-configuration", "status")


class Way(Choice):
    """The way in which a part differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class PartChange:
    """A part of the GPU stack that one side has in another way."""

    way: Way
    label: str
    file: str
    fields: tuple[FieldChange, ...] = ()
    effects: tuple[str, ...] = ()


def part_changes(old: Inputs, new: Inputs, files: tuple[str, str] = ("", "")) -> Iterator[PartChange]:
    """The parts that differ: the objects that name NVIDIA on one side, and the configurations of GPU nodes. `files` are the names of
    sides that are a single file."""
    before, after = _objects(old, new)
    secrets = secret_names(old, new)
    pods = {id(each.about): each for each in workloads(new)}
    releases = {(f"{each.namespace}", f"{each.name}"): each for each in new.releases}
    of_releases: dict[int, list[Workload]] = {}
    for each in workloads(new):
        of_releases.setdefault(id(each.about), []).append(each)
    told: set[str] = set()
    plugins = {each.about.label for inputs in (old, new) for each in device_plugins(inputs)}
    for key in sorted({*before, *after}):
        was, now = before.get(key), after.get(key)
        if any(names_nvidia(each.body) for each in (was, now) if each is not None):
            for change in _change(
                was,
                now,
                lambda about: about.body,
                lambda was, now, fields: (
                    release_effects(release := releases.get((f"{now.namespace}", f"{now.name}")), of_releases.get(id(release), ()), fields)
                    if now.kind == "HelmRelease"
                    else object_effects(was, now, fields, pods.get(id(now)), is_plugin=now.label in plugins)
                ),
                secrets,
            ):
                told |= {change.file} if any(_VALUES.intersection(each.path) for each in change.fields) else set()
                yield change
    charts, others = charts_of((old, new), of_gpus=True)
    for key in sorted(charts.keys() & others.keys()):
        if others[key].file not in told:
            yield from _change(
                charts[key],
                others[key],
                lambda release: {"values": release.given},
                lambda _, now, fields: release_effects(now, of_releases.get(id(now), ()), fields),
                secrets,
            )
    settings, later = _configs(list(zip((old, new), files, strict=True)))
    for name in sorted({*settings, *later}):
        sides = settings.get(name), later.get(name)
        if any(each is not None and is_for_gpus(each) for each in sides):
            yield from _change(*sides, _settings, node_effects, secrets)


def unnamed(inputs: Inputs) -> int:
    """The number of objects whose names can't be read, which are on no side of a comparison."""
    return sum(is_unknown(each.name) and names_nvidia(each.body) for each in inputs.objects)


def _change(
    was: _About | None,
    now: _About | None,
    body: Callable[[_About], Any],
    effects: Callable[[_About, _About, list[FieldChange]], Iterable[str]],
    secrets: Collection[str],
) -> Iterator[PartChange]:
    if now is None:
        if was is not None:
            yield PartChange(way=Way.REMOVED, label=was.label, file=was.file)
    elif was is None:
        yield PartChange(way=Way.ADDED, label=now.label, file=now.file)
    else:
        fields = [each for each in field_changes(body(was), body(now)) if not each.where.startswith(_NO_CHANGE)]
        kind = now.kind if isinstance(now, KubernetesObject) else ""
        fields = [replace(each, is_hidden=is_hidden(each, kind, secrets)) for each in fields]
        fields.sort(key=lambda each: each.path[-1] not in _FIRST)
        if fields:
            yield PartChange(
                way=Way.CHANGED, label=now.label, file=now.file, fields=tuple(fields), effects=tuple(effects(was, now, fields))
            )


def _objects(*sides: Inputs) -> list[dict[Key, KubernetesObject]]:
    """The objects of each side by group, kind, namespace and name. One that several clusters of a side have is, on both
    sides, that of its file."""
    named = [[(_key(each), each) for each in inputs.objects if not is_unknown(each.name) and each.name] for inputs in sides]
    return [dict(side) for side in told_apart(named)]


def _key(each: KubernetesObject) -> Key:
    group = f"{each.api_version}".rpartition("/")[0]
    return group, each.kind, "" if each.namespace is None else f"{each.namespace}", f"{each.name}"


def _configs(sides: Sequence[tuple[Inputs, str]]) -> list[dict[Key, NodeConfig]]:
    """The configurations of each side by scope and label. One that a side has several times, such as in the templates of two
    clusters, is that of its file. A file that is the whole side has no name."""

    def key(each: NodeConfig, file: str) -> Key:
        return each.scope, *("" if name == file else name for name in (each.label, "" if each.scope == "node" else each.file))

    named = [[(key(each, file), each) for each in inputs.node_configs if not each.left_out_by] for inputs, file in sides]
    return [dict(side) for side in told_apart(named)]


def _settings(config: NodeConfig) -> dict[str, Any]:
    """The fields of a node configuration that reach a node."""
    names = (
        "talos_version",
        "image",
        "extensions",
        "kernel_args",
        "kernel_modules",
        "sysctls",
        "labels",
        "default_runtime",
        "pod_security",
    )
    taints = None if config.taints is None else [f"{each}" for each in config.taints]
    return {**{name: getattr(config, name) for name in names}, "taints": taints}
