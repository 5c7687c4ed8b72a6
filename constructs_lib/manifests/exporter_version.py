"""Which dcgm-exporter an image is, and that its metrics have the names of our one table."""

from __future__ import annotations

import re

from .._arguments.errors import wrong
from .._arguments.names import image_reference
from .._arguments.talos_warnings import warn
from ..upstream.charts.dcgm_exporter_chart import EXPORTER_DRA, EXPORTER_OLDEST, EXPORTER_RENAMED
from ..upstream.images import DCGM_EXPORTER_IMAGE
from ..upstream.version import Version

# `<DCGM>-<exporter>[-<flavour>]`, or the exporter's alone.
_TAG = r"(?:v?\d+\.\d+\.\d+-)?(v?\d+\.\d+\.\d+)(?:-[a-z].*)?"


def exporter_version(image: str) -> Version | None:
    """The version of the exporter that an image's tag tells, which is the second one of two; None where it tells none."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    found = re.fullmatch(_TAG, tag)
    return Version.parse(found[1]) if found else None


def exporter_image(image: object, *, dra: bool) -> str:
    """An image of the generation whose names and units our table has."""
    checked = image_reference("image", image)
    version = exporter_version(checked)
    if version is None:
        warn(
            f"'image' {checked!r} does not tell its version: a dcgm-exporter from {EXPORTER_RENAMED} on names its metrics otherwise, and one "
            f"before {EXPORTER_OLDEST} exits at its start, as at a counter that it does not know"
        )
        return checked
    rule = f"of dcgm-exporter 4.8, such as '{DCGM_EXPORTER_IMAGE}'"
    if _is_from(version, EXPORTER_RENAMED):
        then = "4.9 renames metrics and gives some of them other units, so dashboards and alerts would stay empty"
        raise wrong("image", rule, checked, then)
    if not _is_from(version, EXPORTER_OLDEST):
        then = "older ones don't know DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION, and exit at their start"
        raise wrong("image", rule, checked, then)
    if dra and not _is_from(version, EXPORTER_DRA):
        then = "older ones wait for ever for resource.k8s.io/v1beta1"
        raise wrong("image", f"of dcgm-exporter {EXPORTER_DRA} or newer with 'dra'", checked, then)
    return checked


def _is_from(version: Version, first: str) -> bool:
    found = Version.parse(first)
    return found is not None and version >= found
