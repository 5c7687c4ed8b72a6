"""A cluster as a KRM function: the `spec` of the function's configuration is a cluster file, and the cluster's objects join the list.

The function owns the files `manifests/<chart>.k8s.yaml`: objects with one of these paths are those of an earlier run, and are replaced. Every other
object of the list stays as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from .._arguments.errors import NOTHING, wrong, wrong_kind
from .._arguments.kubernetes_yaml import complaint, documents
from .._arguments.plain_values import mapping
from .._arguments.yaml_limits import EVENTS
from ..manifests.objects import Manifest
from ..upstream.krm_words import API_VERSION, ERROR, INDEX, INFO, KIND, PATH, WARNING
from ..upstream.npm_yaml import stream
from .cluster_file import LARGEST, OF_A_CLUSTER, check_cycles, check_keys
from .file_values import FileError, Path
from .synthesis import MANIFESTS, Synthesis, synthesize

_ITEMS, _RESULTS, _SPEC, _MERGE = "items", "results", "spec", "<<"
_NO_OBJECTS = "talos"


@dataclass(frozen=True)
class FunctionResult:
    """The output of the function: the list as YAML, and its errors and warnings as sentences."""

    text: str
    errors: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """The errors of the rules of `talos-gpu check`."""
    warnings: tuple[str, ...] = ()


def run_function(text: str, *, with_checks: bool = True) -> FunctionResult:
    """The list with the objects of the cluster. With an error, the list has its objects as they were given, and the results."""
    given = _resource_list(text)
    items = _items(given)
    kept, made = list(range(len(items))), list[Manifest]()
    try:
        others = [number for number in kept if not _is_ours(items[number])]
        result = _synthesis(given, [items[number] for number in others], with_checks=with_checks)
        twice: tuple[FileError, ...] = ()
        if not result.errors and not result.violations:
            made = _annotated(result)
            twice = tuple(_already_there([items[number] for number in others], made))
            kept, made = (kept, []) if twice else (others, made)
    except FileError as error:
        result, twice = Synthesis({}), (error,)
    errors = (*result.errors, *twice)
    results = [
        *(_result(each, ERROR) for each in (*errors, *result.violations)),
        *(_result(each, WARNING) for each in result.warnings),
        *([{"message": result.remark, "severity": INFO}] if result.remark else []),
        *_unwritten(given),
    ]
    return FunctionResult(
        _output(text, kept, made, results), *(tuple(map(_sentence, each)) for each in (errors, result.violations, result.warnings))
    )


def _output(text: str, kept: list[int], made: list[Manifest], results: list[dict[str, Any]]) -> str:
    """The given list with other items. What stays has the scalars that were given, letter by letter."""
    root: Any = yaml.compose(text, Loader=EVENTS)
    fields = {key.value: (key, value) for key, value in root.value}
    if _MERGE in fields:
        raise wrong_kind(_MERGE, "left out of a ResourceList", _MERGE)
    given = fields[_ITEMS][1].value if _ITEMS in fields else []
    new: Any = yaml.compose(stream([{_ITEMS: made, _RESULTS: results}]), Loader=EVENTS)
    (items_key, items), (results_key, results_node) = new.value
    items.value[:0] = [given[number] for number in kept]
    items.flow_style = not items.value
    fields[_ITEMS], fields[_RESULTS] = (items_key, items), (results_key, results_node)
    root.value = list(fields.values())
    root.flow_style = False
    written: str = yaml.serialize(root, Dumper=yaml.SafeDumper, allow_unicode=True, width=math.inf)
    return written


def _resource_list(text: str) -> dict[str, Any]:
    rule = f"one {KIND} of {API_VERSION.partition('/')[0]}"
    try:
        found: list[Any] = list(documents(text, LARGEST))
    except yaml.YAMLError as error:
        raise ValueError(f"standard input must be {rule}; {complaint(error)}") from None
    if len(found) != 1 or not isinstance(found[0], Mapping) or found[0].get("kind") != KIND:
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
            raise wrong_kind(_SPEC, "given", NOTHING, 'a cluster file, such as spec: {nodes: {talos_version: "1.14"}}')
        description = mapping(_SPEC, config[_SPEC])
    except (TypeError, ValueError) as error:
        raise FileError(path[:1], error) from None
    check_cycles(description, (_SPEC,), [], set())
    check_keys("a KRM function", description, OF_A_CLUSTER[1:], (_SPEC,))
    objects = {key: value for key, value in description.items() if key != _NO_OBJECTS}
    return synthesize(objects, _read_nothing, with_checks=with_checks, beside=beside)


def _read_nothing(_: str) -> str:
    """Only Talos files read other files, and the function has none."""
    return ""


def _annotated(result: Synthesis) -> list[Manifest]:
    """The objects of the cluster, each with its file and its place in the file."""
    found = []
    for path, text in result.files.items():
        for index, each in enumerate(documents(text)):
            annotations = {**each["metadata"].get("annotations", {}), PATH: path, INDEX: str(index)}
            found.append({**each, "metadata": {**each["metadata"], "annotations": annotations}})
    return found


def _is_ours(item: Manifest) -> bool:
    """Whether an earlier run made an object: also one of a chart that the cluster no longer has."""
    path = _metadata(item, "annotations").get(PATH)
    return isinstance(path, str) and re.fullmatch(rf"{MANIFESTS}/[^/]+\.k8s\.yaml", path) is not None


def _already_there(kept: list[Manifest], made: list[Manifest]) -> Iterator[FileError]:
    there = {_identity(each) for each in kept}
    for each in made:
        if _identity(each) in there:
            chart = each["metadata"]["annotations"][PATH].removeprefix(f"{MANIFESTS}/").partition(".")[0]
            name = f"{each['kind']} {each['metadata']['name']}"
            yield FileError(
                ("charts", chart), wrong("items", "without the objects that this function makes", name, "remove one of the two")
            )


def _identity(item: Manifest) -> tuple[str, ...]:
    """The group, the kind, the namespace and the name of an object, as text: an object of others may have any values."""
    metadata = _metadata(item)
    return str(item.get("apiVersion")).rpartition("/")[0], *map(str, (item.get("kind"), metadata.get("namespace"), metadata.get("name")))


def _metadata(item: Manifest, *keys: str) -> Mapping[str, Any]:
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


def _unwritten(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The remark that the function writes no Talos files."""
    config = given.get("functionConfig")
    spec = config.get(_SPEC) if isinstance(config, Mapping) else None
    if isinstance(spec, Mapping) and _NO_OBJECTS in spec:
        message = "Talos files are no objects of Kubernetes: talos-gpu synth writes them"
        yield {"message": message, "severity": INFO, "field": {"path": f"{_SPEC}.{_NO_OBJECTS}"}}
