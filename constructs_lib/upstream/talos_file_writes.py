"""The operations of `machine.files`, which Talos does at boot."""

from __future__ import annotations

from .choice import Choice


class FileOperation(Choice):
    """The operation of Talos on a file.

    Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles (2026-08-22)
    """

    CREATE = "create"
    """Writes the file, new or existing: in /var only."""
    OVERWRITE = "overwrite"
    """Replaces an existing file, in any folder."""
    APPEND = "append"
    """Appends to an existing file, in any folder."""


STATIC_PODS = "/etc/kubernetes/manifests"
"""The only folder outside of /var in which Talos creates files, besides containerd's customization.

Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles (2026-08-22)
"""


def may_be_created(path: str) -> bool:
    """Whether Talos creates a file at this path. Otherwise the boot fails."""
    return path.startswith("/var/") or path.rpartition("/")[0] == STATIC_PODS
