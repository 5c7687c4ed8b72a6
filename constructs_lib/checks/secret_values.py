"""Values that no message quotes: the data of Secrets, and variables whose name is that of a credential.

A report is read in logs of continuous integration, which more people see than the cluster's Secrets.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from .model import Inputs, question

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

CREDENTIAL = re.compile(r"TOKEN|PASSW|PASSPHRASE|SECRET|CREDENTIAL|KEY", re.IGNORECASE)
"""The name of a variable that holds a credential."""

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
# A shorter text is a word such as "all", which says nothing and stands in many messages.
_SHORTEST = 4
HIDDEN = "(a secret value)"
"""The words in place of a secret value."""


def without_secrets(message: str, inputs: Inputs) -> str:
    """The message with every secret value replaced, except the words of our own sentences."""
    pattern = _secrets(inputs)
    return pattern.sub(_hidden, message) if pattern else message


def _hidden(quoted: re.Match[str]) -> str:
    return quoted[0] if quoted[0] in _own_words() else HIDDEN


@cache
def _own_words() -> frozenset[str]:
    """The words of the checks' sources: a Secret's "none" or "true" is a word of our sentences, and hides nothing."""
    from importlib.resources import files  # the sources may be in an archive

    sources = _sources(files(__package__))
    return frozenset(word for source in sources for word in re.findall(r"[A-Za-z]+", source.read_text(encoding="utf-8")))


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry


@question
def _secrets(inputs: Inputs) -> re.Pattern[str] | None:
    values: set[str] = set()
    for secret in inputs.of_kind("Secret"):
        values.update(_of_secret(secret.body))
    for each in inputs.objects:
        for _, container in each.containers:
            values.update(_of_variables(container.get("env")))
    for read in (*inputs.of_kind("ConfigMap"), *inputs.releases, *inputs.node_configs):
        values.update(_of_variables(read.body))
    for release in inputs.releases:
        values.update(_of_variables(release.values))
    longest_first = sorted((value for value in values if len(value) >= _SHORTEST), key=lambda value: (-len(value), value))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if longest_first else None


def _of_secret(body: Mapping[str, Any]) -> Iterator[str]:
    for key in ("data", "stringData"):
        entries = body.get(key)
        for value in entries.values() if isinstance(entries, Mapping) else ():
            if isinstance(value, str):
                yield from _parts(value)
                yield from _parts(_decoded(value) if key == "data" else "")


def _parts(text: str) -> Iterator[str]:
    """The text, its lines, and the values of its lines if it is a file of settings."""
    yield text.strip()
    for line in text.splitlines():
        yield line.strip()
        yield re.split(r"[:=]\s*", line, maxsplit=1)[-1].strip(" \t\"'")


def _decoded(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _of_variables(body: Any) -> Iterator[str]:
    """The values of variables, written as a list of names and values or as a mapping."""
    pending, seen = [body], set[int]()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        if isinstance(value, Mapping):
            seen.add(id(value))
            name = value.get("name")
            if isinstance(name, str) and CREDENTIAL.search(name):
                yield from _scalar(value.get("value"))
            for key, inner in value.items():
                if isinstance(key, str) and _VARIABLE.fullmatch(key) and CREDENTIAL.search(key):
                    yield from _scalar(inner)
            pending += value.values()
        elif isinstance(value, list | tuple):
            seen.add(id(value))
            pending += value


def _scalar(value: Any) -> Iterator[str]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value).strip()
