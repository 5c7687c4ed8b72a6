"""The GPU pods of KServe, Argo Workflows, KubeRay and Spark, in the fields of their own objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...arguments.errors import wrong, wrong_kind
from ...arguments.spelling import did_you_mean
from ...upstream.charts.pod_keys import ARGO_POD, KSERVE_POD, RAY_GPUS, SPARK_CONTAINERS, SPARK_DISCOVERY, SPARK_VENDOR
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..gpu_pod import check_gpus, gpu_pod, has_gpus_without_profile
from .gpu_requests import GpuRequest
from .pod_spelling import Spelling, first_container, section, spell, value_at

_VALUES = "values"
_PATCH = "podSpecPatch"

Writer = Callable[[dict[str, Any], GpuRequest, str | None], None]
"""Writes the GPUs of a request into the values of a program, in place; the third argument names the workload in
them."""


def kserve_predictor(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """`spec.predictor` of an InferenceService. A new pod beside the old one would wait for the GPU that the old one
    holds, so its strategy is Recreate."""
    _spell_container(Spelling(_VALUES, "KServe", KSERVE_POD), values, ("model",), "containers", "kserve-container", request)
    values.setdefault("deploymentStrategy", {"type": "Recreate"})


def argo_workflows(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """An item of `templates` of a Workflow. Fields of the pod without a key of their own are in its `podSpecPatch`."""
    patch = _patch(values.get(_PATCH))
    spelling = Spelling(_VALUES, "Argo Workflows", ARGO_POD)
    pod = _spell_container(spelling, values, ("container", "script"), "containerSet.containers", "main", request)
    for field in (field for field, path in ARGO_POD.items() if not path and field in pod["spec"]):
        wanted = pod["spec"][field]
        if patch.get(field, wanted) != wanted:
            raise wrong(f"values[{_PATCH}]", f"without another {field} than {wanted!r}", patch[field], f"leave {field} out")
        patch[field] = wanted
    if patch.get("runtimeClassName") and "runtimeClassName" not in pod["spec"]:
        hint = "leave runtimeClassName out"
        raise wrong(f"values[{_PATCH}]", "without a runtimeClassName on these nodes", patch["runtimeClassName"], hint)
    if patch:
        values[_PATCH] = json.dumps(patch)


def _patch(text: object) -> dict[str, Any]:
    if text is None:
        return {}
    if not isinstance(text, str):
        raise wrong_kind(f"values[{_PATCH}]", "a patch as JSON or YAML text", text)
    from ...yaml.load import YamlError, documents  # deferred: few templates have a patch of their own

    try:
        read = list(documents(text))
    except YamlError:
        read = []
    if len(read) != 1 or not isinstance(read[0], dict):
        raise wrong(f"values[{_PATCH}]", "one mapping as JSON or YAML text", text)
    return read[0]


def _spell_container(
    spelling: Spelling, values: dict[str, Any], single: tuple[str, ...], several: str, name: str, request: GpuRequest
) -> dict[str, Any]:
    """`spell` for an object whose container is in a field of its own, where the operator calls the container `name`, or
    is one of several."""
    argument = spelling.argument
    field = next((field for field in single if field in values), None)
    if field is not None:
        if request.container is not None:
            raise wrong("container", f"left out beside '{field}'", request.container, f"'{field}' is the container")
        main = {**section(values, field, argument), "name": name}
        pod = spell(spelling, values, main, request)
        values[field] |= {key: main[key] for key in ("resources", "env") if key in main}
        return pod
    containers = value_at(values, several)
    if not isinstance(containers, list) or not containers or not all(isinstance(each, dict) and each.get("name") for each in containers):
        fields = ", ".join(f"'{key}'" for key in single)
        raise wrong(argument, f"with {fields} or a list of named containers in '{several}'", containers)
    names = [each["name"] for each in containers]
    chosen = names[0] if request.container is None and len(names) == 1 else request.container
    if chosen not in names:
        hint = did_you_mean(str(chosen), names) if chosen else ""
        raise wrong("container", f"one of {', '.join(map(repr, names))}", chosen, hint)
    main = containers[names.index(chosen)]
    beside = [] if several == spelling.keys["containers"] else value_at(values, spelling.keys["containers"]) or []
    return spell(spelling, values, main, request, containers=[each for each in containers if each is not main] + beside)


def ray(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """A group of a RayCluster. KubeRay tells Ray the number of GPUs only where the limit's name ends in `gpu`, so
    `num-gpus` is always written."""
    values["template"] = _template("values[template]", values.get("template"), request)
    parameters, gpus = section(values, "rayStartParams", _VALUES), str(request.gpus)
    if parameters.get(RAY_GPUS, gpus) != gpus:
        hint = "'gpus' is the number"
        raise wrong("values[rayStartParams]", f"without another {RAY_GPUS} than {gpus!r}", parameters[RAY_GPUS], hint)
    parameters[RAY_GPUS] = gpus


def spark_template(role: str) -> Writer:
    """The writer of Spark's pod templates: its settings know no RuntimeClass and no tolerations."""

    def write(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
        template = values or {"spec": {"containers": [{"name": SPARK_CONTAINERS[role]}]}}
        values.update(_template(_VALUES, template, request))

    return write


def spark_conf(role: str) -> Writer:
    """The writer of the settings by which Spark counts the GPUs of its executors or of its driver."""

    def write(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
        nodes = request.nodes
        if nodes.by_claim or nodes.resource() != GPU_RESOURCE or not has_gpus_without_profile(nodes):
            hint = f"Spark has no name for other GPUs; gpu_values('spark-{role}', …) alone gives them to the pod"
            raise wrong("nodes", f"a class whose GPUs are {GPU_RESOURCE}", nodes, hint)
        prefix = f"spark.{role}.resource.gpu"
        for key, wanted in ((f"{prefix}.amount", str(check_gpus(request.gpus, nodes))), (f"{prefix}.vendor", SPARK_VENDOR)):
            if values.setdefault(key, wanted) != wanted:
                raise wrong(_VALUES, f"without another {key} than {wanted!r}", values[key], f"leave {key} out")
        values.setdefault(f"{prefix}.discoveryScript", SPARK_DISCOVERY)

    return write


def _template(argument: str, template: Any, request: GpuRequest) -> dict[str, Any]:
    chosen = first_container(argument, template, request.container)
    return gpu_pod(template, nodes=request.nodes, gpus=request.gpus, profile=request.profile, container=chosen, claim=request.claim)
