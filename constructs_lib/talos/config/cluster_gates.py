"""`feature_gates_patch`: the machine configuration that switches Kubernetes' feature gates for GPUs by claims on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, flag, texts
from ...arguments.spelling import did_you_mean
from ...nodes.talos_version import to_talos_version
from ...upstream.kubernetes.api import DRA_SINCE
from ...upstream.kubernetes.dra_gates import DRA_GATES, KUBELET_GATES
from ...upstream.talos.features import DOCUMENTS
from ...yaml.block import block
from .control_plane import ControlPlanePatch, check_talos_runs
from .machine_config import ConfigStyle, style_of


@named_arguments(talos_version="the form of the machine configuration follows from it", kubernetes_version="it has some gates on already")
def feature_gates_patch(
    gates: Iterable[str],
    *,
    talos_version: str,
    kubernetes_version: str,
    control_plane: bool = True,
    style: ConfigStyle | str | None = None,
) -> str:
    """The patch of the machine configuration that switches feature gates of Kubernetes on, for GPUs by claims.

    The control plane needs all gates. The kubelet reads DRAExtendedResource and ResourceHealthStatus alone: for these apply
    the patch of `control_plane=False` to all workers; for others it is empty. A gate that this Kubernetes has on by
    default is left out, and a gate that another one needs is added. Objects that the API server does not serve by default
    get their `runtime-config`.

    Talos replaces the values of `feature-gates` and `runtime-config` that another patch has: write all feature gates of the
    cluster into one patch. The documents are patches of those that Talos 1.14 generates; a cluster that was upgraded from
    1.13 needs `fields`.

    Args:
        gates: The feature gates, such as "DRADeviceTaintRules".
        talos_version: The Talos of the machines, such as "1.13".
        kubernetes_version: The Kubernetes of the cluster, such as "1.36".
        control_plane: Whether the machines are control planes; workers have the kubelet alone. Default: True.
        style: `fields` or `documents`, as in `MachineConfigPatch`. Default: `documents` from Talos 1.14 on.

    Returns:
        The patch as YAML; empty where this Kubernetes has every gate on, or where no program of a worker reads one.

    Raises:
        TypeError, ValueError: `'gates' must be made of …` for an unknown gate; `'kubernetes_version' must be at least …`
            for a gate that this Kubernetes does not have; `'kubernetes_version' must be one that Talos … runs …`.

    Example:
        >>> print(feature_gates_patch(["DRAExtendedResource"], talos_version="1.13", kubernetes_version="1.35", control_plane=False))
        machine:
          kubelet:
            extraArgs:
              feature-gates: DRAExtendedResource=true
        <BLANKLINE>

    https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
    """
    talos = to_talos_version(talos_version, "talos_version")
    minor = check_talos_runs(kubernetes_version, talos)
    chosen = style_of(None if style is None else choice("style", style, ConfigStyle), talos, DOCUMENTS, "documents are")
    named = _known(texts("gates", gates))
    for gate in named:
        since = max(DRA_GATES[gate].since, DRA_SINCE if gate.startswith("DRA") else 0)
        if minor < since:
            has_gate = minor >= DRA_GATES[gate].since
            hint = "DynamicResourceAllocation is off there" if has_gate else "a program refuses to start with a gate that it does not have"
            raise wrong("kubernetes_version", f"at least '1.{since}' for {gate}", kubernetes_version, hint)
    off = {gate for gate in named if minor < DRA_GATES[gate].on_since}
    if not off:
        return ""
    gates_on = sorted(off)
    patches: list[dict[str, Any]] = []
    if flag("control_plane", control_plane):
        made = ControlPlanePatch(talos_version=talos, kubernetes_version=f"1.{minor}", feature_gates=gates_on, style=chosen)
        patches = made.documents
    of_kubelet = [gate for gate in gates_on if gate in KUBELET_GATES]
    if not of_kubelet:
        return "---\n".join(map(_yaml, patches))
    kubelet = {"extraArgs": {"feature-gates": ",".join(f"{gate}=true" for gate in of_kubelet)}}
    if chosen is ConfigStyle.DOCUMENTS:
        patches = [*patches, {"apiVersion": "v1alpha1", "kind": "KubeletConfig", **kubelet}]
    else:
        patches = [{"machine": {"kubelet": kubelet}, **(patches[0] if patches else {})}]
    return "---\n".join(map(_yaml, patches))


def _yaml(document: dict[str, Any]) -> str:
    return "".join(f"{line}\n" for line in block(document))


def _known(gates: Iterable[str]) -> set[str]:
    named = set(gates)
    for gate in named:
        if gate not in DRA_GATES:
            raise wrong("gates", "made of " + ", ".join(f"'{known}'" for known in DRA_GATES), gate, did_you_mean(gate, DRA_GATES))
    return named
