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
            result += _template(piece, file, first, texts) if template else located(piece, file, first, texts=texts)
        except YamlError as error:
            again = _again(error, piece, file, first, texts, is_template=template)
            if isinstance(again, Skipped):
                skipped.append(again)
            else:
                result += again
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


def _again(error: YamlError, text: str, file: str, line: int, texts: Texts, *, is_template: bool) -> list[Document] | Skipped:
    """The documents of a text that is YAML without the marks of its template. A text that is not YAML is skipped."""
    if not is_template and MARKS.search(text):
        is_template = True
        try:
            return _template(text, file, line, texts)
        except YamlError as without_marks:
            error = without_marks
    problem = problem_of(error)
    reason = f"a template that is not YAML before it is rendered: {problem}" if is_template else f"not YAML: {problem}"
    return Skipped(file=file, line=line + place_of_error(error)[0] - 1, reason=reason)


def _template(text: str, file: str, line: int, texts: Texts) -> list[Document]:
    """The documents of a text, read without the marks of its template."""
    plain, unsure = plain_yaml(text)
    return located(plain, file, line, unsure=unsure, texts=texts)
