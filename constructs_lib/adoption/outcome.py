"""The outcome of an adoption: whole, whole with named differences, partly, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from .adopted_cluster import Adoption
from .difference import Difference, Explanation


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


def outcome(adoption: Adoption, differences: Iterable[Difference]) -> Outcome:
    """The outcome of an adoption with these differences."""
    explanations = {each.explanation for each in differences if each.is_change}
    if all(entry.form is None for entry in adoption.entries):
        return Outcome.NOT_AT_ALL
    if Explanation.NOT_UNDERSTOOD in explanations:
        return Outcome.PARTLY
    return Outcome.WITH_DIFFERENCES if explanations else Outcome.WHOLE
