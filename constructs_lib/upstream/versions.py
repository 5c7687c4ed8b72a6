"""Every pin and every table of versions: the one file that a bump of upstream touches.

A change here is a change of rendered YAML, so it stands in the changelog.
"""

from __future__ import annotations

from typing import NamedTuple

# NVIDIA/k8s-device-plugin v0.20.0, 2026-08-19: the newest tag. One image holds the plugin, GPU feature discovery and the MPS daemon.
DEVICE_PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"

# NVIDIA/dcgm-exporter 4.8.3 with DCGM 4.6.0, of 2026-07-14: what gpu-operator v26.7.0 runs, and the first that reads resource.k8s.io/v1. Only
# distroless images are released any more (NVIDIA/dcgm-exporter#703).
DCGM_EXPORTER_IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"
# NVIDIA/mig-parted v0.15.0, 2026-08-19: the newest tag. The image of the MIG manager, which does not run on Talos, holds the tool
# nvidia-mig-parted, which does, and a shell (deployments/container/Dockerfile).
MIG_PARTED_IMAGE = "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0"

# The shell and the coreutils that the bridge's loop needs, and nothing else.
BUSYBOX_IMAGE = "busybox:1.37.0"

# https://helm.ngc.nvidia.com/nvidia, chart gpu-operator: its versions carry the `v` of the tag.
GPU_OPERATOR_REPOSITORY = "https://helm.ngc.nvidia.com/nvidia"
GPU_OPERATOR_CHART = "gpu-operator"
GPU_OPERATOR_NEWEST = "v26.7.0"
# The last release of the line whose CDI can be switched off with one value and that clusters on Talos 1.12 are seen to run.
GPU_OPERATOR_LEGACY = "v25.10.1"
# Below this the values have other names (CalVer, and `cdi` as we write it, begin here).
GPU_OPERATOR_OLDEST = "v25.3.0"
# The first that reads Talos' OS version "v1.13" (NVIDIA/gpu-operator#2244) and finds the driver under hostPaths.driverInstallDir.
GPU_OPERATOR_CDI_OLDEST = "v26.3.1"
# The first whose NRI mode mounts nothing but the NRI socket, which a read-only host needs (NVIDIA/gpu-operator d91f4aa6).
GPU_OPERATOR_NRI_OLDEST = "v26.7.0"
# Releases that break on every Talos, and what the cluster shows then.
GPU_OPERATOR_BROKEN = {
    "v26.3.0": 'it reads Talos\' OS version as a number, so the ClusterPolicy stays NotReady (strconv.Atoi: parsing "v1", '
    "NVIDIA/gpu-operator#2239)",
}

# https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/deployment/helm: its versions carry no `v`.
NFD_REPOSITORY = "oci://registry.k8s.io/nfd/charts"
NFD_CHART = "node-feature-discovery"
NFD_NEWEST = "0.19.0"

# kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0, released about 2026-08-19 (its #1365). The chart's versions carry no `v`; under this name and
# address it begins with 0.4.0 (site/content/docs/upgrade.md).
DRA_DRIVER_REPOSITORY = "oci://registry.k8s.io/dra-driver-nvidia/charts"
DRA_DRIVER_CHART = "dra-driver-nvidia-gpu"
DRA_DRIVER_NEWEST = "0.5.0"
DRA_DRIVER_OLDEST = "0.4.0"


class TalosRelease(NamedTuple):
    """What one minor release of Talos brings: its newest patch, the Kubernetes versions it runs, and the newest driver of each track.

    `kubernetes` is the first and the last minor, `drivers` maps a track to NVIDIA's driver version at `newest`.
    """

    newest: str | None
    kubernetes: tuple[int, int]
    drivers: dict[str, str]

    @property
    def kubernetes_versions(self) -> list[str]:
        """Every Kubernetes minor that this Talos runs, oldest first, as "1.35"."""
        first, last = self.kubernetes
        return [f"1.{minor}" for minor in range(first, last + 1)]


# Kubernetes: siderolabs/talos pkg/machinery/compatibility/talos1xx. Newest and drivers: the last tag seen of each minor, and
# siderolabs/extensions nvidia-gpu/vars.yaml there; of 1.14 that is v1.14.0-rc.1, whose release is 1.14.0. 1.15 is a preview: planned, documentation seen, nothing released.
TALOS = {
    "1.8": TalosRelease(newest="1.8.4", kubernetes=(26, 31), drivers={"lts": "535.183.06", "production": "550.90.07"}),
    "1.9": TalosRelease(newest="1.9.6", kubernetes=(27, 32), drivers={"lts": "535.230.02", "production": "550.144.03"}),
    "1.10": TalosRelease(newest="1.10.9", kubernetes=(28, 33), drivers={"lts": "535.247.01", "production": "570.148.08"}),
    "1.11": TalosRelease(newest="1.11.6", kubernetes=(29, 34), drivers={"lts": "535.247.01", "production": "570.172.08"}),
    "1.12": TalosRelease(newest="1.12.11", kubernetes=(30, 35), drivers={"lts": "580.126.20", "production": "570.211.01"}),
    "1.13": TalosRelease(newest="1.13.9", kubernetes=(31, 36), drivers={"lts": "580.178.04", "production": "595.91.07"}),
    "1.14": TalosRelease(newest="1.14.0", kubernetes=(32, 37), drivers={"lts": "580.178.04", "production": "595.91.07"}),
    "1.15": TalosRelease(newest=None, kubernetes=(33, 38), drivers={}),
}
TALOS_PREVIEW = "1.15"
