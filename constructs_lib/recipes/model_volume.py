"""The volume of a model's files, which a Job fills and the server reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named
from ..manifests.volumes.sources import HostPath, OciImage
from ..manifests.volumes.volume import AccessMode, Volume
from ..manifests.workload.kinds import WorkloadKind
from ..manifests.workload.settings import GpuWorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from .recipe_settings import RecipeSettings


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class PulledModelsSettings(RecipeSettings):
    """The base class of the servers that download the models of a list when a Job asks for them.

    Raises:
        TypeError, ValueError: `'volumes[…]' must be writable …` and `'replicas' must be 1 …` for `models` that the
            volume can't hold for every pod.
    """

    models_path: ClassVar[str]
    """The mount path of the models' volume."""

    models: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.models:
            check_pull(self, self.models_path, self.models)

    @property
    def clients(self) -> tuple[str, ...]:  # type: ignore[override]  # without models there is no Job
        """The name of the Job's pods."""
        return (f"{self.name}-models",) if self.models else ()

    @property
    def downloads(self) -> str:  # type: ignore[override]  # as above
        """The argument whose value the server downloads."""
        return "models" if self.models else ""


MODELS = "/models"
"""The mount path of the volume."""


def check_model_volume(volume: Volume, settings: GpuWorkloadSettings) -> None:
    """Refuse a volume that a Job can't fill while the pod of the server waits for the files."""
    argument = f"volumes[{MODELS}]"
    if volume.read_only:
        raise wrong(argument, "writable: a Job downloads the model to this volume", volume)
    if volume.single_node_mode == AccessMode.READ_WRITE_ONCE_POD:
        hint = "the server waits for the Job that downloads the model to the claim; use ReadWriteOnce"
        raise wrong(argument, "a volume that two pods of a node can mount", volume, hint)
    _check_nodes(argument, volume, settings.nodes)
    if _is_own(volume, settings.kind):
        hint = "the Job that downloads the model can't fill a volume of each pod; use an ExistingClaim"
        raise wrong(argument, "a volume that all pods share", volume, hint)


def check_pull(settings: GpuWorkloadSettings, path: str, models: Iterable[str]) -> None:
    """Refuse a server that can't download its `models` to the volume at `path` when a Job asks its Service once."""
    argument = f"volumes[{path}]"
    if not settings.is_server:
        raise wrong("models", f"left out for a {settings.kind}", models, "the models arrive by a Job that asks a server")
    volume = settings.volumes[path]
    if volume.read_only or isinstance(volume, OciImage):
        hint = "leave 'models' out where the volume has the models"
        raise wrong(argument, "writable: the server downloads its 'models' to this volume", volume, hint)
    _check_nodes(argument, volume, settings.nodes)
    if settings.has_several_pods and _is_own(volume, settings.kind):
        hint = f"the Job of the models asks one pod alone; use a volume at {path} that all pods share, such as an ExistingClaim"
        raise wrong("replicas", "1 with 'models' on a volume of each pod", settings.replicas, hint)


def _check_nodes(argument: str, volume: Volume, nodes: GpuNodes) -> None:
    """Refuse a folder of one node where the pod may move to another node, on which the models would be missing."""
    if isinstance(volume, HostPath) and nodes.count != 1:
        hint = "the folder of another node has no models; use a claim, or nodes with count=1"
        raise wrong(argument, "a volume that every node of the class reaches", volume, hint)


def _is_own(volume: Volume, kind: WorkloadKind) -> bool:
    """Whether each pod has a volume of its own."""
    return volume.is_made and (volume.claim is None or kind is WorkloadKind.STATEFUL_SET)
