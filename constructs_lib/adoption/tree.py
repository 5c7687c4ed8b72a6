"""The tree that is adopted.

Its objects as plain data, what was not read of it, and the parts that take its objects over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..arguments.credentials.places import credential_path
from ..arguments.patterns import pattern
from ..clusters.composer import Composer
from ..clusters.file_values import FileError
from ..observed.model import ChartRelease, Inputs, KubernetesObject, Read, Unknown, UnknownKey, at, is_unknown, known_str
from ..observed.read.files import LEFT_OUT, NOT_DEPLOYED, NOT_LIVE
from ..upstream.kubernetes.api import CLUSTER_SCOPED
from .node_classes import NodeClasses

Identity = tuple[str, str, str, str]
"""The API group, the kind, the namespace and the name of an object."""
Path = tuple[str | int, ...]
Made = dict[Identity, dict[str, Any]]

OF_NVIDIA = pattern(r"nvidia|dcgm", re.IGNORECASE)
_GAP = pattern(r"\$\{[^}]*\}|#\{[^}]*\}#?|\{%[^%]*%\}|\{\{.*?\}\}")
_ENCRYPTED = pattern(r"ENC\[|<path:|op://")
_UNDEPLOYED = (LEFT_OUT, NOT_DEPLOYED, NOT_LIVE)


class UnreadError(ValueError):
    """A part that was not understood, or that only its own tool can read.

    The message is the reason; `path` is the place inside the part.
    """

    def __init__(self, reason: str, path: Path = ()) -> None:
        super().__init__(reason)
        self.path = path


class RefusedError(UnreadError):
    """Arguments that a construct refuses."""

    def __init__(self, problem: FileError) -> None:
        super().__init__(str(problem.error))
        self.error = problem.error


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


@dataclass
class Part:
    """A part of the file: a construct with its arguments, and what it takes over from the tree."""

    name: str
    """The name of the construct."""
    id: str
    namespace: str
    arguments: dict[str, Any]
    about: Read | None = None
    """The release or the object that the part describes; None for a part that the tree lacks."""
    replaces: list[PlainObject] = field(default_factory=list)
    """The objects that the part takes over."""
    notes: list[str] = field(default_factory=list)
    """What the construct decides otherwise than the tree."""
    gaps: tuple[str, ...] = ()
    """The parts of its texts that another tool fills in."""
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The parts beside it, by their ids: the way in of a workload."""

    @property
    def label(self) -> str:
        """The name in reports."""
        return self.about.label if self.about else f"{self.name} {self.id}"

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line of what the part describes."""
        return place(self.about) if self.about else ("", 0)

    @property
    def objects(self) -> dict[str, dict[str, Any]]:
        """The objects of a chart, as the file writes them."""
        return {self.id: {self.name: self.arguments}, **self.beside}


@dataclass(frozen=True)
class Left:
    """A part of the tree that is not in the file, with the reason."""

    label: str
    file: str
    line: int
    reason: str
    is_object: bool = True
    """Whether it is deployed, and stays so: an object, or a release."""


class Tree:
    """The objects of a tree as plain data, and what was not read of it."""

    def __init__(self, inputs: Inputs, nodes: NodeClasses) -> None:
        self.inputs, self.nodes = inputs, nodes
        self.objects: list[PlainObject] = []
        self.left = [Left(each.label, *place(each), "its kind can't be read") for each in inputs.of_unknown_kind]
        self.undeployed: list[tuple[str, str]] = []
        self._identities: set[Identity] = set()
        for read in sorted(inputs.objects, key=lambda read: (read.file, read.line_of(()) or 0)):
            try:
                self._add(plain_object(read))
            except UnreadError as error:
                if OF_NVIDIA.search(f"{read.label} {read.file}"):
                    self.left.append(Left(read.label, *place(read), str(error)))
        for skipped in inputs.skipped:
            if skipped.names_nvidia and skipped.reason in _UNDEPLOYED:
                self.undeployed.append((skipped.file, skipped.reason))
            elif skipped.names_nvidia or skipped.is_reference:
                self.left.append(Left(skipped.file, skipped.file, skipped.line or 1, f"it was not read: {skipped.reason}", is_object=False))

    def _add(self, each: PlainObject) -> None:
        if each.identity not in self._identities:
            self._identities.add(each.identity)
            self.objects.append(each)
        elif OF_NVIDIA.search(f"{each.body}"):
            reason = "the tree has an object of this name twice; the file has the first one"
            self.left.append(Left(each.read.label, *place(each.read), reason))

    def plain(self, read: KubernetesObject) -> PlainObject:
        """An object as plain data without a credential.

        Raises `UnreadError` for one that can't be written elsewhere.
        """
        each = next((each for each in self.objects if each.read is read), None) or plain_object(read)
        refuse_credential(each.body)
        return each

    def about(self, release: ChartRelease) -> PlainObject | None:
        """The HelmRelease or the Application of a release; None for a release that no object of the tree makes."""
        kind, name = known_str(release.at("kind")), known_str(release.at("metadata", "name"))
        found = [each for each in self.objects if (each.read.kind, each.name) == (kind, name)]
        return next(iter([each for each in found if each.read.file == release.file] or found), None)

    def source(self, about: PlainObject | None) -> PlainObject | None:
        """The source of the chart that a HelmRelease of Flux names. Raises `UnreadError` for one with a credential."""
        reference = about and (at(about.body, "spec", "chartRef") or at(about.body, "spec", "chart", "spec", "sourceRef"))
        if about is None or not isinstance(reference, Mapping):
            return None
        found = self.find(str(reference.get("kind")), str(reference.get("namespace") or about.namespace), str(reference.get("name")))
        if found is not None and credential_path(found.body) is not None:
            raise UnreadError("the source of its chart holds a credential")
        return found

    def find(self, kind: str, namespace: str, name: str) -> PlainObject | None:
        """The object of a kind and a name."""
        return next((each for each in self.objects if (each.read.kind, each.namespace, each.name) == (kind, namespace, name)), None)

    def made(self, name: str, arguments: Mapping[str, Any], id: str = "trial", **beside: Any) -> Made:  # noqa: A002
        """The objects that a part makes by itself. Raises `UnreadError` for one that is refused."""
        return made({"nodes": self.nodes.classes, "charts": {"trial": {"objects": {id: {name: arguments}, **beside}}}})

    def smallest(self, name: str, id: str, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: A002
        """The arguments without those that follow from the others."""
        made = self.made(name, arguments, id)
        for key in list(arguments):
            fewer = {other: value for other, value in arguments.items() if other != key}
            try:
                if self.made(name, fewer, id) == made:
                    arguments = fewer
            except UnreadError:
                continue
        return arguments


def without_named(arguments: Mapping[str, Any], error: Exception) -> dict[str, Any] | None:
    """The arguments without the one that an error names, or without the item of it; None for an error about no
    argument."""
    name, _, inner = str(getattr(error, "argument", "")).rstrip("]").partition("[")
    value, got = arguments.get(name), str(getattr(error, "got", ""))
    if name not in arguments or name == "nodes":
        return None
    if isinstance(value, list) and inner.isdigit():
        value = [each for index, each in enumerate(value) if index != int(inner)]
    elif isinstance(value, Mapping) and (inner in value or got in value):
        value = {key: each for key, each in value.items() if key != (inner if inner in value else got)}
    else:
        value = None
    rest = {key: each for key, each in arguments.items() if key != name}
    return {**rest, name: value} if value else rest


def made(description: Mapping[str, Any]) -> Made:
    """The objects of a described cluster. Raises `RefusedError` for an error in it."""
    composer = Composer(description)
    composer.compose()
    if composer.errors:
        raise RefusedError(composer.errors[0])
    return {identity_of(body): body for chart in composer.charts.values() for _, body in chart.objects}


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
    return PlainObject(body, read, _gaps_in(placeholders))


def plain_values(release: ChartRelease) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values of a release as plain data, and the gaps in them.

    Raises `UnreadError` where they were not all read, and for a credential in them.
    """
    if not release.complete:
        raise UnreadError("further values come from a source that was not read")
    placeholders: list[str] = []
    try:
        values: dict[str, Any] = plain_value(release.given, placeholders)
        gaps = _gaps_in(placeholders)
    except UnreadError as error:
        raise UnreadError(f"its values can't be read: {error}") from None
    refuse_credential(values, ("values",), release.values_path)
    return values, gaps


def refuse_credential(body: Any, name: Path = (), base: Path = ()) -> None:
    """Refuse a body with a credential: a cluster file is committed and shared, so it holds none."""
    if (path := credential_path(body)) is not None:
        where = ".".join(map(str, (*name, *path))) or "the object"
        raise UnreadError(f"a credential in {where}; put it into a Secret, and name the Secret there", (*base, *path))


def _gaps_in(placeholders: Iterable[str]) -> tuple[str, ...]:
    """The parts of texts that another tool fills in. Raises `UnreadError` for an encrypted one."""
    texts = list(dict.fromkeys(placeholders))
    if encrypted := next((text for text in texts if _ENCRYPTED.search(text)), None):
        raise UnreadError(f"a value is encrypted, or comes from a vault: {encrypted[:40]}")
    return tuple(dict.fromkeys(match[0] for text in texts for match in _GAP.finditer(text)))


def plain_value(value: Any, placeholders: list[str] | None = None) -> Any:
    """A value as JSON data. The placeholders in it are collected."""
    if is_unknown(value):
        if placeholders is not None:
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
