"""The recipe of Immich's machine learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes, to_count, to_positive
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..upstream.programs.images import IMMICH_MACHINE_LEARNING_IMAGES
from .recipe_settings import RecipeSettings
from .server_flags import server_port

_PORT = 3003
_CACHE = "/cache"


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class ImmichMachineLearningSettings(RecipeSettings):
    """Immich's machine learning, which finds faces and objects in photos, on the GPUs of a node class.

    The Immich server reaches it by IMMICH_MACHINE_LEARNING_URL, `http://<name>:3003`, and must have the same release:
    give the `image` of that release, whose tag ends in `-cuda`. The models are downloaded at the first request to the
    claim, with all caches. If its libraries lack code for the card, the server computes on the CPU, and only the log
    says so. This was reported for Blackwell, and for Pascal and older cards. The server runs without root. It
    asks nobody for a password.

    Makes a Deployment, a Service with the port 3003, and the PersistentVolumeClaim `<name>-cache`.

    Args:
        storage: The size of the claim for the models. Default: "20Gi".
        startup: The seconds that the server may take to start, without a model. Default: 300.
        drain: The seconds that open requests have when the pod is deleted. Default: 10.

    Raises:
        TypeError, ValueError: As `GpuWorkload`.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13")
        >>> immich = ImmichMachineLearning(Chart(App(), "photos"), "immich-machine-learning", nodes=nodes)
        >>> immich.env["MACHINE_LEARNING_CACHE_FOLDER"], dict(immich.port)
        ('/cache', {'http': 3003})

    https://docs.immich.app/features/ml-hardware-acceleration
    """

    images: ClassVar[Mapping[int, str]] = IMMICH_MACHINE_LEARNING_IMAGES
    health = HttpProbe("/ping")
    drains = False
    user = (1000, 1000, 1000)
    unauthenticated = "Immich's machine learning has no authentication"

    storage: str = attrs.field(default="20Gi", converter=to_bytes)
    startup: int = attrs.field(default=300, converter=to_positive)
    drain: int = attrs.field(default=10, converter=to_count)

    def _facts(self) -> Mapping[str, Any]:
        return {
            "port": _PORT,
            "env": {
                "HOME": _CACHE,  # without it the libraries write to folders of root
                "IMMICH_PORT": str(server_port(self, _PORT)),
                "MACHINE_LEARNING_CACHE_FOLDER": _CACHE,
                "HF_XET_CACHE": f"{_CACHE}/huggingface-xet",
                "MPLCONFIGDIR": f"{_CACHE}/matplotlib-config",
            },
            "volumes": {_CACHE: Persistent(self.storage)},
        }
