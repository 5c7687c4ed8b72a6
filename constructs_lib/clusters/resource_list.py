"""A cluster as a KRM function: the `spec` of the function's configuration is a cluster file, and the cluster's objects
join the list.

Each object that the function makes has an annotation with the name of the function's configuration. Objects with this
name are those of an earlier run, and are replaced. Every other object of the list stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.plain_values import mapping
from ..manifests.objects import Manifest
from ..upstream.programs.delivery_tools import KRM_API, KRM_ERROR, KRM_INDEX, KRM_INFO, KRM_PATH, KRM_WARNING, RESOURCE_LIST
from ..yaml.load import YamlError, complaint, documents
from ..yaml.npm_bytes import stream
from ..yaml.splice import composed, serialized
from .cluster_file import LARGEST, OF_A_CLUSTER
from .description import Description
from .file_values import FileError, Path, check_keys
from .synthesis import MANIFESTS, Synthesis, synthesize

_ITEMS, _RESULTS, _SPEC, _MERGE = "items", "results", "spec", "<<"
OWNER = "talos-gpu/krm"
"""The annotation of an object with the name of the configuration whose function made it."""


@dataclass(frozen=True)
class FunctionResult:
    """The output of the function: the list as YAML, and its errors and warnings as sentences."""

    text: str
    errors: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """The errors of the rules of `talos-gpu check`."""
    warnings: tuple[str, ...] = ()


def run_function(text: str, *, with_checks: bool = True) -> FunctionResult:
    """The list with the objects of the cluster. With an error, the list has its objects as they were given, and the
    results."""
    given = _resource_list(text)
    items = _items(given)
    kept, made, removed = list(range(len(items))), list[Manifest](), list[Manifest]()
    try:
        owner = _owner(given)
        others = [number for number in kept if not _is_of(owner, items[number])]
        result = _synthesis(given, [items[number] for number in others], with_checks=with_checks)
        twice: tuple[FileError, ...] = ()
        if not result.errors and not result.violations:
            made = _annotated(result, owner, [items[number] for number in others])
            twice = tuple(_already_there([items[number] for number in others], made))
            removed = [] if twice else _removed([each for each in items if _is_of(owner, each)], made)
            kept, made = (kept, []) if twice else (others, made)
    except FileError as error:
        result, twice = Synthesis({}), (error,)
    errors = (*result.errors, *twice)
    results = [
        *(_result(each, KRM_ERROR) for each in (*errors, *result.violations)),
        *(_result(each, KRM_WARNING) for each in result.warnings),
        *([{"message": result.remark, "severity": KRM_INFO}] if result.remark else []),
        *map(_removal, removed),
    ]
    return FunctionResult(
        _output(text, kept, made, results), *(tuple(map(_sentence, each)) for each in (errors, result.violations, result.warnings))
    )


def _output(text: str, kept: list[int], made: list[Manifest], results: list[dict[str, Any]]) -> str:
    """The given list with other items. What stays has the scalars that were given, letter by letter."""
    root: Any = composed(text)
    fields = {key.value: (key, value) for key, value in root.value}
    if _MERGE in fields:
        raise wrong_kind(_MERGE, "left out of a ResourceList", _MERGE)
    given = fields[_ITEMS][1].value if _ITEMS in fields else []
    new: Any = composed(stream([{_ITEMS: made, _RESULTS: results}]))
    (items_key, items), (results_key, results_node) = new.value
    items.value[:0] = [given[number] for number in kept]
    items.flow_style = not items.value
    fields[_ITEMS], fields[_RESULTS] = (items_key, items), (results_key, results_node)
    root.value = list(fields.values())
    root.flow_style = False
    return serialized([root])


def _resource_list(text: str) -> dict[str, Any]:
    rule = f"one {RESOURCE_LIST} of {KRM_API.partition('/')[0]}"
    try:
        found: list[Any] = list(documents(text, LARGEST))
    except YamlError as error:
        raise ValueError(f"standard input must be {rule}; {complaint(error)}") from None
    if len(found) != 1 or not isinstance(found[0], Mapping) or found[0].get("kind") != RESOURCE_LIST:
        raise ValueError(f"standard input must be {rule}, as kustomize and kpt write it")
    return dict(found[0])


def _items(given: Mapping[str, Any]) -> list[Manifest]:
    items = given.get(_ITEMS) or []
    if not isinstance(items, list) or not all(isinstance(each, Mapping) for each in items):
        raise wrong_kind(_ITEMS, "a list of objects", items)
    return items


def _synthesis(given: Mapping[str, Any], beside: list[Manifest], *, with_checks: bool) -> Synthesis:
    path: Path = ("functionConfig", _SPEC)
    try:
        config = mapping("functionConfig", given.get("functionConfig"), "an object whose spec is a cluster file")
        if _SPEC not in config:
            raise wrong_kind(_SPEC, "given", NOTHING, "a cluster file, such as spec: {talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090}}}")
        description = mapping(_SPEC, config[_SPEC])
    except (TypeError, ValueError) as error:
        raise FileError(path[:1], error) from None
    check_keys("a KRM function", description, OF_A_CLUSTER[1:], (_SPEC,))
    cluster = Description(description)
    for key in ("talos", "control_plane"):  # Talos files are no objects of Kubernetes
        cluster.pop(key, None)
    return synthesize(cluster, lambda _: "", with_checks=with_checks, beside=beside)


def _annotated(result: Synthesis, owner: str, beside: list[Manifest]) -> list[Manifest]:
    """The objects of the cluster, each with its owner, its file and a place in the file that no other object has: kpt
    refuses two in one place."""
    found = []
    places = {(str(marks.get(KRM_PATH)), str(marks.get(KRM_INDEX))) for each in beside if (marks := _metadata(each, "annotations"))}
    for path, objects in result.objects.items():
        free = (number for number in itertools.count() if (path, str(number)) not in places)
        for index, each in zip(free, objects, strict=False):
            annotations = {**each["metadata"].get("annotations", {}), OWNER: owner, KRM_PATH: path, KRM_INDEX: str(index)}
            found.append({**each, "metadata": {**each["metadata"], "annotations": annotations}})
    return found


def _owner(given: Mapping[str, Any]) -> str:
    """The name of the function's configuration."""
    config = given.get("functionConfig")
    name = _metadata(config).get("name")
    if isinstance(config, Mapping) and (not isinstance(name, str) or not name):
        error = wrong_kind(
            "name", "a string that is not empty", NOTHING if name is None else name, "objects of the function are known by it"
        )
        raise FileError(("functionConfig", "metadata", "name"), error)
    return str(name)


