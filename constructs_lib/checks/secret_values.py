"""Values that no message quotes: the data of Secrets, variables and fields with the name of a credential, and texts in
the shape of one.

A report is read in logs of continuous integration, which more people see than the cluster's Secrets.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..arguments.credentials.names import HIDDEN, is_credential
from ..arguments.credentials.texts import hidden_text, is_literal, is_switch
from ..arguments.patterns import pattern
from ..observed.model import Inputs, question

# A shorter text is a word such as "all", which says nothing and stands in many messages.
_SHORTEST = 4
_WORD = pattern(r"[A-Za-z]+")


def without_secrets(message: str, inputs: Inputs) -> str:
    """The message with every secret value replaced. A secret that is a plain word, such as `nodes`, is replaced where
    it is quoted."""
    patterns = _secrets(inputs)
    for secret in patterns:
        message = secret.sub(HIDDEN, message)
    return _hidden(message)


# Many objects have one fault, and each reading after a fix finds the others again.
_hidden = functools.lru_cache(maxsize=16384)(hidden_text)


@question
def _secrets(inputs: Inputs) -> list[re.Pattern[str]]:
    values: set[str] = set()
    for secret in inputs.of_kind("Secret"):
        values.update(_of_secret(secret.body))
    for each in inputs.objects:
        for _, container in each.containers:
            values.update(_of_fields(container.get("env")))
    for read in (*inputs.of_kind("ConfigMap"), *inputs.releases, *inputs.node_configs):
        values.update(_of_fields(read.body))
    for release in inputs.releases:
        values.update(_of_fields(release.given))
    values = {value for value in values if len(value) >= _SHORTEST and not is_switch(value)}
    words = {value for value in values if _WORD.fullmatch(value)}
    names = (text for each in inputs.objects for text in (each.name, each.namespace, each.kind)) if words else ()
    public = {text for text in names if isinstance(text, str)}
    patterns = (_pattern("(?<!\\w)", values - words), _pattern("(?<=['\"=`])|(?<=: )", words - public))
    return [each for each in patterns if each is not None]


def _pattern(before: str, values: set[str]) -> re.Pattern[str] | None:
    longest_first = sorted(values, key=lambda value: (-len(value), value))
    return re.compile(rf"(?:{before})(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if longest_first else None


def _of_secret(body: Mapping[str, Any]) -> Iterator[str]:
    for key in ("data", "stringData"):
        entries = body.get(key)
        for value in entries.values() if isinstance(entries, Mapping) else ():
            if isinstance(value, str):
                yield from _parts(value)
                yield from _parts(_decoded(value) if key == "data" else "")


def _parts(text: str) -> Iterator[str]:
    """The text, its lines, and the values of its lines if it is a file of settings. A plain word of a file is a secret
    beside the name of one."""
    yield text.strip()
    for line in text.splitlines():
        yield line.strip()
        name, mark, value = (
            (part.strip(" \t\"'") for part in re.split(r"([:=])\s*", line, maxsplit=1)) if re.search("[:=]", line) else ("", "", "")
        )
        if mark and (not _WORD.fullmatch(value) or is_credential(name)):
            yield value


def _decoded(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _of_fields(body: Any) -> Iterator[str]:
    """The values of variables and fields with the name of a credential, written as a list of names and values or as a
    mapping."""
    pending, seen = [body], set[int]()
    while pending:
        value = pending.pop()
        own = id(value)
        if own in seen:
            continue
        if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101  # checks against an abstract class are slow
            seen.add(own)
            name = value.get("name")
            for key, inner in value.items():
                owner = name if f"{key}" == "value" else key
                if not isinstance(inner, str | int):
                    pending += (inner,)
                elif is_credential(f"{owner}") and is_literal(f"{owner}", inner):
                    yield str(inner).strip()
        elif isinstance(value, list | tuple):
            seen.add(own)
            pending += value
