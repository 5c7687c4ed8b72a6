"""The documents of a stream of YAML or JSON in a repository, and of a template of it (Helm, Jinja, makejinja)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ...arguments.patterns import pattern
from ...upstream.nvidia.gpu_resources import NVIDIA
from ...yaml.load import Texts, YamlError, located, place_of_error, problem_of
from ...yaml.located import Document
from ..model import Skipped

# Most repositories set makejinja's delimiters to `#{ }#`, `#% %#` and `#| |#`, so that the file stays YAML.
MARKS = pattern(r"\{\{|\{%|#\{|#%")
_OPENING = r"(?:\{\{-?|\{%[-+]?|#%[-+]?)\s*"
_CLOSING = r".*(?:-?\}\}|[-+]?%\}|[-+]?%#)\s*$"
_WORD = pattern(rf"\s*{_OPENING}(\w+|/\*|\$\w+\s*:?=){_CLOSING}")
_COMMENT = pattern(r"\s*(?:\{#.*#\}|#\|.*\|?#|\{\{-?\s*/\*.*\*/\s*-?\}\})\s*$")
_COMMENTS = ((pattern(r"\s*\{\{-?\s*/\*"), pattern(r"\*/\s*-?\}\}")), (pattern(r"\s*\{#"), pattern(r"#\}")))
"""What begins a comment of several lines, and what ends it: of Go, and of Jinja."""
_OPEN = {"if", "for", "range", "with", "block", "macro", "define", "filter", "call"}
_CLOSE = {"end", "endif", "endfor", "endwith", "endblock", "endmacro", "endfilter", "endcall"}
_BESIDE = {"else", "elif", "set", "import", "from", "extends"}
_ALONE = pattern(r"\s*(?:\{\{.*\}\}|#\{.*\}#)\s*$")
# A variable that is alone on its line, or that a flow mapping follows: another tool may put any lines in its place.
_BLOCK = pattern(r"^\s*\$\{[^{}]*\}\s*$|^\$\{[^{}]*\}(?=[\[{])|(?<=[\]}])\$\{[^{}]*\}$", re.MULTILINE)
_VALUE = pattern(r"""^(\s*(?:- )*(?:(?:[\w./-]+|"[^"]*"|'[^']*'):[ ]+)?)([^\s"'|>\[#&!*].*|#\{.*)$""")


def plain_yaml(text: str) -> tuple[str, set[int]]:
    """The text with expressions quoted and control lines emptied, and the numbers (from 0) of the lines within blocks.

    A quoted expression reads as `Unknown`, and so do the values of a block, which may not be in the output.
    """
    lines: list[str] = []
    unsure: set[int] = set()
    depth, above = 0, None
    for number, line in enumerate(_without_comments(text)):
        word = _control_word(line)
        depth = max(0, depth + blocks_opened(line))
        control = word in _OPEN | _CLOSE | _BESIDE or word.endswith("=") or _COMMENT.match(line)
        if not control and _ALONE.match(line):
            control = True
            _fill(lines, above, line.strip())
        lines.append("" if control else _quoted(line))
        above = number if lines[-1].strip() else above
        if depth:
            unsure.add(number)
    return "\n".join(lines), unsure


def _without_comments(text: str) -> list[str]:
    """The lines, with those of comments that take several emptied. What follows a comment on its last line stays."""
    written = text.split("\n")
    last = [max((number for number, line in enumerate(written) if end.search(line)), default=0) for _, end in _COMMENTS]
    lines, closing = [], None
    for number, line in enumerate(written):
        if closing is not None:
            found = closing.search(line)
            lines.append(line[found.end() :] if found else "")
            closing = None if found else closing
            continue
        begun = (
            end
            for (begin, end), final in zip(_COMMENTS, last, strict=True)
            if number < final and begin.match(line) and not end.search(line)
        )
        closing = next(begun, None)
        lines.append(line if closing is None else "")
    return lines


def blocks_opened(line: str) -> int:
    """The change in the number of open blocks by a line: 1, 0 or -1."""
    word = _control_word(line)
    return 1 if word in _OPEN else -1 if word in _CLOSE else 0


def _control_word(line: str) -> str:
    return match[1] if (match := _WORD.match(line)) else ""


def _fill(lines: list[str], above: int | None, value: str) -> None:
    """Move an expression that is alone on its line to the key above it, if the key has no value yet."""
    if above is not None and lines[above].endswith(":"):
        lines[above] += " " + _in_quotes(value)


def _quoted(line: str) -> str:
    if not MARKS.search(line) or not (match := _VALUE.match(line)):
        return line
    before, value = match.groups()
    if not before.strip() or not MARKS.search(value):
        return line
    return before + _in_quotes(value.rstrip())


def _in_quotes(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


# A second object of JSON without a separator follows its predecessor in the output of talosctl for several nodes.
_BOUNDARY = pattern(r"^(?:---(?=\s|$)|(?<=\n\}\n)\{)", re.MULTILINE)


def documents(text: str, file: str, line: int = 1, *, template: bool = False) -> tuple[list[Document], list[Skipped]]:
    """The documents of a stream, and those that are not YAML, each with its line."""
    result: list[Document] = []
    skipped: list[Skipped] = []
    texts = Texts()
    is_template = template
    text = "\n".join(_without_comments(text)) if template else text  # a comment may have a line that begins with ---
    for start, end, first in pieces(text, line):
        piece = text[start:end]
        if piece.strip() in ("", "---"):
            continue
        try:
            read = _template(piece, file, first, texts) if template else located(piece, file, first, texts=texts)
        except YamlError as error:
            again = _again(error, piece, file, first, texts, is_template=template)
            if isinstance(again, Skipped):
                skipped.append(again)
                continue
            read, is_template = again, True
        result += read
    if is_template and NVIDIA.search(text):
        skipped += _blocks_of_gpus(text, file, line)
    return result, skipped


def _blocks_of_gpus(text: str, file: str, line: int) -> Iterator[Skipped]:
    """The outermost blocks of a template whose lines name NVIDIA: no value in them is known."""
    depth, start, lines = 0, 0, _without_comments(text)
    for number, each in enumerate(lines):
        if (change := blocks_opened(each)) > 0 and depth == 0:
            start = number
        is_end = change < 0 and depth == 1
        depth = max(0, depth + change)
        if is_end and NVIDIA.search("\n".join(lines[start + 1 : number])):
            reason = f"the values up to line {line + number} are unknown: {lines[start].strip()} decides about them"
            yield Skipped(file=file, line=line + start, reason=reason, names_nvidia=True)


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
    is_template = is_template or _is_yaml_later(text, file)
    reason = f"a template that is not YAML before it is rendered: {problem}" if is_template else f"not YAML: {problem}"
    return Skipped(
        file=file,
        line=line + place_of_error(error)[0] - 1,
        reason=reason,
        is_broken=not is_template,
        names_nvidia=NVIDIA.search(text) is not None,
    )


def _is_yaml_later(text: str, file: str) -> bool:
    """Whether a text is YAML without the variables that stand for whole lines."""
    try:
        return (rest := _BLOCK.sub("", text)) != text and bool(located(rest, file))
    except YamlError:
        return False


def _template(text: str, file: str, line: int, texts: Texts) -> list[Document]:
    """The documents of a text, read without the marks of its template."""
    plain, unsure = plain_yaml(text)
    return located(plain, file, line, unsure=unsure, texts=texts)
