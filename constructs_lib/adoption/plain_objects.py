"""Objects of a tree as plain data, with their identities. A placeholder such as `${VAR}` stays as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..observed.model import KubernetesObject, Unknown, UnknownKey, is_unknown, known_str
from ..upstream.kubernetes.api import CLUSTER_SCOPED

Identity = tuple[str, str, str, str]
"""The API group, the kind, the namespace and the name of an object."""

_GAP = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}#?|\{%[^%]*%\}|(\{\{.*?\}\})")
_WITH_TEMPLATES = frozenset(
    {"ConfigMap", "HelmRelease", "PrometheusRule", "VMRule", "ExternalSecret", "ClusterExternalSecret", "GrafanaDashboard"}
)
"""The kinds whose own texts have `{{ … }}`, which Helm or a controller in the cluster fills in."""
_ENCRYPTED = re.compile(r"ENC\[|<path:|op://")


class UnreadError(ValueError):
    """A part of an object that was not read, or that nobody but its tool can read. The message is the reason."""


@dataclass(frozen=True, eq=False)
class PlainObject:
    """An object as plain data, with its place in the tree."""

    body: dict[str, Any]
    label: str
    file: str
    line: int
    placeholders: tuple[str, ...]
    """The texts that another tool fills in."""
    read: KubernetesObject
    """The object as it was read."""

    @property
    def gaps(self) -> list[str]:
        """The parts of its texts that another tool fills in before the cluster gets the object."""
        found = (match for text in self.placeholders for match in _GAP.finditer(text))
        return list(dict.fromkeys(match[0] for match in found if not (match[1] and self.kind in _WITH_TEMPLATES)))

    def place_of(self, path: tuple[str | int, ...]) -> str:
        """The file and the line of a path inside the object."""
        file, line = self.read.place_at(path)
        return f"{file or self.file}:{line or self.line or 1}"

    @property
    def identity(self) -> Identity:
        """The identity of the object."""
        return identity_of(self.body)

    @property
    def namespace(self) -> str:
        """The namespace; empty for an object without one."""
        return self.identity[2]

    @property
    def kind(self) -> str:
        """The kind."""
        return self.identity[1]

    @property
    def name(self) -> str:
        """The name."""
        return self.identity[3]

    @property
    def text(self) -> str:
        """The object as one line of JSON."""
        return json.dumps(self.body, default=str)


def identity_of(body: Mapping[str, Any]) -> Identity:
    """The identity of a plain object."""
    metadata = body.get("metadata") or {}
    namespace = "" if body["kind"] in CLUSTER_SCOPED else str(metadata.get("namespace") or "")
    group = str(body["apiVersion"]).rpartition("/")[0]
    return group, str(body["kind"]), namespace, str(metadata.get("name", ""))


def plain_object(read: KubernetesObject) -> PlainObject:
    """An object as plain data. Raises `UnreadError` for an object that can't be written elsewhere as it is."""
    if f"{read.kind}".lower() == "secret":
        raise UnreadError("a Secret stays where it is: its content is written into no other file")
    if read.at("sops") is not None:
        raise UnreadError("the object is encrypted by SOPS")
    placeholders: list[str] = []
    body = plain_value(read.body, placeholders)
    if any(_ENCRYPTED.search(text) for text in placeholders):
        raise UnreadError(f"a value is encrypted, or comes from a vault: {next(filter(_ENCRYPTED.search, placeholders))[:40]}")
    for name in ("apiVersion", "kind"):
        if not isinstance(body.get(name), str) or known_str(read.at(name)) is None:
            raise UnreadError(f"its {name} can't be read")
    metadata = body.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise UnreadError("the object has no name")
    if isinstance(read.namespace, str) and body["kind"] not in CLUSTER_SCOPED:
        metadata["namespace"] = read.namespace
    body.pop("status", None)
    return PlainObject(body, read.label, read.file, read.line_of(()) or 0, tuple(dict.fromkeys(placeholders)), read)


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


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The paths of all values in a mapping; a list is one value."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value
