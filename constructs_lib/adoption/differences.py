"""What an adoption changes, what stays in the tree, and how much of the tree its file describes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from .adopted_cluster import Adoption
from .chart_parts import value_notes
from .talos_differences import talos_differences


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


class Outcome(StrEnum):
    """How much of the GPU stack of a tree its cluster file describes."""

    WHOLE = "whole"
    """The file synthesizes what is there."""
    WITH_DIFFERENCES = "whole, with named differences"
    """The file describes every part; each difference is named."""
    PARTLY = "partly"
    """A part was not understood, and stays where it is."""
    NOT_AT_ALL = "not at all"
    """The file has no part."""


def outcome(adoption: Adoption, found: Iterable[Difference]) -> Outcome:
    """The outcome of an adoption with these differences."""
    explanations = {each.explanation for each in found}
    if not adoption.parts:
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
    for kind, about, reason, file, line in talos_differences(adoption):
        yield Difference(Explanation(kind), about, reason, file, line)
    for left in adoption.left:
        yield Difference(Explanation.NOT_UNDERSTOOD, left.label, left.reason, left.file, left.line)
    for note in adoption.nodes.notes:
        yield Difference(Explanation.NOT_UNDERSTOOD, "nodes", note)
    for origin in dict.fromkeys(adoption.nodes.origins):
        yield Difference(Explanation.ASSUMED, "nodes", origin)
    for file, reason in adoption.tree.undeployed:
        yield Difference(Explanation.OUTSIDE, file, reason)
