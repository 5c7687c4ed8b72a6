"""Symptoms of a card in trouble: its state, its memory, its place in the machine. The log of the kernel and nvidia-smi say them."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom
from .remedies import COLD_START, REBOOT

_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e xid -e nvrm")
_CARDS = command("talosctl --nodes ADDRESS get pcidevices")
_STATE = command("kubectl exec POD -- nvidia-smi -q")

# fmt: off
CARD_SYMPTOMS = (
    Symptom("card-hangs", Link.DRIVER, "The card hangs, and the driver can't release what programs held on it", rank=3, is_hardware=True,
        # NVIDIA/open-gpu-kernel-modules src/nvidia/src/libraries/resserv/src/rs_client.c and rs_server.c: the assertion
        # names the status that it would accept
        likely=(
            "Assertion failed … NV_ERR_GPU_IN_FULLCHIP_RESET",
            "NV_ERR_GPU_IN_FULLCHIP_RESET",
            "NV_ERR_GPU_IS_LOST",
            "rpcRmApiFree_GSP: GspRmFree failed"),
        cause="The card or its own processor (GSP) has stopped to answer while programs used it, and each release of memory fails. The "
        "lines are a consequence: an XID before them has the reason, such as heat, power, the slot or a fault of the driver. After "
        "a hang, a warm reboot often does not bring the card back",
        remedy=f"{COLD_START}. If the card hangs again: look at power limit, temperature, cables and the firmware of the machine",
        commands=(_KERNEL_LOG, _CARDS),
        source="NVIDIA/open-gpu-kernel-modules#1045; NVIDIA/open-gpu-kernel-modules#916", alerts=("GpuXidFatal", "GpuDisappeared")),
    Symptom("gpu-requires-reset", Link.DRIVER, "The driver refuses a card until it is reset", rank=2, is_hardware=True,
        # NVML's nvmlErrorString, and the names of go-nvml where the library is not loaded
        phrases=("GPU requires reset", "ERROR_RESET_REQUIRED"),
        cause="An earlier error has left the card in a state that only a reset ends: an XID in the log of the kernel has the reason. The "
        "card is "
        "listed, and no program can use it",
        remedy=f"{REBOOT}: Talos has no shell in which one could reset a GPU. If the state comes back, have the card replaced",
        commands=(_KERNEL_LOG, _STATE),
        source="NVIDIA/go-nvml pkg/nvml/return.go; leptonai/gpud#1133", alerts=("GpuRecoveryActionRequired",)),
    Symptom("card-without-handle", Link.DRIVER, "NVML knows a card and can't open it", rank=3, is_hardware=True,
        likely=(
            "Unable to determine the device handle for GPU … Unknown Error",
            "error getting device handle for index … Unknown Error",
            "error getting device handle for index … ERROR_UNKNOWN"),
        cause="The driver lists the card, and the card no longer answers: it has fallen off the bus, hangs, or has not been initialized. "
        "The log of the kernel has the "
        "XID. Where the kernel reports nothing, the container has no right to open the device file",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -. Without an XID there: recreate the pod",
        commands=(_KERNEL_LOG, _CARDS),
        source="NVIDIA/open-gpu-kernel-modules#1045; NVIDIA/go-nvml pkg/nvml/return.go", alerts=("GpuDisappeared",)),
    Symptom("smi-no-devices", Link.SEEN, "nvidia-smi runs, and lists no card", rank=3, is_of_node=True,
        possible=("No devices were found",),
        cause="The libraries are there and the driver is loaded, but it gives this process no card. No card of the node could be started, "
        "or the container has the libraries without a device (NVIDIA_VISIBLE_DEVICES is none or empty, no limit nvidia.com/gpu)",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -. With a card that runs there: set resources.limits: {nvidia.com/gpu: 1} "
        "in the pod, and recreate it",
        commands=(_KERNEL_LOG, command("kubectl get pod POD -o yaml")),
        source="siderolabs/extensions#909; QubesOS/qubes-issues#10036", rules=("TG040",)),
    Symptom("inforom-corrupted", None, "The card's own configuration memory (infoROM) is corrupted", is_hardware=True,
        phrases=("infoROM is corrupted at gpu", "ERROR_CORRUPTED_INFOROM", "Corrupted infoROM"),
        cause="The memory in which the card keeps its serial number, its counts of ECC errors and its settings can't be read. The card "
        "computes on, and "
        "its history of errors is lost",
        remedy="Let the card run, and ask the vendor for a replacement; the file of nvidia-bug-report is part of the request",
        commands=(_STATE,),
        source="NVIDIA/go-nvml pkg/nvml/return.go; https://docs.nvidia.com/deploy/nvidia-smi/index.html"),
    Symptom("ecc-uncorrectable", Link.SEEN, "A program met an uncorrectable memory error of the GPU", rank=1, is_of_node=True, is_hardware=True,
        phrases=("uncorrectable ECC error encountered", "CUDA_ERROR_ECC_UNCORRECTABLE", "cudaErrorECCUncorrectable"),
        cause="The memory of the card failed, and CUDA ended the program. The program is well. The driver repairs rows of the memory at "
        "the next reset of the card; without spare rows, the errors come back",
        remedy=f"{REBOOT}. Then read Remapped Rows (or Retired Pages) of nvidia-smi -q: a failed remapping, or new errors, mean a new "
        "card",
        commands=(_STATE, _KERNEL_LOG),
        source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html; https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
        alerts=("GpuUncorrectableEcc", "GpuMemoryRepairPending")),
    Symptom("nvlink-uncorrectable", Link.SEEN, "A program met an uncorrectable NVLink error", rank=1, is_of_node=True, is_hardware=True,
        phrases=("uncorrectable NVLink error detected", "CUDA_ERROR_NVLINK_UNCORRECTABLE", "cudaErrorNvlinkUncorrectable"),
        cause="An NVLink between the cards, or between a card and an NVSwitch, failed while the program ran. The program is well",
        remedy=f"{REBOOT}. If the error comes back, have bridge, baseboard or card replaced: nvidia-smi nvlink -e names the link",
        commands=(command("kubectl exec POD -- nvidia-smi nvlink -e"), _KERNEL_LOG),
        source="https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"),
    Symptom("vgpu-unlicensed", Link.SEEN, "A virtual GPU has no license", rank=1,
        phrases=("License Status : Unlicensed",),
        likely=("nvidia-gridd: … Failed to acquire license",),
        cause="The driver of a guest slows a vGPU without a license down, and later refuses CUDA. nvidia-gridd gets the license: its token or "
        "the address of the server is missing, or the server is not reached",
        remedy="Give the guest its token (ClientConfigToken) and gridd.conf, and see that it reaches the license server. Talos' extensions "
        "have no driver for guests of vGPU: hand the whole card to the machine",
        commands=(command("kubectl exec POD -- nvidia-smi -q"),),
        source="NVIDIA/gpu-operator#628; Azure/AKS#4870"),
    Symptom("interrupts", Link.DRIVER, "The card's interrupts don't reach the driver", rank=3, is_hardware=True,
        phrases=("Interrupt Request Issue", "ERROR_IRQ_ISSUE", "Can't find an IRQ for your NVIDIA card", "NVRM … request_irq() failed", "NVRM: has it and is not sharing it"),
        cause="The machine gives the card no interrupt (MSI): its firmware, or that of the virtual machine, is at fault. No manifest "
        "shows this fault",
        remedy="Update the firmware of the machine. In a virtual machine: machine type q35 and a PCIe port for the card",
        commands=(_KERNEL_LOG, _CARDS),
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/nv.c; NVIDIA/go-nvml pkg/nvml/return.go"),
    Symptom("pcie-link-slow", None, "A card's PCIe link is slower than the card", is_hardware=True,
        # torvalds/linux drivers/pci/pci.c, __pcie_print_link_status
        possible=("available PCIe bandwidth, limited by … capable of … PCIe x16 link", "LnkSta: Speed … downgraded"),
        cause="The kernel prints this of each device whose link is slower than the device. At the machine's start an idle card runs its "
        "link at 2.5 GT/s, so the line alone is no fault. A width below x16, or a speed that stays low under load, is: a bad slot "
        "or riser, a slot with fewer lanes, or a setting of the firmware. Models load slowly, and programs with several cards wait",
        remedy="Compare pcie.link.gen.current and pcie.link.width.current with their maximum while a program computes. Where they stay "
        "below: another slot, "
        "without a riser, and the PCIe speed of the firmware on Auto",
        commands=(
            command("kubectl exec POD -- nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max --format=csv"),
            command("talosctl --nodes ADDRESS dmesg | grep 'PCIe bandwidth'")),
        source="torvalds/linux drivers/pci/pci.c"),
    Symptom("iommu-fault", None, "The IOMMU refuses a device's access to memory", is_hardware=True,
        # torvalds/linux drivers/iommu/amd/iommu.c and drivers/iommu/intel/dmar.c
        possible=("AMD-Vi: Event logged [IO_PAGE_FAULT", "DMAR: [DMA Read … fault addr", "DMAR: [DMA Write … fault addr"),
        cause="A device reads or writes an address without an IOMMU mapping for it. The address of the device in the line says whether "
        "that is the card. With the card: peer-to-peer traffic between cards through the IOMMU, or a fault of the firmware",
        remedy="Compare the address with that of the card. With the card: start the kernel with iommu=pt (customization.extraKernelArgs "
        "of the schematic), and switch off ACS in "
        "the firmware for traffic between cards. The new image reboots the node, which ends its pods",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i -e AMD-Vi -e DMAR"), _CARDS),
        source="torvalds/linux drivers/iommu/amd/iommu.c; https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"),
    Symptom("card-power-state", Link.DRIVER, "The card does not wake up", rank=2, is_hardware=True,
        # torvalds/linux drivers/pci/pci.c, pci_power_up and pci_dev_wait
        phrases=("nvidia … Unable to change power state from D3cold to D0, device inaccessible", "nvidia … not ready … after FLR; giving up", "nvidia … not ready … after bus reset; giving up"),
        likely=("vfio-pci … Unable to change power state from D3cold to D0, device inaccessible", "vfio-pci … not ready … after FLR; giving up", "vfio-pci … not ready … after bus reset; giving up", "Unable to power on device, stuck in D3"),
        cause="The card went to sleep or was reset, and no longer answers the bus. A virtual machine gave it back, a slot or dock cuts "
        "its power, or the card is broken. Lines of vfio-pci come from the host of virtual machines; on a Talos host KubeVirt has "
        "the card",
        remedy=f"{COLD_START}. For a card of virtual machines: the option disable_idle_d3=1 of vfio_pci, and ASPM off in the firmware",
        commands=(_KERNEL_LOG, _CARDS),
        source="torvalds/linux drivers/pci/pci.c; kata-containers/kata-containers#11708", alerts=("GpuDisappeared",)),
    Symptom("pcie-fatal", Link.DRIVER, "The PCIe link of the card failed, and its driver can't take it back", rank=2, is_hardware=True,
        # torvalds/linux drivers/pci/pcie/err.c and aer.c; NVIDIA's driver has no handlers for errors of the link
        likely=("nvidia … can't recover (no error_detected callback)", "nvidia … device has no AER-aware driver"),
        possible=("PCIe Bus Error: severity=Uncorrected (Fatal)", "AER: Uncorrected (Fatal) error", "AER: Uncorrectable (Fatal) error"),
        cause="The root port reported an uncorrectable error of the PCIe link: a bad slot, riser or cable, too little power, heat, or a "
        "broken card. XID 79 often follows a fatal error. After a non-fatal error (severity=Uncorrected (Non-Fatal)) the card may "
        "work on. The address before the colon tells whether the port is that of the card",
        remedy=f"{REBOOT}. If the error comes back: reseat the card, without riser, look at power and temperature, and set the PCIe speed of "
        "the slot one generation lower in the firmware",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i -e AER -e 'PCIe Bus Error' -e nvrm"), _CARDS),
        source="torvalds/linux drivers/pci/pcie/err.c; NVIDIA/open-gpu-kernel-modules#1229", alerts=("GpuXidFatal", "GpuDisappeared")),
    Symptom("numa-unknown", None, "The kernel does not know to which NUMA node the cards belong",
        # torvalds/linux drivers/pci/probe.c, pci_register_host_bridge
        likely=("Unknown NUMA node; performance will be reduced",),
        cause="The machine has several NUMA nodes, and its firmware, or the hypervisor of the virtual machine, does not say on which one "
        "this PCI bus is. The device plugin then gives the kubelet no NUMA node for the cards, and the topology manager does not "
        "align them. nvidia-smi topo -m shows all processors for each card. Cards work",
        remedy="Virtual machine: give it the topology of the host (numa nodes of the virtual machine, and a PCI expander bus per node for its "
        "cards), or one NUMA node. Bare metal: a newer firmware of the machine",
        commands=(command("kubectl exec POD -- nvidia-smi topo -m"), command("talosctl --nodes ADDRESS dmesg | grep -i numa")),
        source="siderolabs/talos#9121; NVIDIA/k8s-device-plugin internal/rm/nvml_devices.go"),
)
