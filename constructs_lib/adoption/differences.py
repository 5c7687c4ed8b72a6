"""The report of an adoption: what the file changes, what leaves the tree, and what stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from ..observed.agents.operators import operators
from ..observed.model import ChartRelease, NodeConfig, at
from ..observed.objects.chart_sources import sources_of
from ..observed.read.files import KUSTOMIZATIONS
from ..observed.read.repository import read_text
from ..upstream.nvidia.gpu_resources import PRESENT_LABEL
from ..upstream.talos.platforms import Arch
from .adopted_cluster import Adoption
from .chart_parts import value_notes
from .equivalence import Change
from .node_classes import ABOUT_GPUS
from .pruning import warning
from .talos_settings import (
    ARGUMENTS,
    EXTENSIONS,
    FILES,
    IMAGE,
    LABELS,
    MODULES,
    REST,
    SCHEMATIC,
    Settings,
    installed_image,
    is_hidden,
    node_settings,
)
from .tree import Made, Path, PlainObject, made

BEFORE = "before the new files are applied"
AFTER = "once the new files are applied"


@dataclass(frozen=True)
class Removal:
    """The objects of one file that leave it, and when."""

    when: str
    file: str
    labels: tuple[str, ...]
    is_whole: bool
    """Whether nothing else is in the file."""
    pruning: str = ""
    """The sentence about a deployer that deletes from the cluster what leaves its files; the new object has its name."""

    @property
    def text(self) -> str:
        """The removal in words."""
        what = "the whole file, and its line in the kustomization or Application that names it" if self.is_whole else "these objects alone"
        return f"{self.file}: remove {what}: {', '.join(self.labels)}{f'; {self.pruning}' if self.pruning else ''}"


def removals(adoption: Adoption) -> list[Removal]:
    """The removals, in order.

    First what the new objects would collide with, then what the new files have under its own name.
    """
    new, gone, pruning = made(adoption.description), dict[tuple[str, str], list[str]](), dict[str, str]()
    for part in adoption.parts:
        if isinstance(part.about, ChartRelease) and not part.replaces:
            labels = gone.setdefault((BEFORE, part.about.file), [])
            labels += [label for label in (f"the chart {part.label}",) if label not in labels]
        for each in part.replaces:
            when = AFTER if _is_updated(each, new) else BEFORE
            labels = gone.setdefault((when, each.read.file), [])
            if each.read.label not in labels and not _is_in_use(adoption, each):
                labels.append(each.read.label)
                if when == AFTER and (sentence := warning(adoption.inputs, each)):
                    pruning.setdefault(each.read.file, sentence)
    numbers = Counter(read.file for read in adoption.inputs.objects)
    ordered = sorted(((key, labels) for key, labels in gone.items() if labels), key=lambda item: item[0][0] != BEFORE)
    return [
        Removal(
            when,
            file,
            tuple(labels),
            is_whole=numbers[file] == len(labels) and PurePath(file).name not in KUSTOMIZATIONS,
            pruning=pruning.get(file, "") if when == AFTER else "",
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


def _is_in_use(adoption: Adoption, source: PlainObject) -> bool:
    """Whether a release that stays names this source of its chart."""
    if source.read.kind not in ("HelmRepository", "OCIRepository"):
        return False
    taken = [part.about for part in adoption.parts]
    stay = (each for each in adoption.inputs.releases if all(each is not about for about in taken))
    named = (one for each in stay for one in sources_of(each, adoption.inputs) or ())
    return any((one.kind, one.namespace or "", one.name) == source.identity[1:] for one in named)


def _is_updated(each: PlainObject, made: Made) -> bool:
    """Whether the new object updates the old one.

    It has its name, and the selector of pods, which can't change, is the same.
    """
    new: Any = made.get(each.identity)
    return new is not None and (each.read.pod_path is None or at(new, "spec", "selector") == at(each.body, "spec", "selector"))


class Explanation(StrEnum):
    """The explanation of a difference."""

    CONSTRUCT = "by the construct"
    """The construct decides it otherwise."""
    ASSUMED = "assumed"
    """No file states it: it follows from other files."""
    STAYS = "stays in its file"
    """The file of the tree goes on saying it: the Talos patch that `synth` writes is merged into that file."""
    OUTSIDE = "not deployed"
    """Nothing deploys the file, so it is no part of the cluster."""
    FOUND = "found by the checks"
    """The rules of `talos-gpu check` find it in what the file synthesizes, and not in the tree."""
    NOT_UNDERSTOOD = "not understood"
    """The file does not say it, for the reason. It stays where it is."""


@dataclass(frozen=True)
class Difference:
    """A difference between the tree and what its file synthesizes, with its place in the tree."""

    explanation: Explanation
    about: str
    reason: str
    file: str = ""
    line: int = 0
    rule: str = ""

    @property
    def text(self) -> str:
        """The difference as a line."""
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        because = f" because of {self.rule}" if self.rule else ""
        return f"{self.explanation}{because}: {place}{self.about}: {self.reason}"


_NAMED = (EXTENSIONS, ARGUMENTS, MODULES)
"""The sections whose items are names."""


def _of_talos(adoption: Adoption) -> Iterator[Difference]:
    """The differences of the settings that node configurations state. Equal differences of several nodes are one."""
    lines: dict[tuple[Explanation, Path, str], list[NodeConfig]] = {}
    if not adoption.talos:
        return  # a note says why the file has no Talos files
    by_operator: set[Path] = {(LABELS, PRESENT_LABEL)} if operators(adoption.inputs) else set()
    for given, configs in zip(adoption.nodes.classes, adoption.nodes.configs, strict=True):
        entry = next((each for each in adoption.talos if each.get("nodes") == given.get("name")), None)
        if entry is None:
            continue  # a note says why the class has no Talos files
        made = _made(adoption.files, f"{given['name']}-" if "name" in given else "", entry)
        for config in configs:
            for line in _of_config(config, made, has_target="omni" in entry, by_operator=by_operator):
                lines.setdefault(line, []).append(config)
    for (explanation, path, words), configs in lines.items():
        labels = ", ".join(dict.fromkeys(each.label for each in configs))
        where = f" {'.'.join(map(str, path))}" if path else ""
        yield Difference(explanation, f"{labels}{where}", words, configs[0].file, configs[0].line_of(()) or 1)


def _made(files: Mapping[str, str], prefix: str, entry: Mapping[str, Any]) -> Settings:
    """The settings in the Talos files of a class."""
    made: Settings = {(IMAGE, "arch"): entry.get("arch", str(Arch.AMD64))}
    for name in ("schematic.yaml", "machine-config.yaml"):
        for config in read_text(files.get(f"talos/{prefix}{name}", "")).node_configs:
            made.update(node_settings(config))
    return {**made, **installed_image(files.get(f"talos/{prefix}installer-image.txt", ""))}


def _of_config(config: NodeConfig, made: Settings, *, has_target: bool, by_operator: set[Path]) -> Iterator[tuple[Explanation, Path, str]]:
    theirs = node_settings(config)
    sections = {path[0] for path in theirs} - {IMAGE, REST}
    stays: list[str] = []
    for path in dict.fromkeys([*theirs, *(path for path in made if path[0] in sections)]):
        change = Change(path, theirs.get(path), made.get(path))
        if change.theirs == change.ours:
            continue
        if path[0] == REST or (change.ours is None and _stays(path, config)):
            stays.append(".".join(map(str, path if path[0] != REST else path[1:])))
        else:
            is_ours = change.theirs is None or path in by_operator
            explanation = Explanation.CONSTRUCT if is_ours else Explanation.NOT_UNDERSTOOD
            yield explanation, path[:1] if path[0] in _NAMED else path, _words(change)
    if stays or (config.scope != "patch" and not has_target):
        others = f"; only this file says {', '.join(stays)}" if stays else ""
        yield Explanation.STAYS, (), f"the schematic and the patch of the cluster file are merged into this file{others}"


def _stays(path: Path, config: NodeConfig) -> bool:
    """Whether a configuration keeps a setting beside the patch.

    A file, or a label that is not of the class of nodes.
    """
    return path[0] == FILES or (path[0] == LABELS and (config.scope != "patch" or not ABOUT_GPUS.search(str(path[1]))))


def _words(change: Change) -> str:
    """The change in words, without values that may be credentials."""
    if change.path[0] in (SCHEMATIC, FILES):
        return "the value is left out" if change.ours is None else "another value is written"
    if change.path[0] not in _NAMED:
        return change.words
    name = str(change.path[1])
    name = name.partition("=")[0] if change.path[0] == ARGUMENTS and is_hidden(name) else name
    if change.theirs is None or change.ours is None:
        return f"{name} is {'added' if change.theirs is None else 'left out'}"
    return f"the parameters of {name}: {change.words}"


class Outcome(StrEnum):
    """How much of the GPU stack of a tree its cluster file describes."""

    WHOLE = "whole"
    """The file synthesizes what is there."""
    WITH_DIFFERENCES = "whole, with named differences"
    """The file describes every part; each difference is named."""
    PARTLY = "partly"
    """A part was not understood, and stays where it is."""
    NOT_AT_ALL = "not at all"
    """The file has no part, and no class of nodes was read."""


def outcome(adoption: Adoption, found: Iterable[Difference]) -> Outcome:
    """The outcome of an adoption with these differences."""
    explanations = {each.explanation for each in found}
    if not adoption.parts and not adoption.nodes.has_configs:
        return Outcome.NOT_AT_ALL
    if Explanation.NOT_UNDERSTOOD in explanations:
        return Outcome.PARTLY
    return Outcome.WITH_DIFFERENCES if explanations & {Explanation.CONSTRUCT, Explanation.FOUND} else Outcome.WHOLE


def differences(adoption: Adoption) -> list[Difference]:
    """Every difference between the tree and what the file synthesizes, and every part that the file does not have."""
    return list(_differences(adoption))


def _differences(adoption: Adoption) -> Iterator[Difference]:
    for part in adoption.parts:
        for note in (*part.notes, *value_notes(adoption.tree, part)):
            yield Difference(Explanation.CONSTRUCT, part.label, note, *part.place)
        if part.gaps:
            reason = f"the file has {', '.join(part.gaps)} as it is written, and nothing that was read fills it in"
            yield Difference(Explanation.NOT_UNDERSTOOD, part.label, reason, *part.place)
    for judged in adoption.judged:
        rule, _, words = f"{judged.error}".partition(" ")
        yield Difference(Explanation.FOUND, ".".join(map(str, judged.path)), words, rule=rule)
    yield from _of_talos(adoption)
    for left in sorted(adoption.left, key=lambda left: not left.is_object):
        yield Difference(Explanation.NOT_UNDERSTOOD, left.label, left.reason, left.file, left.line)
    for note in adoption.nodes.notes:
        yield Difference(Explanation.NOT_UNDERSTOOD, "nodes", note)
    for origin in dict.fromkeys(adoption.nodes.origins):
        yield Difference(Explanation.ASSUMED, "nodes", origin)
    for file, reason in adoption.tree.undeployed:
        yield Difference(Explanation.OUTSIDE, file, reason)
