"""The container images that the manifests name where their user names none. A change here is a change of rendered YAML."""

from __future__ import annotations

DEVICE_PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
"""The device plugin, GPU feature discovery and the MPS daemon, in one image.

Source: NVIDIA/k8s-device-plugin v0.20.0 of 2026-08-19, the newest tag (2026-11-20)
"""

DCGM_EXPORTER_IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"
"""The DCGM exporter that gpu-operator v26.7.0 runs, and the first that reads resource.k8s.io/v1. Only distroless images are released any more.

Source: NVIDIA/gpu-operator deployments/gpu-operator/values.yaml at v26.7.0, NVIDIA/dcgm-exporter#703 (2026-08-22)
"""

MIG_PARTED_IMAGE = "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0"
"""nvidia-mig-parted and a shell: the image of the MIG manager, which itself does not run on Talos.

Source: NVIDIA/mig-parted deployments/container/Dockerfile at v0.15.0 of 2026-08-19 (2026-08-22)
"""

BUSYBOX_IMAGE = "busybox:1.37.0"
"""The shell and the coreutils that the validation bridge needs.

Source: https://hub.docker.com/_/busybox (2026-08-22)
"""
