"""The parts of a patch, each with the reason that a reader of the YAML will look for, in both of Talos' styles.

A part is a piece of `machine:` in the style of fields, and a document of its own in the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.charts.gpu_operator_chart import VALIDATOR_LABEL
from ..upstream.kubernetes_api import CONTROL_PLANE
from ..upstream.talos_features import CUSTOMIZATION_PATH, DOCUMENTS
from . import node_metadata
from .machine_files import check_machine_files

_CUSTOMIZATION_NAME = "nvidia-gpu"


class Wanted(NamedTuple):
    """What a patch asks for, all of it checked."""

    nodes: GpuNodes
    kernel_modules: Mapping[str, Sequence[str]]
    sysctls: Mapping[str, str]
    labels: Mapping[str, str]
    customization: str
    cdi_spec_dirs: Sequence[str]


class Part(NamedTuple):
    """A piece of configuration, and why it is there: lines of a comment."""

    why: list[str]
    body: dict[str, Any]


def fields(wanted: Wanted) -> list[Part]:
    """Pieces of `machine:`, as every Talos reads them. Those of the control plane's own label and taint Talos adds by itself."""
    parts = [Part(_why_modules(), {"kernel": {"modules": _modules(wanted)}})]
    if wanted.sysctls:
        parts.append(Part(_why_sysctls(wanted), {"sysctls": dict(wanted.sysctls)}))
    if wanted.labels:
        parts.append(Part(_why_labels(wanted), {"nodeLabels": dict(wanted.labels)}))
    parts += _taint_fields(wanted.nodes)
    if wanted.customization:
        files = check_machine_files([{"path": CUSTOMIZATION_PATH, "op": "create", "content": wanted.customization}])
        parts.append(Part([*_why_files(wanted.nodes), *_why_customization(wanted)], {"files": files}))
    return parts


def documents(wanted: Wanted) -> list[Part]:
    """The documents of Talos 1.14 (siderolabs/talos pkg/machinery/config/types: runtime, k8s, cri)."""
    parts = [Part([], _document("KernelModuleConfig", **module)) for module in _modules(wanted)]
    parts[0] = Part(_why_modules(), parts[0].body)
    if wanted.sysctls:
        parts.append(Part(_why_sysctls(wanted), _document("SysctlConfig", params=dict(wanted.sysctls))))
    if node := _node(wanted):
        parts.append(Part(_why_node(wanted), _document("KubeNodeConfig", **node)))
    if wanted.customization:
        document = _document("CRICustomizationConfig", name=_CUSTOMIZATION_NAME, content=wanted.customization)
        parts.append(Part(_why_customization(wanted), document))
    return parts


def _document(kind: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "v1alpha1", "kind": kind, **rest}


def _modules(wanted: Wanted) -> list[dict[str, Any]]:
    return [{"name": name, **({"parameters": list(given)} if given else {})} for name, given in wanted.kernel_modules.items()]


def _taint_fields(nodes: GpuNodes) -> list[Part]:
    taints = node_metadata.taints(nodes)
    if not taints:
        return []
    declared = {"nodeTaints": {taint.key: node_metadata.written(taint) for taint in taints}}
    if node_metadata.is_control_plane(nodes):
        return [Part([], declared)]
    if nodes.talos_version.minor in DOCUMENTS:
        return [Part(["Talos sets these while a worker joins the cluster; for one that has joined see the top of this file."], declared)]
    listed = [{"key": each.key, **({"value": each.value} if each.value else {}), "effect": str(each.effect)} for each in taints]
    why = [
        "This Talos sets nodeTaints on control-plane nodes alone. So a worker sets them itself while it joins, which Kubernetes",
        "allows (siderolabs/talos#10935). Merge it once: merged twice the list has each taint twice, and Kubernetes refuses the node.",
    ]
    return [Part(["What the node is to have; how a worker gets it is below, and at the top of this file."], declared),
            Part(why, {"kubelet": {"extraConfig": {"registerWithTaints": listed}}})]  # fmt: skip


def _node(wanted: Wanted) -> dict[str, dict[str, str]]:
    labels, taints = dict(wanted.labels), {taint.key: node_metadata.written(taint) for taint in wanted.nodes.taints}
    if node_metadata.is_control_plane(wanted.nodes):
        labels[CONTROL_PLANE] = ""
    return {key: value for key, value in {"labels": labels, "taints": taints}.items() if value}


def _why_modules() -> list[str]:
    return ["The NVIDIA extension keeps the kernel from loading them by itself (siderolabs/extensions nvidia-gpu: files/nvidia.conf)."]


def _why_sysctls(wanted: Wanted) -> list[str]:
    if wanted.nodes.generation is not Generation.LEGACY:
        return []
    return ["Talos' own bpf_jit_harden, 2, hides eBPF programs that nvidia-container-cli has to extend (NVIDIA/libnvidia-container#176)."]


def _why_labels(wanted: Wanted) -> list[str]:
    why = []
    if wanted.labels.keys() - {VALIDATOR_LABEL}:
        why.append("What everything for these nodes selects them by.")
    if wanted.labels.get(VALIDATOR_LABEL) == "false":
        why.append("No validator of the GPU operator: it looks for the driver where this Talos has none (NVIDIA/gpu-operator#1687).")
    return why


def _why_node(wanted: Wanted) -> list[str]:
    why = _why_labels(wanted)
    if node_metadata.is_control_plane(wanted.nodes):
        why.append("With this document Talos adds the control plane's own label and taint no more, so they are in it.")
    elif wanted.nodes.taints:
        why.append("Talos sets the taints while a worker joins the cluster; for one that has joined see the top of this file.")
    return why


def _why_files(nodes: GpuNodes) -> list[str]:
    newer = nodes.talos_version.minor in DOCUMENTS
    twice = "Talos reads the first alone" if newer else "the node can't boot (EtcFileSpecs … already exists)"
    return [
        "The one file outside /var that Talos creates. Merge it once, and into nothing that names it already:",
        f"with two entries {twice}.",
    ]


def _why_customization(wanted: Wanted) -> list[str]:
    if not wanted.cdi_spec_dirs:
        return []
    if wanted.nodes.generation is Generation.LEGACY:
        return ["These folders take the place of containerd's own, /etc/cdi and /var/run/cdi."]
    return ["Talos adds these folders to its own, /run/cdi: its merge appends to lists (siderolabs/talos internal/pkg/toml)."]
