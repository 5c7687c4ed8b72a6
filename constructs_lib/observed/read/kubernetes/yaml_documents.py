"""The documents of a stream of YAML or JSON in a repository. A document that is not YAML is skipped, and the others are
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ....yaml.load import Texts, YamlError, located, place_of_error, problem_of
from ....yaml.located import Document
from ...model import Skipped
from ..helm.templates import MARKS, plain_yaml

# A second object of JSON without a separator follows its predecessor in the output of talosctl for several nodes.
_BOUNDARY = re.compile(r"^(?:---(?=\s|$)|(?<=\n\}\n)\{)", re.MULTILINE)


def documents(text: str, file: str, line: int = 1, *, template: bool = False) -> tuple[list[Document], list[Skipped]]:
    """The documents of a stream, and those that are not YAML, each with its line."""
    result: list[Document] = []
    skipped: list[Skipped] = []
    texts = Texts()
    for start, end, first in pieces(text, line):
        piece = text[start:end]
        if piece.strip() in ("", "---"):
            continue
        try:
            result += _read(piece, file, first, texts, template=template)
        except _NotYaml as error:
            skipped.append(Skipped(file=file, line=error.line, reason=error.reason))
    return result, skipped


def pieces(text: str, line: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and first line of each document of a stream.

    A line that begins with `---` ends a document in every context, so the stream is split there before it is parsed.
    JSON has no separator: a line with `{` after a line with only `}` begins the next object.
    """
    start = 0
    for end in chain((each.start() for each in _BOUNDARY.finditer(text)), [len(text)]):
        yield start, end, line
        line += text.count("\n", start, end)
        start = end


class _NotYaml(Exception):  # noqa: N818  # private to this module
    def __init__(self, line: int, problem: str, *, template: bool) -> None:
        self.line = line
        self.reason = f"a template that is not YAML before it is rendered: {problem}" if template else f"not YAML: {problem}"


def _read(text: str, file: str, line: int, texts: Texts, *, template: bool) -> list[Document]:
    """The documents of a text. A text with template marks that is not YAML is read without the marks."""
    source, unsure = plain_yaml(text) if template else (text, ())
    try:
        return located(source, file, line, unsure=unsure, texts=texts)
    except YamlError as error:
        if not template and MARKS.search(text):
            return _read(text, file, line, texts, template=True)
        raise _NotYaml(line + place_of_error(error)[0] - 1, problem_of(error), template=template) from None
