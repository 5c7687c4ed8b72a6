"""The recipe of Jupyter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes, to_count, to_optional_positive, to_positive
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe, SecretKey
from ..upstream.programs.images import JUPYTER_IMAGES
from .hub_names import to_secret_key
from .recipe_settings import RecipeSettings
from .server_flags import server_port


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class JupyterSettings(RecipeSettings):
    """A JupyterLab with PyTorch for one user, on the GPUs of a node class.

    A kernel keeps the memory of the card until it ends, so an idle kernel is ended, also while its notebook is open in
    a browser. A computing kernel counts as busy. The home folder is on a claim, with notebooks, data and the packages
    of `pip install --user`; other packages go with the pod. The server runs without root, as the image's user
    1000 in the group 100. Who knows the token runs any code on the GPU.

    Makes a Deployment, a Service with the port 8888, and the PersistentVolumeClaim `<name>-home`.

    Args:
        token: A `SecretKey` with the token that the server asks for. Default: none; each start makes another token and
            prints it in the log.
        cull_idle: The seconds after which an idle kernel is ended; None for never. Default: 3600.
        storage: The size of the claim for the home folder. Default: "50Gi".
        shared_memory: The size of /dev/shm, as "4Gi", through which PyTorch's data loaders pass their batches, and
            which counts towards the container's memory; False for no volume. Default: "2Gi".
        startup: The seconds that the server may take to start. Default: 120.
        drain: The seconds in which the server goes on after its pod was deleted; the kernels end with the server.
            Default: 0.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'token' must be a SecretKey …`;
            `'image' must be built with another CUDA …`.

    Example:
        >>> nodes = GpuNodes(talos_version="1.12", driver_track="production")
        >>> jupyter = Jupyter(Chart(App(), "ai"), "jupyter", nodes=nodes, token=SecretKey("jupyter", "token"))
        >>> jupyter.image, jupyter.args[1]
        ('quay.io/jupyter/pytorch-notebook:cuda12-2026-08-03', '--MappingKernelManager.cull_idle_timeout=3600')

    https://jupyter-docker-stacks.readthedocs.io/en/latest/using/selecting.html
    """

    images: ClassVar[Mapping[int, str]] = JUPYTER_IMAGES
    health = HttpProbe("/api")
    drains = False
    user = (1000, 100, 100)

    token: SecretKey | None = attrs.field(default=None, converter=to_secret_key)
    cull_idle: int | None = attrs.field(default=3600, converter=to_optional_positive)
    storage: str = attrs.field(default="50Gi", converter=to_bytes)
    startup: int = attrs.field(default=120, converter=to_positive)
    drain: int = attrs.field(default=0, converter=to_count)

    def _facts(self) -> Mapping[str, Any]:
        kernels = {"cull_idle_timeout": self.cull_idle, "cull_connected": True} if self.cull_idle else {}
        return {
            "args": ["start-notebook.py", *(f"--MappingKernelManager.{name}={value}" for name, value in kernels.items())],
            "port": 8888,
            "env": {"JUPYTER_PORT": str(server_port(self, 8888)), **({} if self.token is None else {"JUPYTER_TOKEN": self.token})},
            "shared_memory": None if self.nodes.by_mps else "2Gi",
            "volumes": {"/home/jovyan": Persistent(self.storage, name="home")},
        }
