"""The settings of the checks for one repository, as `.talos-gpu.yaml` states them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePath

from ..arguments.credentials.texts import hidden_text
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs
from ..observed.model.stated_versions import Origin
from ..observed.read.files import READ
from .rule import Finding

MOST_ROOTS = 100
"""Each root is a check of its own."""
MOST_IGNORES = 1_000
"""Each entry of `ignore` is compared with each file of a finding."""
_FOLDERS = "**"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ignore:
    """A rule that is silenced in a part of the repository. `path` is a file, a folder or a glob; empty for the whole
    repository."""

    rule: str
    reason: str
    path: str = ""

    @property
    def beginning(self) -> PurePath:
        """The folder or the file before the first wildcard of the path."""
        parts = PurePath(self.path).parts
        return PurePath(*parts[: next((number for number, part in enumerate(parts) if any(each in part for each in "*?[")), len(parts))])


@lru_cache(maxsize=MOST_IGNORES)
def _parts(path: str) -> tuple[str, ...]:
    """The names in a path of an entry. A `**` that follows another one says nothing new."""
    parts = PurePath(path).parts
    return tuple(part for part, before in zip(parts, ("", *parts), strict=False) if (part, before) != (_FOLDERS, _FOLDERS))


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether a glob matches a path or one of the folders above the path. The states of the match are numbers of
    matched parts of the pattern."""
    states = _with_folders({0}, pattern)
    for name in path:
        if not states or len(pattern) in states:
            break
        after = {each + 1 for each in states if fnmatchcase(name, pattern[each])}
        states = _with_folders(after | {each for each in states if pattern[each] == _FOLDERS}, pattern)
    return len(pattern) in states


def _with_folders(states: set[int], pattern: Sequence[str]) -> set[int]:
    """The states, and those after a `**`, which matches no folder too."""
    return states | {each + 1 for each in states if each < len(pattern) and pattern[each] == _FOLDERS}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings in one file. `file` is its path as reports show it. `lines`, `ignore_lines` and `root_lines` have
    the lines of its entries.

    The paths in the settings begin at `folder`. `nodes` are classes of GPU nodes, or the path of a cluster file. `labels`
    are labels of nodes and `runtime_classes` are RuntimeClasses that no file of the repository creates.
    """

    file: str
    folder: Path
    lines: Mapping[str, int] = field(default_factory=dict)
    ignore_lines: tuple[int, ...] = ()
    root_lines: tuple[int, ...] = ()
    talos: TalosVersion | None = None
    kubernetes: str | None = None
    roots: tuple[tuple[str, ...], ...] = ()
    ignore: tuple[Ignore, ...] = ()
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    runtime_classes: tuple[str, ...] = ()
    nodes: tuple[GpuNodes, ...] | str = ()
    fail_on: str | None = None
    _entries: dict[tuple[str, str], tuple[Ignore, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def outside_of_roots(self, paths: Iterable[Path]) -> list[Path]:
        """The folders and files below the paths that could be checked and are in no root. Only the folders around the
        roots are opened."""
        roots = {self.folder / each for root in self.roots for each in root}
        pending = [Path(os.path.abspath(each)) for each in paths]  # noqa: PTH100  # resolve() follows links
        outside = []
        while pending:
            path = pending.pop()
            if any(path.is_relative_to(each) for each in roots):
                continue
            if any(each.is_relative_to(path) for each in roots):
                with suppress(OSError):  # a folder that this user may not read: the check names it
                    pending += (each for each in path.iterdir() if not each.name.startswith("."))
            elif path.suffix in READ or (path.is_dir() and not path.is_symlink() and _has_files(path)):
                outside.append(path)
        return sorted(outside)

    def applied(self, inputs: Inputs, subjects: Iterable[str]) -> Inputs:
        """The inputs with the parts that are made outside of the files. The settings are the source of the versions of
        these subjects."""
        stated = (
            replace(each, file=self.file, line=self.lines.get(each.subject))
            if each.origin is Origin.ARGUMENT and each.subject in subjects
            else each
            for each in inputs.stated_versions
        )
        return replace(
            inputs, stated_versions=tuple(stated), outside_labels=self.labels, outside_runtime_classes=frozenset(self.runtime_classes)
        )

    def silenced(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings, with the reason for those that the settings silence. The reason of an annotation or a comment
        stays."""
        if not self.ignore:
            return list(findings)
        return [self._silenced(each) for each in findings]

    def _silenced(self, finding: Finding) -> Finding:
        entries = self._entries_of(finding.rule, finding.file)
        return finding if not entries or finding.ignored is not None else replace(finding, ignored=hidden_text(entries[0].reason))

    def _entries_of(self, rule: str, file: str) -> tuple[Ignore, ...]:
        """The entries that silence the findings of a rule in a file, which are found once for all of those findings."""
        if (rule, file) not in self._entries:
            path = PurePath(os.path.relpath(file, self.folder)).parts
            self._entries[rule, file] = tuple(
                each for each in self.ignore if each.rule == rule and (not each.path or _matches(_parts(each.path), path))
            )
        return self._entries[rule, file]

    def unused(self, findings: Sequence[Finding], rules: Iterable[str], paths: Iterable[str]) -> list[str]:
        """A sentence about each entry of `ignore` that matches no finding, though its rule was applied and its files
        were among the checked ones."""
        places = {(each.rule, each.file) for each in findings}
        used = {entry for place in places for entry in self._entries_of(*place)}
        applied, checked = set(rules), [Path(os.path.abspath(each)) for each in paths]  # noqa: PTH100  # resolve() follows links
        return [
            f"{self.file}:{line}: the ignore of {each.rule}{f' in {each.path}' if each.path else ''} matches no finding; remove the entry"
            for line, each in zip(self.ignore_lines, self.ignore, strict=True)
            if each.rule in applied and each not in used and any(_reaches(path, self.folder / each.beginning) for path in checked)
        ]


def _has_files(folder: Path) -> bool:
    """Whether a check would find a file to read below a folder."""
    return any(name.endswith(READ) for _, _, names in os.walk(folder) for name in names)


def _reaches(checked: Path, beginning: Path) -> bool:
    """Whether a checked path contains the beginning of an entry's path, or is a folder below it."""
    return beginning.is_relative_to(checked) or (checked.is_relative_to(beginning) and checked.is_dir())
