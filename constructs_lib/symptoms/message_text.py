"""The text of what programs say, for people: which program, in which releases, and where in its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..arguments.printable import printable
from ..upstream.message_catalogue import Message, Speaker
from .error_words import named_errors
from .log_search import LONGEST_SHOWN
from .message_search import Said, Saying

_MARGIN = "   "
_MOST_FILES = 2


def said_text(noted: Sequence[Said], most: int) -> str:
    """The lines that programs say and nothing explains, the worst first."""
    blocks = ["\n".join(_said(number, said)) for number, said in enumerate(noted[:most], start=1)]
    if len(noted) > most:
        blocks.append(f"{len(noted) - most} more with --limit {len(noted)}")
    return "\n\n".join(blocks) + "\n"


def _said(number: int, said: Said) -> Iterator[str]:
    yield f"{number}. Said by {_titles(said.sayings[-1])}; not yet explained here"
    often = f"line {said.line}" if said.lines == 1 else f"line {said.line} and {said.lines - 1} more"
    rows = [f"{often}: {said.text[:LONGEST_SHOWN]}", *(row for saying in said.sayings for row in _sources(saying))]
    rows += [f"code: {sentence}" for sentence in named_errors(said.text)]
    yield from (f"{_MARGIN}{printable(row)}" for row in rows)


def origins(said: Said) -> list[str]:
    """The programs that say the innermost message of a line, which is the nearest to the cause."""
    return list(_origins(said.sayings[-1]))


def speakers(said: Said) -> list[str]:
    """The programs that say the innermost message of a line, with their releases."""
    return [f"{speaker.title} {speaker.releases(messages)}" for speaker, messages in _by_speaker(said.sayings[-1]).items()]


def _sources(saying: Saying) -> Iterator[str]:
    values = f" with {', '.join(saying.values)}" if saying.values else ""
    yield f"words: {saying.messages[0].format}{values}"
    yield from (f"source: {origin}" for origin in _origins(saying))


def _origins(saying: Saying) -> Iterator[str]:
    for speaker, messages in _by_speaker(saying).items():
        paths = list(dict.fromkeys(message.path for message in messages))
        more = f" and {len(paths) - _MOST_FILES} more" if len(paths) > _MOST_FILES else ""
        yield f"{speaker.title} {speaker.releases(messages)}, {speaker.repository} {', '.join(paths[:_MOST_FILES])}{more}"


def _titles(saying: Saying) -> str:
    return " or ".join(speaker.title for speaker in _by_speaker(saying))


def _by_speaker(saying: Saying) -> dict[Speaker, list[Message]]:
    found: dict[Speaker, list[Message]] = {}
    for message in saying.messages:
        found.setdefault(message.speaker, []).append(message)
    return found
