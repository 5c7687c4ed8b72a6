"""A report: the findings, the silenced findings, and the inputs that were read or skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .._arguments.printable import printable
from .finding import Finding, Severity
from .model import Inputs, Skipped


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Report:
    """The findings about the inputs."""

    inputs: Inputs
    all_findings: tuple[Finding, ...]
    not_applied: int = 0
    """The number of rules that were not applied because the Talos version is not known."""
    crashes: tuple[str, ...] = ()
    """A sentence about each rule that failed."""

    @property
    def findings(self) -> list[Finding]:
        """The findings that are not silenced."""
        return [each for each in self.all_findings if each.ignored is None]

    @property
    def silenced(self) -> list[Finding]:
        """The findings that are silenced with a reason."""
        return [each for each in self.all_findings if each.ignored is not None]

    @property
    def counts(self) -> str:
        """`1 error, 2 warnings in 40 objects, 2 charts and 1 node configuration, for Talos 1.13`."""
        kinds = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "remark"))
        severities = [each.severity for each in self.findings]
        found = ", ".join(_count(severities.count(severity), name) for severity, name in kinds if severity in severities)
        read = self.inputs
        parts = ((read.objects, "object"), (read.releases, "chart"), (read.node_configs, "node configuration"))
        checked = [_count(len(given), name) for given, name in parts if given]
        if not checked:
            return f"nothing to check: no {_NOTHING} was read"
        talos = f", for Talos {read.talos_version}" if read.talos_version else ""
        return f"{found or 'nothing found'} in {_and(checked)}{talos}"

    @property
    def unknown_talos(self) -> str:
        """The rules that need the Talos version; empty if it is known, or if nothing was read."""
        read = self.inputs
        if not self.not_applied or not (read.objects or read.releases or read.node_configs):
            return ""
        return f"Talos version unknown: {_count(self.not_applied, 'rule')} not applied (give --talos 1.13)"

    @property
    def unchecked(self) -> list[str]:
        """The rules that failed, and the named files and folders in which nothing was checked, each with the reasons."""
        return [*self.crashes, *(printable(f"{path}: nothing was checked: {self._reasons(path)}") for path in self.inputs.empty)]

    def _reasons(self, path: str) -> str:
        below = [each for each in self.inputs.skipped if Path(each.file).is_relative_to(path)]
        return "; ".join(_alike(below)) or f"no {_NOTHING}"

    @property
    def head(self) -> list[str]:
        """What is known and not known of the inputs, in sentences."""
        return [self.unknown_talos] if self.unknown_talos else []

    @property
    def parts(self) -> Mapping[str, int]:
        """The number of GPU parts that were read, by their names."""
        return {}

    @property
    def talos_source(self) -> str | None:
        """The place of the Talos version: a file and its line, or a flag."""
        return None

    @property
    def kubernetes_source(self) -> str | None:
        """The place of the Kubernetes version: a file and its line, or a flag."""
        return None

    @property
    def skipped_nvidia(self) -> list[str]:
        """The skipped inputs that name NVIDIA, each with its place and reason."""
        return [printable(f"{place(each.file, each.line)}: {each.reason}") for each in self.inputs.skipped if _names_nvidia(each)]

    @property
    def skipped_count(self) -> int:
        """The number of the other skipped inputs."""
        return sum(not _names_nvidia(each) for each in self.inputs.skipped)


_NOTHING = "Kubernetes object, chart or node configuration"
_NAME = re.compile(r"'[^']*'")
_SHOWN = 3


def _names_nvidia(skipped: Skipped) -> bool:
    return "nvidia" in f"{skipped.file} {skipped.reason}".lower()


def _alike(skipped: Iterable[Skipped]) -> list[str]:
    alike: dict[str, list[Skipped]] = {}
    for each in skipped:
        alike.setdefault(_NAME.sub("'…'", each.reason), []).append(each)
    return [f"{_places(each)}: {each[0].reason if len(each) == 1 else reason}" for reason, each in alike.items()]


def _places(skipped: list[Skipped]) -> str:
    places = list(dict.fromkeys(place(each.file, each.line) for each in skipped))
    return ", ".join(places[:_SHOWN]) + (f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else "")


def place(file: str, line: int | None) -> str:
    """`file:line`, which editors and terminals turn into a link."""
    return f"{file}:{line}" if line is not None else file


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
