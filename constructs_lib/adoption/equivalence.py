"""The equivalence of two pods.

What the API server would store alike is alike, and a volume is compared where it is mounted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arguments.quantities import amount_of
from ..upstream.kubernetes.fields import OF_CONTAINER, OF_FIELD, OF_HTTP_GET, OF_MOUNT, OF_POD, OF_PORT, OF_PROBE, OF_SPEC, OF_VOLUME_FILES
from .tree import Path, leaves

_LONGEST = 60
_PROBES = frozenset({"startupProbe", "livenessProbe", "readinessProbe"})
_KEYS = {"containers": "name", "initContainers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath"}
"""The lists whose items have a key of their own."""
_SETS = frozenset({"tolerations", "accessModes", "ports", "imagePullSecrets"})
_AMOUNTS = frozenset({"limits", "requests"})
_ITEMS = {"ports": "port", "volumeMounts": "mount", "containers": "container", "initContainers": "container"}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "container": OF_CONTAINER,
    "port": OF_PORT,
    "mount": OF_MOUNT,
    "persistentVolumeClaim": OF_MOUNT,
    "httpGet": OF_HTTP_GET,
    "fieldRef": OF_FIELD,
    **dict.fromkeys(_PROBES, OF_PROBE),
    **dict.fromkeys(("configMap", "secret", "projected"), OF_VOLUME_FILES),
}


@dataclass(frozen=True)
class Change:
    """A value of the tree and the value in its place; None where one has no value."""

    path: Path
    theirs: Any
    ours: Any

    @property
    def name(self) -> str:
        """The path in words."""
        return ".".join(str(step) for step in self.path)

    @property
    def words(self) -> str:
        """The change in words."""
        if self.theirs is None:
            return f"{_short(self.ours)} is added"
        return f"{_short(self.theirs)} is left out" if self.ours is None else f"{_short(self.theirs)} becomes {_short(self.ours)}"


def changes(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Change]:
    """The changes between two mappings; a list is one value."""
    before, after = dict(leaves(theirs)), dict(leaves(ours))
    for path in dict.fromkeys([*before, *after]):
        old, new = before.get(path), after.get(path)
        if old != new:
            yield Change(path, None if old == {} and path not in after else old, None if new == {} and path not in before else new)


def normal_pod(spec: Mapping[str, Any], claims: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The normal form of a pod spec.

    Each mount holds the source of its volume; `claims` are the claim templates of a StatefulSet.
    """
    sources = {each.get("name"): {key: value for key, value in each.items() if key != "name"} for each in spec.get("volumes") or ()}
    sources |= {(each.get("metadata") or {}).get("name"): {"claim": each.get("spec")} for each in claims}
    pod = {key: value for key, value in spec.items() if key != "volumes"}
    for key in ("containers", "initContainers"):
        if spec.get(key):
            pod[key] = [_with_sources(each, sources) for each in spec[key]]
    result: dict[str, Any] = normal(pod)
    return result


def normal_spec(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The normal form of the spec of a controller."""
    result: dict[str, Any] = without(normal(spec), OF_SPEC.get(kind, {}))
    return result


def _with_sources(container: Mapping[str, Any], sources: Mapping[Any, Any]) -> dict[str, Any]:
    """A container whose mounts hold their volumes, whose probes name their ports by the number, and with all of its
    requests."""
    ports = {each.get("name"): each.get("containerPort") for each in container.get("ports") or ()}
    mounts = [
        {**{key: value for key, value in each.items() if key != "name"}, "volume": sources.get(each.get("name"))}
        for each in container.get("volumeMounts") or ()
    ]
    result: dict[str, Any] = _numbered({key: value for key, value in container.items() if key != "ports"}, ports)
    if limits := (container.get("resources") or {}).get("limits"):  # a request that is left out is the limit
        result["resources"] = {**container["resources"], "requests": {**limits, **(container["resources"].get("requests") or {})}}
    return {**result, "ports": container.get("ports"), **({"volumeMounts": mounts} if mounts else {})}


def _numbered(value: Any, ports: Mapping[Any, Any]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: ports.get(each, each) if key == "port" and isinstance(each, str) else _numbered(each, ports) for key, each in value.items()
        }
    return value


def normal(value: Any, key: str = "") -> Any:
    """The normal form of a value below a key.

    Without the API server's defaults, with quantities as numbers, and items by their names.
    """
    if isinstance(value, Mapping):
        if key in _AMOUNTS:
            return {name: _amount(each) for name, each in value.items()}
        fields = {name: normal(each, name) for name, each in value.items()}
        fields = {name: each for name, each in fields.items() if each is not None and (each not in ({}, [], ()) or name == "emptyDir")}
        return without(fields, OF_POD if "containers" in fields else _DEFAULTS.get(key, {}))
    if isinstance(value, list | tuple):
        items = [normal(each, _ITEMS.get(key, "")) for each in value]
        name = _KEYS.get(key)
        if name and all(isinstance(each, dict) and isinstance(each.get(name), str) for each in items):
            return {f"[{each[name]}]": each for each in items}
        return sorted(items, key=lambda each: json.dumps(each, sort_keys=True, default=str)) if key in _SETS else items
    return value


def without(fields: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without the defaults, also without those inside a field whose default is a mapping."""
    rest: dict[str, Any] = {}
    for name, value in fields.items():
        default = defaults.get(name)
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            rest[name] = without(value, default)
        elif name not in defaults or default != value:
            rest[name] = value
    return {name: value for name, value in rest.items() if value != {} or name not in defaults}


def _amount(value: Any) -> Any:
    try:
        return str(amount_of(str(value)).normalize())
    except (ArithmeticError, TypeError, ValueError):
        return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
