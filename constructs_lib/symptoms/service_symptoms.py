"""Symptoms of Talos' kernel modules and of the services of NVIDIA's extensions, but for the fabric manager."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.features import GDRCOPY_MODULE, KERNEL_MODULES
from ..upstream.talos.generations import CDI_SERVICE
from .link import Link, Symptom
from .remedies import COLD_START, NEW_IMAGE

_SERVICES = command("talosctl --nodes ADDRESS services")
_OF_ONE_BUILD = tuple(name for name in KERNEL_MODULES if name != "nvidia_peermem")
_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia")
_EXTENSIONS = command("talosctl --nodes ADDRESS get extensions")
_VERSION = command("talosctl --nodes ADDRESS version")

# fmt: off
SERVICE_SYMPTOMS = (
    Symptom("module-finds-no-device", Link.MODULES, "NVIDIA's kernel module finds no card to drive", rank=3,
        # siderolabs/talos@v1.13.9:internal/app/machined/pkg/controllers/runtime/kernel_module_spec.go around pmorjan/kmod
        phrases=tuple(f"load {name} failed: no such device" for name in KERNEL_MODULES),
        cause="The module is in the image and the kernel took it, but the PCI bus has no card for it (ENODEV). The machine has no card, "
        "the card is gone after an error or a warm reboot, the virtual machine has no passthrough, or these modules don't support "
        "the card. NVIDIA's services then wait, and Talos reboots the node after 70 minutes",
        remedy="See whether the machine lists a card of NVIDIA's (vendor 0x10de). Listed: talosctl --nodes ADDRESS dmesg | talos-gpu "
        "why - names the reason. Not listed, and it was before: "
        f"{COLD_START[0].lower()}{COLD_START[1:]}. A node without a card: an image without NVIDIA's extensions",
        commands=(command("talosctl --nodes ADDRESS get pcidevices"), _KERNEL_LOG),
        source="siderolabs/talos internal/app/machined/pkg/controllers/runtime/kernel_module_spec.go; siderolabs/extensions#888", rules=("TG070",)),
    Symptom("module-of-another-kernel", Link.MODULES, "A kernel module was built for another kernel", rank=1,
        phrases=(
            *(f"load {name} failed: exec format error" for name in KERNEL_MODULES),
            "nvidia: version magic … should be",
            *(f"{name}: disagrees about version of symbol" for name in _OF_ONE_BUILD)),
        cause="The extension with the modules and the kernel come from different Talos releases. Each release has its own kernel, and "
        "takes modules of that release only",
        remedy=f"Take image and extensions of one release from the Image Factory, and pin no extension by hand: {NEW_IMAGE}",
        commands=(_EXTENSIONS, _VERSION), source="siderolabs/talos#7174; torvalds/linux kernel/module/main.c", rules=("TG072",)),
    Symptom("module-symbol", Link.MODULES, "A kernel module needs a symbol that this kernel does not have", rank=1,
        phrases=(*(f"{name}: Unknown symbol" for name in _OF_ONE_BUILD), *(f"could not insert module … {name}.ko: Unknown symbol in module" for name in _OF_ONE_BUILD)),
        cause="The module is of another kernel, or the symbol is of a module that this kernel lacks or that is not loaded yet (acpi_video: the module video; "
        "nvKms: nvidia_modeset; ipmi: ipmi_devintf)",
        remedy=f"Take image and extensions of one release from the Image Factory, on arm64 a newer one: {NEW_IMAGE}",
        commands=(_EXTENSIONS, _VERSION, _KERNEL_LOG), source="siderolabs/talos#12108; src-d/coreos-nvidia#3", rules=("TG072",)),
    Symptom("module-parameter", Link.MODULES, "A parameter of a kernel module is not known to the module", rank=2,
        phrases=tuple(f"load {name} failed: invalid argument" for name in KERNEL_MODULES),
        possible=("nvidia: unknown parameter … ignored",),
        cause="The module refuses a parameter in machine.kernel.modules, or its value. An unknown parameter alone is only a line in the "
        "log of the kernel",
        remedy="Compare the parameters with /proc/driver/nvidia/params of a node that works, or take them out",
        commands=(_KERNEL_LOG, command("talosctl --nodes ADDRESS get kernelmodulespecs -o yaml")),
        source="torvalds/linux kernel/module/main.c; siderolabs/talos internal/app/machined/pkg/controllers/runtime/kernel_module_spec.go"),
    Symptom("persistenced-program", Link.RUNTIME, "nvidia-persistenced can't be started in its service", rank=1,
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-container-toolkit/nvidia-persistenced-wrapper/main.go
        likely=("error starting nvidia-persistenced: fork/exec … no such file or directory",),
        cause="The program is in the image, but the service's container lacks the loader of its C library. On arm64 early releases of the "
        "extension did not mount the loader. Or the extension is incomplete or of another architecture. The service never comes up, "
        "so Talos reboots the node after 70 minutes. Card and modules are well",
        remedy=f"Upgrade to a newer patch release of Talos with its own extensions: {NEW_IMAGE}",
        commands=(command("talosctl --nodes ADDRESS logs ext-nvidia-persistenced"), _VERSION, _EXTENSIONS),
        source="siderolabs/extensions#861", rules=("TG070",)),
    Symptom("persistenced-devices", Link.RUNTIME, "nvidia-persistenced finds no device files of a card", rank=2,
        phrases=(
            "Failed to query NVIDIA devices. Please ensure that the NVIDIA device files",
            "Failed to open libnvidia-cfg.so"),
        possible=("nvidia-persistenced failed to initialize", "Error running Containerd(nvidia-persistenced)"),
        cause="The driver runs no card, or a card failed to start: /dev/nvidia0 and /dev/nvidiactl are missing. The service restarts "
        "until they are there",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -",
        commands=(command("talosctl --nodes ADDRESS logs ext-nvidia-persistenced"), command("talosctl --nodes ADDRESS ls /dev"), _KERNEL_LOG),
        source="NVIDIA/nvidia-persistenced nvidia-persistenced.c; siderolabs/extensions#861", rules=("TG070", "TG071")),
    Symptom("persistenced-state", Link.RUNTIME, "nvidia-persistenced stumbles over its state of before", rank=3,
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-container-toolkit/nvidia-persistenced-wrapper/main.go
        phrases=(
            "nvidia-persistenced-wrapper: failed to stat pid file",
            "nvidia-persistenced-wrapper: error reading pid file",
            "nvidia-persistenced-wrapper: error killing process",
            "nvidia-persistenced-wrapper: error removing state directory"),
        cause="The wrapper of the service finds the file with the process of an earlier start, and can't end that process or remove the "
        "file",
        remedy="Restart the service: talosctl --nodes ADDRESS service ext-nvidia-persistenced restart. If the error stays, reboot the "
        "node: that empties /run, and ends the node's pods",
        commands=(command("talosctl --nodes ADDRESS logs ext-nvidia-persistenced"), _SERVICES),
        source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit/nvidia-persistenced-wrapper/main.go"),
    Symptom("cdi-generation", Link.RUNTIME, "NVIDIA's toolkit can't write the CDI specification of the cards", rank=2,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:cmd/nvidia-ctk/cdi/generate/generate.go. Talos' service is `nvidia-ctk cdi generate`.
        phrases=(
            "level=error msg=failed to write spec … empty device edits",
            "nvidia-cdi-gen … empty device edits"),
        likely=(
            "failed to generate CDI spec: failed to create device CDI specs",
            "failed to generate CDI spec: failed to create edits common for entities",
            "failed to generate CDI spec: failed to create CDI library",
            "Error running Containerd(nvidia-cdi-gen)"),
        cause=f"{CDI_SERVICE.opening} the service ext-nvidia-cdi-gen writes /run/cdi/nvidia.yaml from the driver and the device files of "
        "the node. The text after the colon has the reason. "
        "The driver is not loaded or has lost a card, its device files are not there yet, or the cards of an NVSwitch baseboard have no "
        "fabric (empty device edits). This line is from the node's service: the device plugin and the DRA driver write their own specifications, "
        "with other messages",
        remedy="Fix the driver first (talosctl --nodes ADDRESS dmesg | talos-gpu why -). With a driver that runs: talosctl --nodes "
        "ADDRESS service ext-nvidia-cdi-gen restart",
        commands=(
            command("talosctl --nodes ADDRESS logs ext-nvidia-cdi-gen"), command("talosctl --nodes ADDRESS ls /run/cdi"),
            command("talosctl --nodes ADDRESS ls /dev"), _SERVICES),
        source="siderolabs/talos#14015; NVIDIA/nvidia-container-toolkit cmd/nvidia-ctk/cdi/generate/generate.go; siderolabs/extensions nvidia-gpu/nvidia-container-toolkit/production/nvidia-cdi-gen.yaml",
        rules=("TG085",)),
    Symptom("gdrdrv-device", Link.RUNTIME, "The service of GDRCopy waits for its kernel module", rank=3,
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-gdrdrv-device/main.go
        phrases=(f"device '{GDRCOPY_MODULE}' not found in /proc/devices",),
        likely=("Failed to create device node with mknod",),
        possible=("waiting for gdrdrv driver to register",),
        cause="The extension nvidia-gdrdrv-device makes /dev/gdrdrv once the module gdrdrv is loaded: machine.kernel.modules does not "
        "name gdrdrv, or the module did not load. Only programs "
        "with GDRCopy miss the device; the service that waits holds up the start of the node",
        remedy="Add {name: gdrdrv} to machine.kernel.modules, or take the extension out of the image",
        commands=(command("talosctl --nodes ADDRESS logs ext-nvidia-gdrdrv-device"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device/main.go", rules=("TG088",)),
    Symptom("extension-service-invalid", Link.RUNTIME, "Talos can't read the service of an extension", rank=1,
        # siderolabs/talos@v1.13.9:internal/app/machined/pkg/controllers/runtime/extension_service.go
        phrases=("error loading extension service spec … nvidia", "error validating extension service spec … nvidia", "duplicate service spec … nvidia"),
        cause="The image has an extension with a service unknown to this Talos, or two extensions with one service: modules or toolkit of "
        "two tracks (lts and production) in one image",
        remedy=f"Use NVIDIA's extensions from one track and from the same Talos release: {NEW_IMAGE}",
        commands=(_EXTENSIONS, _VERSION),
        source="siderolabs/talos internal/app/machined/pkg/controllers/runtime/extension_service.go", rules=("TG080",)),
)
