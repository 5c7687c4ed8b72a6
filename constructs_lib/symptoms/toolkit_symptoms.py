"""Symptoms of NVIDIA's container toolkit while it gives a container its card: nvidia-container-cli, the runtime, its hook."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.features import CAPABILITIES_FILTER
from ..upstream.talos.generations import BY_CONTAINERD, CLASS_HANDLER, NRI_TOOLKIT
from .link import Link, Symptom
from .remedies import NEW_IMAGE

_POD = command("kubectl get pod POD -o yaml")
_EXTENSIONS = command("talosctl --nodes ADDRESS get extensions")
_DRIVER = command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")
_CLI = "nvidia-container-cli:"

# fmt: off
TOOLKIT_SYMPTOMS = (
    Symptom("cli-libraries-missing", Link.RUNTIME, "NVIDIA's container toolkit finds no libraries of the driver on the node", rank=1,
        # NVIDIA/libnvidia-container@v1.17.8:src/nvc.c and src/driver.c
        phrases=(
            f"{_CLI} initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file",
            f"{_CLI} initialization error: load library failed: libcuda.so.1: cannot open shared object file"),
        possible=("nvidia-container-cli … initialization error: load library failed",),
        cause="The runtime nvidia runs on the node, but does not find the driver's libraries. The image has the toolkit without modules "
        "and libraries of the same track, or the operator's toolkit replaced Talos' toolkit. This is the node, not the pod: every "
        "container with the RuntimeClass nvidia fails there",
        remedy=f"Add kernel modules and toolkit of one track and one release to the image (talos-gpu schematic). {CLASS_HANDLER.opening} "
        "set toolkit.enabled: false in the GPU operator. The new image reboots the node, which ends its pods",
        commands=(_EXTENSIONS, command("talosctl --nodes ADDRESS ls /usr/local/lib"), _DRIVER),
        source="NVIDIA/libnvidia-container#231; NVIDIA/gpu-operator#511", rules=("TG080", "TG011")),
    Symptom("cli-libraries-of-others", Link.RUNTIME, "nvidia-container-cli itself can't be started: a library of its own is missing or a wrong one", rank=1,
        # glibc's elf/dl-load.c and elf/rtld.c; the name before the colon is the program that could not be started
        phrases=("nvidia-container-cli: error while loading shared libraries", "nvidia-container-cli: symbol lookup error", "nvidia-container-cli.real: error while loading shared libraries"),
        cause="The library after the colon belongs to the program, not to the driver. This release of the toolkit extension was built "
        "without it, or another extension brings a library with the same name for another C library (zfs with libtirpc on Talos "
        "1.7: invalid ELF header). Driver, cards and pods are well; every container with the RuntimeClass nvidia fails on the node",
        remedy=f"Use the newest patch release of Talos with its own extensions, and leave out unneeded extensions such as zfs: {NEW_IMAGE}",
        commands=(_EXTENSIONS, command("talosctl --nodes ADDRESS version"), command("talosctl --nodes ADDRESS ls /usr/local/glibc/lib")),
        source="siderolabs/extensions#380; siderolabs/extensions#751"),
    Symptom("cli-detection", Link.DRIVER, "NVIDIA's container toolkit can't list the cards", rank=3,
        # NVIDIA/libnvidia-container@v1.17.8:src/cli/common.c, configure.c and src/driver.c
        phrases=(
            f"{_CLI} detection error: nvml error",
            f"{_CLI} initialization error: nvml error: unknown error",
            f"{_CLI} initialization error: cuda error: no cuda-capable device is detected",
            f"{_CLI} initialization error: nvml error: insufficient permissions"),
        likely=("initialization error: driver rpc error: timed out", "initialization error: driver error: failed to process request", "initialization error: driver rpc error: failed to process request", f"{_CLI} initialization error: cuda error: unknown error"),
        cause="The driver is loaded, and answers with an error or too late. A card has fallen off the bus or hangs, or the driver needs "
        "more than 10 seconds to start each card without persistence. The log of the kernel has the reason",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -. After a time-out without an error there: see that "
        "ext-nvidia-persistenced runs, and recreate the pod",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e xid"), command("talosctl --nodes ADDRESS services"), _DRIVER),
        source="NVIDIA/libnvidia-container src/driver.c; NVIDIA/libnvidia-container src/rpc.c", alerts=("GpuDisappeared",)),
    Symptom("cli-unknown-device", Link.STARTED, "NVIDIA_VISIBLE_DEVICES names a card that is missing on the node", rank=2,
        # NVIDIA/libnvidia-container@v1.17.8:src/cli/common.c
        phrases=(f"{_CLI} device error … unknown device", f"{_CLI} device error: unknown device id"),
        cause="The container asks for a card by number or UUID, and the node lacks the card or its driver has lost it. The pod or the "
        "image sets the variable, or the card was changed after the device plugin had listed it",
        remedy="Take NVIDIA_VISIBLE_DEVICES out of the pod and the image, and set a limit nvidia.com/gpu. If neither has it: delete the "
        "pod of the device plugin on the node, so that the plugin lists the cards again; then recreate the pod",
        commands=(_POD, command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/libnvidia-container src/cli/common.c", rules=("TG043",)),
    Symptom("cli-file-exists", Link.STARTED, "The image brings libraries of the driver, and the toolkit can't mount its own over them", rank=1,
        phrases=("mount error: file creation failed … libnvidia-ml.so.1: file exists", "mount error: file creation failed … libcuda.so.1: file exists"),
        likely=("mount error: file creation failed … file exists",),
        cause="The image was built with the driver inside, or was committed from a container that had it (libnvidia-compute, "
        "libnvidia-ml1 and the like of the distribution). No node is at fault",
        remedy="Build the image without the packages of the driver, or remove libcuda.so.1 and libnvidia-ml.so.1 from it; use a base "
        "image of nvidia/cuda",
        commands=(_POD,),
        source="NVIDIA/nvidia-container-toolkit#289; NVIDIA/nvidia-container-toolkit#371"),
    Symptom("cli-mount", Link.STARTED, "NVIDIA's container toolkit can't mount a file of the driver into the container", rank=2,
        # NVIDIA/libnvidia-container@v1.17.8:src/nvc_mount.c
        likely=(
            "mount error: file creation failed … no such device or address",
            "mount error: file creation failed … read-only file system",
            f"{_CLI} mount error: mount operation failed",
            f"{_CLI} mount error: stat failed"),
        cause="The path in the line is taken inside the container, or is missing on the node. The reason is a volume of the pod over "
        "/run, /usr or /proc/driver/nvidia, a root file system that is read-only before the hook ran, or a socket of an "
        "nvidia-persistenced that has ended",
        remedy="Mount the volume of the pod at a folder of its own, not at /run or /usr/lib. For nvidia-persistenced: talosctl --nodes "
        "ADDRESS service ext-nvidia-persistenced restart, then recreate the pod",
        commands=(_POD, command("talosctl --nodes ADDRESS services")),
        source="NVIDIA/nvidia-docker#1300; NVIDIA/nvidia-docker#1690"),
    Symptom("cli-ldconfig", Link.STARTED, "ldconfig fails in the container, so the toolkit can't make the driver's libraries known", rank=2,
        # NVIDIA/libnvidia-container@v1.17.8:src/nvc_ldcache.c; NVIDIA/nvidia-container-toolkit@v1.19.1:internal/ldconfig/ldconfig.go
        likely=(
            f"{_CLI} ldcache error: process … ldconfig … failed with error code",
            f"{_CLI} ldcache error: process … ldconfig … terminated with signal",
            "failed to construct ldconfig runner",
            "error running createContainer hook … error mounting host ldconfig"),
        possible=(f"{_CLI} ldcache error: open failed",),
        cause="The toolkit runs ldconfig in the container's own root, with 10 seconds of CPU time and files of 1 MiB at most. It fails if "
        "the image has no writable /etc, no C library, or an ld.so.cache above that size. It also fails if the node lacks the path "
        "of ldconfig in the toolkit's configuration. Signal 9 is a limit: that of the time, or the memory limit of the pod",
        remedy="Make /etc of the container writable (readOnlyRootFilesystem: false, or an image with its own ld.so.cache); for an image "
        "without a C library set LD_LIBRARY_PATH. On a node with a file of one's own for the toolkit: take it out, Talos brings its own",
        commands=(_POD, command("talosctl --nodes ADDRESS ls /usr/local/etc/nvidia-container-runtime")),
        source="NVIDIA/libnvidia-container src/nvc_ldcache.c; NVIDIA/libnvidia-container#177"),
    Symptom("ldcache-graphics", Link.STARTED, "The toolkit of an old Talos finds no ldcache for graphics libraries", rank=1,
        phrases=("failed to construct library locator: error loading ldcache", "failed to create mounts discoverer: failed to construct library locator"),
        cause="With graphics (or all) in NVIDIA_DRIVER_CAPABILITIES the runtime reads the host's /etc/ld.so.cache, and an old Talos has "
        "none. Other capabilities work",
        remedy="Upgrade Talos; the upgrade reboots the node, which ends its pods. Until then: "
        f"NVIDIA_DRIVER_CAPABILITIES=compute,video,utility (the variable counts {CAPABILITIES_FILTER.when})",
        commands=(command("talosctl --nodes ADDRESS version"), _POD),
        source="siderolabs/extensions#171"),
    Symptom("driver-capabilities", Link.STARTED, "NVIDIA_DRIVER_CAPABILITIES has a word unknown to the toolkit", rank=1,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:cmd/nvidia-container-runtime-hook/{container_config,capabilities}.go
        phrases=("unsupported capabilities found in", "unknown driver capability"),
        cause="The words are compute, compat32, graphics, utility, video, display, ngx and all, with commas between them. Another word, "
        "or a blank, stops the container",
        remedy="Set NVIDIA_DRIVER_CAPABILITIES to words of this list in the pod, or take the variable out of the image",
        commands=(_POD,), source="NVIDIA/nvidia-container-toolkit cmd/nvidia-container-runtime-hook/container_config.go", rules=("TG120",)),
    Symptom("devices-by-variable-refused", Link.STARTED, "The toolkit does not accept cards by variable in this container", rank=1,
        # NVIDIA/nvidia-container-toolkit@v1.17.8 and v1.19.1:internal/config/image/cuda_image.go
        phrases=(
            "insufficient privileges to read device list from NVIDIA_VISIBLE_DEVICES envvar",
            "Ignoring devices requested by environment variable(s) in unprivileged container",
            "Ignoring request by environment variable(s) in unprivileged container"),
        cause="accept-nvidia-visible-devices-envvar-when-unprivileged is false in the configuration of the toolkit, and the plugin gives "
        "cards by variable (envvar)",
        remedy="Take the setting out of the file of the toolkit on the node: Talos' own file does not have it. "
        f"Or give cards by containerd {BY_CONTAINERD.when}: DEVICE_LIST_STRATEGY=cdi-cri",
        commands=(_POD, command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 STRATEGY")),
        source="NVIDIA/nvidia-container-toolkit internal/config/image/cuda_image.go"),
    Symptom("hook-called-directly", Link.STARTED, "Something calls NVIDIA's legacy hook beside the runtime", rank=1,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:cmd/nvidia-container-runtime-hook/hook_config.go
        phrases=("invoking the NVIDIA Container Runtime Hook directly", "couldn't find binary nvidia-container-cli in PATH"),
        cause="The runtime makes its edits just in time, and its old hook refuses to run. A distribution's OCI hook, your own default "
        "runtime or a file in /etc/cri/conf.d still calls nvidia-container-runtime-hook",
        remedy="Remove the hook or the runtime from machine.files; Talos' extension brings the only runtime that is needed",
        commands=(command("talosctl --nodes ADDRESS ls /etc/cri/conf.d"), _EXTENSIONS),
        source="NVIDIA/nvidia-container-toolkit cmd/nvidia-container-runtime-hook/hook_config.go", rules=("TG081",)),
    Symptom("runtime-and-cdi-mixed", Link.STARTED, "A container asks for cards in two ways at once", rank=1,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:internal/modifier/cdi.go
        phrases=("requesting a CDI device with vendor 'runtime.nvidia.com' is not supported when requesting other CDI devices",),
        cause="NVIDIA_VISIBLE_DEVICES or an annotation names runtime.nvidia.com beside devices of the plugin or of another CDI "
        "specification",
        remedy="Take NVIDIA_VISIBLE_DEVICES and the annotations cdi.k8s.io/… out of the pod, and leave the limit nvidia.com/gpu",
        commands=(_POD,), source="NVIDIA/nvidia-container-toolkit internal/modifier/cdi.go", rules=("TG043",)),
    Symptom("low-level-runtime", Link.STARTED, "NVIDIA's runtime finds no runc", rank=1,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:internal/oci/runtime_low_level.go
        phrases=("error constructing low-level runtime", "no runtime binary found from candidate list"),
        cause="nvidia-container-runtime hands the container to runc or crun, and finds neither in its PATH: a toolkit of another "
        "distribution runs on the node",
        remedy=f"Use the toolkit of Talos' extension {CLASS_HANDLER.when} (toolkit.enabled: false in the operator); {NRI_TOOLKIT.when} "
        "that of the operator",
        commands=(_EXTENSIONS, command("talosctl --nodes ADDRESS ls -l /usr/local/bin")),
        source="NVIDIA/nvidia-container-toolkit internal/oci/runtime_low_level.go", rules=("TG011",)),
    Symptom("runtime-answer", Link.RUNTIME, "containerd can't read the answer of a runtime", rank=2,
        # containerd/go-runc: the answer of `runtime state` is JSON
        likely=("OCI runtime state failed: invalid character",),
        cause="A runtime prints something before its JSON: debug output of NVIDIA's runtime, or a wrapper",
        remedy="Switch the debug output of the runtime off, and use toolkit and containerd of one image",
        commands=(_EXTENSIONS, _POD), source="NVIDIA/gpu-operator#168"),
    Symptom("cdi-hook-chroot", Link.STARTED, "A CDI hook of NVIDIA's fails in the container", rank=2,
        # NVIDIA/nvidia-container-toolkit@v1.19.1:cmd/nvidia-cdi-hook/{create-symlinks,cudacompat,disable-device-node-modification}
        likely=(
            "error running createContainer hook … failed to create link",
            "error running createContainer hook … failed to load container state",
            "error running createContainer hook … failed to determined container root",
            "error running createContainer hook … failed to open container root"),
        cause="The hook changes the container's file system before the program starts: links to libraries, ld.so.cache, "
        "/proc/driver/nvidia/params. A read-only root, a volume over /usr/lib or an image with own files at these places stops it",
        remedy="Start the container with readOnlyRootFilesystem: false, and mount no volume over /usr, /etc or /usr/lib",
        commands=(_POD,), source="NVIDIA/nvidia-container-toolkit cmd/nvidia-cdi-hook/create-symlinks/create-symlinks.go"),
)
