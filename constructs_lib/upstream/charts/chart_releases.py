"""The releases of the charts' own repositories, and the images of charts beyond the table of each chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..version import Version

IMAGE_PATTERNS: Mapping[str, str] = {
    "nvidia-device-plugin": "nvcr.io/nvidia/k8s-device-plugin:v{version}",
    "node-feature-discovery": "registry.k8s.io/nfd/node-feature-discovery:v{version}",
    "dra-driver-nvidia-gpu": "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v{version}",
    "nvidia-dra-driver-gpu": "nvcr.io/nvidia/k8s-dra-driver-gpu:v{version}",
}
"""The image of each chart with a single image whose tag follows from the chart's version. Its keys are
`image.repository` and `image.tag`.

Source: values.yaml, Chart.yaml and templates/_helpers.tpl of NVIDIA/k8s-device-plugin at v0.15.0 to v0.20.0,
kubernetes-sigs/node-feature-discovery at v0.16.0 to v0.19.0, kubernetes-sigs/dra-driver-nvidia-gpu at v0.4.0, v0.4.1,
v25.3.0 and v25.12.0 (2026-11-22)
"""

EXPORTER_IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter:{tag}"
"""The image of the chart dcgm-exporter. Its keys are `image.repository` and `image.tag`.

Source: NVIDIA/dcgm-exporter deployment/values.yaml at 4.5.3-4.8.2 (2026-11-22)
"""

EXPORTER_TAGS: Mapping[str, str] = {
    "4.0.3": "4.1.1-4.0.3-ubuntu22.04",
    "4.0.4": "4.1.1-4.0.4-ubuntu22.04",
    "4.1.0": "4.2.0-4.1.0-ubuntu22.04",
    "4.1.1": "4.2.3-4.1.1-ubuntu22.04",
    "4.1.3": "4.2.3-4.1.3-ubuntu22.04",
    "4.2.0": "4.2.3-4.2.0-ubuntu22.04",
    "4.4.0": "4.3.1-4.4.0-ubuntu22.04",
    "4.5.0": "4.4.0-4.5.0-ubuntu22.04",
    "4.5.2": "4.4.1-4.5.2-ubuntu22.04",
    "4.6.0": "4.4.1-4.6.0-ubuntu22.04",
    "4.7.0": "4.4.2-4.7.0-ubuntu22.04",
    "4.7.1": "4.4.2-4.7.1-ubuntu22.04",
    "4.8.0": "4.5.1-4.8.0-distroless",
    "4.8.1": "4.5.2-4.8.1-distroless",
    "4.8.2": "4.5.3-4.8.2-distroless",
}
"""The tag of `EXPORTER_IMAGE` by the version of the chart.

Source: NVIDIA/dcgm-exporter deployment/{Chart.yaml,values.yaml} at each tag from 4.1.1-4.0.3 to 4.5.3-4.8.2
(2026-11-22)
"""

NEVER_PULLED = ("operator.initContainer",)
"""The images of the GPU operator's values that no controller uses.

Source: NVIDIA/gpu-operator controllers at v25.3.4, which do not read InitContainer (2026-11-24)
"""

DRIVER_OPERANDS = ("driver", "vgpuManager")
"""The operands to whose tag the operator adds the operating system of the node.

Source: NVIDIA/gpu-operator controllers/object_controls.go at v26.7.0, transformDriverContainer and
transformVGPUManagerContainer (2026-11-22)
"""


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
