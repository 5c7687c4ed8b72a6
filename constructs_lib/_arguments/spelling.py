"""What was probably meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'envvar'?`, or nothing when nothing comes close."""
    import difflib  # what goes well never needs it

    spelled = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), spelled, n=1)
    return f"did you mean '{spelled[close[0]]}'?" if close else ""
