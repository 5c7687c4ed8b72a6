"""Warnings of the defaults of cdk8s-plus with which a GPU workload does not start, or does not update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..manifests.foreign.gpu_requests import GpuRequest, pod_template
from ..upstream.programs.root_images import runs_as_root

# What Kubernetes uses for both numbers of a rolling update that has none.
_DEFAULT_SHARE = "25%"


def start_problems(manifest: Mapping[str, Any], requests: Iterable[GpuRequest]) -> Iterator[str]:
    """The problems of a workload's manifest, each as one warning."""
    if manifest["kind"] == "Deployment" and any(_waits(manifest["spec"], request) for request in requests):
        yield (
            "RollingUpdate deadlock: the new pod needs a GPU, and the old pod keeps its GPU until the new one is ready. Without a free GPU the new pod "
            "stays Pending; set strategy=DeploymentStrategy.recreate(), or rolling_update(max_surge=PercentOrAbsolute.absolute(0), "
            "max_unavailable=PercentOrAbsolute.absolute(1))"
        )
    spec = pod_template(manifest)["spec"]
    for container in [*(spec.get("initContainers") or []), *spec["containers"]]:
        if runs_as_root(container.get("image") or "") and _must_be_a_user(spec, container):
            yield (
                f"runAsNonRoot is true for container '{container['name']}', but its image {container['image']} runs as root. The container stays at "
                "CreateContainerConfigError: container has runAsNonRoot and image will run as root; set security_context="
                "ContainerSecurityContextProps(ensure_non_root=False, read_only_root_filesystem=False), or a 'user' that the image can run as"
            )


def _must_be_a_user(spec: Mapping[str, Any], container: Mapping[str, Any]) -> bool:
    """Whether the kubelet refuses a user that is root, and only the image names the user. A container's own field beats
    the pod's."""
    context = {**(spec.get("securityContext") or {}), **(container.get("securityContext") or {})}
    return context.get("runAsNonRoot") is True and context.get("runAsUser") is None


def _waits(deployment: Mapping[str, Any], request: GpuRequest) -> bool:
    """Whether a rolling update adds a pod before it removes one, and its GPUs may not be free."""
    strategy = deployment.get("strategy") or {}
    if strategy.get("type", "RollingUpdate") != "RollingUpdate" or (request.nodes.dra and request.nodes.dra.is_one_claim):
        return False
    pods, numbers = deployment.get("replicas"), strategy.get("rollingUpdate") or {}
    surge = _part(numbers.get("maxSurge", _DEFAULT_SHARE), pods, up=True)
    unavailable = _part(numbers.get("maxUnavailable", _DEFAULT_SHARE), pods, up=False)
    if not surge or unavailable != 0:
        return False
    return not _may_be_free(request, request.gpus * ((pods or 1) + surge))


def _part(value: object, pods: int | None, *, up: bool) -> int | None:
    """The pods of a number or a percentage: a surge is rounded up, the unavailable pods are rounded down. None where an
    autoscaler sets the number."""
    if isinstance(value, int):
        return value
    percent = str(value).removesuffix("%")
    if pods is None or not percent.isdecimal():
        return None
    return -(-pods * int(percent) // 100) if up else pods * int(percent) // 100


def _may_be_free(request: GpuRequest, needed: int) -> bool:
    """Whether the nodes have at least so many GPUs, shares or partitions; also true where a GPU serves an unknown
    number of claims."""
    nodes = request.nodes
    of_one_gpu = nodes.dra.claims_per_gpu if nodes.dra else nodes.sharing.replicas if nodes.sharing else 1
    return of_one_gpu is None or needed <= (nodes.advertised(request.profile) or of_one_gpu) * (nodes.count or 1)
