"""`request_gpus`: GPUs for a workload of cdk8s-plus, of any version of cdk8s-plus."""

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
from ..manifests.pod_shape import check_template
from ..nodes.gpu_nodes import GpuNodes
from ._registry import announce_nodes

# The path of the pod template in each kind; a Pod is its own template.
_TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}

# The fields that gpu_pod writes beside the containers.
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
    """Give a workload of cdk8s-plus GPUs of a class of nodes.

    cdk8s-plus has no field for extended resources, RuntimeClasses or node selectors. A JSON patch on an object of cdk8s-plus passes a typed
    serialiser, which drops a plain `nvidia.com/gpu: 1` silently (cdk8s-team/cdk8s#2163). `request_gpus` passes the quantity in the type that the
    serialiser keeps, and checks afterwards that no field was lost.

    Makes no object; patches the workload's own object. Call `request_gpus` after every other change of the workload's containers, volumes or
    scheduling, because a patch applies to the object as it is now.

    Where the nodes have `dra`, add a `GpuClaim` of the same nodes, `gpus` and `profile` in the workload's namespace. Claims need cdk8s-plus-31 or
    newer, because older versions drop them.

    Args:
        workload: A Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod of cdk8s-plus, of any version.
        nodes: The class of nodes.
        gpus: The number of GPUs of the container. Default: 1.
        profile: The MIG profile of the container's partitions, on nodes with mig_strategy='mixed' or with `dra`; `gpus` then counts partitions.
            Default: none.
        container: The container's name. Default: the only container.
        claim: The name of the `GpuClaim`, for nodes with `dra`. Default: the default name of `GpuClaim`.

    Raises:
        TypeError, ValueError: `'workload' must be …` for any other object, and for a workload that contradicts the nodes; `'gpus' must be …`,
            `'container' must be …` and `'claim' must be …` as for `gpu_pod`.

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
    check_template("workload", before)
    after = made_gpu_pod("workload", copy.deepcopy(before), nodes, gpus, profile, container, claim)
    # A patch can't be undone, so a known loss is refused before the patch.
    if nodes.dra and not hasattr(types.PodResourceClaim, "resource_claim_template_name"):
        raise _losing(workload, "this cdk8s-plus drops resourceClaims; use GpuWorkload, or cdk8s-plus-31 or newer")
    announce_nodes(workload, nodes)
    patches = _patches("/" + "/".join([*steps, "spec"]), before["spec"], after["spec"], types.Quantity)
    main.add_json_patch(*patches)
    missing = _lost(after["spec"], _template(main, steps)["spec"])
    if missing:
        raise _losing(workload, f"this cdk8s-plus dropped {', '.join(missing)}; use GpuWorkload")


def _losing(workload: Construct, hint: str) -> ValueError:
    return wrong("workload", "of a cdk8s-plus that keeps what GPUs need", workload, hint)


def _template(main: ApiObject, steps: tuple[str, ...]) -> dict[str, Any]:
    try:
        template: Any = main.to_json()
    except RuntimeError as error:
        reason = str(error).splitlines()[0].rpartition("Error: ")[2]
        raise wrong("workload", "complete before it asks for GPUs", main.name, f"cdk8s says: {reason}") from None
    for step in steps:
        template = template.get(step) or {}
    return dict(template)


def _kubernetes_types(workload: Construct) -> Any:
    """The Kubernetes types of the workload's own version of cdk8s-plus: jsii's kernel refuses those of another version."""
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
