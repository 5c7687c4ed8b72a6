"""Symptoms of a node: its boot, its services, its upgrade."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.features import KERNEL_MODULES
from .link import Link, Symptom

_SERVICES = command("talosctl --nodes ADDRESS services")

# fmt: off
NODE_SYMPTOMS = (
    Symptom("boot-timeout", Link.RUNTIME, "A service never starts, and the node reboots after 70 minutes", rank=3,
        phrases=(
            'task startAllServices … service "ext-nvidia- … " to be "up"',
            'service "ext-nvidia-persistenced" to be "up"',
            'service "ext-nvidia-cdi-gen" to be "up"',
            'service "ext-nvidia- … " waiting for file "/dev/nvidia',
            'Waiting for file "/sys/bus/pci/drivers/nvidia" to exist'),
        possible=(
            "task startAllServices … failed",
            "phase startEverything … failed",
            "boot sequence: failed",
            "error running phase … in boot sequence"),
        cause="Talos waits for every service, 70 minutes at most, and then reboots. NVIDIA's services wait for a "
        "card: the image has NVIDIA's extensions on a node without a card, or without loaded modules",
        remedy="Give nodes without a card an image without NVIDIA's extensions. On a node with a card load the "
        "modules: talos-gpu patch. A service of another extension that waits has the same effect: talosctl services "
        "names the service",
        commands=(
            _SERVICES, command("talosctl --nodes ADDRESS read /proc/modules"),
            command("talosctl --nodes ADDRESS dmesg | grep -i nvrm")),
        source="siderolabs/talos#14373; siderolabs/talos#12145; siderolabs/extensions#888", rules=("TG070", "TG071")),
    Symptom("boot-partition-full", Link.IMAGE, "The boot partition is too small for an image with NVIDIA's extensions",
        likely=("failed to install bootloader … no space left on device", "write /boot/ … no space left on device"),
        cause="An upgrade keeps the old image beside the new one. Nodes that were first installed with an old Talos, "
        "or boot in legacy BIOS mode, have a boot partition of 1 GB. No manifest shows this fault",
        remedy="Remove the unused extensions from the image: the smaller image may fit, and all data stays. Only a new installation makes "
        "a larger boot partition, and talosctl reset before it erases the system disk: the machine configuration, all data of pods "
        "on the disk and, on a control plane, etcd. Then it shuts the machine down. A lone control plane is the whole cluster: "
        "reset it only with a snapshot (talosctl etcd snapshot) and its configuration at hand",
        commands=(command("talosctl --nodes ADDRESS get discoveredvolumes"), command("talosctl --nodes ADDRESS get extensions")),
        source="siderolabs/talos#12551; siderolabs/talos#13604; siderolabs/talos cmd/talosctl/cmd/talos/reset.go"),
    Symptom("module-not-found", Link.MODULES, "The image of the node lacks a module that its configuration loads",
        phrases=tuple(f'error loading module "{name} … module not found' for name in (*KERNEL_MODULES, "nvidia_peermem")),
        cause="The node loads no NVIDIA modules: its image has no extension with the modules, as after an upgrade to "
        "the plain image of Talos. Where the extensions are listed, the node still runs the kernel of before: the first boot "
        "after an installation goes by kexec",
        remedy="Upgrade to an image with the extensions (talos-gpu schematic --from PRESENT --print installer), and "
        "load the modules (talos-gpu patch). Where the extensions are listed: start the node through its firmware (talosctl --nodes ADDRESS reboot --mode powercycle), which ends its pods",
        commands=(
            command("talosctl --nodes ADDRESS get extensions"),
            command("talosctl --nodes ADDRESS read /proc/modules")),
        source="siderolabs/talos#9187; siderolabs/talos#9041; jlengelbrecht/prox-ops talos/talconfig.yaml", rules=("TG083", "TG071")),
    Symptom("modprobe-not-found", Link.MODULES, "modprobe finds no module of NVIDIA's for the kernel that runs", rank=2,
        likely=tuple(f"modprobe: FATAL: Module {name} not found in directory" for name in KERNEL_MODULES),
        cause="The module folder that modprobe sees has no NVIDIA module for this kernel. On Talos this is a container's folder, because "
        "Talos has no shell to run modprobe in. The image may also lack the extension with the modules. On another system the "
        "kernel was upgraded, and the driver was not built again",
        remedy="Talos: add an extension with the kernel modules to the image of the node (talos-gpu schematic), which reboots it, and load them by "
        "machine.kernel.modules (talos-gpu patch); no pod is to run modprobe. Another system: install the driver for this kernel (dkms)",
        commands=(command("talosctl --nodes ADDRESS get extensions"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="kmod-project/kmod tools/modprobe.c; siderolabs/talos#9187", rules=("TG083", "TG071")),
    Symptom("driver-not-loaded", Link.MODULES, "NVIDIA's libraries find no loaded driver on the node", rank=3,
        phrases=("NVML … Driver Not Loaded", "ERROR_DRIVER_NOT_LOADED", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"),
        likely=("Driver Not Loaded",),
        cause="The kernel modules are not loaded. The image lacks them, the configuration does not name them, they come from another "
        "Talos release, or the driver found no supported card and ended. The log of the kernel tells which",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -",
        commands=(command("talosctl --nodes ADDRESS read /proc/modules"), command("talosctl --nodes ADDRESS get extensions")),
        source="siderolabs/talos#9187; NVIDIA/nvidia-container-toolkit#1269; kubernetes-sigs/dra-driver-nvidia-gpu#1380",
        rules=("TG083", "TG071", "TG123")),
    Symptom("device-filter", Link.RUNTIME, "The kernel refuses the device filter of NVIDIA's container runtime",
        phrases=("failed to add device rules", "unable to create new device filters program"),
        likely=("last insn is not an exit or jmp",),
        cause="The sysctl net.core.bpf_jit_harden is 2, the default of Talos. nvidia-container-cli can then not read "
        "the filter that it has to extend",
        remedy='Set machine.sysctls: {net.core.bpf_jit_harden: "1"} (talos-gpu patch does), or upgrade to Talos 1.12 or newer',
        commands=(command("talosctl --nodes ADDRESS read /proc/sys/net/core/bpf_jit_harden"),),
        source="NVIDIA/libnvidia-container#176; siderolabs/extensions#101", rules=("TG073",)),
)
