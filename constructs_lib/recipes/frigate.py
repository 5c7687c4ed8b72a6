"""The recipe of Frigate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.fields import named, to_bytes, to_count, to_flag, to_positive
from ..arguments.plain_values import whole_number
from ..manifests.volumes.sources import Memory
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..upstream.programs import container_rights
from ..upstream.programs.images import CAPABILITIES, FRIGATE_IMAGES, FRIGATE_WITHOUT_TLS, TRANSCODING
from .recipe_settings import RecipeSettings
from .server_flags import check_listens

_LOGS = 40
_WITHOUT_LOGIN = 5000
_STREAMS = {"rtsp": 8554, "webrtc": 8555, "webrtc-udp": "8555/udp"}


def _to_cameras(value: Iterable[tuple[int, int]], argument: str = "") -> tuple[tuple[int, int], ...]:
    rule = "pairs of a width and a height, such as [(1280, 720)]"
    if not isinstance(value, list | tuple) or not value:
        raise wrong_kind(argument, rule, value)
    cameras = []
    for each in value:
        match each:
            case [width, height]:
                cameras.append((whole_number(argument, width), whole_number(argument, height)))
            case _:
                raise wrong_kind(argument, rule, each)
    return tuple(cameras)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class FrigateSettings(RecipeSettings):
    """A Frigate server that decodes cameras and finds objects on the GPUs of a node class.

    The Service has the port 8971, which asks for a login. The port serves TLS with a certificate of Frigate's own, so a
    load balancer can lead to it, and a route with a host name can't: write `tls: {enabled: false}` into the
    configuration, and give `port={"http": 8971}`. The port 5000 has none and is left out; probes use it inside the pod.
    Frames pass between Frigate's processes in /dev/shm, whose size follows from the cameras. Recordings are on a claim;
    clips in the making are in memory, which counts towards the container's memory. The configuration is
    `/config/config.yml` on the claim, or a volume:
    `volumes={"/config/config.yml": ConfigMapFiles("frigate", sub_path="config.yml")}`. The image runs as root, so its
    namespace must allow Pod Security `baseline`; the container has the capabilities of its start alone.

    Makes a Deployment, a Service, and the PersistentVolumeClaims `<name>-config` and `<name>-media-frigate`.

    Args:
        cameras: The width and the height of the stream in which Frigate detects, for each camera. Default: one of 1280
            by 720.
        streams: Whether the Service has RTSP and WebRTC too: the ports 8554 and 8555. Default: False.
        storage: The size of the claim for recordings. Default: "200Gi".
        memory: The memory request, which is also the memory limit, with /dev/shm and the clips in the making. Default:
            "4Gi".
        shared_memory: The size of /dev/shm. Default: what the cameras need.
        startup: The seconds that the server may take to start; a model is built for the card at the first start.
            Default: 900.
        drain: The seconds in which the server goes on after its pod was deleted. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'cameras' must be pairs of a width and a height …`;
            `'memory' must be more than …`; `'port' must be with 8971 …`.

    Example:
        >>> frigate = Frigate(Chart(App(), "home"), "frigate", nodes=GpuNodes(talos_version="1.13"), cameras=[(1280, 720), (1920, 1080)])
        >>> frigate.shared_memory, dict(frigate.port)
        ('127Mi', {'https': 8971})

    https://docs.frigate.video/frigate/installation
    """

    images: ClassVar[Mapping[int, str]] = FRIGATE_IMAGES
    health = HttpProbe("/api/version", port=_WITHOUT_LOGIN)
    root_image = container_rights.FRIGATE

    cameras: tuple[tuple[int, int], ...] = attrs.field(default=((1280, 720),), converter=_to_cameras)
    streams: bool = attrs.field(default=False, converter=to_flag)
    storage: str = attrs.field(default="200Gi", converter=to_bytes)
    startup: int = attrs.field(default=900, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def without_http(self, port: str) -> str:
        """Why no host name leads to a port, and what to do, as one sentence; empty for a port that serves HTTP."""
        if port == "https":
            return f"the server has a certificate of its own, which routes do not trust: write '{FRIGATE_WITHOUT_TLS}' into config.yml, and give port={{'http': 8971}}"
        return "the port serves video, not HTTP: give a 'section' or a load balancer" if port in _STREAMS else ""

    def _facts(self) -> Mapping[str, Any]:
        check_listens(self, 8971)
        if self.port and _WITHOUT_LOGIN in self.port.values():
            hint = f"everybody who reaches {_WITHOUT_LOGIN} controls the cameras; 8971 asks for a login"
            raise wrong("port", f"without {_WITHOUT_LOGIN}, the port without a login", dict(self.port), hint)
        return {
            "port": {"https": 8971, **(_STREAMS if self.streams else {})},
            "env": {CAPABILITIES: TRANSCODING},
            "memory": "4Gi",
            "shared_memory": None if self.nodes.by_mps else f"{_shared_memory(self.cameras)}Mi",
            "volumes": {"/config": Persistent("10Gi"), "/media/frigate": Persistent(self.storage), "/tmp/cache": Memory("1Gi")},  # noqa: S108
        }


def _shared_memory(cameras: Iterable[tuple[int, int]]) -> int:
    """The mebibytes that 20 frames of each camera and the logs need."""
    frames = sum(math.ceil((width * height * 1.5 * 20 + 270_480) / 2**20) for width, height in cameras)
    return _LOGS + frames
