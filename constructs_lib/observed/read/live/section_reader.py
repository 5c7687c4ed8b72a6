"""A text of any mix: its sections are recognised by their shape, and each is given to its reader."""

from __future__ import annotations

import re

from ....yaml.load import YamlError, documents, place_of_error, problem_of
from .bundle_commands import Place, place_of
from .dump_builder import DumpBuilder
from .kubernetes_reader import read_json, read_yaml
from .line_reader import read_lines
from .talos_resources import read_empty, read_resource

_START = re.compile(
    r"^(?:(?P<json>\{)(?=\n|\")|(?P<mark>---[ \t]*\n)|(?P<yaml>(?:apiVersion|node): \S+\n|metadata:\n|kind: \w+\n(?=apiVersion: )))",
    re.MULTILINE,
)
_YAML_END = re.compile(
    r"""^(?!\ |-\ |\#|\n|\Z|\.\.\.\n               # deeper lines, items, comments
      |(?!apiVersion:\ |node:\ |error:|\w+:\ +(?:kern|user|daemon|syslog|auth)\w*:)[a-z][A-Za-z]*:(?:\ |\n|\Z))""",
    re.VERBOSE | re.MULTILINE,
)  # fmt: skip
_MARK = re.compile(r"^---", re.MULTILINE)
_NEXT_METADATA = re.compile(r"^(?:---|metadata:$)", re.MULTILINE)
_TALOS = re.compile(r"^(?: +)type: \w+\.(?:\w+\.)?talos\.dev$", re.MULTILINE)


def read_text(text: str, source: str, builder: DumpBuilder) -> None:
    """Read all sections of a text."""
    place = place_of(source)
    if place.is_unused:
        return
    if place.command is not None and place.command.lists and not place.is_failed:
        _note_listed(text, place, source, builder)
    if not text.strip():
        if place.command is None:
            builder.unread(source, "empty")
        return
    position = plain = 0
    while found := _START.search(text, position):
        end = _read_document(text, found, place, source, builder)
        if end is None:
            position = text.find("\n", found.start()) + 1 or len(text)
            continue
        _read_plain(text, plain, found.start(), place, source, builder)
        position = plain = max(end, found.end())
    _read_plain(text, plain, len(text), place, source, builder)


def _note_listed(text: str, place: Place, source: str, builder: DumpBuilder) -> None:
    command = place.command
    if command is not None and place.node:
        if not text.strip():
            read_empty(command.lists, place.node, source, builder)
    elif command is not None and text.rstrip().endswith("}"):
        builder.dump.listed.add(command.lists)


def _read_plain(text: str, start: int, end: int, place: Place, source: str, builder: DumpBuilder) -> None:
    if text[start:end].strip():
        read_lines(text[start:end], text.count("\n", 0, start) + 1, place, source, builder)


def _read_document(text: str, found: re.Match[str], place: Place, source: str, builder: DumpBuilder) -> int | None:
    """Read the document at a place, and return its end. None if it is a line of a log."""
    if found["json"]:
        return read_json(text, found.start(), place.node, source, builder)
    if found["mark"]:
        return found.end()
    mark = (_NEXT_METADATA if found["yaml"].startswith("metadata:") else _MARK).search(text, found.end())
    limit = mark.start() if mark else len(text)
    after = _YAML_END.search(text, found.end(), limit)
    end = after.start() if after else limit
    document = text[found.start() : end]
    try:
        if found["yaml"].startswith(("node:", "metadata:")):
            body = next(documents(document), None)
            if not isinstance(body, dict) or not read_resource(body, place.node, source, builder):
                return None
        else:
            read_yaml(document, source, builder)
    except YamlError as error:
        line = text.count("\n", 0, found.start()) + place_of_error(error)[0]
        builder.unread(source, f"no YAML at line {line}: {problem_of(error)}")
    return end
