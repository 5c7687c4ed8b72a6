"""Types of fields: a bool or a number where Kubernetes' schema has a string, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....observed.agents.agents import agents
from ....observed.model import ChartRelease, Inputs, KubernetesObject, Path, Read, at, is_unknown
from ....observed.pods.library_workloads import option_places
from ....observed.pods.workloads import Workload, workloads
from ....upstream.kubernetes.fields import field_table
from ...rule import Example, Rule, Severity, Violation, Witness, quoted
from .._shared import TWO_GPUS, plugin_release, pod

_POD, _METADATA = "PodSpec", "ObjectMeta"
_SELECTION = {key: kind for key, kind in field_table().types[_POD].items() if key in ("nodeSelector", "affinity", "tolerations")}
"""The fields of a pod that charts print as their values have them (`toYaml`)."""
_WORDS: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "number"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (Mapping, "object"),
)
_GO = {"int32": "int32", "int64": "int64", "bool": "bool"}
_AFFINITY = (
    "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
    "[{key: kubernetes.io/hostname, operator: NotIn, values: [%s]}]}]}}}\n"
)


@Rule(
    id="TG139",
    claim="Each field of a GPU pod has the type of Kubernetes' schema: the values of selectors, labels, annotations and variables are strings",
    symptom="json: cannot unmarshal number into Go struct field NodeSelectorRequirement.spec.affinity (and further words) of type string; cannot unmarshal bool into Go struct field",
    fix="Put the value in quotes",
    source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(pod(spec=_AFFINITY % "1")),
    passing=Example(pod(spec=_AFFINITY % '"1"')),
    examples={
        "a chart that puts the values of variables in quotes itself": Example(
            plugin_release(nodes='{kubernetes.io/hostname: "1"}') + "    gfd: {enabled: true}\n"
        ),
        "a quantity, which is a number or a string": Example(pod(TWO_GPUS.replace("2}", '"2", memory: 1}'))),
    },
)
def _other_type(inputs: Inputs) -> Iterator[Violation]:
    seen = set()
    for about, path, kind, value in _fields(inputs):
        for where, expected, found in _mistyped(value, kind, path):
            if (key := (about.file, about.line_of(()), where)) not in seen:
                seen.add(key)
                yield _violation(about, where, expected, found)


def _violation(about: Read, path: Path, expected: str, found: Any) -> Violation:
    written = str(found).lower() if isinstance(found, bool) else str(found)
    is_scalar = isinstance(found, bool | int | float | str)
    field = ".".join(f"{each}" for each in path)
    # A number or a bool may stand there in other words: 022 is 18.
    value = written if isinstance(found, str) else f"read as {written}" if is_scalar else "no single value"
    message = (
        f"{field} is {value}, and Kubernetes takes {_article(expected)} here. The API server refuses the object: "
        f"'cannot unmarshal {_word(found)} into Go struct field … of type {_GO.get(expected, 'string')}'"
    )
    is_text = expected == "string" and is_scalar
    return Violation(
        Severity.ERROR,
        message,
        about,
        path,
        fix="Write the value with quotes, as it stands" if is_text else f"Write {_article(expected)}",
        edits=quoted(found) if is_text else (),
    )


def _article(expected: str) -> str:
    return {"string": "a string", "bool": "true or false without quotes"}.get(expected, "a whole number without quotes")


def _word(value: Any) -> str:
    return next(word for kind, word in _WORDS if isinstance(value, kind))


def _fields(inputs: Inputs) -> Iterator[tuple[Read, Path, str, Any]]:
    """The fields of GPU pods and of their objects, each with its type in Kubernetes' schema."""
    types = field_table().types
    for workload in workloads(inputs):
        if not workload.is_nvidia:
            continue
        if not isinstance(workload.about, KubernetesObject):
            yield from _of_values(workload)
        elif workload.kind:
            about = workload.about
            yield about, ("metadata",), _METADATA, about.at("metadata")
            kind = f"{about.kind}Spec"
            yield (about, ("spec",), kind, about.at("spec")) if kind in types else (about, workload.path, _POD, workload.spec)
    for agent in agents(inputs):
        if agent.release is not None:
            yield from ((agent.about, agent.path(key), kind, at(agent.settings, key)) for key, kind in _SELECTION.items())


def _of_values(workload: Workload) -> Iterator[tuple[Read, Path, str, Any]]:
    """The fields of a pod that a chart prints as its values have them, each at its place in the values."""
    release = workload.about
    if isinstance(release, ChartRelease):
        depth = len(release.values_path)
        for key, kind in _SELECTION.items():
            known: Any = {}
            for path in option_places(release, workload.path, key):
                value = at(release.values, *path[depth:])
                if isinstance(value, Mapping) and isinstance(known, Mapping):
                    yield release, path, kind, {name: each for name, each in value.items() if name not in known}
                elif value is not None and known == {}:
                    yield release, path, kind, value
                known = value if value is not None else known


def _mistyped(value: Any, kind: str, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """The known values of another type than the schema's, each with its path and the type of the schema.

    A value of the expected type needs no call of a function: there are many.
    """
    types = field_table().types
    pending = [(value, kind, path)]
    while pending:
        value, kind, path = pending.pop()
        fields, inner = types.get(kind), kind[1:-1]
        items: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            expected = inner if fields is None else fields[key] if key in fields else "any"  # noqa: SIM401  # get() is a call
            if item is None or expected in _FREE or (expected in _SCALARS and type(item) is _SCALARS[expected]):
                continue
            if expected not in _SCALARS:
                pending += ((item, expected, (*path, key)),)
            elif not is_unknown(item) and not is_unknown(key) and _is_other(item, expected):
                yield (*path, key), expected, item


_FREE = ("any", "quantity", "int or string", "number")
_SCALARS = {"string": str, "bool": bool, "int32": int, "int64": int}


def _is_other(value: Any, kind: str) -> bool:
    if kind == "string":
        return not isinstance(value, str)
    if kind == "bool":
        return not isinstance(value, bool)
    return not ((isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer()))
