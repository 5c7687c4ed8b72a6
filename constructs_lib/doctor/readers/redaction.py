"""Values that a dump never holds: Secrets, credentials in variables and flags, and texts in the shape of a token."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...checks.secret_values import CREDENTIAL, HIDDEN

_COPIES = ("kubectl.kubernetes.io/last-applied-configuration",)
"""Annotations with a copy of the whole object."""
_TOKEN = re.compile(
    r"""\b(?:hf_|nvapi-|sk-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|AKIA|AGE-SECRET-KEY-1)[\w-]{12,}  # tokens that name their maker
    |\beyJ[\w-]{10,}\.[\w-]+\.[\w-]+                                                                    # a JSON Web Token
    |\b[Bb]earer\ [\w.~+/-]{12,}=*
    |(?<=://)[^\s/:@]+:[^\s/@]+(?=@)                                                                    # user and password of a URL
    |-----BEGIN\ [A-Z ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)""",
    re.VERBOSE,
)
_NAMES = r"(?:token|passw(?:or)?d|passphrase|secret|credential|api[_-]?key|access[_-]?key|private[_-]?key)"
_ASSIGNED = re.compile(
    rf"""((?:^|[\s"'{{,;&?-])[\w.-]*{_NAMES}[\w-]*["']?(?:\s*=\s*|\s*:\s*(?![a-z]+\ [a-z]))["']?)  # "token: unexpected status" is prose
    (?!["'\s,}}\[{{])[^\s"',}}&;]+""",
    re.VERBOSE | re.IGNORECASE,
)
_HINTS = (
    "token", "passw", "passphrase", "secret", "credential", "key", "hf_", "nvapi-", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
    "glpat-", "xox", "akia", "eyj", "bearer", "://", "private",
)  # fmt: skip
"""A part of everything that is hidden. Most texts have none, and this search takes a tenth of the time of the patterns."""
_FLAG = re.compile(r"--?[\w.-]*(?:token|passw(?:or)?d|passphrase|secret|credential|key)[\w-]*", re.IGNORECASE)


def hidden_tokens(text: str) -> str:
    """The text without what has the shape of a token."""
    return _TOKEN.sub(HIDDEN, text)


def hidden_line(line: str) -> str:
    """A line of a log or a file without tokens, and without the values that are assigned to a credential's name."""
    lowered = line.lower()
    for hint in _HINTS:
        if hint in lowered:
            break
    else:
        return line
    return _ASSIGNED.sub(rf"\1{HIDDEN}", hidden_tokens(line))


def hide(body: Any) -> Any:
    """The value without credentials: variables with a credential's name, flags of commands, copies of whole objects, tokens. The value is changed in place."""
    pending = [body]
    while pending:
        value = pending.pop()
        _HIDERS.get(type(value), _hide_nothing)(value, pending)
    return body


def _hide_entries(entries: dict[Any, Any], pending: list[Any]) -> None:
    for key in _COPIES:
        entries.pop(key, None)
    for key, value in entries.items():
        if type(value) is not str:
            pending.append(value)
        elif len(value) > _SHORTEST:
            entries[key] = hidden_line(value)
    if "value" in entries and isinstance(name := entries.get("name"), str) and CREDENTIAL.search(name):
        entries["value"] = HIDDEN


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
