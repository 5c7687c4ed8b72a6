"""The text of a settings file, read into `Settings`. An error names the line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from yaml import YAMLError

from ..arguments.errors import Refusal, in_file, wrong, wrong_kind
from ..arguments.plain_values import mapping
from ..observed.model import Path as KeyPath
from ..observed.read.kubernetes import located_yaml, yaml_documents
from ..yaml.kubernetes_yaml import complaint, documents, repeated_key
from ..yaml.limits import LARGEST
from .settings import Settings
from .settings_keys import KEYS, check_keys

_RULE = "a mapping in YAML, such as talos: '1.13'"
_PART = re.compile(r"\[([^\]]*)\]|\.?([^.\[]+)")


def read_settings(text: str, *, file: str, folder: Path) -> Settings:
    """The settings in a text. `file` is its name in reports, and `folder` the folder of the settings' paths.

    Raises:
        ValueError: `.talos-gpu.yaml:7: 'ignore[0].reason' must be …`, without the refused value, which may be a secret of another file.
    """
    given = _mapping(text, file)
    located = yaml_documents.documents(text, file)[0]
    value, place = (located[0].value, located[0].place) if located else (None, (file, 1))

    def line_of(path: KeyPath) -> int:
        return located_yaml.place_of(value, path, place)[1]

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


def _mapping(text: str, file: str) -> dict[str, Any]:
    """The mapping in the text; empty for an empty text."""
    try:
        contents: list[Any] = list(documents(text, LARGEST))
        twice = repeated_key(text)
    except YAMLError as error:
        raise in_file(file, wrong("settings", _RULE, "", re.sub(r" '[^']*'", "", complaint(error)))) from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise in_file(
            file, wrong("settings", _RULE, "", "a value is not of the kind that its tag names, or a number is too long")
        ) from None
    if twice:
        key, first, line = twice
        raise in_file(f"{file}:{line}", wrong(key, "given once", "", f"line {first} has the key too"))
    if len(contents) > 1:
        raise in_file(file, wrong_kind("settings", "one document", "", f"the file has {len(contents)}"))
    try:
        return mapping("settings", contents[0] if contents else {}, _RULE)
    except Refusal as error:
        raise in_file(file, error) from None


def _path(argument: str) -> KeyPath:
    """The path of an argument such as `ignore[0].reason` in the file."""
    parts = (match[1] if match[1] is not None else match[2] for match in _PART.finditer(argument))
    return tuple(int(part) if part.isdecimal() else part for part in parts)
