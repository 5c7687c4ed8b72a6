"""`request_gpus`: a GPU for a workload that somebody built with cdk8s-plus, of any of its versions."""

from __future__ import annotations

import copy
import sys
from typing import Any

from cdk8s import ApiObject, JsonPatch
from constructs import Construct

from .._arguments.errors import wrong, wrong_kind
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import instance
from ..manifests.gpu_pod import made_gpu_pod
from ..nodes.gpu_nodes import GpuNodes
from ._registry import announce_nodes

# Where each kind keeps its pod template; a Pod is one itself.
_TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}

# What is laid on a pod beside its containers.
_POD_FIELDS = ("runtimeClassName", "tolerations", "nodeSelector", "affinity", "resourceClaims")


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
    """Give a cdk8s-plus workload GPUs of a class of nodes, without losing any of it to cdk8s' typed objects.

    cdk8s-plus has no field for extended resources, RuntimeClasses or node selectors, and a JSON patch on one of its objects is read by a
    typed serialiser afterwards, which drops a plain `nvidia.com/gpu: 1` without a word (cdk8s-team/cdk8s#2163). This hands over the
    quantity in the type that the serialiser keeps, and checks afterwards that everything arrived.

    Makes no object; it patches the workload's own. Call it after everything else that changes the workload's containers, volumes or
    scheduling: a patch is laid on what is there now.

    Where the nodes have `dra`, put a `GpuClaim` of the same nodes, `gpus` and `profile` beside it, in the workload's namespace; claims need
    cdk8s-plus-31 or newer, as older ones drop them.

    Args:
        workload: A Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod of cdk8s-plus, of any version.
        nodes: The class of nodes.
        gpus: How many GPUs the container is given. Default: 1.
        profile: The MIG profile of which it is given that many partitions, on nodes with mig_strategy='mixed' or with `dra`.
            Default: none.
        container: The container's name. Default: the only one.
        claim: The name of the `GpuClaim`, for nodes with `dra`. Default: its own default.

    Raises:
        TypeError, ValueError: `'workload' must be …` for anything else, and for one that contradicts what the nodes need; `'gpus' must be …`,
            `'container' must be …` and `'claim' must be …` as `gpu_pod` does.

    Example:
        >>> import cdk8s_plus_28 as kplus
        >>> deployment = kplus.Deployment(Chart(App(), "ai"), "ollama", containers=[kplus.ContainerProps(image="ollama/ollama:0.32.15")])
        >>> request_gpus(deployment, nodes=GpuNodes(talos_version="1.12"))
        >>> ApiObject.of(deployment).to_json()["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
        1

    https://github.com/cdk8s-team/cdk8s/issues/2163
    """
    rule = "a workload of cdk8s-plus, such as a Deployment"
    instance("workload", workload, Construct, rule)
    main = workload.node.default_child
    if not isinstance(main, ApiObject) or main.kind not in _TEMPLATES:
        raise wrong_kind("workload", rule, workload, "for any other object use gpu_pod on its pod template")
    steps = _TEMPLATES[main.kind]
    types = _kubernetes_types(workload)
    before = _template(main, steps)
    after = made_gpu_pod("workload", copy.deepcopy(before), nodes, gpus, profile, container, claim)
    # A patch can't be taken back, so what is known to be dropped is refused before there is one.
    if nodes.dra and not hasattr(types.PodResourceClaim, "resource_claim_template_name"):
        raise _losing(workload, "it drops resourceClaims; use GpuWorkload, or cdk8s-plus-31 or newer")
    patches = _patches("/" + "/".join([*steps, "spec"]), before["spec"], after["spec"], types.Quantity)
    main.add_json_patch(*patches)
    missing = _lost(after["spec"], _template(main, steps)["spec"])
    if missing:
        raise _losing(workload, f"it dropped {', '.join(missing)}; use GpuWorkload")
    announce_nodes(workload, nodes)


def _losing(workload: Construct, hint: str) -> ValueError:
    return wrong("workload", "of a cdk8s-plus that keeps what GPUs need", workload, hint)


def _template(main: ApiObject, steps: tuple[str, ...]) -> dict[str, Any]:
    try:
        found: Any = main.to_json()
    except RuntimeError as error:
        reason = str(error).splitlines()[0].rpartition("Error: ")[2]
        raise wrong("workload", "complete before it asks for GPUs", main.name, f"cdk8s says: {reason}") from None
    for step in steps:
        found = found.get(step) or {}
    return dict(found)


def _kubernetes_types(workload: Construct) -> Any:
    """The types of the very cdk8s-plus that the workload is of: another version's would be other types to the kernel."""
    package = type(workload).__mro__
    for each in package:
        module = each.__module__.partition(".")[0]
        if module.startswith("cdk8s_plus_"):
            return sys.modules[f"{module}.k8s"]
    raise wrong_kind(
        "workload", "a workload of cdk8s-plus, such as a Deployment", workload, "for any other object use gpu_pod on its pod template"
    )


def _patches(path: str, before: dict[str, Any], after: dict[str, Any], quantity: Any) -> list[JsonPatch]:
    patches = []
    for key, value in after.items():
        if key in ("containers", "initContainers"):
            for index, (old, new) in enumerate(zip(before[key], value, strict=True)):
                patches += _container_patches(f"{path}/{key}/{index}", old, new, quantity)
        elif before.get(key) != value:
            patches.append(JsonPatch.add(f"{path}/{key}", value))
    return patches


def _container_patches(path: str, before: dict[str, Any], after: dict[str, Any], quantity: Any) -> list[JsonPatch]:
    patches = []
    if before.get("env") != after.get("env"):
        patches.append(JsonPatch.add(f"{path}/env", after["env"]))
    old, new = before.get("resources"), after.get("resources", {})
    if old is None and new:
        patches.append(JsonPatch.add(f"{path}/resources", {}))
    for section, amounts in new.items():
        known = (old or {}).get(section)
        if section == "claims":
            if amounts != known:
                patches.append(JsonPatch.add(f"{path}/resources/claims", amounts))
            continue
        if known is None:
            patches.append(JsonPatch.add(f"{path}/resources/{section}", {}))
        for name, amount in amounts.items():
            if amount != (known or {}).get(name):
                patches.append(JsonPatch.add(f"{path}/resources/{section}/{name.replace('/', '~1')}", quantity.from_number(amount)))
    return patches


def _lost(wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    lost = [key for key in _POD_FIELDS if wanted.get(key) != got.get(key)]
    for old, new in zip(wanted["containers"], got["containers"], strict=True):
        if old.get("resources") != new.get("resources"):
            lost.append(f"resources of {old['name']}")
    return lost
