"""Values that a dump never holds: Secrets, credentials in variables and flags, and texts in the shape of a token."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...checks.secret_values import CREDENTIAL, HIDDEN
from ..credential_words import INNER_WORDS, READ_ANNOTATIONS, READ_VARIABLES
from .credential_patterns import ASSIGNED, SHAPES

_HINTS = (
    "token", "pass", "pwd", "secret", "credential", "key", "auth", "session", "cookie", "sig=", "sig:", 'sig"', "signature", "license", "bearer", "basic",
    "hf_", "nvapi-", "sk-", "gh", "glpat-", "xox", "xapp-", "ya29", "aiza", "akia", "eyj", "private", "mysql", "mariadb", "redis-cli", "-u ", "-p ", "--user",
)  # fmt: skip
"""A part of everything that is hidden. Most texts have none, and this search takes a tenth of the time of the patterns."""
_FLAG = re.compile(rf"--?[\w.-]{{0,64}}?(?:(?:{INNER_WORDS})[\w-]{{0,64}}|pass|pwd|auth|key|license)", re.IGNORECASE)
_READ_VARIABLE = re.compile(READ_VARIABLES)
_READ_ANNOTATION = re.compile(READ_ANNOTATIONS)


def hidden_line(line: str) -> str:
    """A line of a log or a file without tokens, and without the values that stand beside a credential's name."""
    lowered = line.lower()
    for hint in _HINTS:
        if hint in lowered:
            break
    else:
        if "://" not in line or "@" not in line:
            return line
    line = SHAPES.sub(HIDDEN, line)
    for each in ASSIGNED:
        line = each.sub(rf"\g<1>{HIDDEN}", line)
    return line


def hide(body: Any) -> Any:
    """The value without what may be a credential: variables and annotations that nobody reads, flags of commands, tokens. The value is changed in place.

    A variable whose value is left out has a value from elsewhere, so that no rule takes other words for the value.
    """
    pending = [body]
    while pending:
        value = pending.pop()
        _HIDERS.get(type(value), _hide_nothing)(value, pending)
    return body


def _hide_entries(entries: dict[Any, Any], pending: list[Any]) -> None:
    entries.pop("managedFields", None)
    if isinstance(notes := entries.get("annotations"), dict):
        entries["annotations"] = {key: value for key, value in notes.items() if _READ_ANNOTATION.fullmatch(f"{key}")}
    for key, value in entries.items():
        if type(value) is not str:
            pending.append(value)
        elif len(value) > _SHORTEST and key != "name":
            entries[key] = hidden_line(value)
    if "value" in entries and isinstance(name := entries.get("name"), str) and not is_read(name):
        del entries["value"]
        entries["valueFrom"] = {}


def is_read(variable: str) -> bool:
    """Whether the value of a variable is kept: it is read, and its name is not that of a credential."""
    return _READ_VARIABLE.fullmatch(variable) is not None and CREDENTIAL.search(variable) is None


def _hide_items(items: list[Any], pending: list[Any]) -> None:
    is_secret = False
    for index, value in enumerate(items):
        if type(value) is not str:
            pending.append(value)
            continue
        if is_secret and not value.startswith("-"):
            items[index] = HIDDEN
        elif len(value) > _SHORTEST:
            items[index] = hidden_line(value)
        is_secret = value.startswith("-") and _FLAG.fullmatch(value) is not None


def _hide_nothing(value: Any, pending: list[Any]) -> None:
    """A number, or another value that is no text."""


_HIDERS: dict[type, Callable[[Any, list[Any]], None]] = {dict: _hide_entries, list: _hide_items}
_SHORTEST = 8
"""A shorter text holds no token and no assignment worth hiding."""
