"""The releases in the index of each chart's repository, from which Helm, Flux and Argo CD install a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..version import Version


@dataclass(frozen=True, slots=True)
class ReleaseIndex:
    """The releases of a chart, oldest first, in an index that was written on `written_on`."""

    versions: tuple[Version, ...]
    written_on: str

    def lacks(self, version: Version) -> bool:
        """Whether a version lies between the releases and is none of them. Nothing is known of later versions and of
        pre-releases."""
        return (
            version.patch is not None
            and not version.pre_release
            and self.versions[0] < version < self.versions[-1]
            and version not in self.versions
        )

    def last_before(self, version: Version) -> Version:
        """The newest release before a version."""
        return max(each for each in self.versions if each < version)


def _index(written_on: str, **patches: str) -> ReleaseIndex:
    """An index; `patches` has the patches of each minor, such as `v25_3="0 1"`."""
    versions = []
    for written, listed in patches.items():
        major, minor = written.removeprefix("v").split("_")
        versions += [Version(int(major), int(minor), int(patch)) for patch in listed.split()]
    return ReleaseIndex(tuple(sorted(versions)), written_on)


RELEASE_INDEXES: Mapping[str, ReleaseIndex] = {
    "gpu-operator": _index(
        "2026-08-21",
        v23_9="0 1 2",
        v24_3="0",
        v24_6="0 1 2",
        v24_9="0 1 2",
        v25_3="0 1 2 3 4",
        v25_10="0 1",
        v26_3="0 1 2 3",
        v26_7="0",
    ),
    "nvidia-device-plugin": _index(
        "2026-08-20",
        v0_14="0 1 2 3 4 5",
        v0_15="0 1",
        v0_16="0 1 2",
        v0_17="0 1 2 3 4",
        v0_18="0 1 2",
        v0_19="0 1 2 3",
        v0_20="0",
    ),
    "dcgm-exporter": _index(
        "2026-05-05",
        v3_3="0 1",
        v3_4="0 1 2",
        v3_5="0",
        v3_6="0 1",
        v4_0="1 3 4",
        v4_1="0 1 3",
        v4_2="0",
        v4_4="0 1",
        v4_5="0 2",
        v4_6="0",
        v4_7="1",
        v4_8="0 1 2",
    ),
    "node-feature-discovery": _index(
        "2026-07-10",
        v0_15="0 1 2 3 4 5 6 7",
        v0_16="0 1 2 3 4 5 6 7 8 9",
        v0_17="0 1 2 3 4",
        v0_18="0 1 2 3",
        v0_19="0",
    ),
}
"""The index of each chart's repository, by the chart's name.

Source: the branch gh-pages of NVIDIA/gpu-operator (stable/index.yaml), NVIDIA/k8s-device-plugin (index.yaml),
NVIDIA/dcgm-exporter (helm-charts/index.yaml) and kubernetes-sigs/node-feature-discovery (charts/index.yaml)
(2026-11-22)
"""
