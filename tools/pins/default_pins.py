"""The versions that this library installs where nobody names one: a run proposes newer ones, and moves none, as that is rendered YAML."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from constructs_lib.upstream import images
from constructs_lib.upstream.charts import DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY, gpu_operator_chart
from constructs_lib.upstream.version import Version

from .repositories import Repository, UnreachableError
from .tables import Report


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A default: where it stands, what it is, and the tags that may replace it; the group of `tag` is the version."""

    name: str
    pinned: str
    repository: str
    tag: str = r"v(\d+\.\d+\.\d+)"


def _version_of(image: str) -> str:
    return image.rpartition(":")[2]


PINS = (
    Pin(name="images.DEVICE_PLUGIN_IMAGE", pinned=_version_of(images.DEVICE_PLUGIN_IMAGE), repository="NVIDIA/k8s-device-plugin"),
    Pin(
        name="images.DCGM_EXPORTER_IMAGE",
        pinned=_version_of(images.DCGM_EXPORTER_IMAGE),
        repository="NVIDIA/dcgm-exporter",
        tag=r"(?:\d+\.\d+\.\d+-)?(\d+\.\d+\.\d+)(?:-distroless)?",
    ),
    Pin(name="images.MIG_PARTED_IMAGE", pinned=_version_of(images.MIG_PARTED_IMAGE), repository="NVIDIA/mig-parted"),
    Pin(name="the default version of gpu-operator", pinned=GPU_OPERATOR.default_version, repository="NVIDIA/gpu-operator"),
    Pin(
        name="gpu_operator_chart.LEGACY",
        pinned=gpu_operator_chart.LEGACY,
        repository="NVIDIA/gpu-operator",
        tag=rf"v({re.escape(gpu_operator_chart.LEGACY[1:].rpartition('.')[0])}\.\d+)",
    ),
    Pin(
        name="the default version of dra-driver-nvidia-gpu",
        pinned=DRA_DRIVER.default_version,
        repository="kubernetes-sigs/dra-driver-nvidia-gpu",
        tag=r"v?(\d\.\d+\.\d+)",
    ),
    Pin(
        name="the default version of node-feature-discovery",
        pinned=NODE_FEATURE_DISCOVERY.default_version,
        repository="kubernetes-sigs/node-feature-discovery",
        tag=r"v?(\d+\.\d+\.\d+)",
    ),
)
"""Every default that follows the tags of a repository."""

BY_HAND = {"images.BUSYBOX_IMAGE": "https://hub.docker.com/_/busybox"}
"""Defaults that no repository on GitHub names, and where to look."""


def propose(open_repository: Callable[[str], Repository], report: Report) -> None:
    """Name every default of which there is a newer release."""
    for pin in PINS:
        try:
            tags = open_repository(pin.repository).tags()
        except UnreachableError as error:
            report.unread.append(f"{error}; whether there is a newer {pin.name} than {pin.pinned} is not known")
            continue
        newest = max((version for tag in tags if (version := _version(pin, tag))), default=None)
        pinned = _version(pin, pin.pinned)
        if newest and pinned and newest > pinned:
            report.proposals.append(f"{pin.name} is {pinned}, and {pin.repository} has {newest}")
    for name, page in BY_HAND.items():
        image = getattr(images, name.partition(".")[2])
        report.unread.append(f"whether there is a newer {name} than {_version_of(image)} is not known; {page} says")


def _version(pin: Pin, written: str) -> Version | None:
    match = re.fullmatch(pin.tag, written)
    return Version.parse(match[1]) if match else None
