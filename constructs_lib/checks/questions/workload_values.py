"""Pod templates in the values of charts that people run GPU workloads with, where what the chart makes of them is known for sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...nodes import GPU_RESOURCE
from ..read import ChartRelease, Path, Unknown, at

Made = dict[str, Any]
"""What `Workload` wants: kind, path, spec, and the rest. A container of the spec has its own `path`."""


def values_workloads(release: ChartRelease) -> Iterator[Made]:
    """The pod templates that a chart makes of its values."""
    controllers = release.values.get("controllers")
    if isinstance(controllers, Mapping) and any(isinstance(at(each, "containers"), Mapping) for each in controllers.values()):
        yield from _app_template(release, controllers)
    elif release.chart == "ollama":
        yield from _ollama(release, release.values, ())
    elif release.chart == "open-webui" and at(release.values, "ollama", "enabled") is not False:
        yield from _ollama(release, at(release.values, "ollama"), ("ollama",))
    else:
        yield from _somewhere(release)


# bjw-s' common library, of which app-template is the best known chart (bjw-s-labs/helm-charts charts/library/common).
_POD_OPTIONS = (
    "runtimeClassName", "nodeSelector", "affinity", "tolerations", "resourceClaims", "hostPID", "hostNetwork", "hostIPC", "enableServiceLinks",
    "annotations",
)  # fmt: skip
_KINDS = {"deployment": "Deployment", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "cronjob": "CronJob", "job": "Job"}


def _app_template(release: ChartRelease, controllers: Mapping[str, Any]) -> Iterator[Made]:
    defaults = release.values.get("defaultPodOptions")
    for name, controller in controllers.items():
        containers = at(controller, "containers")
        if not isinstance(containers, Mapping) or at(controller, "enabled") is False:
            continue
        path = (*release.values_path, "controllers", name)
        options = {key: _option(key, at(controller, "pod"), defaults) for key in _POD_OPTIONS}
        spec: dict[str, Any] = {key: value for key, value in options.items() if value not in (None, "", {}, []) or isinstance(value, bool)}
        spec.setdefault("enableServiceLinks", False)  # the library's default
        for key in ("initContainers", "containers"):
            spec[key] = [
                _container(each, (*path, key, each_name), each_name)
                for each_name, each in (at(controller, key) or {}).items()
                if isinstance(each, Mapping) and each.get("enabled") is not False
            ] if isinstance(at(controller, key), Mapping) else []  # fmt: skip
        kind = _KINDS.get(str(at(controller, "type") or "deployment").lower(), "")
        yield {
            "kind": kind,
            "path": path,
            "spec": spec,
            "metadata": {"annotations": spec.pop("annotations", None) or {}},
            "controller": _controller(kind, controller),
            "pods": _pods(kind, controller),
            "complete": release.complete and not isinstance(at(controller, "pod"), Unknown),
        }


def _option(key: str, pod: Any, defaults: Any) -> Any:
    """An option of the pod: the controller's own, or else that of all."""
    own, default = at(pod, key), at(defaults, key)
    return {**default, **own} if isinstance(own, Mapping) and isinstance(default, Mapping) else default if own is None else own


def _container(values: Mapping[str, Any], path: Path, name: str) -> Made:
    image = values.get("image")
    if isinstance(image, Mapping):
        image = _image(image.get("repository"), image.get("tag"))
    probes = {f"{key}Probe": at(values, "probes", key, "spec") for key in ("startup", "liveness", "readiness")}
    return {
        "name": name,
        "path": path,
        "image": image,
        "env": _env(values.get("env")),
        "resources": values.get("resources"),
        "securityContext": values.get("securityContext"),
        "lifecycle": values.get("lifecycle"),
        **{key: probe for key, probe in probes.items() if isinstance(probe, Mapping)},
    }


def _image(repository: Any, tag: Any) -> str:
    parts = [part for part in (repository, tag) if part is not None]
    joined = ":".join(str(part) for part in parts)
    return Unknown(joined) if any(isinstance(part, Unknown) for part in parts) else joined


