"""The labels and taints of a class of GPU nodes: the ones that Talos can set, and commands for the others.

On a worker Talos uses the credentials of the node. NodeRestriction forbids a node to change its own taints and most
labels under kubernetes.io. Kubernetes refuses the whole update, so no other label is set either
(siderolabs/talos#8193), and Talos can't cordon the node for an upgrade (siderolabs/talos#13681). On a control-plane
node Talos has the rights of an administrator (siderolabs/talos
internal/app/machined/pkg/controllers/k8s/node_apply.go).
"""

from __future__ import annotations

from ...arguments.commands import command
from ...arguments.errors import warn, wrong
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.joined_workers import administrators_labels, is_control_plane
from ...nodes.taints import Taint, TaintEffect, taint_text
from ...upstream.charts.gpu_operator_chart import PLUGIN_LABEL, VALIDATOR_LABEL
from ...upstream.kubernetes.api import CONTROL_PLANE, node_may_set
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...upstream.talos.generations import Generation


def labels(nodes: GpuNodes, *, operator: bool) -> dict[str, str]:
    """The labels that Talos can set on the nodes, without those of the control plane and of the operator."""
    wanted = nodes.node_labels
    if operator and (present := wanted.pop(PRESENT_LABEL, "true")) != "true":
        hint = "the GPU operator sets this label on every node with a GPU, and overwrites another value"
        raise wrong("nodes", f"a class whose label {PRESENT_LABEL} is 'true', or that has no such label", present, hint, part="labels")
    if operator and nodes.mig_devices is not None:
        wanted.setdefault(PLUGIN_LABEL, "false")  # the StandaloneDevicePlugin of the class partitions its cards
    # From Talos 1.13 on the validator finds the driver.
    if operator and nodes.generation is Generation.LEGACY and nodes.passthrough is None:
        wanted.setdefault(VALIDATOR_LABEL, "false")
    administrator = is_control_plane(nodes)
    return {key: value for key, value in wanted.items() if key != CONTROL_PLANE and (administrator or node_may_set(key))}


def taints(nodes: GpuNodes) -> list[Taint]:
    """The taints of the nodes, without the taint of the control plane. Talos' map holds one taint for each key."""
    by_key: dict[str, Taint] = {}
    for taint in nodes.taints:
        if taint.key == CONTROL_PLANE and (taint.value or taint.effect is not TaintEffect.NO_SCHEDULE):
            rule = f"a class whose taint {CONTROL_PLANE} is NoSchedule without a value"
            raise wrong("nodes", rule, taint, "Talos sets this taint by itself", part="taints")
        if by_key.setdefault(taint.key, taint) != taint:
            hint = "the machine configuration is a map of taints by key"
            raise wrong("nodes", "a class with one taint for each key", list(nodes.taints), hint, part="taints")
    by_key.pop(CONTROL_PLANE, None)
    return list(by_key.values())


def written(taint: Taint) -> str:
    """Value and effect of a taint as Talos writes them, or the effect alone (pkg/machinery/labels ParseTaint)."""
    return f"{taint.value}:{taint.effect}" if taint.value else str(taint.effect)


def taint_commands(nodes: GpuNodes) -> list[str]:
    """The commands by which an administrator taints a node that has joined; none for control-plane nodes.

    The commands name the node and don't select it by a label: Talos can't set the labels before the taints are set.
    """
    if is_control_plane(nodes):
        return []
    return [str(command("kubectl taint nodes $NODE {taint} --overwrite", taint=taint_text(each))) for each in taints(nodes)]


def warn_of_labels(nodes: GpuNodes) -> None:
    """Warn of labels that the patch can't contain: pods that select such a label match no node."""
    if commands := label_commands(nodes):
        keys = ", ".join(key for key in nodes.node_labels if not node_may_set(key))
        warn(
            f"a worker may not set {keys} on itself (NodeRestriction), and the patch does not set this. "
            f"Run once for each worker that has joined the cluster: {'; '.join(commands)}"
        )


def label_commands(nodes: GpuNodes) -> list[str]:
    """The commands by which an administrator sets the labels that a worker may not set on itself."""
    refused = administrators_labels(nodes).items()
    return [str(command("kubectl label nodes $NODE {label} --overwrite", label=f"{key}={value}")) for key, value in refused]
