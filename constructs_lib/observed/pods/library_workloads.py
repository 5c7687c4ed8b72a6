"""Pod templates of charts that share a library: bjw-s' common library (app-template is its best known chart), and that of TrueCharts.

In the values of both, a controller has a name, its containers have names, and a pod option is the controller's own or
that of all controllers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.nvidia.gpu_resources import VISIBLE_DEVICES
from ...upstream.programs.images import CAPABILITIES
from ..model import ChartRelease, Path, Unknown, at, is_given, is_open, is_unknown, joined, known_items, known_list, known_str
from ..objects.helm_values import with_defaults
from .pod_counts import NOT_SET, Count

WorkloadFields = dict[str, Any]
"""The arguments of `Workload`: kind, path, spec, and the rest. A container of the spec has its own `path`."""


def image_of(repository: Any, tag: Any) -> str | Unknown:
    """An image from its repository and tag."""
    if repository is None or tag is None:
        return joined(*(part for part in (repository, tag) if part is not None))
    return joined(repository, ":", tag)


def env_of(values: Any) -> Any:
    """Environment variables from a list or a mapping."""
    if isinstance(values, Mapping):
        return [{"name": name, "value": None if isinstance(value, Mapping) else value} for name, value in values.items()]
    return values if is_unknown(values) else known_list(values)


def names_gpus(resources: Mapping[str, Any]) -> bool:
    """Whether the resources of a container name a GPU of NVIDIA's, or another resource of theirs."""
    sections = (at(resources, "limits"), at(resources, "requests"))
    return any(name.startswith("nvidia.com/") for section in sections for name, _ in known_items(section))


# bjw-s-labs/helm-charts charts/library/common.
_POD_OPTIONS = (
    "runtimeClassName", "nodeSelector", "affinity", "tolerations", "resourceClaims", "hostPID", "hostNetwork", "hostIPC", "enableServiceLinks",
    "annotations",
)  # fmt: skip
_KINDS = {"deployment": "Deployment", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "cronjob": "CronJob", "job": "Job"}
_PROBES = ("startup", "liveness", "readiness")


def is_app_template(release: ChartRelease) -> bool:
    """Whether a chart's values are those of bjw-s' common library."""
    controllers = at(release.values, "controllers")
    return isinstance(controllers, Mapping) and any(isinstance(at(each, "containers"), Mapping) for each in controllers.values())


def app_template(release: ChartRelease) -> Iterator[WorkloadFields]:
    """The workloads of bjw-s' common library."""
    defaults = at(release.values, "defaultPodOptions")
    for name, controller in at(release.values, "controllers").items():
        containers = at(controller, "containers")
        if not isinstance(containers, Mapping) or not _is_enabled(controller):
            continue
        path = (*release.values_path, "controllers", name)
        options = {key: _option(key, at(controller, "pod"), defaults) for key in _POD_OPTIONS}
        spec: dict[str, Any] = {key: value for key, value in options.items() if is_given(value)}
        spec.setdefault("enableServiceLinks", False)  # the library's default
        for key in ("initContainers", "containers"):
            spec[key] = [_container(each, (*path, key, each_name), each_name) for each_name, each in _enabled(at(controller, key))]
        kind = _kind(controller)
        yield {
            "kind": kind,
            "path": path,
            "spec": spec,
            "metadata": {"annotations": spec.pop("annotations", {})},
            "controller": _controller(kind, controller),
            "pods": _pods(kind, controller, at(controller, kind.lower())),
            "complete": release.complete and not (is_open(at(controller, "pod")) or is_open(containers)),
        }


def option_places(release: ChartRelease, path: Path, key: str) -> list[Path]:
    """The places of the values that set a pod option of a workload at `path`: its own one, and the one of all
    workloads, which counts where its own is left out."""
    depth = len(release.values_path)
    section = path[depth : depth + 1]
    if section == ("controllers",):
        return [(*path, "pod", key), (*path[:depth], "defaultPodOptions", key)]
    return [(*path, key), *([(*path[:depth], "podOptions", key)] if section == ("workload",) else [])]


def _kind(values: Any) -> str:
    of_type = at(values, "type")
    return "Deployment" if of_type is None else _KINDS.get((known_str(of_type) or "").lower(), "")


