"""A suggestion for an unknown word: the known word that is most similar."""

from __future__ import annotations

from collections.abc import Iterable


def is_near(word: str, known: str) -> bool:
    """Whether one slip of the keyboard makes one word of the other, or two slips in a word of at least eight
    letters."""
    slips = _slips(word.lower(), known.lower()) if abs(len(word) - len(known)) <= _MOST_SLIPS else _MOST_SLIPS + 1
    return slips <= (_MOST_SLIPS if len(word) >= _LONG_WORD else 1)


_MOST_SLIPS, _LONG_WORD = 2, 8


def _slips(first: str, second: str) -> int:
    """The letters that are added, left out, replaced, or swapped with the next letter."""
    before, last = [0] * (len(second) + 1), list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            slips = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and other == first[row - 2]:
                slips = min(slips, before[column - 2] + 1)
            current.append(slips)
        before, last = last, current
    return last[-1]


def most_similar(word: str, known: Iterable[str]) -> str:
    """The known word that is most similar, or an empty string when no known word is similar."""
    import difflib  # only an error needs difflib

    spelled = {known_word.lower(): known_word for known_word in known}
    close = difflib.get_close_matches(word.lower(), spelled)
    return next((spelled[each] for each in close if _is_alike(word.lower(), each)), "")


def _is_alike(word: str, known: str) -> bool:
    """Whether similar words are more than made of the same letters, as 'values' and 'alerts' are."""
    return known[:1] == word[:1] or word in known or known in word or is_near(word, known)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'envvar'?`, or an empty string when no known word is similar."""
    similar = most_similar(word, known)
    return f"did you mean '{similar}'?" if similar else ""
