"""Remedies that several symptoms share: a reboot, and a start without the card's old state."""

from __future__ import annotations

REBOOT = (
    "Drain the node and reboot it, which ends its pods and deletes their emptyDir volumes (kubectl drain NODE --ignore-daemonsets --delete-emptydir-data && "
    "talosctl --nodes ADDRESS reboot; then, once the API server answers, kubectl uncordon NODE)"
)
COLD_START = (
    "Drain the node, which ends its pods and deletes their emptyDir volumes (kubectl drain NODE --ignore-daemonsets --delete-emptydir-data), and start the "
    "machine through its firmware: talosctl --nodes ADDRESS reboot --mode powercycle. An ordinary reboot of Talos starts the new kernel by kexec, and the "
    "card keeps its state. Where the card stays away: switch the power off and on, by the BMC or at the machine. Then kubectl uncordon NODE"
)
"""Source of `COLD_START`: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go at v1.13.9 (2026-11-28)"""
