"""Pod templates in the values of charts for GPU workloads, if the rendered result is certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Answer, ChartRelease, Path, at, is_given, is_open, is_unknown, known_items, known_str
from .pod_counts import NOT_SET, Count
from .workload_charts import CHARTS, WorkloadFields, env_of, image_of


def values_workloads(release: ChartRelease, is_upstreams: Answer) -> Iterator[WorkloadFields]:
    """The pod templates that a chart renders from its values. A chart of another repository is an unknown chart,
    whatever its name."""
    # Flux may patch anything after Helm has rendered the chart.
    is_patched = is_given(release.at("spec", "postRenderers"))
    for fields in _of_chart(release, is_upstreams):
        yield {**fields, "complete": False} if is_patched else fields


def is_app_template(release: ChartRelease) -> bool:
    """Whether a chart's values are those of bjw-s' common library."""
    controllers = at(release.values, "controllers")
    return isinstance(controllers, Mapping) and any(isinstance(at(each, "containers"), Mapping) for each in controllers.values())


def _of_chart(release: ChartRelease, is_upstreams: Answer) -> Iterator[WorkloadFields]:
    controllers = at(release.values, "controllers")
    chart = known_str(release.chart) or ""
    if is_app_template(release):
        yield from _app_template(release, controllers)
        # A chart of several parts, as immich's, may have the library once more in each of them.
        yield from _somewhere(release, {key: value for key, value in known_items(release.values) if key != "controllers"})
    elif chart in CHARTS and not is_upstreams.is_no:
        yield from CHARTS[chart](release)
    else:
        yield from _somewhere(release, release.values)


# bjw-s' common library, of which app-template is the best known chart (bjw-s-labs/helm-charts charts/library/common).
_POD_OPTIONS = (
    "runtimeClassName", "nodeSelector", "affinity", "tolerations", "resourceClaims", "hostPID", "hostNetwork", "hostIPC", "enableServiceLinks",
    "annotations",
)  # fmt: skip
_KINDS = {"deployment": "Deployment", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "cronjob": "CronJob", "job": "Job"}


def _app_template(release: ChartRelease, controllers: Mapping[str, Any]) -> Iterator[WorkloadFields]:
    defaults = at(release.values, "defaultPodOptions")
    for name, controller in controllers.items():
        containers = at(controller, "containers")
        if not isinstance(containers, Mapping) or not _is_enabled(controller):
            continue
        path = (*release.values_path, "controllers", name)
        options = {key: _option(key, at(controller, "pod"), defaults) for key in _POD_OPTIONS}
        spec: dict[str, Any] = {key: value for key, value in options.items() if is_given(value)}
        spec.setdefault("enableServiceLinks", False)  # the library's default
        for key in ("initContainers", "containers"):
            spec[key] = [
                _container(each, (*path, key, each_name), each_name)
                for each_name, each in known_items(at(controller, key))
                if isinstance(each, Mapping) and _is_enabled(each)
            ]
        of_type = at(controller, "type")
        kind = "Deployment" if of_type is None else _KINDS.get((known_str(of_type) or "").lower(), "")
        yield {
            "kind": kind,
            "path": path,
            "spec": spec,
            "metadata": {"annotations": spec.pop("annotations", {})},
            "controller": _controller(kind, controller),
            "pods": _pods(kind, controller),
            "complete": release.complete and not (is_open(at(controller, "pod")) or is_open(containers)),
        }


def _is_enabled(values: Any) -> bool:
    enabled = at(values, "enabled")
    return enabled is not False and not is_unknown(enabled)


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
    probes = {f"{key}Probe": at(values, "probes", key, "spec") for key in ("startup", "liveness", "readiness")}
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
        policy = at(values, "cronjob", "concurrencyPolicy")
        fields["concurrencyPolicy"] = policy if is_given(policy) else "Forbid"
    return fields


def _pods(kind: str, values: Any) -> Count | int | None:
    if kind in ("Deployment", "StatefulSet"):
        replicas = at(values, "replicas") if "replicas" in values else 1
        if replicas is None:  # the library then leaves the field out
            return Count(1, NOT_SET)
    elif kind in ("CronJob", "Job"):
        parallelism = at(values, kind.lower(), "parallelism")
        replicas = 1 if parallelism is None else parallelism
    else:
        return None
    return replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else None


def _somewhere(release: ChartRelease, values: Mapping[str, Any]) -> Iterator[WorkloadFields]:
    """Resources in the values of an unknown chart: the GPU requests of a container, and no other setting."""
    for path, resources in _resources(values, ()):
        where = (*release.values_path, *path)
        container = {"name": "", "path": where[:-1], "resources": resources}
        yield {"kind": "", "path": where[:-1], "spec": {"containers": [container]}, "complete": False}


def _resources(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str) and key == "resources" and isinstance(item, Mapping) and names_gpus(item):
                yield (*path, key), item
            elif isinstance(item, Mapping | list):
                yield from _resources(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _resources(item, (*path, index))


def names_gpus(resources: Mapping[str, Any]) -> bool:
    """Whether the resources of a container name a GPU of NVIDIA's, or another resource of theirs."""
    sections = (at(resources, "limits"), at(resources, "requests"))
    return any(name.startswith("nvidia.com/") for section in sections for name, _ in known_items(section))