def _is_enabled(values: Any) -> bool:
    enabled = at(values, "enabled")
    return enabled is not False and not is_unknown(enabled)


def _enabled(containers: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((name, each) for name, each in known_items(containers) if isinstance(each, Mapping) and _is_enabled(each))


def _option(key: str, pod: Any, defaults: Any) -> Any:
    """A pod option: the controller's own, or else the default of all controllers."""
    own, default = at(pod, key), at(defaults, key)
    if isinstance(own, Mapping) and isinstance(default, Mapping):
        return {**default, **own}
    return default if own is None else own


def _container(values: Mapping[str, Any], path: Path, name: str) -> WorkloadFields:
    image = at(values, "image")
    if isinstance(image, Mapping):
        image = image_of(at(image, "repository"), at(image, "tag"))
    # lib/container/fields/_probes.tpl: since 3.0 only what is enabled is a probe, with Kubernetes' own defaults of its times.
    probes = {f"{key}Probe": at(values, "probes", key, "spec") for key in _PROBES if at(values, "probes", key, "enabled") is True}
    return {
        "name": name,
        "path": path,
        "image": image,
        "env": env_of(at(values, "env")),
        "resources": at(values, "resources"),
        "securityContext": at(values, "securityContext"),
        "lifecycle": at(values, "lifecycle"),
        **{key: probe for key, probe in probes.items() if isinstance(probe, Mapping)},
    }


def _controller(kind: str, values: Any) -> WorkloadFields:
    fields: WorkloadFields = {}
    if kind == "Deployment":
        rolling = {
            name: value
            for name, short in (("maxUnavailable", "unavailable"), ("maxSurge", "surge"))
            for value in (at(values, "rollingUpdate", short), at(values, "rollingUpdate", name))
            if value is not None
        }
        strategy = at(values, "strategy")
        fields["strategy"] = {"type": strategy if is_given(strategy) else "Recreate", "rollingUpdate": rolling}
    if kind == "CronJob":
        policies = (at(values, "cronjob", "concurrencyPolicy"), at(values, "concurrencyPolicy"))
        fields["concurrencyPolicy"] = next(filter(is_given, policies), "Forbid")
    return fields


def _pods(kind: str, values: Mapping[str, Any], job: Any) -> Count | int | None:
    if kind in ("Deployment", "StatefulSet"):
        replicas = at(values, "replicas") if "replicas" in values else 1
        if replicas is None:  # the library then leaves the field out
            return Count(1, NOT_SET)
    elif kind in ("CronJob", "Job"):
        parallelism = at(job, "parallelism")
        replicas = 1 if parallelism is None else parallelism
    else:
        return None
    return replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else None


# TrueCharts' common library: trueforge-org/truecharts charts/library/common, templates/lib/{workload,pod,container}/*
# and values.yaml (2026-11-24).
_MAIN = "main"
"""The name of the workload, and of its container, that each chart has from the library."""
_SHARED_OPTIONS = tuple(key for key in _POD_OPTIONS if key not in ("resourceClaims", "annotations"))
_TIMEOUTS: Mapping[str, Mapping[str, int]] = {
    "startup": {"initialDelaySeconds": 10, "periodSeconds": 5, "timeoutSeconds": 3, "failureThreshold": 60},
    "liveness": {"initialDelaySeconds": 12, "periodSeconds": 15, "timeoutSeconds": 5, "failureThreshold": 5},
    "readiness": {"initialDelaySeconds": 10, "periodSeconds": 12, "timeoutSeconds": 5, "failureThreshold": 4},
}


def truecharts(release: ChartRelease) -> Iterator[WorkloadFields]:
    """The workloads of TrueCharts' common library.

    The chart's own values have the workload `main` with the container `main`; those of the user are merged with them.
    """
    values = release.values
    if at(values, "global", "stopAll") is True:  # no replicas, and suspended CronJobs
        return
    listed = at(values, "workload")
    named = dict(known_items(listed))
    if _MAIN not in named and names_gpus({"limits": at(values, "resources", "limits")}):
        named[_MAIN] = {}
    for name, workload in named.items():
        if isinstance(workload, Mapping) and _is_enabled(workload):
            yield _truecharts_workload(release, name, workload, is_complete=release.complete and not is_open(listed))


def _truecharts_workload(release: ChartRelease, name: str, workload: Mapping[str, Any], *, is_complete: bool) -> WorkloadFields:
    pod, defaults = at(workload, "podSpec"), at(release.values, "podOptions")
    path = (*release.values_path, "workload", name, "podSpec") if workload else (*release.values_path, "podOptions")
    options = {key: _first(at(pod, key), at(defaults, key)) for key in _SHARED_OPTIONS}
    spec: dict[str, Any] = {key: value for key, value in options.items() if is_given(value)}
    spec.setdefault("enableServiceLinks", False)
    for key in ("initContainers", "containers"):
        spec[key] = [
            _truecharts_container(release.values, each, (*path, key, each_name), each_name) for each_name, each in _enabled(at(pod, key))
        ]
    if name == _MAIN and _MAIN not in dict(known_items(at(pod, "containers"))):
        spec["containers"].insert(0, _truecharts_container(release.values, {}, release.values_path, _MAIN))
    kind = _kind(workload)
    return {
        "kind": kind,
        "path": path,
        "spec": spec,
        "controller": _controller(kind, workload),
        "pods": _pods(kind, workload, workload),
        "complete": is_complete and not any(map(is_open, (pod, defaults, at(pod, "containers")))),
    }


def _first(own: Any, default: Any) -> Any:
    """A pod option: the workload's own, unless it is empty, or else the one of all workloads."""
    return own if is_given(own) else default


def _truecharts_container(values: Mapping[str, Any], container: Mapping[str, Any], path: Path, name: str) -> WorkloadFields:
    image = at(values, known_str(at(container, "imageSelector")) or "image")
    repository, tag = at(image, "repository"), at(image, "tag")
    resources = _truecharts_resources(at(values, "resources"), at(container, "resources"))
    return {
        "name": name,
        "path": path,
        # What the values leave open, the chart's own values give.
        "image": image_of(Unknown() if repository is None else repository, Unknown() if tag is None else tag),
        "env": _truecharts_env(container, resources),
        "resources": resources,
        "securityContext": _merged(at(values, "securityContext", "container"), at(container, "securityContext")),
        "lifecycle": {hook: {known_str(at(action, "type")) or "": {}} for hook, action in known_items(at(container, "lifecycle"))},
        **{
            f"{key}Probe": {**_TIMEOUTS[key], **(spec if isinstance(spec := at(container, "probes", key, "spec"), Mapping) else {})}
            for key in _PROBES
            if is_given(at(container, "probes", key)) and at(container, "probes", key, "enabled") is not False
        },
    }


def _merged(default: Any, own: Any) -> Any:
    unread = next((each for each in (own, default) if is_unknown(each)), None)
    if unread is not None:
        return unread
    return with_defaults(*(each if isinstance(each, Mapping) else {} for each in (default, own)))


def _truecharts_resources(shared: Any, own: Any) -> Any:
    """The limits of a container: its own over those of all containers, without amounts of zero. The library takes its
    requests of other resources than CPU and memory from the limits."""
    resources = _merged(shared, own)
    limits = at(resources, "limits")
    if not isinstance(limits, Mapping):
        return {} if limits is None and isinstance(resources, Mapping) else resources
    is_plain = at(own, "excludeExtra") is True
    return {"limits": {name: each for name, each in limits.items() if f"{each}" != "0" and (not is_plain or name in ("cpu", "memory"))}}


def _truecharts_env(container: Mapping[str, Any], resources: Any) -> Any:
    """The variables of a container, with that of the library: a container without a GPU sees none."""
    env = env_of(at(container, "env"))
    if is_unknown(env) or is_unknown(resources):
        return env
    listed = at(container, "envList")
    env = [*env, *([listed] if is_unknown(listed) else known_list(listed))]
    name, value = (CAPABILITIES, "all") if names_gpus(resources) else (VISIBLE_DEVICES, "void")
    return env if any(at(each, "name") == name for each in env) else [*env, {"name": name, "value": value}]
