"""Pod templates of charts for GPU workloads, as the charts render them from their values, if the result is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..model import ChartRelease, Inputs, Path, Unknown, at, is_given, is_unknown, known_items, known_list, known_str
from ..objects.chart_sources import is_of_truecharts, is_upstreams_chart
from .library_workloads import WorkloadFields, app_template, env_of, image_of, is_app_template, names_gpus, truecharts


def number_of(value: Any, default: int) -> int | None:
    """The number of pods that a value sets, None for an unreadable value."""
    if value is None:
        return default
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _ollama(release: ChartRelease, values: Any, below: Path) -> Iterator[WorkloadFields]:
    """The chart of otwld/ollama-helm, by itself or inside open-webui's."""
    gpu = at(values, "ollama", "gpu")
    kind, knative = at(gpu, "type"), at(values, "knative", "enabled")
    is_nvidias = kind is None or known_str(kind) == "nvidia"
    if at(gpu, "enabled") is not True or is_unknown(knative) or knative is True or not is_nvidias:
        return
    path = (*release.values_path, *below)
    resources, limits = at(values, "resources"), _ollama_limits(gpu)
    claims = [{"name": "gpu"}] if at(gpu, "draEnabled") is True else []
    own_limits = at(resources, "limits")
    container: WorkloadFields = {
        "name": "ollama",
        "path": (*path, "ollama", "gpu"),
        "image": image_of(_or(at(values, "image", "repository"), "ollama/ollama"), at(values, "image", "tag")),
        "env": env_of(at(values, "extraEnv")),
        "resources": {
            "requests": at(resources, "requests"),
            "limits": {**limits, **(own_limits if isinstance(own_limits, Mapping) else {})} if isinstance(limits, Mapping) else limits,
        },
        "lifecycle": _ollama_hook(values),
    }
    resource = next(iter(limits), GPU_RESOURCE) if isinstance(limits, Mapping) else limits
    tolerations, scaled = at(values, "tolerations"), at(values, "autoscaling", "enabled")
    yield {
        "kind": "Deployment",
        "path": path,
        "spec": {
            "runtimeClassName": _or(at(values, "runtimeClassName"), None),
            "nodeSelector": at(values, "nodeSelector"),
            "affinity": at(values, "affinity"),
            "tolerations": [
                {"key": resource, "operator": "Exists", "effect": "NoSchedule"},
                *([tolerations] if is_unknown(tolerations) else known_list(tolerations)),
            ],
            "containers": [container],
            **({"resourceClaims": claims} if claims else {}),
        },
        "controller": {"strategy": _or(at(values, "updateStrategy"), {"type": "Recreate"})},
        "pods": None if is_unknown(scaled) or scaled is True else number_of(at(values, "replicaCount"), 1),
        "complete": release.complete,
    }


def _or(value: Any, default: Any) -> Any:
    return value if is_given(value) else default


def _ollama_limits(gpu: Any) -> Mapping[str, Any] | Unknown:
    """The GPU limits that the chart sets from its own values."""
    by_claim, by_profile, resource, number = at(gpu, "draEnabled"), at(gpu, "mig", "enabled"), at(gpu, "nvidiaResource"), at(gpu, "number")
    if by_claim is True:
        return {}
    if by_profile is True:
        return {f"nvidia.com/mig-{name}": count for name, count in known_items(at(gpu, "mig", "devices"))}
    unread = next((each for each in (by_claim, by_profile, resource) if is_unknown(each)), None)
    return {known_str(resource) or GPU_RESOURCE: 1 if number is None else number} if unread is None else unread


def _ollama_hook(values: Any) -> Any:
    """The postStart hook by which the chart pulls models."""
    if is_given(at(values, "lifecycle")):
        return at(values, "lifecycle")
    models = at(values, "ollama", "models")
    pulled = [at(models, key) for key in ("pull", "run", "create")]
    return {"postStart": {"exec": {}}} if any(is_given(each) and not is_unknown(each) for each in pulled) else None


def _open_webui(release: ChartRelease) -> Iterator[WorkloadFields]:
    """open-webui/helm-charts brings the chart of ollama along."""
    enabled = at(release.values, "ollama", "enabled")
    if enabled is not False and not is_unknown(enabled):
        yield from _ollama(release, at(release.values, "ollama"), ("ollama",))


def _jellyfin(release: ChartRelease) -> Iterator[WorkloadFields]:
    """jellyfin/jellyfin-helm charts/jellyfin."""
    values = release.values
    strategy = _or(at(values, "deploymentStrategy"), {"type": "RollingUpdate"})
    yield _plain(release, release.values_path, image=at(values, "image"), env=at(values, "jellyfin", "env"), strategy=strategy)


def _local_ai(release: ChartRelease) -> Iterator[WorkloadFields]:
    """go-skynet/helm-charts charts/local-ai, whose Deployment has the strategy that its values give, and no other."""
    below = at(release.values, "deployment")
    strategy = at(below, "strategy")
    workload = _plain(release, release.values_path, image=at(below, "image"), env=at(below, "env"), strategy=strategy)
    workload["spec"]["runtimeClassName"] = at(below, "runtimeClassName")
    yield workload


def _plain(release: ChartRelease, path: Path, *, image: Any, env: Any, strategy: Any) -> WorkloadFields:
    """A Deployment of one container, with the names that `helm create` gives its values."""
    values = release.values
    container = {
        "name": release.chart,
        "path": path,
        "image": image_of(at(image, "repository"), at(image, "tag")),
        "env": env_of(env),
        "resources": at(values, "resources"),
        "securityContext": at(values, "securityContext"),
    }
    keys = ("runtimeClassName", "nodeSelector", "affinity", "tolerations")
    return {
        "kind": "Deployment",
        "path": path,
        "spec": {**{key: _or(at(values, key), None) for key in keys}, "containers": [container]},
        "controller": {"strategy": strategy} if is_given(strategy) else {},
        "pods": number_of(at(values, "replicaCount"), 1),
        "complete": release.complete,
    }


CHARTS: Mapping[str, Callable[[ChartRelease], Iterator[WorkloadFields]]] = {
    "ollama": lambda release: _ollama(release, release.values, ()),
    "open-webui": _open_webui,
    "jellyfin": _jellyfin,
    "local-ai": _local_ai,
}


def values_workloads(release: ChartRelease, inputs: Inputs) -> Iterator[WorkloadFields]:
    """The pod templates that a chart renders from its values. A chart of another repository is an unknown chart,
    whatever its name."""
    # Flux may patch anything after Helm has rendered the chart.
    is_patched = is_given(release.at("spec", "postRenderers"))
    for fields in _of_chart(release, inputs):
        yield {**fields, "complete": False} if is_patched else fields


def _of_chart(release: ChartRelease, inputs: Inputs) -> Iterator[WorkloadFields]:
    chart = known_str(release.chart) or ""
    if is_app_template(release):
        yield from app_template(release)
        # A chart of several parts, as immich's, may have the library once more in each of them.
        yield from _somewhere(release, {key: value for key, value in known_items(release.values) if key != "controllers"})
    elif is_of_truecharts(release, inputs):
        yield from truecharts(release)
    elif chart in CHARTS and not is_upstreams_chart(release, inputs).is_no:
        yield from CHARTS[chart](release)
    else:
        yield from _somewhere(release, release.values)


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
