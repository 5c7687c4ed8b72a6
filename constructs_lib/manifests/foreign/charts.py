"""The GPU pods of other people's charts, in the keys of their values."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.spelling import did_you_mean
from ...upstream.charts.pod_keys import APP_TEMPLATE_POD, JUPYTERHUB_POD, KSERVE_STANDARD, KUBESPAWNER_POD, OLLAMA_POD, VLLM_STACK_POD
from ..gpu_pod import check_gpus, check_profile
from ..pod_placement import REQUIRED
from .gpu_requests import GpuRequest
from .pod_spelling import Spelling, devices_of, put, put_devices, section, spell, value_at

_VALUES = "values"
_NEW = "main"


def app_template(values: dict[str, Any], request: GpuRequest, workload: str | None) -> None:
    """The pod of a controller of bjw-s' app-template."""
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


def ollama(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """The pod of otwld's chart of Ollama."""
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
    if nodes.by_claim:
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


def jupyterhub(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """The pods of every notebook of Zero to JupyterHub."""
    spelling = Spelling(f"{_VALUES}[singleuser]", "the chart jupyterhub", JUPYTERHUB_POD)
    _notebook(spelling, section(values, "singleuser", _VALUES), request)


def kubespawner(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """The traits of KubeSpawner for one profile of JupyterHub."""
    _notebook(Spelling(_VALUES, "KubeSpawner", KUBESPAWNER_POD), values, request)


def _notebook(spelling: Spelling, values: dict[str, Any], request: GpuRequest) -> None:
    argument, _, keys = spelling
    env, limits = keys["env"], value_at(values, keys["limits"]) or {}
    devices = devices_of(f"{argument}[{env}]", value_at(values, env))
    main: dict[str, Any] = {"name": "notebook", "resources": {"limits": limits}, "env": devices}
    spell(spelling, values, main, request)
    put(values, keys["limits"], main["resources"]["limits"], argument)
    put_devices(values, env, main)


def vllm_stack(values: dict[str, Any], request: GpuRequest, workload: str | None) -> None:
    """The pods of a model of vLLM's production stack."""
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
            "the head of the chart's Ray cluster asks for GPUs of its own; make a RayCluster with gpu_values('ray', …)",
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


def kserve(values: dict[str, Any], request: GpuRequest, _: str | None) -> None:
    """The mode in which KServe makes Deployments: Knative refuses a RuntimeClass, tolerations and a node selector."""
    check_gpus(request.gpus, request.nodes, check_profile(request.profile, request.nodes))
    path = "kserve.controller.deploymentMode"
    if value_at(values, path) not in KSERVE_STANDARD:
        _settle(values, path, KSERVE_STANDARD[0])
