"""The volume of a model's files, which a Job fills and the server reads."""

from __future__ import annotations

from .._arguments.errors import wrong
from ..manifests.volumes import AccessMode, Volume
from ..manifests.workload_kinds import WorkloadKind

MODELS = "/models"
"""The mount path of the volume."""


def check_model_volume(volume: Volume, kind: WorkloadKind) -> None:
    """Refuse a volume that a Job can't fill while the pod of the server waits for the files."""
    argument = f"volumes[{MODELS}]"
    if volume.read_only:
        raise wrong(argument, "writable: a Job downloads the model to this volume", volume)
    if volume.single_node_mode == AccessMode.READ_WRITE_ONCE_POD:
        hint = "the server waits for the Job that downloads the model to the claim; use ReadWriteOnce"
        raise wrong(argument, "a volume that two pods of a node can mount", volume, hint)
    if volume.is_made and (volume.claim is None or kind is WorkloadKind.STATEFUL_SET):
        hint = "the Job that downloads the model can't fill a volume of each pod; use an ExistingClaim"
        raise wrong(argument, "a volume that all pods share", volume, hint)
