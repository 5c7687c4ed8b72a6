"""What the texts of several alerts share: the GPU and its node as templates, and the commands of a runbook for Talos."""

from __future__ import annotations

from .queries import MetricsSource

GPU = "GPU {{ $labels.gpu }} ({{ $labels.modelName }})"


def node_of(source: MetricsSource) -> str:
    """The name of the node of an exporter's series, as a template."""
    return f"{{{{ $labels.{source.node_label} }}}}"


def drain(node: str) -> str:
    """The command that moves the pods off a node."""
    return f"`kubectl drain {node} --ignore-daemonsets --delete-emptydir-data`"


def drain_and_reboot(node: str) -> str:
    """The commands that reset a GPU on Talos: the host has no shell for a tool of NVIDIA's."""
    return f"{drain(node)}, `talosctl reboot -n {node}`, `kubectl uncordon {node}`"
