"""The text of a settings file, read into `Settings`. An error names the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..arguments.errors import Refusal, in_file, wrong, wrong_kind
from ..arguments.patterns import pattern
from ..arguments.plain_values import mapping
from ..observed.model import Path as KeyPath
from ..yaml.load import YamlError, complaint, handwritten
from ..yaml.located import Document, place_of
from .settings import Settings
from .settings_keys import KEYS, check_keys

_RULE = "a mapping in YAML, such as talos: '1.13'"
_PART = pattern(r"\[([^\]]*)\]|\.?([^.\[]+)")


def read_settings(text: str, *, file: str, folder: Path) -> Settings:
    """The settings in a text. `file` is its name in reports, and `folder` the folder of the settings' paths.

    Raises:
        ValueError: `.talos-gpu.yaml:7: 'ignore[0].reason' must be …`, without the refused value, which may be a secret
        of another file.
    """
    document = _document(text, file)
    given = _mapping(document.value, file)

    def line_of(path: KeyPath) -> int:
        return place_of(document.value, path, document.place)[1]

    attributes: dict[str, Any] = {}

    def lines_of(name: str) -> tuple[int, ...]:
        return tuple(line_of((name, number)) for number in range(len(attributes.get(name, ()))))

    name = ""
    try:
        check_keys(given, KEYS, "the settings")
        for name, entry in given.items():
            attributes[KEYS[name].attribute] = KEYS[name].read(name, entry)
    except Refusal as error:
        path = _path(error.argument)
        raise in_file(f"{file}:{line_of(path if name in ('', path[0]) else (name, *path))}", error) from None
    return Settings(
        file=file,
        folder=folder,
        lines={name: line_of((name,)) for name in given},
        ignore_lines=lines_of("ignore"),
        root_lines=lines_of("roots"),
        **attributes,
    )


def _document(text: str, file: str) -> Document:
    """The only document in the text; one without a value for an empty text."""
    try:
        found = handwritten(text)
    except YamlError as error:
        raise in_file(file, wrong("settings", _RULE, "", complaint(error))) from None
    if len(found) > 1:
        raise in_file(file, wrong_kind("settings", "one document", "", f"the file has {len(found)}"))
    return found[0] if found else Document(None, (file, 1))


def _mapping(content: Any, file: str) -> dict[str, Any]:
    try:
        return mapping("settings", content or {}, _RULE)
    except Refusal as error:
        raise in_file(file, error) from None


def _path(argument: str) -> KeyPath:
    """The path of an argument such as `ignore[0].reason` in the file."""
    parts = (match[1] if match[1] is not None else match[2] for match in _PART.finditer(argument))
    return tuple(int(part) if part.isdecimal() else part for part in parts)
