"""Types of fields: a bool or a number where Kubernetes' schema has a string, and the other way round.

The labels and annotations of every object are maps of strings; what else is read of an object is in the table of Kubernetes' fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....observed.agents.agents import agents
from ....observed.agents.operators import operators
from ....observed.model import ChartRelease, Inputs, KubernetesObject, Path, Read, at, known_str
from ....observed.objects.field_kinds import FIELD_KINDS, mistyped, word
from ....observed.pods.library_workloads import option_places
from ....observed.pods.workloads import Workload, workloads
from ....upstream.charts.nfd_chart import FEATURE_RULE, FEATURE_RULE_VERSION
from ....upstream.nvidia.gpu_resources import NVIDIA
from ...rule import Example, Rule, Severity, Violation, Witness, quoted
from .._shared import TWO_GPUS, plugin_release, pod

_POD, _METADATA = "PodSpec", "ObjectMeta"
_SELECTION = {key: kind for key, kind in FIELD_KINDS[_POD].items() if key in ("nodeSelector", "affinity", "tolerations")}
"""The fields of a pod that charts print as their values have them (`toYaml`)."""
_VERSIONS = ("v1", *(f"{group}/v1" for group in ("networking.k8s.io", "node.k8s.io", "policy", "storage.k8s.io")), FEATURE_RULE_VERSION)
"""The versions of the kinds in the table: another group has kinds of the same names."""
_HCL = (".tf", ".tofu")
_JSON = {bool: "boolean", int: "integer", float: "number", list: "array"}
_GO = {"int32": "int32", "int64": "int64", "bool": "bool"}
_AFFINITY = (
    "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
    "[{key: kubernetes.io/hostname, operator: NotIn, values: [%s]}]}]}}}\n"
)


@Rule(
    id="TG139",
    claim="Each field of a GPU pod, and of the objects beside it, has the type of Kubernetes' schema: the values of selectors, labels, "
    "annotations and variables are strings",
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
        for where, expected, found in mistyped(value, kind, path):
            if (key := (about.file, about.line_of(()), where)) not in seen:
                seen.add(key)
                yield _violation(about, where, expected, found)


def _violation(about: Read, path: Path, expected: str, found: Any) -> Violation:
    is_scalar, is_custom = isinstance(found, bool | int | float | str), about.at("kind") in FEATURE_RULE and path[0] == "spec"
    # A number or a bool may stand there in other words: 022 is 18.
    value = found if isinstance(found, str) else f"read as {_shown(about, found)}" if is_scalar else "no single value"
    field = ".".join(f"{each}" for each in path)
    words = (
        f'in body must be of type {expected}: "{_JSON.get(type(found), "object")}"'
        if is_custom
        else f"cannot unmarshal {word(found)} into Go struct field … of type {_GO.get(expected, 'string')}"
    )
    message = f"{field} is {value}, and Kubernetes takes {_article(expected)} here. The API server refuses the object: '{words}'"
    is_text = expected == "string" and is_scalar
    # Terraform's provider hashicorp/kubernetes makes strings of bools and numbers (manifest/morph/morph.go, 2026-11-28).
    is_made_text = is_text and f"{about.file_of(path) or about.file}".endswith(_HCL)
    return Violation(
        Severity.INFO if is_made_text else Severity.ERROR,
        f"{message}, unless the resource is a kubernetes_manifest" if is_made_text else message,
        about,
        path,
        fix="Write the value with quotes, as it stands" if is_text else f"Write {_article(expected)}",
        edits=quoted(found) if is_text else (),
    )


def _shown(about: Read, found: Any) -> str:
    """A scalar as YAML has it; of a Secret only its type."""
    if about.at("kind") == "Secret":
        return f"a {word(found)}"
    return f"{found}".lower() if isinstance(found, bool) else f"{found}"


def _article(expected: str) -> str:
    return {"string": "a string", "bool": "true or false without quotes"}.get(expected, "a whole number without quotes")


def _fields(inputs: Inputs) -> Iterator[tuple[Read, Path, str, Any]]:
    """The fields of GPU pods and of their objects, each with its type in Kubernetes' schema."""
    for workload in workloads(inputs):
        if not workload.is_nvidia:
            continue
        if not isinstance(workload.about, KubernetesObject):
            yield from _of_values(workload)
        elif workload.kind:
            about = workload.about
            yield about, ("metadata",), _METADATA, about.at("metadata")
            kind = f"{about.kind}Spec"
            yield (about, ("spec",), kind, about.at("spec")) if kind in FIELD_KINDS else (about, workload.path, _POD, workload.spec)
    for item in _beside_pods(inputs):
        is_known = item.kind in FIELD_KINDS and known_str(item.api_version) in _VERSIONS
        yield (item, (), item.kind, item.body) if is_known else (item, ("metadata",), _METADATA, item.at("metadata"))
    for agent in agents(inputs):
        if agent.release is not None:
            yield from ((agent.about, agent.path(key), kind, at(agent.settings, key)) for key, kind in _SELECTION.items())


def _beside_pods(inputs: Inputs) -> Iterator[KubernetesObject]:
    """The objects in the namespaces of GPU parts, those namespaces, and what the whole cluster has for its GPUs."""
    parts: list[Any] = [each.about for each in workloads(inputs) if each.is_nvidia]
    pods = {*parts}
    parts += [*(each.about for each in agents(inputs)), *(each.about for each in operators(inputs))]
    namespaces = {name for each in parts if (name := known_str(each.namespace))}
    for item in inputs.objects:
        if item.namespace is not None or item.kind == "Namespace":
            is_of_gpus = known_str(item.name if item.namespace is None else item.namespace) in namespaces
        else:
            is_of_gpus = item.kind in FEATURE_RULE or NVIDIA.search(f"{item.name} {item.body.get('handler')}") is not None
        if is_of_gpus and item not in pods:
            yield item


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
