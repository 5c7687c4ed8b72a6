"""The text of a patch for `talosctl`: YAML with a comment for every part, and a header with the commands that apply the
patch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...arguments.commands import command
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.kubernetes.api import CONTROL_PLANE
from ...upstream.talos.features import DOCUMENTS
from ...yaml.block import block
from . import node_metadata
from .kernel_settings import card_kernel_args, grub_note
from .patch_parts import Part


def fields_text(nodes: GpuNodes, parts: Sequence[Part]) -> str:
    """One document with `machine:`, and a comment above every part."""
    lines = [*_header(nodes)]
    if nodes.talos_version.minor in DOCUMENTS:
        lines += _comments(
            "For a node that was upgraded from Talos 1.13. A configuration that Talos 1.14 or newer generated has a document for each subject.",
            "Talos refuses a setting that is both a field and a document, so such a configuration needs a patch with --style documents.",
        )
    lines += [*_untainted(nodes, documents=False), *_commands(nodes), "machine:"]
    lines += [f"  {line}" if line else "" for part in parts for line in _part(part)]
    return "\n".join(lines) + "\n"


def documents_text(nodes: GpuNodes, parts: Sequence[Part]) -> str:
    """A document for each part."""
    lines = [*_header(nodes)]
    lines += _comments(
        f"For a configuration that Talos {nodes.talos_version.minor_version} generated. A node that was upgraded from 1.13 keeps its fields "
        "under machine:.",
        "Talos refuses a setting that is both a field and a document, so such a node needs a patch with --style fields.",
    )
    lines += [*_untainted(nodes, documents=True), *_commands(nodes)]
    for part in parts:
        lines += ["---", *_part(part)]
    return "\n".join(lines) + "\n"


def _header(nodes: GpuNodes) -> Iterator[str]:
    named = f" of the class '{nodes.name}'" if nodes.name else ""
    kind, file = ("control-plane", "controlplane.yaml") if node_metadata.is_control_plane(nodes) else ("worker", "worker.yaml")
    image = "with the driver" if nodes.passthrough is None else "without a driver"
    yield from _comments(
        f"A patch of the machine configuration of nodes with NVIDIA GPUs{named}, Talos {nodes.talos_version.minor_version}.",
        "Commands for a running node, for the configuration of a new node, and for a new cluster in which every such node has GPUs:",
        "  talosctl --nodes ADDRESS patch machineconfig --patch @FILE",
        f"  {command('talosctl machineconfig patch {file} --patch @FILE --output gpu-{file}', file=file)}",
        f"  {command('talosctl gen config NAME ENDPOINT --config-patch-{kind} @FILE', kind=kind)}",
        f"A new node also needs the image {image}: the patch of talos-gpu schematic --print install-config, added in the same way.",
    )


def _untainted(nodes: GpuNodes, *, documents: bool) -> Iterator[str]:
    """The setting by which a control plane runs pods that do not tolerate its taint. A patch can't remove a key that
    Talos generated."""
    if not node_metadata.is_control_plane(nodes) or any(taint.key == CONTROL_PLANE for taint in nodes.taints):
        return
    removal = (
        f"If the KubeNodeConfig of the node has the taint {CONTROL_PLANE}, remove the taint there: this patch only adds keys."
        if documents
        else "Talos sets the taint unless the configuration of the node has cluster.allowSchedulingOnControlPlanes: true."
    )
    yield from _comments(
        "", "Pods for these nodes do not tolerate the taint of the control plane, so the nodes must not have the taint.", removal
    )


def _commands(nodes: GpuNodes) -> Iterator[str]:
    if arguments := card_kernel_args(nodes):
        yield from _comments(
            "",
            f"The card needs the kernel argument {' '.join(arguments)} in the image (talos-gpu schematic --product).",
            *grub_note(nodes),
        )
    if taints := node_metadata.taint_commands(nodes):
        yield from _comments(
            "",
            "A worker that has joined the cluster may not change its own taints (NodeRestriction). Until the worker has the taints of this",
            "file, Talos can't set its labels and can't cordon it for an upgrade (siderolabs/talos#8193, #13681). Run once for each such worker:",
            *(f"  {command}" for command in taints),
        )
    if labels := node_metadata.label_commands(nodes):
        yield from _comments(
            "",
            "A worker may not set these labels on itself (NodeRestriction), so this file does not contain the labels. Run for each worker",
            "after it has joined the cluster:",
            *(f"  {command}" for command in labels),
        )


def _part(part: Part) -> Iterator[str]:
    yield from _comments(*part.why)
    yield from block(part.body)


def _comments(*lines: str) -> Iterable[str]:
    return (f"# {line}".rstrip() for line in lines)
