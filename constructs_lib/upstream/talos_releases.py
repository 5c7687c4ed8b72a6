"""The minor releases of Talos: their newest patch, the Kubernetes that they run, and NVIDIA's drivers in their extensions.

`make pins` renews this table from upstream's tags.
"""

from __future__ import annotations

from typing import NamedTuple

READ_ON = "2026-11-20"
"""The date on which the tables of versions, cards and extensions were read from upstream.

Source: the date itself, which `make pins` renews (2026-11-20)
"""


class TalosRelease(NamedTuple):
    """What one minor release of Talos brings.

    `newest` is its newest patch, `kubernetes` the first and the last minor of Kubernetes that it runs, `drivers` maps each track to the
    version of NVIDIA's driver at `newest`.
    """

    newest: str
    kubernetes: tuple[int, int]
    drivers: dict[str, str]

    @property
    def kubernetes_versions(self) -> list[str]:
        """Every Kubernetes minor that this Talos runs, oldest first, as "1.35"."""
        first, last = self.kubernetes
        return [f"1.{minor}" for minor in range(first, last + 1)]


TALOS = {
    "1.8": TalosRelease(newest="1.8.4", kubernetes=(26, 31), drivers={"lts": "535.183.06", "production": "550.90.07"}),
    "1.9": TalosRelease(newest="1.9.6", kubernetes=(27, 32), drivers={"lts": "535.230.02", "production": "550.144.03"}),
    "1.10": TalosRelease(newest="1.10.9", kubernetes=(28, 33), drivers={"lts": "535.247.01", "production": "570.148.08"}),
    "1.11": TalosRelease(newest="1.11.6", kubernetes=(29, 34), drivers={"lts": "535.247.01", "production": "570.172.08"}),
    "1.12": TalosRelease(newest="1.12.12", kubernetes=(30, 35), drivers={"lts": "580.126.20", "production": "570.211.01"}),
    "1.13": TalosRelease(newest="1.13.12", kubernetes=(31, 36), drivers={"lts": "580.178.04", "production": "595.91.07"}),
    "1.14": TalosRelease(newest="1.14.6", kubernetes=(32, 37), drivers={"lts": "580.196.07", "production": "595.112.07"}),
    "1.15": TalosRelease(
        newest="1.15.0-beta.0",
        kubernetes=(33, 38),
        drivers={"lts": "580.196.07", "production": "595.112.07", "new-feature": "615.71.10"},
    ),
}
"""Each minor release of Talos that this library has manifests for.

Source: siderolabs/talos pkg/machinery/compatibility/talos1xx; siderolabs/extensions nvidia-gpu/vars.yaml at v1.8.4, v1.9.6, v1.10.9, v1.11.6,
v1.12.11, v1.13.9; release notes in siderolabs/talos discussions/14250, /14936 and siderolabs/extensions discussions/1236,
/1314, /1344, /1348 (2026-11-20)
"""

PREVIEW = "1.15"
"""The minor release of Talos that has betas, and no release yet.

Source: siderolabs/extensions discussions/1344 (2026-11-20)
"""
