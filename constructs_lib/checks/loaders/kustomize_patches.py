"""Patches as kustomize applies them, strategic merges and JSON6902; nothing is changed in place, and values keep their lines."""

from __future__ import annotations

import re
from typing import Any

from ..model import at, literal
from .located_yaml import Map, Place, Seq, opened

# What tells the items of a list apart in Kubernetes' own kinds; in a custom resource a list is replaced as a whole.
_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "resourceClaims": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
}
_DEEPEST = 50
_OWN_GROUP = re.compile(r"(v1|(apps|batch|autoscaling|policy|extensions|[\w.]+\.k8s\.io)/.*)$")


def strategic(body: Any, patch: Map) -> Map | None:
    """An object with a strategic merge patch on it; None where that deletes it. It keeps its identity, which the patch only selects by."""
    if _is(patch, "delete"):
        return None
    change = _less(patch, "apiVersion", "kind")
    if isinstance(at(change, "metadata"), Map):
        change["metadata"] = _less(change["metadata"], "name", "namespace")
    return _merged(body, change, keyed=_OWN_GROUP.match(str(at(body, "apiVersion"))) is not None)


def _is(patch: Any, directive: str) -> bool:
    return isinstance(patch, Map) and literal(at(patch, "$patch")) == directive


def _less(value: Map, *keys: str) -> Map:
    return Map({key: item for key, item in value.items() if not isinstance(key, str) or key not in keys}, value.places)


def _merged(base: Any, patch: Map, *, keyed: bool) -> Map:
    if not isinstance(base, Map) or _is(patch, "replace"):
        base = Map()
    result = Map(base, dict(base.places))
    for key, value in patch.items():
        if isinstance(key, str) and key.startswith("$"):
            continue
        if value is None or _is(value, "delete"):
            result.pop(key, None)
            continue
        old = result.get(key)
        if isinstance(value, Map):
            result[key] = _merged(opened(old, patch.places[key]), value, keyed=keyed)
            if isinstance(old, Map):
                continue  # it stays where it was; what is new in it knows its own line
        elif isinstance(value, Seq) and isinstance(old, Seq) and keyed and (identity := _identity(key, [*old, *value])):
            result[key] = _items(old, value, identity)
        else:
            result[key] = _without_directives(value) if isinstance(value, Seq) else value
        result.places[key] = patch.places[key]
    return result


def _identity(key: str, items: list[Any]) -> str | None:
    identity = _KEYS.get(key)
    if isinstance(key, str) and key == "ports":
        identity = "containerPort" if any(isinstance(each, Map) and "containerPort" in each for each in items) else "port"
    return identity if identity and all(isinstance(each, Map) and (identity in each or "$patch" in each) for each in items) else None


def _items(base: Seq, patch: Seq, identity: str) -> Seq:
    result = Seq(base, list(base.places))
    if any(_is(each, "replace") for each in patch):
        return _without_directives(patch)
    for item, place in zip(patch, patch.places, strict=True):
        index = next((number for number, old in enumerate(result) if literal(at(old, identity)) == literal(at(item, identity))), None)
        if _is(item, "delete"):
            if index is not None:
                del result[index], result.places[index]
        elif index is not None:
            result[index] = _merged(result[index], item, keyed=True)
        else:
            result.append(item)
            result.places.append(place)
    return result


def _without_directives(patch: Seq) -> Seq:
    kept = [(item, place) for item, place in zip(patch, patch.places, strict=True) if not (isinstance(item, Map) and "$patch" in item)]
    return Seq([item for item, _ in kept], [place for _, place in kept])


def json6902(body: Any, operations: Seq) -> Any:
    """An object with JSON operations on it; one that does not fit, which would fail the build, is passed over."""
    for operation, place in zip(operations, operations.places, strict=True):
        path = at(operation, "path")
        if isinstance(operation, Map) and isinstance(path, str):
            parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
            if 0 < len(parts) <= _DEEPEST:
                body = _operated(body, parts, operation, place)
    return body


def _operated(value: Any, parts: list[str], operation: Map, place: Place) -> Any:
    part, *rest = parts
    if isinstance(value, Map):
        if not rest:
            return _set_key(value, part, operation, place)
        if part not in value:
            return value
        return Map({**value, part: _operated(value[part], rest, operation, place)}, value.places)
    if isinstance(value, Seq):
        index = len(value) if part == "-" else int(part) if part.isdecimal() else -1
        if not rest:
            return _set_item(value, index, operation, place)
        if 0 <= index < len(value):
            return Seq([*value[:index], _operated(value[index], rest, operation, place), *value[index + 1 :]], value.places)
    return value


def _operator(operation: Map) -> Any:
    return literal(at(operation, "op"))


def _set_key(value: Map, key: str, operation: Map, place: Place) -> Map:
    op = _operator(operation)
    if op == "remove":
        return _less(value, key)
    if op not in ("add", "replace"):
        return value
    return Map({**value, key: at(operation, "value")}, {**value.places, key: place})


def _set_item(value: Seq, index: int, operation: Map, place: Place) -> Seq:
    op = _operator(operation)
    if not 0 <= index <= len(value) or op not in ("add", "replace", "remove") or (op != "add" and index == len(value)):
        return value
    new = [] if op == "remove" else [at(operation, "value")]
    after = index if op == "add" else index + 1
    return Seq([*value[:index], *new, *value[after:]], [*value.places[:index], *([place] if new else []), *value.places[after:]])
