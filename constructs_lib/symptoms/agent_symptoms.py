"""Symptoms of the agents of GPU nodes: operator, device plugin, DRA driver, exporter."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.generations import (
    BRIDGED,
    BY_CONTAINERD,
    CDI_LAYOUT,
    CDI_SERVICE,
    CLASS_HANDLER,
    CLASS_ONLY,
    LEGACY_LAYOUT,
    UNBRIDGED,
    strategy_words,
)
from .link import Link, Symptom

# fmt: off
AGENT_SYMPTOMS = (
    Symptom("operator-waits", Link.PLUGIN, "The pods of the GPU operator wait for a driver that Talos has elsewhere",
        phrases=("/run/nvidia/validations/.driver-ctr-ready … no such file or directory",),
        likely=(
            "waiting for nvidia container stack to be setup",
            "Attempting to validate a driver container installation",
            "failed to validate the driver, retrying"),
        cause="The operator's validator does not find the driver, so nobody writes the markers that the other pods "
        f"wait for. {BRIDGED.opening} the validator can't find the driver; {UNBRIDGED.when} it does with "
        "hostPaths.driverInstallDir: /usr/local",
        remedy=f"{BRIDGED.opening}: run the ValidationBridge of this library (talos-gpu check --explain TG001). "
        f"{UNBRIDGED.opening}: set hostPaths.driverInstallDir: /usr/local, driver.enabled: false and toolkit.enabled: false",
        commands=(command("kubectl logs -n gpu-operator -l app=nvidia-operator-validator -c driver-validation"),),
        source="NVIDIA/gpu-operator#1687; siderolabs/talos#9014",
        rules=("TG001", "TG003", "TG002"), alerts=("GpuDaemonSetNotReady",)),
    Symptom("nvml-missing", Link.PLUGIN, "NVIDIA's agent runs without the driver's libraries", rank=1, is_of_node=True,
        phrases=(
            # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:internal/plugin/factory.go; the first under every strategy, the
            # next four where auto is not resolved (up to 0.18)
            "nvml init failed: ERROR_LIBRARY_NOT_FOUND",
            "Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",
            "Incompatible strategy detected",
            "If this is a GPU node, did you configure the NVIDIA Container Toolkit",
            "failed to construct resource managers: invalid device discovery strategy",
            # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:cmd/nvidia-device-plugin/main.go, before any other word
            "CDI --device-list-strategy options are only supported on NVML-based systems",
            # NVIDIA/k8s-device-plugin@v0.19.1 and v0.20.0:cmd/nvidia-device-plugin/plugin-manager.go
            "Unsupported platform detected; defaulting to nvml",
            # NVIDIA/k8s-device-plugin@v0.17.0 and v0.20.0:internal/resource/factory.go (GPU feature discovery)
            "Unsupported strategy detected: auto using empty manager",
            'using empty manager" err="unsupported strategy',
            # NVIDIA/k8s-device-plugin@v0.15.1:internal/rm/factory.go, and the loader's own words
            "Detected non-NVML platform",
            "Incompatible platform detected"),
        likely=("could not load NVML library", "libnvidia-ml.so.1: cannot open shared object file"),
        possible=("If this is a GPU node, did you set the docker default runtime to",),  # after each error of NVML
        cause="The pod of the device plugin or of GPU feature discovery has no RuntimeClass nvidia, so the runtime "
        "injects nothing; or the node has no card",
        remedy=f"{CLASS_HANDLER.opening} set runtimeClassName: nvidia in the values of the chart; run the DaemonSet on nodes with a card only",
        commands=(
            command("kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'"),
            command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/k8s-device-plugin#479; NVIDIA/k8s-device-plugin#856", rules=("TG018", "TG041", "TG106")),
    Symptom("plugin-without-devices", Link.PLUGIN, "A device plugin finds no device that it is to offer", rank=5,
        possible=("No devices found. Waiting indefinitely",),
        cause="A line before this one has the reason: no library of the driver, no card, or, in a plugin of another vendor (volcano, HAMi), no "
        "card that its own configuration names",
        remedy="Read the lines before it; without an error there: the resources of the plugin's configuration, and the MIG strategy",
        commands=(command("kubectl logs POD"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go; volcano-sh/volcano#3160", rules=("TG018",)),
    Symptom("plugin-arguments", Link.PLUGIN, "The pod of the device plugin starts a flag of the plugin as its program", rank=1,
        # opencontainers/runc around os/exec; the flags of NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go
        phrases=tuple(f'exec: "--{flag} … executable file not found in $PATH' for flag in ("fail-on-init-error", "pass-device-specs", "mig-strategy", "device-list-strategy")),
        cause="The manifest gives flags as the command, or as args of an image without an entry point: manifest and image are of "
        "different releases",
        remedy="Use the chart of the plugin's release, or set command: [nvidia-device-plugin] before the args",
        commands=(command("kubectl get daemonsets --all-namespaces -o yaml"),),
        source="onepanelio/onepanel#789"),
    Symptom("plugin-strategy", Link.PLUGIN, "The device plugin does not know the strategy that it is given",
        phrases=("invalid --device-list-strategy option", "invalid --device-discovery-strategy option"),
        possible=("invalid strategy:",),
        cause="The value of DEVICE_LIST_STRATEGY or DEVICE_DISCOVERY_STRATEGY is no word of the plugin: it is envvar, "
        "not envvars. So the plugin ends at once",
        remedy=f"Set DEVICE_LIST_STRATEGY to a word that works on this Talos: {strategy_words()}. Set "
        "DEVICE_DISCOVERY_STRATEGY to auto or nvml",
        commands=(command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 STRATEGY"),),
        source="NVIDIA/k8s-device-plugin api/config/v1/strategy.go; NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go",
        rules=("TG009",)),
    Symptom("cdi-spec-file", Link.PLUGIN, "The device plugin can't write a CDI specification: it finds no driver", rank=1,
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:cmd/nvidia-device-plugin/plugin-manager.go
        phrases=("unable to create cdi spec file … failed to locate",),
        cause="With a CDI strategy the plugin looks for the driver's libraries below /driver-root in its own container. "
        "Nothing is mounted there, or a folder in which this Talos has no libraries. So the plugin ends at once",
        remedy=f"{CLASS_ONLY.opening} set DEVICE_LIST_STRATEGY=envvar, and runtimeClassName: nvidia in the pods. {BY_CONTAINERD.opening} mount the folder / of the host "
        "at /driver-root, and set NVIDIA_DRIVER_ROOT=/ (operator: hostPaths.driverInstallDir: /usr/local)",
        commands=(command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 STRATEGY"),),
        source="NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/plugin-manager.go; NVIDIA/k8s-device-plugin internal/cdi/cdi.go",
        rules=("TG006", "TG020")),
    Symptom("cdi-hook", Link.STARTED, "A CDI hook of NVIDIA's is not where its specification says", rank=2,
        phrases=(
            "fork/exec /usr/bin/nvidia-ctk: no such file or directory",
            "fork/exec /usr/bin/nvidia-cdi-hook: no such file or directory",
            "nvidia-container-runtime-wrapper: unknown command nvidia-cdi-hook",
            "nvidia-cdi-hook … no such file or directory"),
        cause=f"{LEGACY_LAYOUT.opening} the hooks are in /usr/local/bin, and a plugin that injects by CDI writes /usr/bin. "
        f"{CDI_LAYOUT.opening} both paths exist",
        remedy=f"{CLASS_ONLY.opening}: set DEVICE_LIST_STRATEGY=envvar, and runtimeClassName: nvidia in the pods; or upgrade to Talos {CDI_LAYOUT.first}",
        commands=(command("talosctl --nodes ADDRESS ls -l /usr/local/bin"),),
        source="siderolabs/extensions#1019; siderolabs/talos#13021", rules=("TG006",)),
    Symptom("cdi-unresolvable", Link.STARTED, "The runtime knows no CDI device of the name that a pod asks for", rank=2,
        phrases=("unresolvable CDI devices",),
        likely=("failed to inject CDI devices", "CDI device injection failed"),
        possible=("no CDI devices found",),
        cause="containerd's folders have no CDI specification with this device. The plugin's strategy does not fit this Talos, "
        "cdi_spec_dirs was replaced, or ext-nvidia-cdi-gen has not run since the cards changed",
        remedy=f"{CLASS_ONLY.opening}: cdi.enabled: false in the operator, DEVICE_LIST_STRATEGY=envvar in a plugin. "
        f"{BY_CONTAINERD.opening}: leave cdi_spec_dirs alone, and look at the folder /run/cdi",
        commands=(command("talosctl --nodes ADDRESS ls /run/cdi"), command("talosctl --nodes ADDRESS logs ext-nvidia-cdi-gen")),
        source="NVIDIA/gpu-operator#1876; NVIDIA/nvidia-container-toolkit#1895", rules=("TG008", "TG085", "TG006")),
    Symptom("cdi-device-file", Link.STARTED, "A CDI specification names a device file that is not on the node", rank=1,
        # cncf-tags/container-device-interface pkg/cdi/container-edits_unix.go
        phrases=("failed to stat CDI host device",),
        cause="The specification was written before the files of the cards changed: another number after a reboot (/dev/dri), a card that is "
        "gone, or a module that is not loaded yet",
        remedy=f"Let the specification be written again: delete the pod of the plugin that wrote it. {CDI_SERVICE.opening} the node writes one, "
        "too: talosctl --nodes ADDRESS service ext-nvidia-cdi-gen restart. Then recreate the pod. Another system: nvidia-ctk cdi generate",
        commands=(command("talosctl --nodes ADDRESS ls /run/cdi"), command("talosctl --nodes ADDRESS ls /dev")),
        source="NVIDIA/nvidia-container-toolkit#885; cncf-tags/container-device-interface pkg/cdi/container-edits_unix.go"),
    Symptom("cdi-management", Link.STARTED, "NVIDIA's runtime finds no device in the CDI specification of the operator's toolkit", rank=1,
        # NVIDIA/nvidia-container-toolkit: `nvidia-ctk cdi generate --mode=management` writes the one device `all` of management.nvidia.com
        phrases=("unresolvable CDI devices management.nvidia.com/gpu",),
        cause="In the mode cdi the runtime makes a CDI name of NVIDIA_VISIBLE_DEVICES, and the operator's toolkit writes a specification "
        "for management pods, whose only device is named all. With a number or a UUID after the name: the pod, its image or a "
        "plugin with envvar names a missing card. With all after the name: the toolkit found no driver, so it has not written the "
        "file",
        remedy="Ask for the card by the limit nvidia.com/gpu, without NVIDIA_VISIBLE_DEVICES in pod and image, and without the RuntimeClass "
        f"nvidia-cdi. {CLASS_ONLY.opening} set toolkit.enabled: false and cdi.enabled: false in the operator",
        commands=(command("kubectl get pod POD -o yaml"), command("talosctl --nodes ADDRESS ls /run/cdi")),
        source="gpustack/gpustack#4130; NVIDIA/nvidia-container-toolkit#1239", rules=("TG043", "TG008")),
    Symptom("unknown-gpu", Link.STARTED, "NVIDIA's runtime is asked for a card that is missing on the node", rank=2,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:pkg/nvcdi/lib-nvml.go
        phrases=("failed to get device handle from UUID: Not Found", "failed to get device handle from UUID: ERROR_NOT_FOUND"),
        cause="NVIDIA_VISIBLE_DEVICES names the UUID of a card, and the node lacks the card or its driver has lost it. The pod pins a "
        "card, or the card was changed after the device plugin had listed it",
        remedy="Take NVIDIA_VISIBLE_DEVICES out of the pod. If the pod has none: delete the pod of the device plugin on the "
        "node, so that the plugin lists the cards again; then recreate the pod",
        commands=(command("kubectl get pod POD -o yaml"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/nvidia-container-toolkit pkg/nvcdi/lib-nvml.go", rules=("TG043",)),
    Symptom("runtime-program-missing", Link.STARTED, "containerd names an NVIDIA runtime, and its program is missing on the node", rank=1,
        # os/exec around the path of the runtime's options
        phrases=("fork/exec … nvidia-container-runtime: no such file or directory",),
        cause="The machine configuration writes a runtime nvidia into /etc/cri/conf.d by hand. The node's image has no container toolkit, "
        "or has it in another folder: /usr/local/bin on Talos, not /usr/bin",
        remedy="Add siderolabs/nvidia-container-toolkit of the driver's track to the image, which brings program and "
        "configuration, and remove the runtime from machine.files",
        commands=(command("talosctl --nodes ADDRESS get extensions"), command("talosctl --nodes ADDRESS ls -l /usr/local/bin")),
        source="containerd/containerd cmd/containerd-shim-runc-v2/process/init.go", rules=("TG081", "TG106")),
    Symptom("cdi-empty-edits", Link.STARTED, "A CDI specification has a device without device files", rank=2,
        phrases=("Ignoring empty CDI specs", "claim … empty device edits", "prepare devices failed: empty device edits"),
        possible=("empty device edits",),
        cause="The plugin found no device file for a card, and CDI refuses such a device. Of the service ext-nvidia-cdi-gen the same "
        "words mean the node: its driver gives no device. The DRA driver keeps the "
        "cards of an earlier start of the driver in memory, or the device files were not yet there when it started. "
        "No manifest shows this state",
        remedy="Delete the pod of the plugin (DRA: dra-driver-nvidia-gpu-kubelet-plugin) on the node, so that the "
        "plugin lists the cards again; then recreate the pod",
        commands=(
            command("talosctl --nodes ADDRESS ls /dev"), command("talosctl --nodes ADDRESS services"),
            command("kubectl describe pod POD")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#1144; kubernetes-sigs/dra-driver-nvidia-gpu#1380",
        rules=("TG031", "TG033")),
    Symptom("unified-memory", Link.PLUGIN, "A GB10 card (DGX Spark) has no memory of its own to report", rank=1,
        phrases=(
            "error getting device memory: Not Supported",
            "error getting memory info for device … Not Supported",
            "GetMemoryInfo … Not Supported"),
        cause="CPU and GPU of the GB10 share their memory, so NVML reports none. Device plugins before v0.17.4 and "
        "DRA drivers up to v25.12.0 end with this error",
        remedy="Use a device plugin of v0.17.4 or newer (GPU operator v25.10.0 or newer), or a DRA driver of v0.4.0 or newer",
        commands=(command("kubectl get pods --all-namespaces -o jsonpath='{..image}'"),),
        source="NVIDIA/gpu-operator#1794; kubernetes-sigs/dra-driver-nvidia-gpu#1073", rules=("TG108", "TG112")),
    Symptom("driver-image", Link.PLUGIN,
        "The GPU operator pulls an image of the driver, and NVIDIA builds none for Talos", rank=1,
        phrases=('Failed to pull image "nvcr.io/nvidia/driver:', 'Back-off pulling image "nvcr.io/nvidia/driver:'),
        cause="The operator wants to install a driver, and adds the name of the node's system to the tag of the "
        "image. Talos brings the driver as an extension",
        remedy="Set driver.enabled: false, and add an extension with the kernel modules to the image of the node (talos-gpu schematic)",
        commands=(command("kubectl get clusterpolicy -o yaml"), command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/gpu-operator#647; NVIDIA/gpu-operator#418", rules=("TG010",)),
    Symptom("driver-container", Link.PLUGIN, "A pod installs a driver or loads its modules, and Talos refuses both", rank=1,
        # NVIDIA/gpu-driver-container: ubuntu22.04/nvidia-driver; siderolabs/talos internal/integration/api/process.go
        phrases=("Unable to locate package linux-objects-nvidia", "Unable to locate package linux-modules-nvidia", "Unable to locate package linux-signatures-nvidia"),
        likely=("modprobe -a i2c_core ipmi_msghandler ipmi_devintf", "modprobe: ERROR: could not insert 'ipmi_msghandler'", "modprobe: ERROR: could not insert 'nvidia': Operation not permitted", "modprobe: ERROR: could not insert 'nvidia': Permission denied"),
        cause="The driver container of the GPU operator wants packages for the kernel of the node, and to load modules. Nobody builds packages "
        "for Talos' kernel, and Talos takes the right to load modules (CAP_SYS_MODULE) from every container, privileged ones too. On "
        "another system: SELinux forbids it, or the module does not fit the kernel",
        remedy="Set driver.enabled: false, and take the modules as an extension into the image of the node (talos-gpu schematic, talos-gpu patch)",
        commands=(command("kubectl get clusterpolicy -o yaml"), command("talosctl --nodes ADDRESS get extensions"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="siderolabs/talos#8402; NVIDIA/gpu-operator#553; NVIDIA/gpu-operator#1264", rules=("TG010", "TG071")),
    Symptom("device-node-major", Link.PLUGIN, "The GPU operator can't create the device files of the card", rank=1,
        phrases=("failed to create device node … failed to determine major",),
        cause="The operator looks the device number up in /proc/devices. The driver is not loaded, so the number is "
        "absent; or the operator is too old for the driver: 550.40 has renamed nvidia-frontend to nvidia",
        remedy="Load the kernel modules on the node (talos-gpu patch). With modules: use a newer operator chart "
        "(talos-gpu check --explain TG030)",
        commands=(command("talosctl --nodes ADDRESS read /proc/devices"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="NVIDIA/gpu-operator#1015; NVIDIA/nvidia-container-toolkit#324", rules=("TG030", "TG071")),
    Symptom("operator-read-only", Link.PLUGIN, "An agent writes to a file system of Talos that is read-only", rank=1,
        phrases=(
            "mkdir /etc/containerd/conf.d: read-only file system",
            "mkdir /usr/local/nvidia: read-only file system",
            "mkdir /usr/local/glibc: read-only file system",
            "failed to mkdir /usr/local/glibc … read-only file system",
            'error while creating mount source path "/usr/local/nvidia'),
        cause="The operator installs a toolkit or a driver on the node, or its hostPaths name a folder that is missing on this Talos. "
        "Talos brings both as extensions",
        remedy=f"Set toolkit.enabled: false and driver.enabled: false; {UNBRIDGED.when} also hostPaths.driverInstallDir: /usr/local",
        commands=(command("kubectl get clusterpolicy -o yaml"),),
        source="NVIDIA/gpu-operator#2382; siderolabs/talos#8402", rules=("TG011", "TG003")),
)
