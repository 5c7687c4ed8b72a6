"""The recipe of Plex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes, to_count, to_positive
from ..manifests.volumes.sources import Empty
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe, SecretKey
from ..upstream.programs import container_rights
from ..upstream.programs.images import CAPABILITIES, PLEX_IMAGES, TRANSCODING
from ..upstream.talos.features import LEGACY_LIBRARIES, OWN_LIBC_LOST
from .hub_names import to_secret_key
from .recipe_settings import RecipeSettings
from .server_flags import check_listens


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class PlexSettings(RecipeSettings):
    """A Plex Media Server that decodes and encodes video on the GPUs of a node class. Hardware transcoding needs a
    Plex Pass.

    Media come as volumes: `volumes={"/data": Nfs("nas", "/media", read_only=True)}`. Plex' image asks for no library of
    the driver, so the recipe asks for those of video: without them NVENC is not found up to Talos 1.11. On Talos 1.12
    the image's own libc finds the libraries by LD_LIBRARY_PATH only. The image starts as root and drops to PLEX_UID by
    itself, so its namespace must allow Pod Security `baseline`; the container has the capabilities of this start alone.

    Makes a Deployment, a Service with the port 32400, and the PersistentVolumeClaim `<name>-config`. Transcoded files
    are on the node's disk, in /transcode, and go with the pod.

    Args:
        claim: A `SecretKey` with the claim token of plex.tv, which joins a new server to an account and lasts four
            minutes. Default: none.
        storage: The size of the claim for the settings and the metadata. Default: "50Gi".
        startup: The seconds that the server may take to start; a migration of the library takes long. Default: 600.
        drain: The seconds that streams have when the pod is deleted. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'claim' must be a SecretKey …`.

    Example:
        >>> plex = Plex(Chart(App(), "media"), "plex", nodes=GpuNodes(talos_version="1.13"), claim=SecretKey("plex", "claim"))
        >>> plex.env["PLEX_CLAIM"].secret
        'plex'

    https://github.com/plexinc/pms-docker
    """

    images: ClassVar[Mapping[int, str]] = PLEX_IMAGES
    health = HttpProbe("/identity")
    root_image = container_rights.PLEX

    claim: SecretKey | None = attrs.field(default=None, converter=to_secret_key)
    storage: str = attrs.field(default="50Gi", converter=to_bytes)
    startup: int = attrs.field(default=600, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def _facts(self) -> Mapping[str, Any]:
        check_listens(self, 32400)
        env: dict[str, Any] = {CAPABILITIES: TRANSCODING}
        if self.claim is not None:
            env["PLEX_CLAIM"] = self.claim
        if self.nodes.talos_version.minor in OWN_LIBC_LOST:
            env["LD_LIBRARY_PATH"] = LEGACY_LIBRARIES
        return {"port": 32400, "env": env, "volumes": {"/config": Persistent(self.storage), "/transcode": Empty()}}
