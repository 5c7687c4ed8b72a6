"""The GPU pods of KServe, Argo Workflows and KubeRay, in the fields of their own objects."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong, wrong_kind
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import plain_mapping
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.charts.pod_keys import ARGO_POD, KSERVE_POD, RAY_GPUS
from ..gpu_pod import gpu_pod
from .pod_spelling import GpuRequest, Spelling, first_container, section, spell, value_at

_PATCH = "podSpecPatch"


@named_arguments(nodes="a predictor with GPUs runs on a class of GPU nodes")
def kserve_predictor(
    predictor: Mapping[str, Any],
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    claim: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """The predictor of a KServe InferenceService, with GPUs of a class of nodes.

    KServe has the fields of the pod beside the container, and the container in `model` or in `containers`. The RuntimeClass, tolerations and the node
    selector work where KServe makes Deployments (`gpu_values("kserve", …)`); Knative refuses them unless its feature flags allow them.

    Makes no object. Returns the predictor with the fields of `gpu_pod`, and the strategy `Recreate`: a new pod beside the old one would wait for the GPU
    that the old one holds. A `deploymentStrategy` of your own stays.

    Args:
        predictor: `spec.predictor` of the InferenceService, with `model` or `containers`.
        nodes: The class of nodes.
        gpus: The number of GPUs, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`. Default: as in `gpu_pod`.
        container: The container that gets the GPUs, of several in `containers`. Default: that of `model`, or the only one.

    Returns:
        A new predictor.

    Raises:
        TypeError, ValueError: `'predictor' must be …` without a container, or for a field that contradicts the nodes, and what `gpu_pod` raises.

    Example:
        >>> model = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://Qwen/Qwen3-8B"}
        >>> predictor = kserve_predictor({"model": model}, nodes=GpuNodes(talos_version="1.12", labels={"role": "gpu"}))
        >>> predictor["runtimeClassName"], predictor["model"]["resources"]["limits"]
        ('nvidia', {'nvidia.com/gpu': 1})

    https://kserve.github.io/website/docs/reference/crd-api
    """
    made = copy.deepcopy(plain_mapping("predictor", predictor, "the 'predictor' of an InferenceService"))
    spelling = Spelling("predictor", "KServe", KSERVE_POD)
    _spell_container(spelling, made, ("model",), "containers", "kserve-container", GpuRequest(nodes, gpus, profile, container, claim))
    made.setdefault("deploymentStrategy", {"type": "Recreate"})
    return made


@named_arguments(nodes="a step with GPUs runs on a class of GPU nodes")
def argo_template(
    template: Mapping[str, Any],
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    claim: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """A template of an Argo Workflow whose pod gets GPUs of a class of nodes.

    A template has no field for a RuntimeClass: the RuntimeClass and the claim of the pod are in `podSpecPatch`, as JSON text. Tolerations, node selector and
    affinity of a template replace those of its Workflow, so those of the Workflow belong into `template` as well.

    Makes no object. Returns the template with the fields of `gpu_pod`; sidecars and init containers get `NVIDIA_VISIBLE_DEVICES=void`.

    Args:
        template: An item of `templates` of a Workflow, with `container`, `script` or `containerSet`.
        nodes: The class of nodes.
        gpus: The number of GPUs, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`. Default: as in `gpu_pod`.
        container: The container of a `containerSet` that gets the GPUs. Default: the only one.

    Returns:
        A new template.

    Raises:
        TypeError, ValueError: `'template' must be …` without a container, or for a field that contradicts the nodes, `'template[podSpecPatch]' must be …`
            for a patch that is no mapping, and what `gpu_pod` raises.

    Example:
        >>> step = {"name": "train", "container": {"image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}}
        >>> argo_template(step, nodes=GpuNodes(talos_version="1.12"))["podSpecPatch"]
        '{"runtimeClassName": "nvidia"}'

    https://argo-workflows.readthedocs.io/en/latest/fields/#template
    """
    made = copy.deepcopy(plain_mapping("template", template, "an item of 'templates' of a Workflow"))
    patch = _patch(made.get(_PATCH))
    spelling, request = Spelling("template", "Argo Workflows", ARGO_POD), GpuRequest(nodes, gpus, profile, container, claim)
    pod = _spell_container(spelling, made, ("container", "script"), "containerSet.containers", "main", request)
    for field in (field for field, path in ARGO_POD.items() if not path and field in pod["spec"]):
        wanted = pod["spec"][field]
        if patch.get(field, wanted) != wanted:
            raise wrong(f"template[{_PATCH}]", f"without another {field} than {wanted!r}", patch[field], f"leave {field} out")
        patch[field] = wanted
    if patch.get("runtimeClassName") and "runtimeClassName" not in pod["spec"]:
        hint = "leave runtimeClassName out"
        raise wrong(f"template[{_PATCH}]", "without a runtimeClassName on these nodes", patch["runtimeClassName"], hint)
    if patch:
        made[_PATCH] = json.dumps(patch)
    return made


def _patch(text: object) -> dict[str, Any]:
    if text is None:
        return {}
    if not isinstance(text, str):
        raise wrong_kind(f"template[{_PATCH}]", "a patch as JSON or YAML text", text)
    import yaml  # deferred: few templates have a patch of their own

    from ...yaml.kubernetes_yaml import documents

    try:
        read = list(documents(text))
    except yaml.YAMLError:
        read = []
    if len(read) != 1 or not isinstance(read[0], dict):
        raise wrong(f"template[{_PATCH}]", "one mapping as JSON or YAML text", text)
    return read[0]


def _spell_container(
    spelling: Spelling, values: dict[str, Any], single: tuple[str, ...], several: str, name: str, request: GpuRequest
) -> dict[str, Any]:
    """`spell` for an object whose container is in a field of its own, where the operator calls the container `name`, or is one of several."""
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


@named_arguments(nodes="a Ray group with GPUs runs on a class of GPU nodes")
def ray_group(
    group: Mapping[str, Any],
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    claim: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """A group of a RayCluster, with GPUs of a class of nodes: the head group, or a worker group.

    KubeRay tells Ray the number of GPUs only where the limit's name ends in `gpu`. For shares with a name of their own, MIG partitions and claims it tells
    nothing, and Ray schedules no GPU task there; `num-gpus` is therefore always written. A head without a GPU stays as it is.

    Makes no object. Returns the group with the template of `gpu_pod` and `rayStartParams`.

    Args:
        group: `headGroupSpec`, or an item of `workerGroupSpecs`, with `template`.
        nodes: The class of nodes.
        gpus: The number of GPUs of each pod, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`. Default: as in `gpu_pod`.
        container: The container that gets the GPUs. Default: the first, which KubeRay takes for the container of Ray.

    Returns:
        A new group.

    Raises:
        TypeError, ValueError: `'group' must be …` without a template, `'group[rayStartParams]' must be …` for another number of GPUs, and what `gpu_pod`
            raises.

    Example:
        >>> template = {"spec": {"containers": [{"name": "ray-worker", "image": "rayproject/ray:2.46.0-gpu"}]}}
        >>> ray_group({"groupName": "gpu", "template": template}, nodes=GpuNodes(talos_version="1.12"), gpus=4)["rayStartParams"]
        {'num-gpus': '4'}

    https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/gpu.html
    """
    made = copy.deepcopy(plain_mapping("group", group, "a group of a RayCluster"))
    chosen = first_container("group[template]", made.get("template"), container)
    made["template"] = gpu_pod(made["template"], nodes=nodes, gpus=gpus, profile=profile, container=chosen, claim=claim)
    parameters = section(made, "rayStartParams", "group")
    if parameters.get(RAY_GPUS, str(gpus)) != str(gpus):
        raise wrong("group[rayStartParams]", f"without another {RAY_GPUS} than {str(gpus)!r}", parameters[RAY_GPUS], "'gpus' is the number")
    parameters[RAY_GPUS] = str(gpus)
    return made
