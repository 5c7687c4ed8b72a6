"""Video servers that encode and decode with NVIDIA's NVENC and NVDEC, and the variable that gives a container their
libraries."""

from __future__ import annotations

from ..kubernetes.registries import split_reference

CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"
"""The variable that tells NVIDIA's runtime which libraries of the driver a container gets. A pod's value goes before
the image's; without any value a container gets those of compute and utility.

Source: NVIDIA/nvidia-container-toolkit internal/config/image/capabilities.go at v1.19.1,
https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (2026-11-22)
"""

WITH_VIDEO = ("video", "all")
"""The capabilities that bring libnvidia-encode.so.1 and libnvcuvid.so.1.

Source: https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (2026-11-22)
"""

TRANSCODING = "compute,video,utility"
"""The value of `CAPABILITIES` for a server that decodes and encodes video, and runs nvidia-smi. Up to Talos 1.11 the
value decides; later every container gets all libraries of the driver.

Source: NVIDIA/nvidia-container-toolkit internal/config/image/capabilities.go and internal/modifier/mode.go at v1.19.1
(2026-11-21)
"""

VIDEO_SERVERS = frozenset({"jellyfin", "plex", "pms-docker", "emby", "frigate", "unmanic", "immich-server"})
"""The last part of the names of images that encode or decode video on a GPU.

Source: jellyfin-archive/jellyfin-metapackages#2, linuxserver/docker-plex#340, Dockerfiles of linuxserver/docker-emby at
0111c04 and Unmanic/unmanic at 01c8d94, https://docs.frigate.video/configuration/hardware_acceleration_video,
immich-app/immich docker/hwaccel.transcoding.yml at v3.1.0 (2026-11-22)
"""

WITHOUT_CAPABILITIES = frozenset({"plexinc/pms-docker"})
"""The video servers whose image does not set `CAPABILITIES`. The images of Jellyfin, Frigate, Unmanic and
LinuxServer.io set it, with video.

Source: plexinc/pms-docker Dockerfile at 0069821; jellyfin/jellyfin-packaging docker/Dockerfile at 0198983;
linuxserver/docker-jellyfin Dockerfile at 0173237 (2026-11-22)
"""


def is_video_server(image: str) -> bool:
    """Whether an image is known to encode or decode video."""
    return split_reference(image).name in VIDEO_SERVERS


def sets_capabilities(image: str) -> bool:
    """Whether an image sets `CAPABILITIES` itself, or may."""
    return split_reference(image).on_hub not in WITHOUT_CAPABILITIES


FRIGATE_WITHOUT_TLS = "tls: {enabled: false}"
"""The configuration with which Frigate's port 8971 serves HTTP. By default the port serves TLS with a self-signed
certificate.

Source: https://docs.frigate.video/configuration/tls/ (2026-11-22)
"""