def _env(values: Any) -> list[Made]:
    """Variables, which the library takes as a mapping too."""
    if isinstance(values, Mapping):
        return [{"name": name, "value": None if isinstance(value, Mapping) else value} for name, value in values.items()]
    return [dict(each) for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


def _controller(kind: str, values: Any) -> Made:
    made: Made = {}
    if kind == "Deployment":
        rolling = at(values, "rollingUpdate") if isinstance(at(values, "rollingUpdate"), Mapping) else {}
        made["strategy"] = {
            "type": at(values, "strategy") or "Recreate",
            "rollingUpdate": {
                name: rolling.get(name, rolling.get(short))
                for name, short in (("maxUnavailable", "unavailable"), ("maxSurge", "surge"))
                if rolling.get(name, rolling.get(short)) is not None
            },
        }
    if kind == "CronJob":
        made["concurrencyPolicy"] = at(values, "cronjob", "concurrencyPolicy") or "Forbid"
    return made


def _pods(kind: str, values: Any) -> int | None:
    if kind in ("Deployment", "StatefulSet"):
        replicas = values.get("replicas", 1)
    elif kind in ("CronJob", "Job"):
        given = at(values, kind.lower(), "parallelism")
        replicas = 1 if given is None else given
    else:
        return None
    return replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else None


def _ollama(release: ChartRelease, values: Any, below: Path) -> Iterator[Made]:
    """The chart of otwld/ollama-helm, by itself or inside open-webui's."""
    gpu = at(values, "ollama", "gpu")
    if at(gpu, "enabled") is not True or at(values, "knative", "enabled") is True or at(gpu, "type") not in (None, "nvidia"):
        return
    path = (*release.values_path, *below)
    resources, claims = at(values, "resources"), []
    if at(gpu, "draEnabled") is True:
        claims = [{"name": "gpu"}]
        limits = {}
    elif at(gpu, "mig", "enabled") is True:
        devices = at(gpu, "mig", "devices")
        limits = {f"nvidia.com/mig-{name}": count for name, count in devices.items()} if isinstance(devices, Mapping) else {}
    else:
        limits = {str(at(gpu, "nvidiaResource") or GPU_RESOURCE): 1 if at(gpu, "number") is None else at(gpu, "number")}
    given = at(resources, "limits")
    container: Made = {
        "name": "ollama",
        "path": (*path, "ollama", "gpu"),
        "image": _image(at(values, "image", "repository") or "ollama/ollama", at(values, "image", "tag")),
        "env": _env(at(values, "extraEnv")),
        "resources": {"requests": at(resources, "requests"), "limits": {**limits, **(given if isinstance(given, Mapping) else {})}},
        "lifecycle": _ollama_hook(values),
    }
    pulled = at(values, "replicaCount")
    resource = next(iter(limits), GPU_RESOURCE)
    tolerations = at(values, "tolerations")
    yield {
        "kind": "Deployment",
        "path": path,
        "spec": {
            "runtimeClassName": at(values, "runtimeClassName") or None,
            "nodeSelector": at(values, "nodeSelector"),
            "affinity": at(values, "affinity"),
            "tolerations": [
                {"key": resource, "operator": "Exists", "effect": "NoSchedule"},
                *(tolerations if isinstance(tolerations, list) else []),
            ],
            "containers": [container],
            **({"resourceClaims": claims} if claims else {}),
        },
        "controller": {"strategy": at(values, "updateStrategy") or {"type": "Recreate"}},
        "pods": None
        if at(values, "autoscaling", "enabled") is True
        else 1
        if pulled is None
        else pulled
        if isinstance(pulled, int)
        else None,
        "complete": release.complete,
    }


def _ollama_hook(values: Any) -> Any:
    """The postStart hook by which the chart pulls models."""
    if at(values, "lifecycle"):
        return at(values, "lifecycle")
    models = at(values, "ollama", "models")
    return {"postStart": {"exec": {}}} if any(at(models, key) for key in ("pull", "run", "create")) else None


def _somewhere(release: ChartRelease) -> Iterator[Made]:
    """Resources in the values of a chart that we don't know: what a container of it asks for, and nothing else of it."""
    for path, resources in _resources(release.values, ()):
        where = (*release.values_path, *path)
        container = {"name": "", "path": where[:-1], "resources": resources}
        yield {"kind": "", "path": where[:-1], "spec": {"containers": [container]}, "complete": False}


def _resources(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "resources" and isinstance(item, Mapping) and _names_gpus(item):
                yield (*path, key), item
            elif isinstance(item, Mapping | list):
                yield from _resources(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _resources(item, (*path, index))


def _names_gpus(resources: Mapping[str, Any]) -> bool:
    sections = (resources.get("limits"), resources.get("requests"))
    return any(str(name).startswith("nvidia.com/") for section in sections if isinstance(section, Mapping) for name in section)
