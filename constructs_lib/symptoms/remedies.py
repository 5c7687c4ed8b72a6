"""Remedies that several symptoms share: a reboot, a start without the card's old state, and an image of one release."""

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

_REBOOTS = "The upgrade reboots the node, which ends its pods"
NEW_IMAGE = f"talos-gpu schematic --talos VERSION --from PRESENT --print installer. {_REBOOTS}"
FABRIC_MANAGER_IMAGE = f"talos-gpu schematic --talos VERSION --fabric-manager --from PRESENT --print installer. {_REBOOTS}"
"""The commands for an image with NVIDIA's extensions of one release, which keeps what the present image has."""
