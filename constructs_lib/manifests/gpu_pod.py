"""The heart of the house: make any pod template a GPU pod of a class of nodes.

Nothing else decides a GPU pod's RuntimeClass, tolerations, selector, and limit or claim. Deployments, Jobs, LeaderWorkerSets, somebody's
cdk8s-plus workload: every pod template goes through `gpu_pod`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain
from .._arguments.plain_values import instance, mapping, text, whole_number
from .._arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.mig import layouts_of, mig_profile
from ..upstream.gpu_resources import is_gpu
from ..upstream.plugin_words import MigStrategy
from .pod_placement import selected
from .pod_shape import check_shape, list_of_mappings

_VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
# The one value that hands out nothing (NVIDIA/nvidia-container-toolkit internal/config/image/devices.go).
_NO_DEVICES = "void"


@named_arguments(nodes="a GPU pod runs on a class of GPU nodes")
def gpu_pod(
    template: Mapping[str, Any],
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    container: str | None = None,
    claim: str | None = None,
) -> dict[str, Any]:
    """A pod template that is scheduled onto a class of GPU nodes and is given GPUs there.

    On Talos a pod sees its GPU only through the RuntimeClass `nvidia` (up to 1.14), which is a setting of the whole pod: so containers
    that ask for no GPU get `NVIDIA_VISIBLE_DEVICES=void`, or one built on a CUDA image would see every GPU of the node.

    Makes no object: it returns the template with `runtimeClassName`, `tolerations`, `nodeSelector` (or node affinity, where the nodes
    have no labels of their own), the limit and the equal request. Whatever else the template holds is kept. Call it again for a second
    container of the same pod.

    Where the nodes have `dra`, the pod gets `resourceClaims` in place of limits and a RuntimeClass, and only the container of the call uses
    them. What they name is an object of its own, in the pod's namespace: make it with `GpuClaim`, or with `gpu_claim` as plain data.

    Args:
        template: The pod template as Kubernetes spells it, with `spec`: of a Deployment, a Job, a LeaderWorkerSet, a Ray cluster…
        nodes: The class of nodes that it is for.
        gpus: How many GPUs the container is given, or shares of one where `nodes` shares them. Default: 1.
        profile: The MIG profile of which it is given that many partitions, as "1g.10gb", on nodes with mig_strategy='mixed' or with `dra`.
            Default: none.
        container: The name of the container that is given them. Default: the only one.
        claim: The name of the ResourceClaimTemplate, or of the ResourceClaim where pods share one; for nodes with `dra`. Default: that of
            `GpuClaim` for the same nodes, number of GPUs and profile.

    Returns:
        A new template; the given one is not changed.

    Raises:
        TypeError, ValueError: `'gpus' must be a whole number of at least 1 …`, `'profile' must be …` for one that the nodes don't have,
            `'container' must be the name of a container …`, and `'template' must be …` when it contradicts what the nodes need: another
            RuntimeClass, another value for a selected label, another GPU limit, or `NVIDIA_VISIBLE_DEVICES` (which overrides the GPU that
            was allocated, and shows every one).

    Warns:
        TalosGpuWarning: For a `profile` that the nodes' `product` is not known to have.

    Example:
        >>> template = {"spec": {"containers": [{"name": "main", "image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}]}}
        >>> pod = gpu_pod(template, nodes=GpuNodes(talos_version="1.12", labels={"role": "gpu"}))
        >>> pod["spec"]["runtimeClassName"], pod["spec"]["containers"][0]["resources"]["limits"]
        ('nvidia', {'nvidia.com/gpu': 1})

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """
    return made_gpu_pod("template", copy.deepcopy(mapping("template", template, "a pod template")), nodes, gpus, profile, container, claim)


def made_gpu_pod(
    argument: str, pod: dict[str, Any], nodes: GpuNodes, gpus: int, profile: str | None, container: str | None, claim: str | None = None
) -> dict[str, Any]:
    """`gpu_pod` in place, for a template of our own that the user knows by the name of another `argument`."""
    instance("nodes", nodes, GpuNodes, "a GpuNodes")
    check_gpus(gpus, nodes, check_profile(profile, nodes))
    spec = pod.get("spec")
    if not isinstance(spec, dict) or not _containers(spec):
        if argument == "template":
            hint = "give 'spec.template' of a workload, not the workload or its 'spec'"
            raise wrong(argument, "a pod template with containers in its 'spec'", pod, hint)
        got = spec.get("containers") if isinstance(spec, dict) else spec
        raise wrong(argument, "with a list of at least one container in 'containers'", got)
    check_shape(argument, spec)
    chosen = _container(spec["containers"], container)
    if nodes.dra:
        from ..nodes.dra import claim_name  # only who has claims needs what they are

        _claim(argument, spec, chosen, nodes, claim_name(nodes.name, gpus, profile) if claim is None else claim)
    elif claim is not None:
        raise wrong("claim", "left out on nodes without 'dra'", claim, "a device plugin hands out their GPUs, by limits")
    else:
        _limit(argument, chosen, nodes.resource(profile), gpus)
    _warn_of_profile(profile, nodes)
    _runtime_class(argument, spec, nodes)
    return selected(pod, nodes, argument)


def _containers(spec: dict[str, Any]) -> bool:
    containers = spec.get("containers")
    return isinstance(containers, list) and bool(containers) and all(isinstance(container, dict) for container in containers)


def check_profile(profile: object, nodes: GpuNodes) -> str | None:
    """A MIG profile that these nodes have, or none where they advertise GPUs."""
    mixed = nodes.mig_strategy == MigStrategy.MIXED
    known = nodes.mig_profiles
    if profile is not None and nodes.dra:
        return mig_profile("profile", profile)
    if profile is None:
        if mixed and all(layouts_of(nodes.mig_devices)):
            rule = f"one of the nodes' MIG profiles, {_quoted(list(known))}" if known else "a MIG profile such as '1g.10gb'"
            raise wrong("profile", rule, None, "with mig_strategy='mixed' each partition is a resource of its own")
        return None
    if not mixed:
        hint = "there each partition counts as a GPU" if nodes.mig_strategy == MigStrategy.SINGLE else "there GPUs are whole"
        raise wrong("profile", f"left out on nodes with mig_strategy='{nodes.mig_strategy}'", profile, hint)
    checked = mig_profile("profile", profile)
    if known and checked not in known:
        raise wrong("profile", f"one of the nodes' MIG profiles, {_quoted(list(known))}", checked, did_you_mean(checked, known))
    return checked


def _warn_of_profile(profile: str | None, nodes: GpuNodes) -> None:
    # What 'mig_devices' names is compared with the card by GpuNodes.
    if profile is not None and nodes.product is not None and not nodes.mig_profiles:
        from ..nodes.mig_profiles import warn_of_profiles  # only who names a card needs the profiles of all

        warn_of_profiles(nodes.product, nodes.memory_per_gpu, {profile: 1})


def check_gpus(gpus: object, nodes: GpuNodes, profile: str | None = None) -> int:
    """A number of GPUs, or of partitions of a profile, that one pod on these nodes can be given."""
    shared_by = "'share' of 'dra'" if nodes.dra else "'sharing'"
    number = whole_number("gpus", gpus, hint=f"to share a GPU set {shared_by} on GpuNodes")
    sharing = nodes.sharing
    if sharing is not None and sharing.fail_requests_greater_than_one and number > 1:
        hint = "'fail_requests_greater_than_one' of 'sharing' refuses more than one share: two are no more of a GPU than one"
        raise wrong("gpus", "1 on these nodes", gpus, hint)
    # Shares of one claim are of different GPUs; see gpu_claim.
    most = nodes.gpus_per_node if nodes.dra and profile is None else nodes.advertised(profile)
    if most is not None and number > most:
        source = "gpus_per_node" if nodes.mig_devices is None else "mig_devices"
        hint = f"the pod would stay Pending; see '{source}' of GpuNodes"
        raise wrong("gpus", f"at most {most}, which is what one node offers", gpus, hint)
    return number


def _container(containers: list[dict[str, Any]], name: str | None) -> dict[str, Any]:
    names = [str(container.get("name")) for container in containers]
    if name is None:
        if len(containers) > 1:
            raise wrong("container", "the name of a container when the pod has several", name, f"it has {_quoted(names)}")
        return containers[0]
    text("container", name)
    if name not in names:
        raise wrong("container", f"the name of a container of this pod, {_quoted(names)}", name, did_you_mean(name, names))
    return containers[names.index(name)]


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _limit(argument: str, container: dict[str, Any], resource: str, gpus: int) -> None:
    resources = container["resources"] = container.get("resources") or {}
    for section in ("limits", "requests"):
        amounts = resources[section] = resources.get(section) or {}
        for key in filter(is_gpu, list(amounts)):
            if key != resource or str(amounts[key]) != str(gpus):
                raise wrong(
                    argument, f"without another GPU in its {section} than {resource}: {gpus}", f"{key}: {amounts[key]}", "leave it out"
                )
        amounts[resource] = gpus


def _claim(argument: str, spec: dict[str, Any], container: dict[str, Any], nodes: GpuNodes, name: str) -> None:
    """Let one container use a claim: each its own, unless all share one."""
    for each in [*(spec.get("initContainers") or []), *spec["containers"]]:
        resources = each.get("resources") or {}
        for key in filter(is_gpu, [*(resources.get("limits") or {}), *(resources.get("requests") or {})]):
            hint = "the claim is all that a container needs; leave it out"
            raise wrong(argument, "without GPU limits where pods claim their GPUs ('dra' of GpuNodes)", f"{key} in {each['name']}", hint)
    one_claim = nodes.dra is not None and nodes.dra.is_one_claim
    source = "resourceClaimName" if one_claim else "resourceClaimTemplateName"
    ours = {"name": "gpu" if one_claim else container["name"], source: dns_subdomain("claim", name)}
    claims = spec["resourceClaims"] = list_of_mappings(argument, "resourceClaims", spec.get("resourceClaims"))
    theirs = next((each for each in claims if each.get("name") == ours["name"]), None)
    if theirs is None:
        claims.append(ours)
    elif theirs != ours:
        raise wrong(argument, f"without another resource claim named '{ours['name']}' than {ours}", theirs)
    resources = container["resources"] = container.get("resources") or {}
    used = resources["claims"] = list_of_mappings(argument, "claims", resources.get("claims"))
    if not any(each.get("name") == ours["name"] for each in used):
        used.append({"name": ours["name"]})


def _runtime_class(argument: str, spec: dict[str, Any], nodes: GpuNodes) -> None:
    # A claim's GPU is described by CDI, which containerd reads whatever the runtime.
    wanted = None if nodes.dra else nodes.runtime_class
    given = spec.get("runtimeClassName")
    if given is not None and given != wanted:
        if nodes.dra:
            hint = "under 'nvidia' a container of a CUDA image that claims nothing would see every GPU; leave it out"
            raise wrong(argument, "without a runtimeClassName where pods claim their GPUs ('dra' of GpuNodes)", given, hint)
        rule = (
            f"without another runtimeClassName than '{wanted}'"
            if wanted
            else "without a runtimeClassName on Talos 1.15, which injects GPUs by NRI"
        )
        raise wrong(argument, rule, given, "it is the only handler of NVIDIA's that Talos registers" if wanted else "leave it out")
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    for container in containers:
        _check_devices(argument, container)
    if wanted is not None:
        spec["runtimeClassName"] = wanted
    for container in containers:
        variables = container.get("env") or []
        others = [variable for variable in variables if variable.get("name") != _VISIBLE_DEVICES]
        if wanted is not None and not has_gpu(container):
            container["env"] = [*others, {"name": _VISIBLE_DEVICES, "value": _NO_DEVICES}]
        elif len(others) != len(variables):
            container["env"] = others


def has_gpu(container: Mapping[str, Any]) -> bool:
    """Whether a container asks for a GPU, whole, shared or a partition."""
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(is_gpu(resource) for resource in limits)


def _check_devices(argument: str, container: Mapping[str, Any]) -> None:
    for variable in container.get("env") or []:
        if variable.get("name") == _VISIBLE_DEVICES and variable.get("value") != _NO_DEVICES:
            raise visible_devices_error(argument, container.get("name"), variable.get("value"))


def visible_devices_error(argument: str, where: object, value: object) -> ValueError:
    """Why nobody sets this variable beside a GPU limit."""
    hint = "it overrides the GPU that the device plugin allocates and shows every GPU of the node; leave it out"
    return wrong(argument, f"without {_VISIBLE_DEVICES}", f"{value} in {where}", hint)
