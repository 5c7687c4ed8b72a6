"""The version of dcgm-exporter in an image, and whether this version accepts the counter file of this library."""

from __future__ import annotations

import re

from ...arguments.errors import warn, wrong
from ...nodes.talos_version import newer_than_tables
from ...upstream.charts.dcgm_exporter_chart import DCGM_EXPORTER, EXPORTER_DRA, EXPORTER_OLDEST
from ...upstream.images import DCGM_EXPORTER_IMAGE
from ...upstream.kubernetes.registries import split_reference
from ...upstream.version import Version

# `<DCGM>-<exporter>[-<flavour>]`, or the exporter's version alone.
_TAG = r"(?:v?\d+\.\d+\.\d+-)?(v?\d+\.\d+\.\d+)(?:-[a-z].*)?"


def exporter_version(image: str) -> Version | None:
    """The exporter's version in an image's tag: the second of two versions. None where the tag names no version."""
    tag = split_reference(image).tag
    match = re.fullmatch(_TAG, tag)
    return Version.parse(match[1]) if match else None


def check_exporter_image(image: str, *, dra: bool) -> None:
    """Refuse an image whose exporter lacks a counter of this library; warn of a version newer than the tables."""
    version = exporter_version(image)
    if version is None:
        warn(
            f"'image' {image!r} names no version in its tag: a dcgm-exporter before {EXPORTER_OLDEST} does not know every counter, and exits at start"
        )
        return
    if version < EXPORTER_OLDEST:
        hint = "older exporters don't know DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION, and exit at start"
        raise wrong("image", f"of dcgm-exporter {EXPORTER_OLDEST} or newer, such as '{DCGM_EXPORTER_IMAGE}'", image, hint)
    if dra and version < EXPORTER_DRA:
        hint = "older exporters wait for ever for resource.k8s.io/v1beta1"
        raise wrong("image", f"of dcgm-exporter {EXPORTER_DRA} or newer with 'dra'", image, hint)
    if DCGM_EXPORTER.is_newer_than_known(version):
        warn(
            f"{newer_than_tables(f'dcgm-exporter {version}')} (newest: {DCGM_EXPORTER.newest}): nobody has tried this version with the "
            "variables and the counters of DcgmExporter"
        )
