"""Which dcgm-exporter an image is, and that its metrics have the names of our one table."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._arguments.names import image_reference
from .._arguments.refusals import warn, wrong
from ..upstream import versions

# `<DCGM>-<exporter>[-<flavour>]`, or the exporter's alone.
_TAG = r"(?:v?\d+\.\d+\.\d+-)?v?(\d+)\.(\d+)\.(\d+)(?:-[a-z].*)?"


class ExporterVersion(NamedTuple):
    """A version of the exporter, which is the second one of its image's tag."""

    major: int
    minor: int
    patch: int

    @classmethod
    def of(cls, image: str) -> ExporterVersion | None:
        """The version that an image's tag tells; None where it tells none."""
        tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
        found = re.fullmatch(_TAG, tag)
        return cls(*(int(part) for part in found.groups())) if found else None

    def __str__(self) -> str:
        return ".".join(str(part) for part in self)


_OLDEST, _TOO_NEW = ExporterVersion(4, 8, 0), ExporterVersion(4, 9, 0)
# Before, it watched a version of the API that newer clusters don't serve, and waited for it for ever (NVIDIA/dcgm-exporter#654).
_DRA = ExporterVersion(4, 8, 3)


def exporter_image(image: object, *, dra: bool) -> str:
    """An image of the generation whose names and units our table has."""
    checked = image_reference("image", image)
    version = ExporterVersion.of(checked)
    if version is None:
        warn(
            f"'image' {checked!r} does not tell its version: a dcgm-exporter from {_TOO_NEW} on names its metrics otherwise, and one before "
            f"{_OLDEST} exits at its start, as at a counter that it does not know"
        )
        return checked
    rule = f"of dcgm-exporter 4.8, such as '{versions.DCGM_EXPORTER_IMAGE}'"
    if version >= _TOO_NEW:
        then = "4.9 renames metrics and gives some of them other units, so dashboards and alerts would stay empty"
        raise wrong("image", rule, checked, then)
    if version < _OLDEST:
        then = "older ones don't know DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION, and exit at their start"
        raise wrong("image", rule, checked, then)
    if dra and version < _DRA:
        raise wrong(
            "image", f"of dcgm-exporter {_DRA} or newer with 'dra'", checked, "older ones wait for ever for resource.k8s.io/v1beta1"
        )
    return checked
