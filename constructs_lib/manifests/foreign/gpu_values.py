"""`gpu_values`: the values of other people's charts, with what the GPU pods of a class of nodes want."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, given, plain_mapping
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.charts.pod_keys import APP_TEMPLATE_POD, JUPYTERHUB_POD, KSERVE_STANDARD, OLLAMA_POD, VLLM_STACK_POD, WorkloadChart
from ..gpu_pod import check_gpus, check_profile
from ..pod_placement import REQUIRED
from .kubespawner_pod import spell_notebook
from .pod_spelling import GpuRequest, Spelling, devices_of, put, put_devices, section, spell, value_at

_VALUES = "values"
_NEW = "main"


@named_arguments(nodes="the values are for GPU pods of a class of nodes")
def gpu_values(
    chart: WorkloadChart | str,
    values: Mapping[str, Any] | None = None,
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    claim: str | None = None,
    workload: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """The values of a chart of other people, completed with what its GPU pods want on a class of nodes.

    A chart of other people knows nothing of Talos: without these values its pods miss the RuntimeClass, stay Pending before the nodes' taints, or wait for
    a GPU that the pod of the last version still holds. The values come from `gpu_pod`, in the chart's own keys: RuntimeClass, tolerations, node selector
    or affinity, limit or claim, the label of the class, and `NVIDIA_VISIBLE_DEVICES=void` for the containers without a GPU. Where the chart's strategy
    would start a second pod beside the first, the strategy is `Recreate`.

    Makes no object. The chart `kserve` has no keys for the pods of models: its values make KServe use Deployments, since Knative refuses a RuntimeClass,
    tolerations and a node selector; `kserve_predictor` makes the predictor.

    Args:
        chart: `app-template` (bjw-s), `ollama` (otwld), `jupyterhub` (Zero to JupyterHub), `vllm-stack` (the production stack of vLLM) or `kserve`.
        values: Your own values of the chart. They stay, and a value that contradicts the nodes is refused. Default: none.
        nodes: The class of nodes.
        gpus: The number of GPUs of each pod, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the pod's partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`; for `app-template` and `ollama`, on nodes with `dra`. Default: the name that
            `GpuClaim` derives from the same nodes, number of GPUs and profile.
        workload: The controller of `app-template`, or the model of `vllm-stack`, whose pods get the GPUs. Default: the only one; a new controller `main`.
        container: The container of `app-template` that gets the GPUs. Default: the only one; a new container `main`.

    Returns:
        New values; the given values do not change.

    Raises:
        TypeError, ValueError: `'chart' must be one of …`, `'workload' must be …`, `'values' must be without …` for a value that contradicts the nodes, and
            what `gpu_pod` raises. `'nodes' must be a class without 'dra' …` where a chart has no key for a claim.

    Example:
        >>> nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
        >>> values = gpu_values("ollama", {"persistentVolume": {"enabled": True}}, nodes=nodes)
        >>> values["runtimeClassName"], values["ollama"]["gpu"]["number"], values["nodeSelector"]
        ('nvidia', 1, {'role': 'gpu'})

    https://helm.sh/docs/chart_template_guide/values_files/
    """
    name = choice("chart", chart, WorkloadChart)
    to_container_nodes(nodes, "nodes")
    check_gpus(gpus, nodes, check_profile(profile, nodes))
    completed = copy.deepcopy(plain_mapping(_VALUES, given(values), "a mapping of the chart's values"))
    for argument, written, charts in (
        ("workload", workload, (WorkloadChart.APP_TEMPLATE, WorkloadChart.VLLM_STACK)),
        ("container", container, (WorkloadChart.APP_TEMPLATE,)),
    ):
        if written is not None and name not in charts:
            raise wrong(argument, f"left out for the chart {name}", written, "the chart has one pod with GPUs")
    _CHARTS[name](completed, GpuRequest(nodes, gpus, profile, container, claim), workload)
    return completed


def _app_template(values: dict[str, Any], request: GpuRequest, workload: str | None) -> None:
    path = f"controllers.{_chosen('workload', workload, list(section(values, 'controllers', _VALUES)))}"
    controller = section(values, path, _VALUES)
    _inherit(section(values, f"{path}.pod", _VALUES), value_at(values, "defaultPodOptions") or {})
    chosen = _chosen("container", request.container, list(section(values, f"{path}.containers", _VALUES)))
    section(values, f"{path}.containers.{chosen}", _VALUES)
    defaults = controller.get("defaultContainerOptions") or {}
    owners = [
        (field, name, section(values, f"{path}.{field}.{name}", _VALUES))
        for field in ("containers", "initContainers")
        for name in controller.get(field) or {}
    ]
    pods = {(field, name): _container(name, owner, defaults) for field, name, owner in owners}
    main = pods["containers", chosen]
    others = [(field, container) for (field, _), container in pods.items() if container is not main]
    spell(
        Spelling(f"{_VALUES}[{path}]", "the chart app-template", APP_TEMPLATE_POD),
        controller,
        main,
        request,
        containers=[container for field, container in others if field == "containers"],
        init=[container for field, container in others if field == "initContainers"],
    )
    section(values, f"{path}.containers.{chosen}", _VALUES)["resources"] = main["resources"]
    for field, name, owner in owners:
        put_devices(owner, "env", pods[field, name])


def _inherit(options: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    """Copy the default options that the chart would replace by ours."""
    for key in (path.removeprefix("pod.") for path in APP_TEMPLATE_POD.values()):
        if defaults.get(key) and not options.get(key):
            options[key] = copy.deepcopy(defaults[key])


def _container(name: str, owner: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A container of Kubernetes' form, with the defaults that the chart would replace by the container's own."""
    for key in ("resources", "env"):
        if defaults.get(key) and not owner.get(key):
            owner[key] = copy.deepcopy(defaults[key])
    return {"name": name, "resources": owner.get("resources") or {}, "env": devices_of(f"{_VALUES}[env]", owner.get("env"))}


