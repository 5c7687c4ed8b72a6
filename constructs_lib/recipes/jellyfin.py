"""The recipe of Jellyfin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes, to_count, to_positive
from ..manifests.volumes.sources import Empty
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..upstream.programs.images import CAPABILITIES, JELLYFIN_IMAGES, TRANSCODING
from .recipe_settings import RecipeSettings
from .server_flags import check_listens


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class JellyfinSettings(RecipeSettings):
    """A Jellyfin server that decodes and encodes video on the GPUs of a node class.

    Media come as volumes: `volumes={"/media": Nfs("nas", "/media", read_only=True)}`. The container asks for the
    driver's video libraries: up to Talos 1.11 it would not get them otherwise. Hardware decoding is switched on in Jellyfin's
    own settings, as NVIDIA NVENC. Time-slicing does not raise the number of streams that NVENC encodes at once on a
    GeForce card. The server runs without root.

    Makes a Deployment, a Service with the port 8096, and the PersistentVolumeClaim `<name>-config`. Transcoded files
    are on the node's disk, in /cache, and go with the pod.

    Args:
        storage: The size of the claim for the settings and the metadata. Default: "20Gi".
        startup: The seconds that the server may take to start; a migration of the library takes long. Default: 600.
        drain: The seconds that streams have when the pod is deleted. Default: 10.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'port' must be with 8096 …`.

    Example:
        >>> jellyfin = Jellyfin(Chart(App(), "media"), "jellyfin", nodes=GpuNodes(talos_version="1.11"), volumes={"/media": ExistingClaim("media")})
        >>> jellyfin.env["NVIDIA_DRIVER_CAPABILITIES"]
        'compute,video,utility'

    https://jellyfin.org/docs/general/post-install/transcoding/hardware-acceleration/nvidia
    """

    images: ClassVar[Mapping[int, str]] = JELLYFIN_IMAGES
    health = HttpProbe("/health")
    drains = False
    user = (1000, 1000, 1000)

    storage: str = attrs.field(default="20Gi", converter=to_bytes)
    startup: int = attrs.field(default=600, converter=to_positive)
    drain: int = attrs.field(default=10, converter=to_count)

    def _facts(self) -> Mapping[str, Any]:
        check_listens(self, 8096)
        return {"port": 8096, "env": {CAPABILITIES: TRANSCODING}, "volumes": {"/config": Persistent(self.storage), "/cache": Empty()}}
