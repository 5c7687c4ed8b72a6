"""The credentials in plain data: variables, fields, arguments of a program, the data of Secrets, and texts with a
credential in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .names import HIDDEN, is_credential
from .texts import hidden_text, hidden_value, is_literal, shapes

Path = tuple[str | int, ...]
_PLAIN = frozenset({"name", "namespace", "kind", "apiVersion", "uid", "image"})
"""Fields with the name of something, which may have the form of a token."""
_SHORT_FLAGS = frozenset({"-p", "-a", "-w", "-u", "--user", "-hft", "-passin", "-passout"})
_SHORTEST = 8
"""A shorter text holds no token and no assignment worth hiding."""


def credential_path(value: Any) -> Path | None:
    """The path of the first credential in plain data. None for data without one."""
    return next(credential_paths(value), None)


def credential_paths(value: Any) -> Iterator[Path]:
    """The paths of the credentials in plain data; a Secret is one path."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, each = pending.pop()
        if isinstance(each, str):
            if hidden_text(each) != each:
                yield path
        elif isinstance(each, Mapping):
            if is_secret(each):
                yield path
                continue
            if isinstance(each.get("encryptedData"), Mapping):  # a SealedSecret
                continue
            yield from ((*path, key) for key, _ in in_mapping(each))
            pending += [((*path, key), inner) for key, inner in reversed([*each.items()]) if isinstance(inner, Mapping | list | tuple)]
        elif isinstance(each, list | tuple):
            yield from ((*path, index) for index, _ in in_list(each))
            pending += [
                ((*path, index), inner) for index, inner in reversed([*enumerate(each)]) if isinstance(inner, Mapping | list | tuple)
            ]


def is_secret(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is a Secret, also of a misspelt kind."""
    is_kind = str(value.get("kind")).lower() == "secret" and "data" in value
    return is_kind or bool(isinstance(texts := value.get("stringData"), Mapping) and texts)


def in_mapping(value: Mapping[Any, Any]) -> Iterator[tuple[Any, str]]:
    """The fields of a mapping that hold a credential, each with the value that may be shown."""
    variable = value.get("name")
    for key, each in value.items():
        field = key if isinstance(key, str) else ""
        name = variable if field == "value" and isinstance(variable, str) else field
        if isinstance(each, str):
            if field in _PLAIN or (len(each) <= _SHORTEST and not is_credential(name)):
                continue
            if (shown := hidden_value(name, each)) != each:
                yield key, shown
        elif isinstance(each, int | float) and is_credential(name) and is_literal(name, each):
            yield key, HIDDEN


def in_list(items: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """The items of a list that hold a credential, each with the text that may be shown. The item after a flag is the
    value of the flag."""
    before = ""
    for index, each in enumerate(items):
        if not isinstance(each, str):
            before = ""
            continue
        shown = _argument(before, each, items) if before else None
        if shown is None and len(each) > _SHORTEST:
            shown = hidden_text(each)
        if shown is not None and shown != each:
            yield index, shown
        before = each if each.startswith("-") and "=" not in each else ""


def _argument(flag: str, word: str, items: Sequence[Any]) -> str | None:
    """The argument of a flag as it may be shown; None where the flag takes no credential."""
    if word.startswith("-"):
        return None
    if flag in _SHORT_FLAGS:
        call = f"{' '.join(each for each in items[:2] if isinstance(each, str))} {flag} "
        found = [(start - len(call), end - len(call)) for start, end in shapes(f"{call}{word}") if start >= len(call)]
        return f"{word[: found[0][0]]}{HIDDEN}{word[found[0][1] :]}" if found else None
    return HIDDEN if is_credential(flag) and is_literal(flag, word) else None
