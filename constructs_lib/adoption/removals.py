"""The files and objects that leave the tree once its cluster file is synthesized: each file and object that would be deployed twice, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from ..observed.objects.chart_sources import sources_of
from ..observed.read.files import KUSTOMIZATIONS
from .adopted_cluster import Adoption
from .entries import Entry
from .plain_objects import Identity, identity_of
from .trial import composed

BEFORE = "before the new files are applied"
AFTER = "once the new files are applied"


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
    """The removals, in order: first what serves the same GPUs under another name, then what the new files have under its own name."""
    made = {identity_of(body) for chart in composed(adoption.description).charts.values() for _, body in chart.objects}
    gone: dict[tuple[str, str], list[str]] = {}
    for entry in adoption.entries:
        for identity, file, label in _taken(adoption, entry):
            gone.setdefault((AFTER if identity in made else BEFORE, file), []).append(label)
    number: dict[str, int] = {}
    for each in adoption.inputs.objects:
        number[each.file] = number.get(each.file, 0) + 1
    taken: dict[str, int] = {}
    for (_, file), labels in gone.items():
        taken[file] = taken.get(file, 0) + len(labels)
    ordered = sorted(gone.items(), key=lambda item: item[0][0] != BEFORE)
    return [
        Removal(
            when=when,
            file=file,
            labels=tuple(labels),
            is_whole=taken[file] == number.get(file) == len(labels) and not _is_kustomization(file),
        )
        for (when, file), labels in ordered
    ]


def _taken(adoption: Adoption, entry: Entry) -> Iterator[tuple[Identity | None, str, str]]:
    """The objects that an entry takes over. The source of a chart stays while another release names it."""
    if entry.form is None:
        return
    objects = [adoption.tree[each] for each in sorted(entry.form.replaces) if each in adoption.tree]
    if entry.release is not None and not objects:
        yield None, entry.file, f"the chart {entry.label}"
    for each in objects:
        if not _is_in_use(adoption, entry, each.identity):
            yield each.identity, each.file, each.label


def _is_in_use(adoption: Adoption, entry: Entry, source: Identity) -> bool:
    others = (each for each in adoption.inputs.releases if entry.release is not None and each is not entry.release)
    found = ((named.kind, named.namespace or "", named.name) for each in others for named in sources_of(each, adoption.inputs) or ())
    return source[1:] in found


def _is_kustomization(file: str) -> bool:
    return PurePath(file).name in KUSTOMIZATIONS
