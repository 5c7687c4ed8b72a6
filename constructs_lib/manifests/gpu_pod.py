"""`gpu_pod`: makes any pod template a GPU pod of a class of nodes.

Only this module decides a GPU pod's RuntimeClass, tolerations, node selector, and limit or claim. Every pod template
goes through `gpu_pod`: those of Deployments, Jobs and LeaderWorkerSets, and those of cdk8s-plus.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..arguments.errors import wrong
from ..arguments.keywords import named_arguments
from ..arguments.names import dns_subdomain
from ..arguments.plain_values import mapping, text, whole_number
from ..arguments.quantities import amount_of, byte_quantity
from ..arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes, to_container_nodes
from ..nodes.mig import layouts_of, mig_profile
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
from ..upstream.nvidia.plugin_words import MigStrategy
from .pod_placement import selected
from .pod_shape import check_containers, check_template

# The declaration is an annotation of the pod. Kubernetes does not read it; the checks add the amounts up where pods
# share a GPU.


def check_gpu_memory(value: object, nodes: GpuNodes) -> str:
    """An amount of memory that one GPU of these nodes has."""
    written = byte_quantity("gpu_memory", value)
    if nodes.memory_per_gpu and amount_of(written) > amount_of(nodes.memory_per_gpu):
        hint = "the pod does not fit on one GPU; 'memory_per_gpu' of GpuNodes names another size, such as that with ECC off"
        raise wrong("gpu_memory", f"at most {nodes.memory_per_gpu}, the memory of one GPU", value, hint)
    return written


# The value that shows no GPU (NVIDIA/nvidia-container-toolkit internal/config/image/devices.go).
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
    """A pod template that is scheduled onto a class of GPU nodes and gets GPUs there.

    With `envvar`, the default strategy of the device plugin, only NVIDIA's runtime gives a pod its GPU, so up to Talos
    1.14 a pod gets the RuntimeClass `nvidia`, whose handler starts this runtime. The RuntimeClass is a setting of the
    whole pod. Containers that ask for no GPU therefore get `NVIDIA_VISIBLE_DEVICES=void`; without this variable a
    container with a CUDA image would see every GPU of the node.

    Makes no object. Returns the template with `runtimeClassName`, `tolerations`, `nodeSelector` (or node affinity,
    where the nodes have no labels of their own), the limit, an equal request, and the label `talos-gpu/class` with the
    name of the class. Every other field of the template stays. Call `gpu_pod` again for a second container of the same
    pod.

    On nodes with `dra` the pod gets `resourceClaims`, not limits and a RuntimeClass, and only the chosen container uses
    the claim. The claim's object must be in the pod's namespace: make the object with `GpuClaim`, or as plain data with
    `gpu_claim`.

    Args:
        template: The pod template in Kubernetes' spelling, with `spec`: the template of a Deployment, a Job, a
            LeaderWorkerSet, a Ray cluster…
        nodes: The class of nodes.
        gpus: The number of GPUs of the container, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the container's partitions, as "1g.10gb", on nodes with mig_strategy='mixed' or with
            `dra`; `gpus` then counts partitions. Default: none.
        container: The name of the container that gets the GPUs. Default: the only container.
        claim: The name of the ResourceClaimTemplate, or of the ResourceClaim where pods share one; for nodes with
            `dra`. Default: the name that `GpuClaim` derives from the same nodes, number of GPUs and profile.

    Returns:
        A new template; the given template does not change.

    Raises:
        TypeError, ValueError: `'gpus' must be a whole number of at least 1 …`, `'profile' must be …` for a profile that
            the nodes don't have, `'container' must be the name of a container …`, and `'template' must be …` for a
            template that contradicts the nodes: another RuntimeClass, another class, another value of a selected label,
            another GPU limit, a literal credential, a security context that the API server refuses, or
            `NVIDIA_VISIBLE_DEVICES` (which overrides the allocated GPU and shows every GPU).

    Warns:
        TalosGpuWarning: For a `profile` that the nodes' `product` is not known to support, and for an image without a
            tag, or with `latest`.

    Example:
        >>> template = {"spec": {"containers": [{"name": "main", "image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}]}}
        >>> pod = gpu_pod(template, nodes=GpuNodes(talos_version="1.12", labels={"role": "gpu"}))
        >>> pod["spec"]["runtimeClassName"], pod["spec"]["containers"][0]["resources"]["limits"]
        ('nvidia', {'nvidia.com/gpu': 1})

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """
    pod = copy.deepcopy(mapping("template", template, "a pod template"))
    check_template("template", pod)
    from .workload.text_checks import check_pod, warn_of_tags  # deferred: only a given template needs the checks of its texts

    check_pod("template[", pod)
    warn_of_tags(pod)
    return made_gpu_pod("template", pod, nodes, gpus, profile, container, claim)


def made_gpu_pod(
    argument: str, pod: dict[str, Any], nodes: GpuNodes, gpus: int, profile: str | None, container: str | None, claim: str | None = None
) -> dict[str, Any]:
    """`gpu_pod` in place, for a template with checked fields; `argument` is the template's name for the user."""
    to_container_nodes(nodes, "nodes")
    check_gpus(gpus, nodes, check_profile(profile, nodes))
    spec = pod.get("spec")
    if argument == "template" and not (isinstance(spec, dict) and spec.get("containers")):
        hint = "give 'spec.template' of a workload, not the workload or its 'spec'"
        raise wrong(argument, "a pod template with containers in its 'spec'", pod, hint)
    spec = spec or {}
    check_containers(argument, spec)
    chosen = _container(spec["containers"], container)
    if nodes.by_claim:
        from ..nodes.dra import claim_name  # deferred: only claims need it

        _claim(argument, spec, chosen, nodes, claim_name(nodes.name, gpus, profile) if claim is None else claim)
    elif claim is not None:
        rule = "left out with 'extended_resource' of 'dra'" if nodes.dra else "left out on nodes without 'dra'"
        raise wrong("claim", rule, claim, "pods of these nodes ask by limits")
    else:
        _limit(argument, chosen, nodes.resource(profile), gpus)
    _warn_of_profile(profile, nodes)
    _runtime_class(argument, spec, nodes)
    return selected(pod, nodes, argument)


def check_profile(profile: object, nodes: GpuNodes) -> str | None:
    """A MIG profile that these nodes have; None where the nodes advertise GPUs."""
    known = nodes.mig_profiles
    if profile is not None and nodes.dra:
        return mig_profile("profile", profile)
    if profile is None:
        if not has_gpus_without_profile(nodes):
            rule = f"one of the nodes' MIG profiles, {_quoted(list(known))}" if known else "a MIG profile such as '1g.10gb'"
            raise wrong("profile", rule, None, "with mig_strategy='mixed' each profile is its own resource")
        return None
    if nodes.mig_strategy != MigStrategy.MIXED:
        hint = (
            "on these nodes each partition counts as a GPU" if nodes.mig_strategy == MigStrategy.SINGLE else "these nodes have whole GPUs"
        )
        raise wrong("profile", f"left out on nodes with mig_strategy='{nodes.mig_strategy}'", profile, hint)
    checked = mig_profile("profile", profile)
    if known and checked not in known:
        raise wrong("profile", f"one of the nodes' MIG profiles, {_quoted(list(known))}", checked, did_you_mean(checked, known))
    return checked


def has_gpus_without_profile(nodes: GpuNodes) -> bool:
    """Whether a pod on these nodes can ask for a GPU without a MIG profile."""
    return nodes.mig_strategy != MigStrategy.MIXED or not all(layouts_of(nodes.mig_devices))


def _warn_of_profile(profile: str | None, nodes: GpuNodes) -> None:
    # GpuNodes itself compares the profiles of 'mig_devices' with the card.
    if profile is not None and nodes.product is not None and not nodes.mig_profiles:
        from ..nodes.cards import warn_of_profiles  # deferred: only a class with a card needs it

        warn_of_profiles(nodes.product, nodes.memory_per_gpu, {profile: 1})


def check_gpus(gpus: object, nodes: GpuNodes, profile: str | None = None) -> int:
    """A number of GPUs, or of partitions of a profile, that one pod on these nodes can get."""
    shared_by = "'share' of 'dra'" if nodes.dra else "'sharing'"
    number = whole_number("gpus", gpus, hint=f"to share a GPU set {shared_by} on GpuNodes")
    sharing = nodes.sharing
    if sharing is not None and sharing.fail_requests_greater_than_one and number > 1:
        hint = "'fail_requests_greater_than_one' of 'sharing' refuses more than one share: two shares are no more of a GPU than one"
        raise wrong("gpus", "1 on these nodes", gpus, hint)
    # The shares of one claim are on different GPUs; see gpu_claim.
    most = nodes.gpus_per_node if nodes.dra and profile is None else nodes.advertised(profile)
    if most is not None and number > most:
        source = "gpus_per_node" if nodes.mig_devices is None else "mig_devices"
        hint = f"the pod would stay Pending; see '{source}' of GpuNodes"
        raise wrong("gpus", f"at most {most}, the number that one node offers", gpus, hint)
    return number


def _container(containers: list[dict[str, Any]], name: str | None) -> dict[str, Any]:
    names = [str(container.get("name")) for container in containers]
    if name is None:
        if len(containers) > 1:
            raise wrong("container", "the name of a container when the pod has several", name, f"the pod has {_quoted(names)}")
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
                    argument,
                    f"without another GPU in its {section} than {resource}: {gpus}",
                    f"{key}: {amounts[key]}",
                    "leave the other GPU out",
                )
        amounts[resource] = gpus


def _claim(argument: str, spec: dict[str, Any], container: dict[str, Any], nodes: GpuNodes, name: str) -> None:
    """Let one container use a claim: its own claim, unless all pods share one."""
    for other in [*(spec.get("initContainers") or []), *spec["containers"]]:
        resources = other.get("resources") or {}
        for key in filter(is_gpu, [*(resources.get("limits") or {}), *(resources.get("requests") or {})]):
            hint = "a container with a claim needs no limit; leave the limit out"
            raise wrong(argument, "without GPU limits where pods claim their GPUs ('dra' of GpuNodes)", f"{key} in {other['name']}", hint)
    one_claim = nodes.dra is not None and nodes.dra.is_one_claim
    source = "resourceClaimName" if one_claim else "resourceClaimTemplateName"
    ours = {"name": "gpu" if one_claim else container["name"], source: dns_subdomain("claim", name)}
    claims = spec["resourceClaims"] = spec.get("resourceClaims") or []
    theirs = next((claim for claim in claims if claim.get("name") == ours["name"]), None)
    if theirs is None:
        claims.append(ours)
    elif theirs != ours:
        raise wrong(argument, f"without another resource claim named '{ours['name']}' than {ours}", theirs)
    resources = container["resources"] = container.get("resources") or {}
    used = resources["claims"] = resources.get("claims") or []
    if not any(claim.get("name") == ours["name"] for claim in used):
        used.append({"name": ours["name"]})


def _runtime_class(argument: str, spec: dict[str, Any], nodes: GpuNodes) -> None:
    # CDI describes a claim's GPU, and containerd reads CDI with every runtime.
    wanted = None if nodes.dra else nodes.runtime_class
    given = spec.get("runtimeClassName")
    if given is not None and given != wanted:
        if nodes.dra:
            hint = f"under '{given}' a container with a CUDA image and no claim may see every GPU; leave runtimeClassName out"
            raise wrong(argument, "without a runtimeClassName where pods claim their GPUs ('dra' of GpuNodes)", given, hint)
        rule = (
            f"without another runtimeClassName than '{wanted}'"
            if wanted
            else f"without a runtimeClassName on Talos {nodes.talos_version}, whose containerd injects GPUs by CDI"
        )
        raise wrong(
            argument,
            rule,
            given,
            f"'{wanted}' is the only handler of NVIDIA's that Talos registers" if wanted else "leave runtimeClassName out",
        )
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    for container in containers:
        check_devices(argument, container)
    if wanted is not None:
        spec["runtimeClassName"] = wanted
    for container in containers:
        if wanted is not None and not has_gpu(container):
            hide_gpus(container)
        elif container.get("env"):
            container["env"] = _other_variables(container)


def hide_gpus(container: dict[str, Any]) -> None:
    """Show a container no GPU, in place. By default NVIDIA's runtime shows a CUDA image every GPU of the node."""
    container["env"] = [*_other_variables(container), {"name": VISIBLE_DEVICES, "value": _NO_DEVICES}]


def _other_variables(container: Mapping[str, Any]) -> list[Any]:
    return [variable for variable in container.get("env") or [] if variable.get("name") != VISIBLE_DEVICES]


def has_gpu(container: Mapping[str, Any]) -> bool:
    """Whether a container asks for a GPU: whole, shared or a partition. An amount of 0 asks for none."""
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(is_gpu(resource) and amount_of(str(amount)) > 0 for resource, amount in limits.items())


def check_devices(argument: str, container: Mapping[str, Any]) -> None:
    """Refuse a container that sets NVIDIA_VISIBLE_DEVICES to another value than the one that shows no GPU."""
    for variable in container.get("env") or []:
        if variable.get("name") == VISIBLE_DEVICES and variable.get("value") != _NO_DEVICES:
            raise visible_devices_error(argument, container.get("name"), variable.get("value"))


def visible_devices_error(argument: str, where: object, value: object) -> ValueError:
    """The error for NVIDIA_VISIBLE_DEVICES beside a GPU limit."""
    hint = (
        f"{VISIBLE_DEVICES} overrides the GPU that the device plugin allocates and shows every GPU of the node; leave {VISIBLE_DEVICES} out"
    )
    return wrong(argument, f"without {VISIBLE_DEVICES}", f"{value} in {where}", hint)
