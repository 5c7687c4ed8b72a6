"""GPUs for virtual machines: the kernel modules and arguments of Talos, the label of the GPU operator, and the form of
a PCI ID."""

from __future__ import annotations

from ..talos.platforms import Arch

NVIDIA_VENDOR = "10de"
"""The vendor ID of NVIDIA's PCI devices.

Source: https://pci-ids.ucw.cz/v2.2/pci.ids (2026-11-22)
"""

VFIO_PCI = "vfio_pci"
"""The kernel module that takes the devices of its parameter `ids`, and gives them to virtual machines. No other driver
of Talos' kernel takes a card.

The kernel has neither nouveau nor the driver of a card's audio device (DRM_NOUVEAU and SND_HDA_INTEL are not set), so
only NVIDIA's extensions could take the card first. Nor has the kernel the VFIO driver of superchips
(NVGRACE_GPU_VFIO_PCI).

Source: siderolabs/pkgs kernel/build/config-amd64 and config-arm64 at v1.8.0 to v1.14.0 and v1.15.0-alpha.0:
CONFIG_VFIO_PCI=m (2026-11-22)
"""

VFIO_MODULES = ("vfio_iommu_type1", VFIO_PCI)
"""The modules by which a virtual machine gets a device. Talos loads `vfio` and `vfio_pci_core`, on which they depend,
by itself.

Source: siderolabs/talos hack/modules-amd64.txt and hack/modules-arm64.txt at v1.8.0 to v1.13.0; siderolabs/pkgs at
v1.14.0 (2026-11-22)
"""

IOMMU_ARGS: dict[Arch, tuple[str, ...]] = {Arch.AMD64: ("intel_iommu=on", "iommu=pt"), Arch.ARM64: ()}
"""The usual kernel arguments for the IOMMU. `intel_iommu` has no effect on a processor of AMD, whose IOMMU needs no
argument.

The kernel of Talos turns every IOMMU on that the firmware offers (CONFIG_INTEL_IOMMU_DEFAULT_ON, CONFIG_AMD_IOMMU,
CONFIG_ARM_SMMU_V3), so the first argument is a statement for readers; `iommu=pt`, which arm64 does not know, spares the
devices of the node the translation.

Source: siderolabs/pkgs kernel/build/config-amd64 and config-arm64 at v1.8.0 to v1.14.0, Linux
admin-guide/kernel-parameters.txt (2026-11-22)
"""

# The node label by which the GPU operator chooses the operands of a node, with `sandboxWorkloads.enabled`. Without
# this setting the operator takes every node for one of containers.
WORKLOAD_LABEL = "nvidia.com/gpu.workload.config"
# The value of `WORKLOAD_LABEL` on nodes that give whole cards to virtual machines. No operand for containers runs on
# such a node. The operator's vfio-manager leaves a node alone whose driver answers `nvidia-smi`, and the cards stay
# with the driver.
PASSTHROUGH_WORKLOAD = "vm-passthrough"
VGPU_WORKLOAD = "vm-vgpu"  # The value of `WORKLOAD_LABEL` that hands parts of cards to virtual machines
"""The choice of a node for containers or for virtual machines.

Source: NVIDIA/gpu-operator controllers/state_manager.go at v26.7.0, gpuStateLabels; NVIDIA/k8s-driver-manager
cmd/driver-manager/main.go; cozystack/cozystack#2763 (2026-11-22)
"""

PLUGIN_NAMESPACE = "nvidia.com/"
"""The prefix of the resources that NVIDIA's device plugin for KubeVirt advertises. The rest is the card's name in its
copy of pci.ids.

Source: NVIDIA/kubevirt-gpu-device-plugin pkg/device_plugin/{device_plugin,generic_device_plugin}.go at v1.6.0
(2026-11-22)
"""

# Talos' document that takes one card, by its PCI address, from its driver and gives it to `targetDriver`, after all
# modules are loaded.
REBIND_KIND = "PCIDriverRebindConfig"
REBIND_DRIVER = "vfio-pci"  # The `targetDriver` of `REBIND_KIND` that keeps a card for virtual machines
"""The document by which one card changes its driver.

Source: siderolabs/talos internal/app/machined/pkg/controllers/hardware/pci_driver_rebind.go at v1.10.0 to
v1.14.0-rc.1, internal/integration/api/pci_driver_rebind.go at v1.14.0-rc.1 (2026-11-22)
"""

PERMITTED_DEVICES = ("pciHostDevices", "mediatedDevices", "usb")
"""The lists in `permittedHostDevices` of KubeVirt. A virtual machine gets only devices whose `resourceName` is in one
of them. Without `permittedHostDevices` KubeVirt checks no device, and with the feature gate GPUsWithDRA or
HostDevicesWithDRA no device by a resource claim (`claimName`).

Source: kubevirt/kubevirt pkg/virt-controller/services/renderresources.go, validatePermittedHostDevices (2026-11-22)
"""
