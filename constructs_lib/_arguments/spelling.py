"""A suggestion for an unknown word: the known word that is most similar."""

from __future__ import annotations

from collections.abc import Iterable


def most_similar(word: str, known: Iterable[str]) -> str:
    """The known word that is most similar, or an empty string when no known word is similar."""
    import difflib  # only an error needs difflib

    spelled = {known_word.lower(): known_word for known_word in known}
    close = difflib.get_close_matches(word.lower(), spelled, n=1)
    return spelled[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'envvar'?`, or an empty string when no known word is similar."""
    similar = most_similar(word, known)
    return f"did you mean '{similar}'?" if similar else ""
