terraform {
  required_providers {
    talos = {
      source  = "siderolabs/talos"
      version = "0.9.0"
    }
  }
}

locals {
  installer = "factory.talos.dev/metal-installer/cbbf43a5c5d5c05c1b4d8b1e0d5e6a3f4f0a53e9f8d0a9a0a5ef6e3e7b2c1d09:v1.12.9"
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"
}

resource "helm_release" "dra_driver" {
  name       = "nvidia-dra-driver-gpu"
  namespace  = "nvidia-dra-driver-gpu"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "nvidia-dra-driver-gpu"
  version    = "25.3.0"
}
