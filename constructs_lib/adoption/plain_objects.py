"""Objects of a tree as plain data, with their identities. A placeholder such as `${VAR}` stays as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments.credentials.places import credential_path
from ..observed.model import ChartRelease, KubernetesObject, Read, Unknown, UnknownKey, is_unknown, known_str
from ..upstream.kubernetes.api import CLUSTER_SCOPED

Identity = tuple[str, str, str, str]
"""The API group, the kind, the namespace and the name of an object."""
Path = tuple[str | int, ...]

_GAP = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}#?|\{%[^%]*%\}|\{\{.*?\}\}")
_ENCRYPTED = re.compile(r"ENC\[|<path:|op://")


class UnreadError(ValueError):
    """A part that was not understood, or that only its own tool can read. The message is the reason; `path` is the place inside the part."""

    def __init__(self, reason: str, path: Path = ()) -> None:
        super().__init__(reason)
        self.path = path


@dataclass(frozen=True, eq=False)
class PlainObject:
    """An object as plain data."""

    body: dict[str, Any]
    read: KubernetesObject
    """The object as it was read."""
    gaps: tuple[str, ...] = ()
    """The parts of its texts that another tool fills in before the cluster gets the object."""

    @property
    def identity(self) -> Identity:
        """The identity of the object."""
        return identity_of(self.body)

    @property
    def namespace(self) -> str:
        """The namespace; empty for an object without one."""
        return self.identity[2]

    @property
    def name(self) -> str:
        """The name."""
        return self.identity[3]


def identity_of(body: Mapping[str, Any]) -> Identity:
    """The identity of a plain object."""
    metadata = body.get("metadata") or {}
    namespace = "" if body["kind"] in CLUSTER_SCOPED else str(metadata.get("namespace") or "")
    group = str(body["apiVersion"]).rpartition("/")[0]
    return group, str(body["kind"]), namespace, str(metadata.get("name", ""))


def place(read: Read, path: Path = ()) -> tuple[str, int]:
    """The file and the line of a path inside an object or a release."""
    file, line = read.place_at(path)
    return file or read.file, line or read.line_of(()) or 1


def plain_object(read: KubernetesObject) -> PlainObject:
    """An object as plain data. Raises `UnreadError` for an object that can't be written elsewhere as it is."""
    if f"{read.kind}".lower() == "secret":
        raise UnreadError("a Secret stays where it is: its content is written into no other file")
    if read.at("sops") is not None:
        raise UnreadError("the object is encrypted by SOPS")
    placeholders: list[str] = []
    body = plain_value(read.body, placeholders)
    for name in ("apiVersion", "kind"):
        if not isinstance(body.get(name), str) or known_str(read.at(name)) is None:
            raise UnreadError(f"its {name} can't be read")
    metadata = body.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise UnreadError("the object has no name")
    if isinstance(read.namespace, str) and body["kind"] not in CLUSTER_SCOPED:
        metadata["namespace"] = read.namespace
    body.pop("status", None)
    return PlainObject(body, read, gaps_in(placeholders))


def plain_values(release: ChartRelease, placeholders: list[str]) -> dict[str, Any]:
    """The values of a release as plain data. Raises `UnreadError` where they were not all read, and for a credential in them."""
    if not release.complete:
        raise UnreadError("further values come from a source that was not read")
    try:
        values: dict[str, Any] = plain_value(release.values, placeholders)
        gaps_in(placeholders)
    except UnreadError as error:
        raise UnreadError(f"its values can't be read: {error}") from None
    refuse_credential(values, ("values",), release.values_path)
    return values


def refuse_credential(body: Any, name: Path = (), base: Path = ()) -> None:
    """Refuse a body with a credential: a cluster file is committed and shared, so it holds none."""
    if (path := credential_path(body)) is not None:
        where = ".".join(map(str, (*name, *path))) or "the object"
        raise UnreadError(f"a credential in {where}; put it into a Secret, and name the Secret there", (*base, *path))


def gaps_in(placeholders: Iterable[str]) -> tuple[str, ...]:
    """The parts of texts that another tool fills in. Raises `UnreadError` for an encrypted one."""
    texts = list(dict.fromkeys(placeholders))
    if encrypted := next((text for text in texts if _ENCRYPTED.search(text)), None):
        raise UnreadError(f"a value is encrypted, or comes from a vault: {encrypted[:40]}")
    return tuple(dict.fromkeys(match[0] for text in texts for match in _GAP.finditer(text)))


def plain_value(value: Any, placeholders: list[str]) -> Any:
    """A value as JSON data. The placeholders in it are collected."""
    if is_unknown(value):
        placeholders.append(_text(value))
        return _text(value)
    if isinstance(value, Mapping):
        result: dict[str, Any] = {}
        for key, item in value.items():
            if isinstance(key, UnknownKey):
                raise UnreadError("a mapping has keys that can't be read")
            result[_text(key) if isinstance(key, Unknown) else str(key)] = plain_value(item, placeholders)
        return result
    if isinstance(value, list | tuple):
        return [plain_value(item, placeholders) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _text(value: Unknown) -> str:
    if not value.text:
        raise UnreadError("a value can't be read")
    return value.text


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The paths of all values in a mapping; a list is one value."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value
