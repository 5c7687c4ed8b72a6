"""The rights that images and agents need beyond a container without rights: root, capabilities, a root file system that
can be written. And what agents request.

A container without rights has the seccomp profile RuntimeDefault, no capability, no token of a service account, a user
other than root, and a root file system that is read-only. Each exception here has its reason, and docs/recipes.md and
docs/stack.md show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class RootImage(NamedTuple):
    """An image whose container starts as root, with no capability but these."""

    capabilities: tuple[str, ...]
    root: str
    """Why the container starts as root, and what the capabilities are for."""
    writes: str = ""
    """Why the root file system can be written. Empty where it is read-only, with a volume at each path that the program
    writes."""


_FILES = ("CHOWN", "DAC_OVERRIDE", "FOWNER")
_SUPERVISED = (*_FILES, "KILL", "SETGID", "SETUID")

COMFYUI = RootImage(
    _FILES,
    "the image's home is /root, and its start copies ComfyUI with its owners over the folders of the claim",
)
"""The start copies the program to /root, which is empty in the image and a VOLUME of `cu126-slim`, by `cp --archive`.
Then the caches, the packages of pip and compiled Python are below /root. Nothing else is written but /tmp.

Source: YanWenKun/ComfyUI-Docker cu130-slim-v2 and cu126-slim: Dockerfile, runner-scripts/entrypoint.sh at 987122a
(2026-11-23)
"""

SGLANG = RootImage(
    ("DAC_OVERRIDE",),
    "the image has no other user, and a volume may hold files of another owner",
    "FlashInfer, Triton and PyTorch compile at the start into folders that differ by release, in /root and beside their own packages",
)
"""The image has no user but root. The folders of its caches have to be moved for any other user.

Source: sgl-project/sglang docker/Dockerfile at 004740a, sgl-project/sglang#4341 (2026-11-23)
"""

PLEX = RootImage(
    _SUPERVISED,
    "s6 starts as root, gives the folders to the user plex, and starts and ends the server as this user",
    "the start adds the groups of the devices to /etc/group, and writes /.firstRunComplete and the services of s6",
)
"""The scripts of the start run usermod, groupadd and `chown -R`, edit the Preferences.xml of the user plex, and
s6-setuidgid drops to this user. A supervisor without KILL can't send it SIGTERM.

Source: plexinc/pms-docker Dockerfile (s6-overlay 2.2.0.3), root/etc/cont-init.d and root/etc/services.d/plex/run at
1cef65e (2026-11-23)
"""

FRIGATE = RootImage(
    ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"),
    "s6 and every service of Frigate 0.17 run as root, and their logs as nobody",
    "the start writes nginx' configuration and a certificate into the image's own folders",
)
"""log-prepare gives the folders of the logs to nobody, with the bit of the group; nginx/run edits /usr/local/nginx/conf
and writes /etc/letsencrypt. The development branch starts the services as users of their own.

Source: blakeblackshear/frigate docker/main/Dockerfile and
docker/main/rootfs/etc/s6-overlay/s6-rc.d/{log-prepare,nginx}/run at v0.17.2 (2026-11-23)
"""

WYOMING_WHISPER = RootImage(_SUPERVISED, "s6 starts as root, gives /config to the user abc, and starts and ends the server as this user")
"""LinuxServer.io supports a read-only root file system for this image, with a volume at /run from which programs can
run. TMPDIR is below /run. PUID, PGID, UMASK and mods then have no effect.

Source: linuxserver/docker-faster-whisper readme-vars.yml, Dockerfile and root/ of the branches gpu (a817f74) and
gpu-legacy (5d90d8d); linuxserver/docker-mods docker-mods.v3 and lsiown.v1 at df65a56; linuxserver/docker-documentation
docs/misc/read-only.md at 1a6cd7e; just-containers/s6-overlay libexec/preinit at 9658b23 (2026-11-23)
"""

WYOMING_WRITES = frozenset({"PUID", "PGID", "UMASK", "DOCKER_MODS"})
"""The variables of an image of LinuxServer.io that need a root file system that can be written.

Source: linuxserver/docker-documentation docs/misc/read-only.md at 1a6cd7e (2026-11-23)
"""

OPEN_WEBUI = RootImage(
    ("DAC_OVERRIDE",),
    "the files of the image belong to root, and a volume may hold files of another owner",
    "the start writes server.log and the pictures of the page into the image's own folders",
)
"""The image's user is root unless it is built with another. backend/start.sh writes server.log beside itself.

Source: open-webui/open-webui backend/start.sh at 059cf82, xencon/aixcl#832 (2026-11-23)
"""

AGENT_RESOURCES: Mapping[str, Mapping[str, str]] = {"requests": {"cpu": "10m", "memory": "64Mi"}}
"""What the agents of the device plugin's image request, above what a plugin was measured to use: 1m and 25Mi. No limit:
plugins with a limit were killed for memory, and a node without its plugin has no GPU.

Source: zalando-incubator/kubernetes-on-aws#7065; GoogleCloudPlatform/container-engine-accelerators#202 (2026-11-23)
"""

_SOCKET = "root owns the kubelet's socket"
_WRITES = "NVIDIA's chart leaves it so; nobody has shown which folders the libraries write"
AGENT_EXCEPTIONS: Mapping[str, Mapping[str, str]] = {
    "device plugin": {"root": f"{_SOCKET} folder", "writable files": _WRITES},
    "device plugin for MIG or the CPU manager": {
        "root": f"{_SOCKET} folder",
        "writable files": _WRITES,
        "capabilities": "privileged: only so the container sees every partition, and device permissions stay",
    },
    "GPU feature discovery": {
        "root": "privileged",
        "writable files": _WRITES,
        "capabilities": "privileged, as upstream: only so a vGPU's host is seen in /sys",
        "token": "the labels reach the node through a NodeFeature object of the API",
    },
    "MPS daemon": {
        "root": "privileged",
        "writable files": _WRITES,
        "capabilities": "privileged, as upstream: it mounts a tmpfs for its clients, and follows their processes",
    },
    "mig-parted": {"root": "privileged", "writable files": _WRITES, "capabilities": "privileged: only so the driver changes partitions"},
    "DCGM exporter": {"root": _SOCKET, "writable files": _WRITES},
    "DCGM exporter, profiling": {
        "root": _SOCKET,
        "writable files": _WRITES,
        "capabilities": "SYS_ADMIN: the driver counts for such a process alone",
    },
    "DCGM exporter, MIG": {
        "root": _SOCKET,
        "writable files": _WRITES,
        "capabilities": "privileged: only so the container monitors partitions",
    },
    "DCGM exporter, shared cards or DRA": {
        "root": _SOCKET,
        "writable files": _WRITES,
        "token": "the UIDs of pods, and the devices of claims, are in the API alone",
    },
    "validation bridge": {"root": "root owns the files that the operator's pods read"},
}
"""What each agent has beyond a container without rights, by the kind of right: root, a root file system that can be
written, capabilities, a token.

Source: NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin at v0.20.0; NVIDIA/dcgm-exporter
deployment/values.yaml and docker/Dockerfile at d5e5f51; NVIDIA/nvidia-container-toolkit#1740 (2026-11-23)
"""
