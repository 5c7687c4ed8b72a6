"""The default container images of the manifests. A change here changes rendered YAML."""

from __future__ import annotations

DEVICE_PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
"""The image of the device plugin, GPU feature discovery and the MPS daemon.

Source: NVIDIA/k8s-device-plugin v0.20.0 of 2026-08-19, the newest tag (2026-11-20)
"""

DCGM_EXPORTER_IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.1-4.8.4-distroless"
"""The image of the DCGM exporter: the newest release before the metrics were renamed. Newer images are distroless only.

Source: NVIDIA/dcgm-exporter deployment/values.yaml at 8dc9e11b (4.8.4 of 2026-09-18), #703 and #745 (2026-11-22)
"""

MIG_PARTED_IMAGE = "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0"
"""The image with nvidia-mig-parted and a shell: that of the MIG manager, which itself does not run on Talos.

Source: NVIDIA/mig-parted deployments/container/Dockerfile at v0.15.0 of 2026-08-19 (2026-08-22)
"""

BUSYBOX_IMAGE = "busybox:1.37.0"
"""The image with the shell and the coreutils of the validation bridge.

Source: https://hub.docker.com/_/busybox (2026-08-22)
"""

OPEN_WEBUI_IMAGE = "ghcr.io/open-webui/open-webui:v0.11.2"
"""The image of Open WebUI without CUDA, of the newest release whose image was seen.

Source: https://github.com/open-webui/open-webui/releases/tag/v0.11.2, https://github.com/shaman007/home-k3s/pull/686
(2026-11-22)
"""
