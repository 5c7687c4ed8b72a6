"""Versions of the gpu-operator chart, and which of them a generation of Talos can run."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._arguments.refusals import text, warn, wrong
from ..nodes.talos_version import Generation, TalosVersion
from ..upstream import versions

_VERSION = r"v(\d+)\.(\d+)\.(\d+)"


class ChartVersion(NamedTuple):
    """A version of the chart, which is the tag of the operator, with its `v`."""

    year: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, argument: str, value: object) -> ChartVersion:
        """Read "v26.7.0"."""
        rule = f"a version of the gpu-operator chart such as '{versions.GPU_OPERATOR_NEWEST}'"
        written = text(argument, value, rule)
        found = re.fullmatch(_VERSION, written)
        if not found:
            with_v = f"v{written}"
            raise wrong(argument, rule, written, f"did you mean '{with_v}'?" if re.fullmatch(_VERSION, with_v) else "")
        return cls(*(int(part) for part in found.groups()))

    @property
    def is_newer_than_known(self) -> bool:
        """Whether it came after everything that this library has read."""
        return self > type(self).parse("version", versions.GPU_OPERATOR_NEWEST)

    def __str__(self) -> str:
        return f"v{self.year}.{self.minor}.{self.patch}"


_DEFAULTS = {
    Generation.LEGACY: versions.GPU_OPERATOR_LEGACY,
    Generation.CDI: versions.GPU_OPERATOR_NEWEST,
    Generation.NRI: versions.GPU_OPERATOR_NEWEST,
}
OLDEST = {
    Generation.LEGACY: (versions.GPU_OPERATOR_OLDEST, "older charts have other values"),
    Generation.CDI: (
        versions.GPU_OPERATOR_CDI_OLDEST,
        "older operators can't read Talos' OS version, or don't find the driver under /usr/local",
    ),
    Generation.NRI: (versions.GPU_OPERATOR_NRI_OLDEST, "older operators mount more than the NRI socket, and Talos' root is read-only"),
}
"""The oldest version that works on each generation, and why none before it does."""


def chart_version(value: str | None, talos: TalosVersion) -> ChartVersion:
    """The version to install on this Talos: the given one when it works there, or the newest that is known to."""
    version = ChartVersion.parse("version", _DEFAULTS[talos.generation] if value is None else value)
    if str(version) in versions.GPU_OPERATOR_BROKEN:
        raise wrong("version", "one that works on Talos, such as 'v26.3.3'", str(version), versions.GPU_OPERATOR_BROKEN[str(version)])
    oldest, why = OLDEST[talos.generation]
    if version < ChartVersion.parse("version", oldest):
        raise wrong("version", f"at least '{oldest}' on Talos {talos}", str(version), why)
    if version.is_newer_than_known:
        warn(
            f"gpu-operator {version} is newer than {versions.GPU_OPERATOR_NEWEST}, the newest this library knows: its values are not checked"
        )
    return version
