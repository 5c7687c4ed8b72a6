"""What Talos does with `machine.files` while it boots."""

from __future__ import annotations

from .choice import Choice


class FileOperation(Choice):
    """What Talos does with a file.

    Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles (2026-08-22)
    """

    CREATE = "create"
    """Writes it, whether or not it is there: in /var only."""
    OVERWRITE = "overwrite"
    """Replaces one that is there, wherever it is."""
    APPEND = "append"
    """Adds to one that is there, wherever it is."""


STATIC_PODS = "/etc/kubernetes/manifests"
"""The one folder outside of /var in which Talos creates files, besides containerd's customization.

Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles (2026-08-22)
"""


def may_be_created(path: str) -> bool:
    """Whether Talos creates a file there; anything else fails while it boots."""
    return path.startswith("/var/") or path.rpartition("/")[0] == STATIC_PODS
