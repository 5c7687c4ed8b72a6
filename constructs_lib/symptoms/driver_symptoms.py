"""Symptoms in the log of the kernel, where the driver starts: `talosctl dmesg`."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.features import KERNEL_MODULES
from .link import Link, Symptom

_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia")
_DRIVER = command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")

# fmt: off
DRIVER_SYMPTOMS = (
    Symptom("gsp-firmware", Link.DRIVER, "The GPU's own processor (GSP) does not start", rank=1, is_hardware=True,
        phrases=(
            "Cannot initialize GSP firmware RM",
            "unexpected WPR2 already up, cannot proceed with booting GSP",
            "_kgspBootGspRm … the GPU is likely in a bad state and may need to be reset",
            "failed to wait for GFW_BOOT",
            "failed to wait for GFW boot complete",
            "loading /lib/firmware/nvidia/ … bin failed with error"),
        possible=("RmFetchGspRmImages: No firmware image found",),
        likely=("returned from kgspWaitForRmInitDone", "_kgspProcessRpcEvent: Attempted to process RPC event from … during bootup"),
        cause="The driver loads, but the firmware on the card does not answer. The card keeps a bad state from an earlier start or from "
        "another virtual machine (WPR2 already up). Or the firmware of the machine or the card (VBIOS) does not fit the driver. "
        "After error -2 (No firmware image found) the file below /lib/firmware/nvidia is missing: modules and libraries of two "
        "drivers. No manifest shows this fault",
        remedy="Drain the node and take its power away (talosctl --nodes ADDRESS shutdown): a warm reboot can keep "
        "the card's state. For a virtual machine: power the host off and on. If the line comes back, try the other "
        "driver track, and proprietary modules on Turing to Hopper; then a newer firmware of the machine and the "
        "card, and another slot. After error -2: an image whose extensions are of one Talos and one track",
        commands=(_KERNEL_LOG, _DRIVER),
        source="NVIDIA/open-gpu-kernel-modules#1230; https://download.nvidia.com/XFree86/Linux-x86_64/580.65.06/README/gsp.html"),
    Symptom("adapter-not-initialized", Link.DRIVER, "The driver can't initialize the card", rank=4,
        phrases=(
            "RmInitAdapter failed",
            "rm_init_adapter failed, device minor number",
            "probe with driver nvidia failed with error",
            "nvidia: probe of … failed with error",
            "The NVIDIA probe routine failed for",
            "osInitNvMapping: *** Cannot attach gpu",
            "None of the NVIDIA devices were initialized"),
        cause="The modules are loaded, and the card does not start. The NVRM lines before this one have the reason: the wrong kernel "
        "modules for the card, its own processor (GSP), its addresses (BAR), or a missing reset by the hypervisor",
        remedy="Give the line before this one to talos-gpu why. Compare the card with the kernel modules: talos-gpu matrix --product NAME",
        commands=(_KERNEL_LOG, _DRIVER, command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/open-gpu-kernel-modules#789", rules=("TG076",)),
    Symptom("no-card", Link.MODULES, "The driver finds no card in this machine", rank=3,
        likely=("NVRM: No NVIDIA GPU found", "NVRM: No NVIDIA PCI devices found"),
        cause="The image has the kernel modules, but the PCI bus has no card for them. The card is loose, the virtual machine has no "
        "passthrough, or the node has no card at all. If lines before this one name a card, the kernel modules do not support it",
        remedy="See whether the machine lists an NVIDIA card (vendor 0x10de). If not, check the slot, the machine's firmware and the "
        "hypervisor's passthrough. For a node without a card, use an image without NVIDIA's extensions",
        commands=(command("talosctl --nodes ADDRESS get pcidevices"), _KERNEL_LOG),
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/nv.c", rules=("TG070",)),
    Symptom("wrong-kernel-modules", Link.MODULES, "The kernel modules do not support the card", rank=2,
        phrases=(
            "NVRM … is not supported by open",
            "because it does not include the required GPU",
            "requires use of the NVIDIA open kernel modules",
            "supported through the NVIDIA … Legacy drivers",
            "NVRM: installed in this system is not supported by the",
            "The … NVIDIA driver will ignore"),
        possible=("NVRM: No NVIDIA GPU found",),
        cause="Open kernel modules run Turing and newer cards. Proprietary ones run Hopper and older cards; from the "
        "driver 590 on without Maxwell, Pascal and Volta",
        remedy="talos-gpu matrix --product NAME prints the Talos releases, drivers and kernel modules that run the "
        "card. Kepler and older cards have no driver on Talos",
        commands=(_KERNEL_LOG, command("talosctl --nodes ADDRESS get extensions")),
        source="siderolabs/talos#8764; NVIDIA/open-gpu-kernel-modules README.md", rules=("TG076",)),
    Symptom("open-modules-data-centre", Link.MODULES, "These open kernel modules support data center cards only", rank=1,
        # NVIDIA/open-gpu-kernel-modules src/nvidia/arch/nvalloc/unix/src/osinit.c of 515 to 535; gone in 545
        phrases=("Open nvidia.ko is only ready for use on Data Center GPUs", "To force use of Open nvidia.ko on other GPUs"),
        cause="The open modules of the drivers 515 to 535 start GeForce and workstation cards only with the parameter "
        "NVreg_OpenRmEnableUnsupportedGpus=1, and it is not set or did not reach the module. From the driver 545 on no parameter is needed",
        remedy="Upgrade to a Talos with a newer driver (talos-gpu matrix --product NAME), or use the extension nonfree-kmod-nvidia of this "
        "release; both reboot the node, which ends its pods. The parameter belongs to the module nvidia in machine.kernel.modules, and counts "
        "after a reboot",
        commands=(command("talosctl --nodes ADDRESS read /proc/driver/nvidia/params"), _DRIVER, command("talosctl --nodes ADDRESS get extensions")),
        source="siderolabs/talos#7008; NVIDIA/open-gpu-kernel-modules#230", rules=("TG076",)),
    Symptom("card-of-another-driver", Link.MODULES, "Another driver holds the card", rank=1,
        phrases=(
            "The NVIDIA probe routine was not called for",
            "NVRM … is already bound to vfio-pci",
            "obtained ownership of the NVIDIA device",
            "NVRM: request_mem_region failed for",
            "NVRM: No NVIDIA devices probed"),
        cause="The card is bound to another kernel driver, so NVIDIA's driver can't start the card. On Talos this "
        "driver is vfio-pci, which hands cards to virtual machines: the ids of the module vfio_pci, or a "
        "PCIDriverRebindConfig, name the card. On other systems it is nouveau, too. request_mem_region: something else of the kernel has the "
        "registers of the card, such as the frame buffer of the firmware",
        remedy="For containers: remove the card's id from the ids of vfio_pci, and remove its PCIDriverRebindConfig. "
        "For virtual machines: remove NVIDIA's modules and extensions from the node",
        commands=(command("talosctl --nodes ADDRESS read /proc/cmdline"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/nv.c; cozystack/cozystack#2763", rules=("TG109",)),
    Symptom("vfio-not-bound", Link.MODULES, "A card that is to go to a virtual machine is not bound to vfio-pci", rank=1,
        likely=("lstat /dev/vfio/ … no such file or directory",),
        phrases=("/sys/bus/pci/drivers/vfio-pci/new_id: no such file", "/sys/bus/pci/drivers/vfio-pci/bind: no such device", "/sys/bus/pci/drivers/vfio-pci/bind: invalid argument"),
        cause="The pod of the virtual machine needs the file of the card's IOMMU group in /dev/vfio, and the file is missing. vfio-pci is "
        "not loaded, NVIDIA's driver has the card, the IOMMU is off, or the groups have other numbers since a reboot and the plugin "
        "still lists the old ones",
        remedy="Start the kernel with intel_iommu=on or amd_iommu=on, and bind the card to vfio-pci: the module vfio_pci in "
        "machine.kernel.modules, and a PCIDriverRebindConfig; no extension of NVIDIA's on that node. Then delete the pod of the plugin that "
        "offers the card. The kernel's arguments are of the image: its upgrade reboots the node",
        commands=(command("talosctl --nodes ADDRESS ls /dev/vfio"), command("talosctl --nodes ADDRESS read /proc/cmdline"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="harvester/harvester#10599; harvester/harvester#6892; harvester/harvester#3833", rules=("TG109",)),
    Symptom("vfio-group-busy", Link.SEEN, "Another program has the card that a virtual machine wants", rank=2,
        likely=("failed to open /dev/vfio/ … Device or resource busy",),
        cause="The IOMMU group of the card is open already: another virtual machine (or one still shutting down) has this card, or a card "
        "or function of the same group",
        remedy="End that machine. Where two cards share a group: another slot, or ACS in the firmware",
        commands=(command("talosctl --nodes ADDRESS get pcidevices"), command("kubectl get pods --all-namespaces -o wide")),
        source="harvester/harvester#8294"),
    Symptom("vfio-memory", Link.SEEN, "The memory of a virtual machine can't be mapped for its card", rank=2,
        likely=("VFIO_MAP_DMA failed: Cannot allocate memory",),
        cause="Passthrough pins all memory of the machine: the limit of locked memory of its pod is lower, or the node has less free, or the "
        "IOMMU can't map that much. The card is well",
        remedy="Give the virtual machine less memory, and its pod a memory limit above it; see the log of the kernel for the IOMMU",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i -e vfio -e iommu"), command("kubectl get pod POD -o yaml")),
        source="kubevirt/kubevirt#14593"),
    Symptom("vm-device-not-permitted", Link.SEEN, "KubeVirt does not permit the card for virtual machines", rank=1,
        phrases=("is not permitted in permittedHostDevices configuration", "is not permitted in kubevirt-host-device-plugin-config"),
        cause="The machine asks for a resource that spec.configuration.permittedHostDevices of the object KubeVirt does not list",
        remedy="Add the card to permittedHostDevices.pciHostDevices (pciVendorSelector, resourceName; externalResourceProvider: true with a "
        "device plugin of NVIDIA's)",
        commands=(command("kubectl get kubevirts --all-namespaces -o yaml"),),
        source="harvester/harvester#4160; kubevirt/kubevirt#4950"),
    Symptom("module-signature", Link.MODULES, "The kernel refuses the signature of a module",
        phrases=(*(f'module "{name} … key was rejected by service' for name in KERNEL_MODULES), *(f"load {name} failed: required key not available" for name in KERNEL_MODULES)),
        likely=("Loading of module with unavailable key is rejected", "could not insert 'nvidia': Required key not available", "could not insert 'nvidia': Key was rejected by service"),
        possible=("key was rejected by service", "Required key not available", "Loading of unsigned module is rejected"),
        cause="The extension was built for another release of Talos: each release signs its modules with a key of its own. A module that a "
        "pod or another system built itself has no such key, and Secure Boot refuses the module",
        remedy="Take image and extensions of one release from the Image Factory, and pin no extension by hand: "
        "talos-gpu schematic --talos VERSION --from PRESENT --print installer",
        commands=(command("talosctl --nodes ADDRESS get extensions"), command("talosctl --nodes ADDRESS version")),
        source="siderolabs/talos#7174; siderolabs/talos#7043", rules=("TG072",)),
    Symptom("bar-invalid", Link.DRIVER, "The card has no addresses for its memory (BAR)", is_hardware=True,
        phrases=(
            "This PCI I/O region assigned to your NVIDIA device is invalid",
            "NVRM: BAR1 is 0M",
            ),
        possible=("NVRM: No address space to allocate resized BAR1",),  # the driver then takes the old size
        likely=("BAR … no space for … 64bit pref", "BAR … failed to assign … 64bit pref", "NVRM: pci_enable_device failed", "nvidia … can't enable device: BAR", "NVRM: Fatal Error while attempting to resize PCIe BARs"),
        cause="The firmware of the machine or virtual machine reserves too little address space for the card's memory. No manifest shows "
        "this fault",
        remedy="Enable Above 4G Decoding in the firmware of the machine. For a virtual machine: machine type q35 with "
        "UEFI, and a larger 64-bit window (VMware: pciPassthru.use64bitMMIO=TRUE and pciPassthru.64bitMMIOSizeGB)",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i BAR"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/gpu-operator#492"),
    Symptom("power-cables", Link.DRIVER, "The card gets too little power", is_hardware=True,
        phrases=("GPU does not have the necessary power cables connected", "Insufficient External Power", "ERROR_INSUFFICIENT_POWER"),
        cause="A power cable of the card is loose or missing, so the driver can't initialize the card. No manifest shows this fault",
        remedy="Switch the machine off, connect every power cable of the card, and start the machine again",
        commands=(_KERNEL_LOG,),
        source="NVIDIA/open-gpu-kernel-modules src/nvidia/arch/nvalloc/unix/src/osinit.c"),
    Symptom("version-mismatch", Link.DRIVER, "The driver's libraries and its kernel modules have different versions",
        rank=3,
        phrases=("Driver/library version mismatch", "NVRM: API mismatch", "ERROR_LIB_RM_VERSION_MISMATCH"),
        cause="The libraries come from another driver than the kernel modules: extensions of two tracks, or a "
        "container that an older node image created",
        remedy="Use one track for modules, toolkit and fabric manager. Recreate the pods after an upgrade of Talos, "
        "and remove libraries that the image itself brings",
        commands=(_DRIVER, command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/k8s-device-plugin#1431; siderolabs/extensions nvidia-gpu", rules=("TG080",)),
    Symptom("peermem", None, "nvidia_peermem does not load",
        phrases=(
            "load nvidia_peermem failed",
            "could not insert … nvidia_peermem",
            "nvidia_peermem: Unknown symbol",
            "nvidia_peermem: disagrees about version of symbol",
            "failed to load nvidia-peermem module"),
        cause="The module needs the InfiniBand drivers of Mellanox OFED. The kernel of Talos has its own InfiniBand drivers",
        remedy="Remove nvidia_peermem from machine.kernel.modules, and use DMA-BUF, which replaces the module",
        commands=(command("talosctl --nodes ADDRESS read /proc/modules"),),
        source="siderolabs/talos#12021; NVIDIA/gpu-operator#2868", rules=("TG105",)),
)