def _chosen(argument: str, name: str | None, names: list[str]) -> str:
    if name is None:
        if len(names) > 1:
            raise wrong(argument, "the name of one of several", name, f"the values have {', '.join(map(repr, names))}")
        return names[0] if names else _NEW
    if names and name not in names:
        raise wrong(argument, f"one of {', '.join(map(repr, names))}", name, did_you_mean(name, names))
    return name


def _ollama(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    nodes = request.nodes
    if nodes.dra and nodes.dra.is_one_claim:
        raise wrong(
            "nodes", "a class with a claim for each pod, for the chart ollama", nodes, "the chart has no key for a claim that pods share"
        )
    if value_at(values, "ollama.gpu.mig.enabled"):
        raise wrong(_VALUES, "without ollama.gpu.mig.enabled", True, "give the partitions by 'profile'")
    resources = copy.deepcopy(value_at(values, "resources") or {})
    main = {"name": "ollama", "resources": resources, "env": devices_of(f"{_VALUES}[extraEnv]", values.get("extraEnv"))}
    pod = spell(Spelling(_VALUES, "the chart ollama", OLLAMA_POD), values, main, request)
    put_devices(values, "extraEnv", main, listed=True)
    gpu: dict[str, Any] = {"enabled": True, "type": "nvidia"}
    if nodes.dra:
        gpu |= {"draEnabled": True, "draExistingClaimTemplate": pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"]}
    else:
        gpu |= {"nvidiaResource": nodes.resource(request.profile), "number": request.gpus}
    for key, wanted in gpu.items():
        _settle(values, f"ollama.gpu.{key}", wanted)


def _settle(values: dict[str, Any], path: str, wanted: object) -> None:
    """Write a value, and refuse another that the user gave."""
    written = value_at(values, path)
    if written not in (None, "", wanted) and str(written) != str(wanted):
        raise wrong(_VALUES, f"without another {path} than {wanted!r}", written, f"leave {path} out")
    put(values, path, wanted, _VALUES)


def _jupyterhub(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    spelling = Spelling(f"{_VALUES}[singleuser]", "the chart jupyterhub", JUPYTERHUB_POD)
    spell_notebook(spelling, section(values, "singleuser", _VALUES), request)


def _vllm_stack(values: dict[str, Any], request: GpuRequest, workload: str | None) -> None:
    engine, path = section(values, "servingEngineSpec", _VALUES), "servingEngineSpec.modelSpec"
    models = engine.get("modelSpec")
    if not isinstance(models, list) or not models or not all(isinstance(each, dict) and each.get("name") for each in models):
        hint = "Helm replaces lists, so the GPUs have to be written into your own models"
        raise wrong(_VALUES, f"with a list of models in {path}, each with a 'name'", models, hint)
    name = _chosen("workload", workload, [each["name"] for each in models])
    model = next(each for each in models if each["name"] == name)
    if value_at(model, "raySpec.enabled"):
        raise wrong(
            _VALUES,
            "without raySpec.enabled",
            True,
            "the head of the chart's Ray cluster asks for GPUs of its own; make a RayCluster with `ray_group`",
        )
    if (terms := model.pop("nodeSelectorTerms", None)) and not model.get("affinity"):
        model["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    main = {"name": "vllm", "resources": model.get("resources") or {}, "env": devices_of(f"{_VALUES}[env]", model.get("env"))}
    first = [model["initContainer"]] if model.get("initContainer") else []
    spell(Spelling(f"{_VALUES}[{path}.{name}]", "the chart vllm-stack", VLLM_STACK_POD), model, main, request, init=first)
    put_devices(model, "env", main, listed=True)
    if request.nodes.runtime_class is None:
        model["runtimeClassName"] = ""
    if model.get("resources"):
        model["resources"] = main["resources"]
    else:
        _settle(model, "requestGPU", request.gpus)
        _settle(model, "requestGPUType", request.nodes.resource(request.profile))
    engine["strategy"] = engine.get("strategy") or {"type": "Recreate"}


def _kserve(values: dict[str, Any], _: GpuRequest, __: str | None) -> None:
    path = "kserve.controller.deploymentMode"
    if value_at(values, path) not in KSERVE_STANDARD:
        _settle(values, path, KSERVE_STANDARD[0])


_CHARTS = {
    WorkloadChart.APP_TEMPLATE: _app_template,
    WorkloadChart.OLLAMA: _ollama,
    WorkloadChart.JUPYTERHUB: _jupyterhub,
    WorkloadChart.VLLM_STACK: _vllm_stack,
    WorkloadChart.KSERVE: _kserve,
}
