"""The values of a cluster file: `{Persistent: 100Gi}` or `{Persistent: {size: 100Gi}}` is `Persistent("100Gi")`,
wherever an argument takes a volume."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_args, get_origin

from ..arguments.errors import Refusal, wrong, wrong_kind
from ..arguments.keywords import check_keywords
from ..arguments.spelling import did_you_mean
from ..manifests.charts.delivery import HelmTemplate
from ..manifests.workload.settings import WorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.taints import Taint
from .argument_types import alternatives, arguments_of, value_classes

WORKLOAD = "Workload"
"""The word before the id of a workload, where a string has another meaning: `{Workload: ollama}`."""

EVERY = "*"
"""Every class of nodes of the file, also one without a name."""

# A program that the file names would be run on this machine.
_RUNS_PROGRAMS = ("helm", "helm_flags")

Path = tuple[str | int, ...]


class FileError(Exception):
    """An error at a place of a cluster file: the keys that lead to the place, and the error."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(path, error)
        self.path, self.error = path, error


class References(Protocol):
    """The classes of nodes and the workloads of a file, by the names that its other parts use."""

    def nodes(self, argument: str, name: str) -> GpuNodes:
        """The class of nodes of this name."""
        ...

    def every(self) -> list[GpuNodes]:
        """Every class of nodes."""
        ...

    def workload(self, argument: str, name: str) -> WorkloadSettings:
        """The workload of this id, or of `chart/id`."""
        ...

    def value(self, kind: Any, /, *given: Any, **arguments: Any) -> Any:
        """The value of a class."""
        ...


Convert = Callable[[Any, str, Path, References], Any]


def arguments_in(owner: Any, given: Mapping[str, Any], path: Path, references: References) -> dict[str, Any]:
    """The arguments of a part or a value, each with the values that it names. The settings check the rest."""
    converters = _converters(owner)
    converted = dict(given)
    for name, value in given.items():
        convert = converters.get(name)
        if convert is not None:
            converted[name] = convert(value, name, (*path, name), references)
    return converted


def with_nodes(owner: Any, arguments: dict[str, Any], references: References) -> dict[str, Any]:
    """The arguments with the nodes that the file leaves no choice about: the only class, or all classes where a part
    takes several."""
    nodes = arguments_of(owner).get("nodes")
    if nodes is None or not nodes.is_required or "nodes" in arguments:
        return arguments
    classes = references.every()
    if len(classes) == 1:
        return {"nodes": classes[0], **arguments}
    return {"nodes": classes, **arguments} if any(each is not GpuNodes for each in alternatives(nodes.hint)) else arguments


@functools.cache
def _converters(owner: Any) -> dict[str, Convert]:
    found = {name: _converter(argument.hint) for name, argument in arguments_of(owner).items()}
    return {name: convert for name, convert in found.items() if convert is not None}


@functools.cache
def _converter(hint: Any) -> Convert | None:
    """The function that finds values in an argument; None where the argument has none."""
    found = _Argument(hint)
    return found.convert if found.has_values else None


class _Argument:
    """The values that an argument takes: values of some classes, and lists and mappings of them."""

    def __init__(self, hint: Any) -> None:
        kinds = list(alternatives(hint))
        self._classes = value_classes(hint)
        self._items = next((_converter(get_args(kind)[0]) for kind in kinds if get_origin(kind) is Iterable), None)
        self._entries = next((_converter(get_args(kind)[1]) for kind in kinds if get_origin(kind) is Mapping), None)
        self._takes_mappings = any(get_origin(kind) is Mapping for kind in kinds) or Any in kinds
        self._takes_text, self._by_name, self._by_id = str in kinds, GpuNodes in kinds, WorkloadSettings in kinds

    @property
    def has_values(self) -> bool:
        """Whether the argument takes anything that YAML has no notation for."""
        return bool(self._classes or self._items or self._entries or self._by_name or self._by_id)

    def convert(self, value: Any, argument: str, path: Path, references: References) -> Any:
        """The argument, with the values that it names."""
        if isinstance(value, str):
            return self._of_text(value, argument, path, references)
        if isinstance(value, list) and self._items is not None:
            return [self._items(each, f"{argument}[{n}]", (*path, n), references) for n, each in enumerate(value)]
        return self._of_mapping(value, argument, path, references) if isinstance(value, Mapping) else value

    def _of_text(self, value: str, argument: str, path: Path, references: References) -> Any:
        if self._by_name and value == EVERY and self._items is not None:
            return references.every()
        if self._by_name:
            return placed(path, references.nodes, argument, value)
        if self._by_id and not self._takes_text:
            return placed(path, references.workload, argument, value)
        return placed(path, Taint.parse, argument, value) if Taint in self._classes.values() else value

    def _of_mapping(self, value: Mapping[str, Any], argument: str, path: Path, references: References) -> Any:
        name, content = next(iter(value.items())) if len(value) == 1 else (None, None)
        if self._by_id and name == WORKLOAD:
            return placed((*path, name), references.workload, argument, content)
        if name in self._classes:
            return _value(self._classes[name], content, (*path, name), references)
        if self._entries is not None:
            return {key: self._entries(each, f"{argument}[{key}]", (*path, key), references) for key, each in value.items()}
        if self._classes and not self._takes_mappings:
            raise FileError(path, _unknown_value(argument, value, self._classes))
        return value


def _unknown_value(argument: str, value: Mapping[str, Any], classes: Mapping[str, type]) -> Refusal:
    names = ", ".join(f"{{{name}: …}}" for name in classes)
    word = str(next(iter(value), ""))
    return wrong_kind(argument, names if len(classes) == 1 else f"one of {names}", dict(value), did_you_mean(word, classes))


def _value(kind: Any, content: Any, path: Path, references: References) -> Any:
    """A value of a class: from a mapping of its arguments, or from its first argument."""
    if isinstance(content, Mapping):
        placed(path, check_keywords, kind.__name__, list(arguments_of(kind)), content)
        if kind is HelmTemplate:
            _refuse_programs(content, path)
        return placed(path, references.value, kind, **arguments_in(kind, content, path, references))
    return placed(path, references.value, kind) if content is None else placed(path, references.value, kind, content)


def _refuse_programs(content: Mapping[str, Any], path: Path) -> None:
    for name in _RUNS_PROGRAMS:
        if name in content:
            hint = "a file can't choose the programs that run on this machine: Helm is the one on PATH"
            raise FileError((*path, name), wrong(name, "left out in a cluster file", content[name], hint))


def placed(path: Path, make: Callable[..., Any], /, *args: Any, **arguments: Any) -> Any:
    """The result of a call. Its error gets the place in the file."""
    try:
        return make(*args, **arguments)
    except (TypeError, ValueError) as error:
        raise FileError(path, error) from None


def check_keys(owner: str, given: Mapping[str, Any], known: tuple[str, ...], path: Path) -> None:
    """Refuse a key that the file has no meaning for."""
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(str(key), known) or "the keys are " + ", ".join(f"'{name}'" for name in known)
            raise FileError((*path, key), wrong_kind(str(key), f"a key of {owner}", value, hint))
