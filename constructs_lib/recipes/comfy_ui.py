"""The recipe of ComfyUI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes, to_count, to_positive, to_texts
from ..manifests.volumes.sources import Empty
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..upstream.programs import container_rights
from ..upstream.programs.images import COMFYUI_IMAGES
from .recipe_settings import RecipeSettings
from .server_flags import check_listens

_FOLDERS = {
    "/root/ComfyUI/models": "models",
    "/root/ComfyUI/custom_nodes": "custom_nodes",
    "/root/ComfyUI/input": "input",
    "/root/ComfyUI/output": "output",
    "/root/ComfyUI/user": "user",
    "/root/.cache": "cache",
    "/root/.config": "config",
    "/root/.local": "local",
    "/root/user-scripts": "user-scripts",
}
"""The folders that outlive the pod, and their folders in the claim."""
_TEMPORARY = ("/root", "/tmp")  # noqa: S108
"""The folders that go with the pod, on the node's disk: the program, and what it writes beside the claim."""


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class ComfyUISettings(RecipeSettings):
    """A ComfyUI server on the GPUs of a node class.

    The image copies ComfyUI into its own file system at each start, and installs the Python packages of custom nodes at
    run time. So the claim holds the models, the custom nodes, the packages, inputs, outputs, settings and caches, each
    in a folder of its own, and never the program: an image that is upgraded brings a new ComfyUI. A claim on the whole
    of /root would keep the first ComfyUI for ever.

    Models get in through ComfyUI's own manager, or are copied into the claim's folder `models`. The image needs root,
    so its namespace must allow Pod Security `baseline`; the container has the rights of root over files alone, and a
    root file system that is read-only. A custom node that installs packages of the operating system needs
    `security_context={"readOnlyRootFilesystem": False}`. ComfyUI asks nobody for a password. The image's shell does not
    pass a SIGTERM on, so the pod ends by SIGKILL after a short grace period: a running job is lost.

    Makes a Deployment, a Service with the port 8188, and the PersistentVolumeClaim `<name>-data`.

    Args:
        flags: Flags of ComfyUI, such as "--lowvram". Default: none.
        storage: The size of the claim. Default: "200Gi".
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume.
            Default: "1Gi".
        startup: The seconds that the server may take to start; custom nodes are installed then. Default: 900.
        drain: The seconds in which the server goes on after its pod was deleted. Default: 0.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'image' must be built with another CUDA …` for CUDA 13 on a driver
            older than 580 and on cards before Turing; `'port' must be with 8188 …`.

    Example:
        >>> comfy = ComfyUI(Chart(App(), "ai"), "comfyui", nodes=GpuNodes(talos_version="1.12", driver_track="production"))
        >>> comfy.image
        'yanwk/comfyui-boot:cu126-slim'

    https://github.com/YanWenKun/ComfyUI-Docker
    """

    images: ClassVar[Mapping[int, str]] = COMFYUI_IMAGES
    health = HttpProbe("/system_stats")
    drains = False
    root_image = container_rights.COMFYUI
    unauthenticated = "ComfyUI has no authentication"

    flags: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    storage: str = attrs.field(default="200Gi", converter=to_bytes)
    startup: int = attrs.field(default=900, converter=to_positive)
    drain: int = attrs.field(default=0, converter=to_count)

    def _facts(self) -> Mapping[str, Any]:
        check_listens(self, 8188)
        return {
            "port": 8188,
            "env": {"CLI_ARGS": " ".join(self.flags)} if self.flags else {},
            "shared_memory": None if self.nodes.by_mps else "1Gi",
            "volumes": {
                **{path: Empty() for path in _TEMPORARY},
                **{path: Persistent(self.storage, name="data", sub_path=folder) for path, folder in _FOLDERS.items()},
            },
        }
