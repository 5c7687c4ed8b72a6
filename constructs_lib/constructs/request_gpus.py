"""`request_gpus`: GPUs for workloads of any cdk8s-plus version."""

from __future__ import annotations

from typing import Any

from cdk8s import ApiObject
from constructs import Construct

from ..arguments.errors import wrong, wrong_kind
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance
from ..manifests.foreign.gpu_requests import GpuRequest, pod_template, with_gpus
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.kubernetes.api import POD_TEMPLATES
from ._gpu_object import GpuObject
from ._registry import announce_nodes

_RULE = "a workload of cdk8s-plus, such as a Deployment"


@named_arguments(nodes="a GPU workload runs on a class of GPU nodes")
def request_gpus(
    workload: Construct,
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    container: str | None = None,
    claim: str | None = None,
) -> None:
    """Give a cdk8s-plus workload GPUs of a node class.

    cdk8s-plus has no field for extended resources, RuntimeClasses or node selectors, and its typed serialiser drops a
    plain `nvidia.com/gpu: 1` of a JSON patch silently (cdk8s-team/cdk8s#2163). `request_gpus` adds the GPUs after this
    serialiser, each time that the workload is rendered.

    Containers, volumes, variables, tolerations, affinity and patches that the workload gets after the call are kept,
    and later containers see no GPU either. A change that contradicts the nodes, such as
    `NVIDIA_VISIBLE_DEVICES`, is an error of the synth. JSON patches on `ApiObject.of(workload)` after the call apply
    last.

    Makes no object; the workload's own object is replaced in the tree by one with the same name and metadata. Call
    `request_gpus` once for each container with GPUs, before `app.synth()`.

    The defaults of cdk8s-plus are two pods, a rolling update that adds a pod first, `runAsNonRoot: true`, a read-only
    root file system and a memory limit of 2048Mi. Most images of GPU workloads need other values, see the example.

    Where the nodes have `dra`, add a `GpuClaim` of the same nodes, `gpus` and `profile` in the workload's namespace.

    Args:
        workload: A Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod of cdk8s-plus, of any version.
        nodes: The node class; the same class for every container of a workload.
        gpus: The number of GPUs of the container. Default: 1.
        profile: The MIG profile of the container's partitions, on nodes with mig_strategy='mixed' or with `dra`; `gpus`
            then counts partitions. Default: none.
        container: The container's name. Default: the only container that the workload has at the call.
        claim: The name of the `GpuClaim`, for nodes with `dra`. Default: the default name of `GpuClaim`.

    Raises:
        TypeError, ValueError: `'workload' must be …` for any other object, for a workload without containers, for one
            of an app whose `app.synth()` has run with an earlier `request_gpus`, and for a workload that contradicts
            the nodes; `'container' must be …` for a container with another request; `'nodes' must be …` for a second
            class of nodes; `'gpus' must be …` and `'claim' must be …` as for `gpu_pod`.

    Warns:
        TalosGpuWarning: At a synth, for a Deployment whose rolling update adds a pod before it removes one where no GPU
            may be free, and for `runAsNonRoot: true` on an image that is known to run as root.

    Example:
        >>> import cdk8s_plus_28 as kplus
        >>> from cdk8s import Size
        >>> as_root = kplus.ContainerSecurityContextProps(ensure_non_root=False, read_only_root_filesystem=False)
        >>> memory = kplus.ContainerResources(memory=kplus.MemoryResources(limit=Size.gibibytes(16)))
        >>> ollama = kplus.ContainerProps(image="ollama/ollama:0.32.15", port=11434, security_context=as_root, resources=memory)
        >>> recreate = kplus.DeploymentStrategy.recreate()
        >>> deployment = kplus.Deployment(Chart(App(), "ai"), "ollama", replicas=1, strategy=recreate, containers=[ollama])
        >>> request_gpus(deployment, nodes=GpuNodes(talos_version="1.12"))
        >>> ApiObject.of(deployment).to_json()["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        {'memory': '16384Mi', 'nvidia.com/gpu': 1}

    https://github.com/cdk8s-team/cdk8s/issues/2163
    """
    main = _object(workload)
    original, earlier = (main.original, main.requests) if isinstance(main, GpuObject) else (main, ())
    if GpuObject.is_synthesized(workload):
        raise wrong("workload", "of an app that is not synthesized yet", main.name, "call request_gpus before app.synth()")
    manifest = _rendered(original)
    request = GpuRequest(nodes, gpus, profile, _only_container(manifest) if container is None else container, claim)
    with_gpus(manifest, (request,))
    if request in earlier:
        return
    if earlier:
        _check_earlier(request, earlier)
        with_gpus(manifest, (*earlier, request))
    announce_nodes(workload, nodes, "request_gpus")
    (main if isinstance(main, GpuObject) else GpuObject(workload, main)).add_request(request)


def _object(workload: object) -> ApiObject:
    """The object of a workload of cdk8s-plus."""
    instance("workload", workload, Construct, _RULE)
    main = workload.node.default_child  # type: ignore[attr-defined]  # a construct, which is checked before
    is_plus = any(each.__module__.startswith("cdk8s_plus_") for each in type(workload).__mro__)
    if not is_plus or not isinstance(main, ApiObject) or main.kind not in POD_TEMPLATES:
        raise wrong_kind("workload", _RULE, workload, "for any other object use gpu_pod on its pod template")
    return main


def _rendered(original: ApiObject) -> dict[str, Any]:
    """The manifest that cdk8s-plus renders now."""
    try:
        return dict(original.to_json())
    except RuntimeError as error:
        reason = str(error).splitlines()[0].rpartition("Error: ")[2]
        raise wrong("workload", "complete before it asks for GPUs", original.name, f"cdk8s says: {reason}") from None


def _only_container(manifest: dict[str, Any]) -> str | None:
    """The name of the only container, so that a container that is added later leaves the choice as it is."""
    containers = pod_template(manifest).get("spec", {}).get("containers") or []
    return str(containers[0].get("name")) if len(containers) == 1 else None


def _check_earlier(request: GpuRequest, earlier: tuple[GpuRequest, ...]) -> None:
    """Refuse a request that contradicts those of an earlier call."""
    for other in earlier:
        if other.nodes != request.nodes:
            hint = "one node runs all containers of a pod; pass one GpuNodes to every call"
            raise wrong("nodes", f"the class of the workload's container '{other.container}'", request.nodes, hint)
        if other.container == request.container:
            hint = f"request_gpus gave it {other.gpus}; call request_gpus once for each container, with all its GPUs"
            raise wrong("container", "a container that has no GPUs yet", request.container, hint)
