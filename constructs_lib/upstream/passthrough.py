"""GPUs that a node hands to virtual machines: the kernel module, Talos' document, the operator's label, and KubeVirt's list of permitted devices."""

from __future__ import annotations

VFIO_MODULE = "vfio_pci"
"""The kernel module that keeps a card for virtual machines. It takes the cards whose ids are in its parameter `ids`, or behind the kernel argument
`vfio-pci.ids`. Talos loads it like `nvidia`, as a module. A card belongs to the module that takes it first.

Source: siderolabs/pkgs kernel/build/config-amd64 (CONFIG_VFIO_PCI=m) at v1.8.0 and v1.14.0; siderolabs/talos
internal/app/machined/pkg/controllers/runtime/kernel_module_spec.go at v1.14.0-rc.1 (2026-11-22)
"""

PCI_VENDOR = "10de"
"""The id of NVIDIA among the PCI vendors.

Source: https://pci-ids.ucw.cz/read/PC/10de (2026-11-22)
"""

REBIND_KIND = "PCIDriverRebindConfig"
"""Talos' document that takes one card, by its PCI address, from its driver and gives it to `targetDriver`, after all modules are loaded.

Source: siderolabs/talos internal/app/machined/pkg/controllers/hardware/pci_driver_rebind.go at v1.10.0 to v1.14.0-rc.1 (2026-11-22)
"""

REBIND_DRIVER = "vfio-pci"
"""The `targetDriver` of `REBIND_KIND` that keeps a card for virtual machines.

Source: siderolabs/talos internal/integration/api/pci_driver_rebind.go at v1.14.0-rc.1 (2026-11-22)
"""

WORKLOAD_LABEL = "nvidia.com/gpu.workload.config"
"""The node label by which the GPU operator with `sandboxWorkloads.enabled` chooses containers or virtual machines for the cards of a node. Without the
setting the operator takes every node for one of containers.

Source: NVIDIA/gpu-operator controllers/state_manager.go (2026-11-22)
"""

VM_PASSTHROUGH = "vm-passthrough"
"""The value of `WORKLOAD_LABEL` that hands whole cards to virtual machines. The operator's vfio-manager then leaves a node alone whose driver answers
`nvidia-smi`, and the cards stay with the driver.

Source: NVIDIA/gpu-operator controllers/state_manager.go; NVIDIA/k8s-driver-manager cmd/driver-manager/main.go; cozystack/cozystack#2763 (2026-11-22)
"""

VM_VGPU = "vm-vgpu"
"""The value of `WORKLOAD_LABEL` that hands parts of cards to virtual machines.

Source: NVIDIA/gpu-operator controllers/state_manager.go (2026-11-22)
"""

PERMITTED_DEVICES = ("pciHostDevices", "mediatedDevices", "usb")
"""The lists in `permittedHostDevices` of KubeVirt. A virtual machine gets only devices whose `resourceName` is in one of them. Without
`permittedHostDevices` KubeVirt checks no device, and a device by a resource claim (`claimName`) is never checked.

Source: kubevirt/kubevirt pkg/virt-controller/services/template.go, validatePermittedHostDevices (2026-11-22)
"""
