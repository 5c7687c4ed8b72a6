"""The fields of a comparison whose values are credentials by their places. A comment on a pull request has more readers than the files
of a private repository, so more is hidden here than in the reports of the checks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..arguments.credentials.names import last_word
from ..arguments.credentials.texts import without_references
from ..observed.model import Inputs, Unknown, known_str
from .field_changes import FieldChange

_NAMES = ("secret", "secrets", "creds", "pw")
"""The last words of names that stand before a credential, or before the name of a Secret."""
_LISTED = ("users",)
"""The last words of names above lists with a user and a password."""
_OF_SECRET = ("data", "stringData")
_SECRETS = ("Secret", "ExternalSecret", "SealedSecret")


def secret_names(*sides: Inputs) -> frozenset[str]:
    """The names of the Secrets that the files of a side make."""
    found = (each for inputs in sides for each in inputs.of_kind(*_SECRETS))
    names = (name for each in found for name in (each.name, each.at("spec", "target", "name")))
    return frozenset(f"{each}" for each in names if known_str(each))


def is_hidden(change: FieldChange, kind: str, secrets: Collection[str]) -> bool:
    """Whether the values of a field are hidden whatever they are. `secrets` are names of Secrets, which nobody hides."""
    if kind == "Secret" and change.path[0] in _OF_SECRET:
        return True
    values = list(_texts((change.old, change.new)))
    if _is_listed(change):
        return bool(values)
    return last_word(change.name) in _NAMES and any(each.rpartition("/")[2] not in secrets for each in values)


def _is_listed(change: FieldChange) -> bool:
    above = next((index for index, part in enumerate(change.path) if last_word(f"{part}") in _LISTED), None)
    if above is None:
        return False
    is_list = any(isinstance(each, list | tuple) for each in (change.old, change.new))
    return is_list or any(isinstance(part, int) for part in change.path[above:])


def _texts(value: Any) -> Iterator[str]:
    """The plain values that a line shows, without those that another tool fills in. The fields of a mapping stand there by their
    names alone."""
    if isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts(each))
    elif isinstance(value, str | int | float | Unknown) and not isinstance(value, bool):
        text = f"{value}"
        yield from [text] if without_references(text).strip() else []
