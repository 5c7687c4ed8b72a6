"""The recipe of Whisper for Home Assistant, by the Wyoming protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, settle, to_bytes, to_count, to_positive, to_text
from ..manifests.volumes.sources import Empty
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import TcpProbe
from ..upstream.nvidia.card_names import WITHOUT_GSP, architecture
from ..upstream.programs import container_rights
from ..upstream.programs.images import WYOMING_WHISPER_BEFORE_TURING, WYOMING_WHISPER_IMAGES
from .recipe_settings import RecipeSettings
from .server_flags import check_listens


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class WyomingWhisperSettings(RecipeSettings):
    """A Whisper server that transcribes speech for Home Assistant, on the GPUs of a node class.

    The server speaks the Wyoming protocol over TCP, not HTTP: `expose(whisper, gateway=…, section=…)` makes a TCPRoute,
    and `expose(whisper, load_balancer=True)` a Service of the load balancer. The protocol has no login. The model is
    downloaded to the claim at the first start, before the port opens. The image starts as root and drops to another
    user by itself, so its namespace must allow Pod Security `baseline`; the container has the capabilities of this
    start alone, and a root file system that is read-only, except with PUID, PGID, UMASK or DOCKER_MODS in `env`.

    Makes a Deployment, a Service with the port 10300, and the PersistentVolumeClaim `<name>-config`.

    Args:
        image: The image. Default: the release that the recipe was written for; for Maxwell, Pascal and Volta cards the
            one with an older cuDNN.
        model: The name of the model, such as "large-v3-turbo", or its repository of Hugging Face. Default: "auto", the
            choice of the server.
        language: The two letters of the language that is spoken, such as "de". Default: "auto".
        storage: The size of the claim for the models. Default: "20Gi".
        startup: The seconds that the server may take to start, with the download of the model. Default: 900.
        drain: The seconds in which the server goes on after its pod was deleted. Default: 5.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'port' must be with 10300 …`.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="GTX 1080 Ti", kernel_modules="proprietary", driver_track="lts")
        >>> whisper = WyomingWhisper(Chart(App(), "home"), "whisper", nodes=nodes, model="large-v3-turbo", language="de")
        >>> whisper.image, dict(whisper.port)
        ('lscr.io/linuxserver/faster-whisper:gpu-legacy-v3.6.0-ls60', {'wyoming': 10300})

    https://docs.linuxserver.io/images/docker-faster-whisper/
    """

    images: ClassVar[Mapping[int, str]] = WYOMING_WHISPER_IMAGES
    health = TcpProbe()
    drains = False
    root_image = container_rights.WYOMING_WHISPER
    unauthenticated = "The Wyoming protocol has no authentication"

    model: str = attrs.field(default="auto", converter=to_text)
    language: str = attrs.field(default="auto", converter=to_text)
    storage: str = attrs.field(default="20Gi", converter=to_bytes)
    startup: int = attrs.field(default=900, converter=to_positive)
    drain: int = attrs.field(default=5, converter=to_count)

    def __attrs_post_init__(self) -> None:
        if self.nodes.product is not None and architecture(self.nodes.product) in WITHOUT_GSP:
            settle(self, "image", WYOMING_WHISPER_BEFORE_TURING)
        super().__attrs_post_init__()

    def without_http(self, port: str) -> str:
        """Why no host name leads to a port, and what to do, as one sentence."""
        return "the Wyoming protocol is not HTTP: give a 'gateway' and its 'section', or a load balancer"

    def _facts(self) -> Mapping[str, Any]:
        check_listens(self, 10300)
        writes = not container_rights.WYOMING_WRITES.isdisjoint(self.env)
        return {
            **({"security_context": {"readOnlyRootFilesystem": False}} if writes else {}),
            "port": {"wyoming": 10300},
            "env": {"WHISPER_MODEL": self.model, "WHISPER_LANG": self.language},
            "volumes": {"/config": Persistent(self.storage), "/run": Empty(), "/tmp": Empty()},  # noqa: S108
        }
