"""Pod templates of charts that run one GPU workload each, as the chart makes them of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...upstream.gpu_resources import GPU_RESOURCE
from ..model import ChartRelease, Path, Unknown, at

Made = dict[str, Any]
"""What `Workload` wants: kind, path, spec, and the rest. A container of the spec has its own `path`."""


def image_of(repository: Any, tag: Any) -> str:
    """An image of its two parts."""
    parts = [part for part in (repository, tag) if part is not None]
    joined = ":".join(str(part) for part in parts)
    return Unknown(joined) if any(isinstance(part, Unknown) for part in parts) else joined


def env_of(values: Any) -> list[Made]:
    """Variables, which the library takes as a mapping too."""
    if isinstance(values, Mapping):
        return [{"name": name, "value": None if isinstance(value, Mapping) else value} for name, value in values.items()]
    return [dict(each) for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


def number_of(value: Any, default: int) -> int | None:
    """How many pods a value makes, None where that can't be read."""
    if value is None:
        return default
    return value if isinstance(value, int) and not isinstance(value, bool) else None


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
        "image": image_of(at(values, "image", "repository") or "ollama/ollama", at(values, "image", "tag")),
        "env": env_of(at(values, "extraEnv")),
        "resources": {"requests": at(resources, "requests"), "limits": {**limits, **(given if isinstance(given, Mapping) else {})}},
        "lifecycle": _ollama_hook(values),
    }
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
        "pods": None if at(values, "autoscaling", "enabled") is True else number_of(at(values, "replicaCount"), 1),
        "complete": release.complete,
    }


def _ollama_hook(values: Any) -> Any:
    """The postStart hook by which the chart pulls models."""
    if at(values, "lifecycle"):
        return at(values, "lifecycle")
    models = at(values, "ollama", "models")
    return {"postStart": {"exec": {}}} if any(at(models, key) for key in ("pull", "run", "create")) else None


def _open_webui(release: ChartRelease) -> Iterator[Made]:
    """open-webui/helm-charts brings the chart of ollama along."""
    if at(release.values, "ollama", "enabled") is not False:
        yield from _ollama(release, at(release.values, "ollama"), ("ollama",))


def _jellyfin(release: ChartRelease) -> Iterator[Made]:
    """jellyfin/jellyfin-helm charts/jellyfin."""
    values = release.values
    strategy = values.get("deploymentStrategy") or {"type": "RollingUpdate"}
    yield _plain(release, release.values_path, image=at(values, "image"), env=at(values, "jellyfin", "env"), strategy=strategy)


def _local_ai(release: ChartRelease) -> Iterator[Made]:
    """go-skynet/helm-charts charts/local-ai, whose Deployment has the strategy that its values give, and no other."""
    below = at(release.values, "deployment")
    strategy = at(below, "strategy")
    made = _plain(release, release.values_path, image=at(below, "image"), env=at(below, "env"), strategy=strategy)
    made["spec"]["runtimeClassName"] = at(below, "runtimeClassName")
    yield made


def _plain(release: ChartRelease, path: Path, *, image: Any, env: Any, strategy: Any) -> Made:
    """A Deployment of one container, with the names that `helm create` gives its values."""
    values = release.values
    container = {
        "name": release.chart,
        "path": path,
        "image": image_of(at(image, "repository"), at(image, "tag")),
        "env": env_of(env),
        "resources": values.get("resources"),
        "securityContext": values.get("securityContext"),
    }
    keys = ("runtimeClassName", "nodeSelector", "affinity", "tolerations")
    return {
        "kind": "Deployment",
        "path": path,
        "spec": {**{key: values.get(key) or None for key in keys}, "containers": [container]},
        "controller": {"strategy": strategy} if strategy else {},
        "pods": number_of(values.get("replicaCount"), 1),
        "complete": release.complete,
    }


CHARTS: Mapping[str, Callable[[ChartRelease], Iterator[Made]]] = {
    "ollama": lambda release: _ollama(release, release.values, ()),
    "open-webui": _open_webui,
    "jellyfin": _jellyfin,
    "local-ai": _local_ai,
}
