"""The labels of GPU nodes that are the same for every chart of NVIDIA's."""

PRESENT_LABEL = "nvidia.com/gpu.present"
"""The label of a GPU node that only the GPU operator sets, and no other component of NVIDIA's.

Source: NVIDIA/gpu-operator controllers/nodelabeling_controller.go at v26.7.0 (2026-08-22)
"""

CONFIG_LABEL = "nvidia.com/device-plugin.config"
"""The node label by which the plugin's config manager chooses a node's config.

Source: NVIDIA/k8s-device-plugin cmd/config-manager/main.go at v0.20.0 (2026-08-22)
"""
