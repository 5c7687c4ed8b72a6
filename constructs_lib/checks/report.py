"""A report: the findings, the silenced findings, and the inputs that were read or skipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..arguments.patterns import pattern
from ..arguments.printable import printable
from ..observed.agents.gpu_parts import DRA_DRIVERS, GPU_NODES, OPERATORS, PLUGINS, WORKLOADS, gpu_parts
from ..observed.model import Inputs, Skipped
from .report_words import count, first_of, head, listed, place, read, unknown_talos
from .rule import Finding, Severity


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Report:
    """The findings about the inputs."""

    inputs: Inputs
    all_findings: tuple[Finding, ...]
    not_applied: int = 0
    """The number of rules that were not applied because the Talos version is not known."""
    crashes: tuple[str, ...] = ()
    """A sentence about each rule that failed."""
    settings: str | None = None
    """The file of the settings that were read."""
    effects: tuple[str, ...] = ()
    """A sentence about each way in which the settings make the report smaller."""

    @property
    def findings(self) -> list[Finding]:
        """The findings that are not silenced."""
        return [each for each in self.all_findings if each.ignored is None]

    @property
    def silenced(self) -> list[Finding]:
        """The findings that are silenced with a reason."""
        return [each for each in self.all_findings if each.ignored is not None]

    @property
    def head(self) -> list[str]:
        """The sentences before the findings: the settings, the versions with their sources, versions that differ, and
        the counts of what was read."""
        settings = [] if self.settings is None else [f"settings of {self.settings}"]
        return [printable(each) for each in (*settings, *self.effects, *head(self.inputs, self.not_applied))]

    @property
    def parts(self) -> Mapping[str, int]:
        """The number of GPU parts that were read, by their names."""
        return gpu_parts(self.inputs)

    @property
    def counts(self) -> str:
        """`1 error, 2 warnings in 1 GPU operator and 4 GPU workloads; no GPU node configuration was read`."""
        severities = [each.severity for each in self.findings]
        found = ", ".join(count(severities.count(severity), str(severity)) for severity in Severity if severity in severities)
        if not read(self.inputs):
            return f"nothing to check: no {_NOTHING} was read"
        if not self.parts:
            return f"{found or 'nothing to judge'}: {_NO_PART} was read"
        unread = self._unread_parts
        parts = listed(count(number, name) for name, number in self.parts.items())
        return f"{found or 'nothing found'} in {parts}" + (f"; no {listed(unread, 'and no')} was read" if unread else "")

    @property
    def _unread_parts(self) -> list[str]:
        """The halves of a GPU stack that were not read."""
        halves = ((PLUGINS, OPERATORS, DRA_DRIVERS), (WORKLOADS,), () if self.inputs.nodes else (GPU_NODES,))
        return [listed(half, "or") for half in halves if half and not any(part in self.parts for part in half)]

    @property
    def unknown_talos(self) -> str:
        """The number of rules that need the Talos version; empty if it is known, or if nothing was read."""
        return unknown_talos(self.inputs, self.not_applied)

    @property
    def unchecked(self) -> list[str]:
        """The rules that failed, and the named files and folders in which nothing was checked, each with the
        reasons."""
        return [
            *self.crashes,
            *(printable(f"{path}: nothing was checked: {self._reasons(path)}") for path in self.inputs.empty),
            *self._unjudged,
        ]

    @property
    def _unjudged(self) -> list[str]:
        """The sentence about inputs without any GPU part."""
        inputs_read = read(self.inputs)
        if not inputs_read or self.parts or self.all_findings:
            return []
        return [f"nothing was judged: {_NO_PART} was read in {inputs_read}"]

    def _reasons(self, path: str) -> str:
        below = [each for each in self.inputs.skipped if Path(each.file).is_relative_to(path)]
        return "; ".join(_alike(below)) or f"no {_NOTHING}"

    @property
    def skipped_nvidia(self) -> list[str]:
        """Each skipped place that names NVIDIA, with the reason."""
        named = [each for each in self.inputs.skipped if each.names_nvidia]
        return [printable(f"{place(each.file, each.line)}: {each.reason}") for each in named]

    @property
    def skipped_count(self) -> int:
        """The number of the other skipped places, and of the files in which nothing was recognized."""
        return sum(not each.names_nvidia for each in self.inputs.skipped) + len(self.inputs.unrecognized)


_NOTHING = "Kubernetes object, chart or node configuration"
_NO_PART = "no GPU operator, device plugin, DRA driver, DCGM exporter, GPU workload or GPU node configuration"
_NAME = pattern(r"'[^']*'")
_SHOWN = 3


def _alike(skipped: Iterable[Skipped]) -> list[str]:
    alike: dict[str, list[Skipped]] = {}
    for each in skipped:
        alike.setdefault(_NAME.sub("'…'", each.reason), []).append(each)
    return [f"{_places(each)}: {each[0].reason if len(each) == 1 else reason}" for reason, each in alike.items()]


def _places(skipped: list[Skipped]) -> str:
    return first_of(list(dict.fromkeys(place(each.file, each.line) for each in skipped)), _SHOWN)
