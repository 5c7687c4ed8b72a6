"""The labels and taints of a class of GPU nodes: which of them Talos can set, and who sets the others.

On a worker Talos speaks to Kubernetes as the node itself, and NodeRestriction lets a node change neither its own taints nor most labels
under kubernetes.io. It refuses the whole update with them, so no other label arrives either (siderolabs/talos#8193), and the node can't be
cordoned for an upgrade (siderolabs/talos#13681). On a control-plane node Talos is an administrator
(siderolabs/talos internal/app/machined/pkg/controllers/k8s/node_apply.go).
"""

from __future__ import annotations

from .._arguments.errors import wrong
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.taints import Taint, TaintEffect
from ..nodes.talos_version import Generation
from ..upstream.charts.gpu_operator_chart import VALIDATOR_LABEL
from ..upstream.kubernetes_api import CONTROL_PLANE, node_may_set


def is_control_plane(nodes: GpuNodes) -> bool:
    """Whether the class says of itself that its nodes are control-plane nodes."""
    return CONTROL_PLANE in nodes.node_labels or any(taint.key == CONTROL_PLANE for taint in nodes.taints)


def labels(nodes: GpuNodes, *, operator: bool) -> dict[str, str]:
    """What Talos can set of the nodes' labels, but for the control plane's own."""
    wanted = nodes.node_labels
    # Only this generation's validator is in the way: from Talos 1.13 on it finds the driver.
    if operator and nodes.generation is Generation.LEGACY:
        wanted.setdefault(VALIDATOR_LABEL, "false")
    administrator = is_control_plane(nodes)
    return {key: value for key, value in wanted.items() if key != CONTROL_PLANE and (administrator or node_may_set(key))}


def taints(nodes: GpuNodes) -> list[Taint]:
    """The nodes' taints, but for the control plane's own: in the form that fits Talos' map, which has one of each key."""
    found: dict[str, Taint] = {}
    for taint in nodes.taints:
        if taint.key == CONTROL_PLANE and (taint.value or taint.effect is not TaintEffect.NO_SCHEDULE):
            raise wrong(
                "nodes",
                f"a class whose taint {CONTROL_PLANE} is NoSchedule without a value",
                taint,
                "Talos sets that one by itself",
                part="taints",
            )
        if found.setdefault(taint.key, taint) != taint:
            raise wrong(
                "nodes",
                "a class with one taint of each key",
                list(nodes.taints),
                "Talos' configuration is a map of taints by key",
                part="taints",
            )
    found.pop(CONTROL_PLANE, None)
    return list(found.values())


def written(taint: Taint) -> str:
    """A taint's value and effect as Talos reads them: the effect alone where there is no value (pkg/machinery/labels ParseTaint)."""
    return f"{taint.value}:{taint.effect}" if taint.value else str(taint.effect)


def taint_commands(nodes: GpuNodes) -> list[str]:
    """The lines by which an administrator taints a node that has joined; none where Talos is one.

    By name, not by label: Talos can't set the labels either, until the taints are there.
    """
    if is_control_plane(nodes):
        return []
    return [
        f"kubectl taint nodes $NODE {taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect} --overwrite"
        for taint in taints(nodes)
    ]


def label_commands(nodes: GpuNodes) -> list[str]:
    """The lines by which an administrator sets the labels that a worker may not set on itself."""
    if is_control_plane(nodes):
        return []
    refused = {key: value for key, value in nodes.node_labels.items() if not node_may_set(key)}
    return [f"kubectl label nodes $NODE {key}={value} --overwrite" for key, value in refused.items()]
