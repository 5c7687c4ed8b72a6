"""The steps from the tree to its cluster file.

What leaves the tree, in order, since it would be deployed twice, and what stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ..observed.model import ChartRelease, at
from ..observed.objects.chart_sources import sources_of
from ..observed.read.files import KUSTOMIZATIONS
from .adopted_cluster import Adoption
from .tree import Identity, Made, Part, PlainObject, made

BEFORE = "before the new files are applied"
AFTER = "once the new files are applied"
_SOURCES = ("HelmRepository", "OCIRepository")


@dataclass(frozen=True, kw_only=True)
class Removal:
    """The objects of one file that leave it, and when."""

    when: str
    file: str
    labels: tuple[str, ...]
    is_whole: bool
    """Whether nothing else is in the file."""

    @property
    def text(self) -> str:
        """The removal in words."""
        what = "the whole file, and its line in the kustomization or Application that names it" if self.is_whole else "these objects alone"
        return f"{self.file}: remove {what}: {', '.join(self.labels)}"


def removals(adoption: Adoption) -> list[Removal]:
    """The removals, in order.

    First what the new objects would collide with, then what the new files have under its own name.
    """
    new = made(adoption.description)
    gone: dict[tuple[str, str], list[str]] = {}
    for part in adoption.parts:
        for each, file, label in _taken(adoption, part):
            labels = gone.setdefault((AFTER if each is not None and _is_updated(each, new) else BEFORE, file), [])
            labels += [] if label in labels else [label]
    number: dict[str, int] = {}
    for read in adoption.inputs.objects:
        number[read.file] = number.get(read.file, 0) + 1
    taken: dict[str, int] = {}
    for (_, file), labels in gone.items():
        taken[file] = taken.get(file, 0) + len(labels)
    ordered = sorted(gone.items(), key=lambda item: item[0][0] != BEFORE)
    return [
        Removal(
            when=when,
            file=file,
            labels=tuple(labels),
            is_whole=taken[file] == number.get(file) == len(labels) and PurePath(file).name not in KUSTOMIZATIONS,
        )
        for (when, file), labels in ordered
    ]


def kept(adoption: Adoption) -> list[tuple[str, tuple[str, ...]]]:
    """The files that stay with parts of the GPU stack, each with the labels of its parts."""
    files: dict[str, list[str]] = {}
    for each in adoption.left:
        if each.is_object:
            files.setdefault(each.file, []).append(each.label)
    return [(file, tuple(dict.fromkeys(labels))) for file, labels in files.items()]


def _taken(adoption: Adoption, part: Part) -> Iterator[tuple[PlainObject | None, str, str]]:
    """The objects that a part takes over. The source of a chart stays while another release names it."""
    if isinstance(part.about, ChartRelease) and not part.replaces:
        yield None, part.about.file, f"the chart {part.label}"
    for each in part.replaces:
        if each.read.kind not in _SOURCES or not _is_in_use(adoption, each.identity):
            yield each, each.read.file, each.read.label


def _is_in_use(adoption: Adoption, source: Identity) -> bool:
    taken = {id(part.about) for part in adoption.parts}
    others: Iterable[ChartRelease] = (each for each in adoption.inputs.releases if id(each) not in taken)
    return source[1:] in (
        (named.kind, named.namespace or "", named.name) for each in others for named in sources_of(each, adoption.inputs) or ()
    )


def _is_updated(each: PlainObject, made: Made) -> bool:
    """Whether the new object updates the old one.

    It has its name, and the selector of pods, which can't change, is the same.
    """
    new: Any = made.get(each.identity)
    return new is not None and (each.read.pod_path is None or at(new, "spec", "selector") == at(each.body, "spec", "selector"))
