"""The settings of the checks for one repository, as `.talos-gpu.yaml` states them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from .finding import Finding
from .model import Inputs
from .model.stated_versions import Origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Ignore:
    """A rule that is silenced in a part of the repository. `path` is a file, a folder or a glob; empty for the whole repository."""

    rule: str
    reason: str
    path: str = ""

    def matches(self, finding: Finding, folder: Path) -> bool:
        """Whether the entry silences a finding; `folder` is the folder of the settings' paths."""
        if finding.rule != self.rule:
            return False
        file = PurePath(os.path.relpath(finding.file, folder))
        return not self.path or _matches(PurePath(self.path).parts, file.parts)

    @property
    def beginning(self) -> PurePath:
        """The folder or the file before the first wildcard of the path."""
        parts = PurePath(self.path).parts
        return PurePath(*parts[: next((number for number, part in enumerate(parts) if any(each in part for each in "*?[")), len(parts))])


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether a glob matches a path or one of the folders above the path. The states of the match are numbers of matched parts of the pattern."""
    states = _with_folders({0}, pattern)
    for name in path:
        if len(pattern) in states:
            return True
        after = {each + 1 for each in states if fnmatchcase(name, pattern[each])}
        states = _with_folders(after | {each for each in states if pattern[each] == _FOLDERS}, pattern)
    return len(pattern) in states


_FOLDERS = "**"


def _with_folders(states: set[int], pattern: Sequence[str]) -> set[int]:
    """The states, and those after a `**`, which matches no folder too."""
    for number, part in enumerate(pattern):
        if number in states and part == _FOLDERS:
            states.add(number + 1)
    return states


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings in one file. `file` is its path as reports show it. `lines`, `ignore_lines` and `root_lines` have the lines of its entries.

    The paths in the settings begin at `folder`. `nodes` are classes of GPU nodes, or the path of a nodes file. `labels` are labels of nodes and
    `runtime_classes` are RuntimeClasses that no file of the repository creates.
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

    def applied(self, inputs: Inputs, subjects: Iterable[str]) -> Inputs:
        """The inputs with the parts that are made outside of the files. The settings are the source of the versions of these subjects."""
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
        """The findings, with the reason for those that the settings silence. The reason of an annotation or a comment stays."""
        if not self.ignore:
            return list(findings)
        return [self._silenced(each) for each in findings]

    def _silenced(self, finding: Finding) -> Finding:
        reason = next((each.reason for each in self.ignore if each.matches(finding, self.folder)), None)
        return finding if reason is None or finding.ignored is not None else replace(finding, ignored=reason)

    def unused(self, findings: Sequence[Finding], rules: Iterable[str], paths: Iterable[str]) -> list[str]:
        """A sentence about each entry of `ignore` that matches no finding, though its rule was applied and its files were among the checked ones."""
        applied, checked = set(rules), [Path(os.path.abspath(each)) for each in paths]  # noqa: PTH100  # resolve() follows links
        return [
            f"{self.file}:{line}: the ignore of {each.rule}{f' in {each.path}' if each.path else ''} matches no finding; remove the entry"
            for line, each in zip(self.ignore_lines, self.ignore, strict=True)
            if each.rule in applied
            and any(_reaches(path, self.folder / each.beginning) for path in checked)
            and not any(each.matches(finding, self.folder) for finding in findings)
        ]


def _reaches(checked: Path, beginning: Path) -> bool:
    """Whether a checked path contains the beginning of an entry's path, or is a folder below it."""
    return beginning.is_relative_to(checked) or (checked.is_relative_to(beginning) and checked.is_dir())
