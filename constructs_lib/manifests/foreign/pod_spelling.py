"""A GPU pod in other keys than Kubernetes' own: those of a chart's values, or of an operator's object.

`spell` reads the pod's fields from their keys, makes the GPU pod of them with `gpu_pod`, and writes the fields back to
their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...arguments.errors import wrong, wrong_kind
from ...arguments.plain_values import mapping
from ...nodes.gpu_nodes import to_container_nodes
from ...upstream.nvidia.gpu_resources import VISIBLE_DEVICES
from ..charts.user_values import ABSENT, at
from ..gpu_pod import made_gpu_pod
from ..pod_placement import REQUIRED, both_affinities, selector_affinity
from ..pod_shape import check_template
from .gpu_requests import GpuRequest

_FIELDS = ("runtimeClassName", "tolerations", "nodeSelector", "affinity", "resourceClaims")


class Spelling(NamedTuple):
    """The keys of a program for a pod: the argument that holds them, for errors, and the program's name."""

    argument: str
    program: str
    keys: Mapping[str, str]


def section(values: dict[str, Any], path: str, argument: str) -> dict[str, Any]:
    """The mapping at a dotted path, in place; a new one where there is none."""
    keys = path.split(".")
    for depth, key in enumerate(keys, 1):
        if values.get(key) is None:
            values[key] = {}
        values = values[key]
        if not isinstance(values, dict):
            raise wrong_kind(f"{argument}[{'.'.join(keys[:depth])}]", "a mapping", values)
    return values


def put(values: dict[str, Any], path: str, value: object, argument: str) -> None:
    """Write a value at a dotted path, in place."""
    above, _, key = path.rpartition(".")
    (section(values, above, argument) if above else values)[key] = value


def value_at(values: Mapping[str, Any], path: str | None) -> Any:
    """The value at a dotted path; None where there is none."""
    value = ABSENT if path is None else at(values, path)
    return None if value is ABSENT else value


def spell(
    spelling: Spelling,
    values: dict[str, Any],
    main: dict[str, Any],
    request: GpuRequest,
    *,
    containers: list[dict[str, Any]] | None = None,
    init: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Write the fields of a GPU pod to their keys, in place, and return the pod; `main` is the container that gets the
    GPUs.

    `containers` and `init` are the containers that have no key of Kubernetes' form. Every given container changes in
    place, as in `made_gpu_pod`.
    """
    argument, program, keys = spelling
    nodes = to_container_nodes(request.nodes, "nodes")
    if nodes.by_claim and "resourceClaims" not in keys:
        raise wrong(
            "nodes",
            f"a class without 'dra' for {program}",
            nodes,
            f"{program} has no key for the claim of a pod; such as dra=Dra(extended_resource=True), by which pods ask by limits",
        )
    spec = {field: value for field in _FIELDS if (value := value_at(values, keys.get(field)))}
    if terms := value_at(values, keys.get("nodeSelectorTerms")):
        spec["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    spec["containers"] = [main, *(_listed(spelling, values, "containers") if containers is None else containers)]
    if inits := _listed(spelling, values, "initContainers") if init is None else init:
        spec["initContainers"] = inits
    pod = {"metadata": {"labels": value_at(values, keys.get("labels")) or {}}, "spec": spec}
    check_template(argument, pod)
    chosen = main["name"] if request.container is None else request.container
    made = made_gpu_pod(argument, pod, nodes, request.gpus, request.profile, chosen, request.claim)
    _write(spelling, values, made)
    return made


def _listed(spelling: Spelling, values: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    path = spelling.keys.get(field)
    given = value_at(values, path) or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise wrong_kind(f"{spelling.argument}[{path}]", "a list of containers", given)
    return given


def _write(spelling: Spelling, values: dict[str, Any], pod: dict[str, Any]) -> None:
    argument, _, keys = spelling
    spec = dict(pod["spec"])
    if "nodeSelector" in spec and "nodeSelector" not in keys:
        spec["affinity"] = both_affinities(spec.get("affinity") or {}, selector_affinity(spec["nodeSelector"]))
    for field in _FIELDS:
        if field in spec and keys.get(field):
            put(values, keys[field], spec[field], argument)
    if "nodeSelectorTerms" in keys and "affinity" in spec:
        put(values, keys["nodeSelectorTerms"], spec["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"], argument)
    put(values, keys["labels"], pod["metadata"]["labels"], argument)


def first_container(argument: str, template: object, container: str | None) -> str | None:
    """The container that gets the GPUs: by default the first, which the program takes for its own."""
    containers = value_at(template, "spec.containers") if isinstance(template, Mapping) else None
    if not isinstance(containers, list) or not containers:
        raise wrong(argument, "a pod template with containers in its 'spec'", template)
    first = containers[0].get("name") if isinstance(containers[0], Mapping) else None
    return first if container is None else container


def devices_of(argument: str, env: object) -> list[dict[str, Any]]:
    """The variable NVIDIA_VISIBLE_DEVICES of a list in Kubernetes' form, or of a mapping of names to values."""
    if env is None:
        return []
    if isinstance(env, list):
        return [each for each in env if isinstance(each, dict) and each.get("name") == VISIBLE_DEVICES]
    given = mapping(argument, env, "a mapping or a list of variables").get(VISIBLE_DEVICES, ABSENT)
    return [] if given is ABSENT else [{"name": VISIBLE_DEVICES, "value": given.get("value") if isinstance(given, Mapping) else given}]


def put_devices(owner: dict[str, Any], key: str, container: Mapping[str, Any], *, listed: bool = False) -> None:
    """Write the variable NVIDIA_VISIBLE_DEVICES of a container of `gpu_pod` among the variables in `owner[key]`;
    `listed` is the form of new variables."""
    wanted = devices_of(key, container.get("env"))
    env = owner.get(key)
    if isinstance(env, list) or (env is None and listed):
        env = [each for each in env or [] if not (isinstance(each, dict) and each.get("name") == VISIBLE_DEVICES)] + wanted
    else:
        env = {name: value for name, value in (env or {}).items() if name != VISIBLE_DEVICES}
        env.update({each["name"]: each["value"] for each in wanted})
    if env or owner.get(key):
        owner[key] = env