def _is_of(owner: str, item: Manifest) -> bool:
    """Whether an earlier run made an object: also one of a chart that the cluster no longer has."""
    return _metadata(item, "annotations").get(OWNER) == owner


def _removed(earlier: list[Manifest], made: list[Manifest]) -> list[Manifest]:
    """The objects of an earlier run that this run has not made."""
    now = {_identity(each) for each in made}
    return [each for each in earlier if _identity(each) not in now]


def _removal(item: Manifest) -> dict[str, Any]:
    _, kind, namespace, name = _identity(item)
    words = f"{kind} {name}{'' if namespace == 'None' else f' in namespace {namespace}'}"
    return {"message": f"{words} is removed: an earlier run made it, and no chart of the spec makes it now", "severity": KRM_INFO}


def _already_there(kept: list[Manifest], made: list[Manifest]) -> Iterator[FileError]:
    there = {_identity(each) for each in kept}
    for each in made:
        if _identity(each) in there:
            chart = each["metadata"]["annotations"][KRM_PATH].removeprefix(f"{MANIFESTS}/").partition(".")[0]
            name = f"{each['kind']} {each['metadata']['name']}"
            yield FileError(
                ("charts", chart), wrong("items", "without the objects that this function makes", name, "remove one of the two")
            )


def _identity(item: Manifest) -> tuple[str, ...]:
    """The group, the kind, the namespace and the name of an object, as text: an object of others may have any
    values."""
    metadata = _metadata(item)
    return str(item.get("apiVersion")).rpartition("/")[0], *map(str, (item.get("kind"), metadata.get("namespace"), metadata.get("name")))


def _metadata(item: Any, *keys: str) -> Mapping[str, Any]:
    found: Any = item
    for key in ("metadata", *keys):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _field(error: FileError) -> str:
    path = error.path if error.path[:1] in (("functionConfig",), (_SPEC,)) else (_SPEC, *error.path)
    return ".".join(map(str, path))


def _result(error: FileError, severity: str) -> dict[str, Any]:
    return {"message": str(error.error), "severity": severity, "field": {"path": _field(error)}}


def _sentence(error: FileError) -> str:
    return f"{_field(error)}: {error.error}"
