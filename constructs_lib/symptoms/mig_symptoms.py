"""Symptoms of partitions (MIG): the MIG manager, the driver, and those who make partitions for claims."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom
from .remedies import REBOOT

_LABELS = command("kubectl get node NODE --show-labels   # nvidia.com/mig.config, nvidia.com/mig.config.state")
_LOG = command("kubectl logs POD --all-containers   # of the device plugin that divides the cards, or of nvidia-mig-manager")
_PARTITIONS = command("kubectl exec POD -- nvidia-smi mig -lgi")
_PROFILES = command("kubectl exec POD -- nvidia-smi mig -lgip")

# fmt: off
MIG_SYMPTOMS = (
    Symptom("mig-no-room", Link.PLUGIN, "A card has no room for another partition", rank=1,
        # NVIDIA/mig-parted@v0.15.0:pkg/mig/config/config.go; kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/gpu-kubelet-plugin/nvlib.go
        phrases=(
            "error creating GPU instance for … Insufficient Resources",
            "error creating GPU instance for … ERROR_INSUFFICIENT_RESOURCES",
            "error creating Compute instance for … Insufficient Resources",
            "Unable to create a GPU instance on GPU … Insufficient Resources"),
        possible=("error attempting multiple config orderings",),
        cause="The card's present partitions take the slices that the new one needs. Each profile has fixed places, so room for seven "
        "small partitions need not be room for a large one. Partitions of before, also those of other pods, count",
        remedy="Choose a mix that the card allows (talos-gpu matrix --product NAME), and end the pods on the partitions that are in the "
        "way before the cards are divided anew. "
        "With the DRA driver and DynamicMIG the pod starts once another claim frees its place",
        commands=(_PARTITIONS, _PROFILES, _LABELS),
        source="NVIDIA/mig-parted#29; kubernetes-sigs/dra-driver-nvidia-gpu#35"),
    Symptom("mig-reset-refused", Link.PLUGIN, "A card can't be reset for MIG, because something uses it", rank=1,
        # NVIDIA/mig-parted@v0.15.0:cmd/nvidia-mig-parted/apply/mode.go around nvidia-smi --gpu-reset; NVML's "In use by another client"
        phrases=(
            "The following GPUs could not be reset",
            "GPU … In use by another client",
            "error resetting all GPUs",
            "error destroying Compute instance for profile … In use by another client",
            "error destroying GPU instance for profile … In use by another client",
            "error setting Mig mode: In use by another client"),
        cause="On most cards the driver resets the card to switch MIG on or off, and the card must be unused. Possible users are pods with a "
        "GPU, dcgm-exporter, nvidia-persistenced, and the module nvidia_drm",
        remedy=f"End the pods with GPUs on the node. {REBOOT}: after a reboot the new mode is in force",
        commands=(_LOG, command("kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE"), _LABELS),
        source="NVIDIA/mig-parted#181; NVIDIA/mig-parted#357", rules=("TG013",)),
    Symptom("mig-config-unknown", Link.PLUGIN, "nvidia-mig-parted does not know the layout that it is to apply", rank=1,
        # NVIDIA/mig-parted@v0.15.0:cmd/nvidia-mig-parted/assert/assert.go, api/spec/v1/spec.go, deployments/container/reconfigure-mig.sh
        phrases=(
            "selected mig-config not present",
            "error selecting MIG config",
            "Unable to validate the selected MIG configuration",
            "missing required field 'mig-devices' when 'mig-enabled' is true",
            "MIG devices included when 'mig-enabled' is false",
            "unable to parse with missing 'version' field"),
        cause="The configuration of nvidia-mig-parted has no entry of this name, or an entry that is not valid. With the MIG manager it "
        "is the ConfigMap that migManager.config.name names, and the label nvidia.com/mig.config has the name",
        remedy="Name an entry of the configuration, or add it. On Talos the MIG manager does not divide the cards: give the class "
        "mig_devices, and this library writes the configuration and the init container that applies it",
        commands=(_LABELS, _LOG),
        source="NVIDIA/mig-parted cmd/nvidia-mig-parted/assert/assert.go", rules=("TG013",)),
    Symptom("mig-manager-labels", Link.PLUGIN, "The MIG manager can't read or write the labels of its node", rank=1,
        # NVIDIA/mig-parted@v0.15.0:deployments/container/reconfigure-mig.sh
        phrases=(
            "Unable to get the value of the 'nvidia.com/",
            "Unable to set the value of 'nvidia.com/mig.config.state'",
            "Unable to tear down GPU client pods by setting their daemonset labels",
            "Unable to bring up GPU client pods by setting their daemonset labels"),
        cause="The manager's script reads the node from the API server and sets labels on it. The server refused, or did not answer: "
        "check the service account's rights and the pod's network. It leaves the cards as they are",
        remedy="See the line of kubectl before this one: forbidden names the right that is missing. On Talos the MIG manager does not divide "
        "the cards: give the class mig_devices, and set migManager.enabled: false",
        commands=(_LOG, _LABELS), source="NVIDIA/mig-parted deployments/container/reconfigure-mig.sh", rules=("TG013",)),
    Symptom("mig-not-capable", Link.PLUGIN, "A layout with partitions is set on a card without MIG", rank=1,
        # NVIDIA/mig-parted@v0.15.0:cmd/nvidia-mig-parted/apply/{config,mode}.go, assert/mode.go, pkg/mig/{discovery/discovery,mode/nvml}.go
        phrases=(
            "cannot set MIG config on non MIG-capable GPU",
            "cannot set MIG mode on non MIG-capable GPU",
            "unable to assert MIG mode enabled on non MIG-capable GPU",
            "no MIG-capable devices found on the system",
            "error setting Mig mode: Not Supported"),
        cause="Only data centre cards from Ampere on, and some workstation cards from Blackwell on, can be divided. The node has another "
        "card, or several kinds of cards and a layout for all",
        remedy="Give mig_devices only to classes with such cards, and name device numbers where a node has several kinds",
        commands=(_LABELS, _LOG, command("talosctl --nodes ADDRESS get pcidevices")),
        source="NVIDIA/mig-parted cmd/nvidia-mig-parted/apply/mode.go"),
    Symptom("mig-profile-unknown", Link.PLUGIN, "The card has no partition of this profile", rank=1,
        # NVIDIA/mig-parted@v0.15.0:pkg/mig/config/config.go; NVIDIA/k8s-device-plugin@v0.20.0:internal/rm/device_map.go
        phrases=("MIG profile … not found on this GPU", "unsupported MIG Device specified … expected … instead", "MIG profile … does not match any resource patterns"),
        cause="Each card has its own profiles: 1g.5gb is of the A100 with 40 GB, 1g.10gb of that with 80 GB. The memory in the name must "
        "be that of the card",
        remedy="Take a profile of the card: talos-gpu matrix --product NAME",
        commands=(_PROFILES, _LOG), source="NVIDIA/mig-parted pkg/mig/config/config.go"),
    Symptom("mig-mode-pending", Link.PLUGIN, "The MIG mode was changed and is not in force", rank=2,
        # NVIDIA/mig-parted@v0.15.0:cmd/nvidia-mig-parted/apply/config.go, assert/{assert,mode}.go
        phrases=(
            "unable to apply MIG config with MIG mode disabled",
            "MIG mode is currently enabled, but the configuration specifies it should be disabled",
            "MIG mode change did not take effect after rebooting"),
        possible=("Assertion failure: selected configuration not currently applied", "current mode different than mode being asserted"),
        cause="The card keeps the old mode until its next reset, which on Talos is a reboot. The two lines about an assertion alone are "
        "no error: they are printed before each change",
        remedy=REBOOT,
        commands=(_LABELS, _LOG, command("kubectl exec POD -- nvidia-smi -q")),
        source="NVIDIA/gpu-operator#2376; NVIDIA/mig-parted cmd/nvidia-mig-parted/apply/config.go"),
    Symptom("mig-systemd", Link.PLUGIN, "The MIG manager looks for systemd, and Talos has none", rank=1,
        # NVIDIA/mig-parted@v0.15.0:internal/systemd/systemd.go
        likely=("failed to initialize systemd manager: failed to connect to systemd D-Bus",),
        possible=("failed to connect to systemd D-Bus",),
        cause="The MIG manager of the operator wants to stop services of the host by systemd. Talos has none",
        remedy="Set migManager.enabled: false: on Talos another pod divides the cards (mig_devices of a class)",
        commands=(_LOG, command("kubectl get clusterpolicy -o yaml")),
        source="NVIDIA/mig-parted internal/systemd/systemd.go", rules=("TG013",)),
    Symptom("mig-rights", Link.PLUGIN, "An agent has no right to look at a card with MIG", rank=1,
        # NVIDIA/go-nvml pkg/nvml/return.go, around NVIDIA/k8s-device-plugin internal/rm
        likely=("error getting device memory info: Insufficient Permissions", "error getting device memory: Insufficient Permissions", "error visiting device: … Insufficient Permissions"),
        cause="With MIG on, NVML shows the whole card only to a container with the device files of all partitions: the pod of the plugin lacks "
        "NVIDIA_MIG_MONITOR_DEVICES=all, or the rights that go with it",
        remedy="Set migStrategy in the values of the plugin's chart, which sets NVIDIA_MIG_MONITOR_DEVICES=all and the capability SYS_ADMIN",
        commands=(command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 MIG"), _LOG),
        source="NVIDIA/k8s-device-plugin#399; NVIDIA/k8s-device-plugin#229"),
    Symptom("mig-host-library", Link.PLUGIN, "The MIG manager can't run its program in the root of the host", rank=1,
        phrases=("nvidia-mig-parted: … version `GLIBC_2 … not found",),
        cause="With a driver of the host the manager copies nvidia-mig-parted there and starts it below the host's root, whose C library is older "
        "than that of its image; Talos has none there",
        remedy="Set migManager.enabled: false: on Talos another pod divides the cards (mig_devices of a class). Another system: a manager whose "
        "image is of that system's age",
        commands=(_LOG, command("kubectl get clusterpolicy -o yaml")),
        source="NVIDIA/mig-parted#340", rules=("TG013",)),
    Symptom("mig-layout", Link.PLUGIN, "The plugin's MIG strategy does not allow the cards' partitions", rank=1,
        phrases=(
            # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:internal/rm/device_map.go
            "more than one MIG device type present on node",
            "all devices on the node must be configured with the same migEnabled value",
            "at least one device with migEnabled=true was not configured correctly",
            # NVIDIA/k8s-device-plugin@v0.20.0:internal/lm/mig-strategy.go (GPU feature discovery)
            "Invalid configuration detected for mig-strategy=single"),
        cause="With the strategy single every card of a node has partitions, all of one profile. The plugin ends "
        "where they differ, where one card has none, or where MIG is on without a partition",
        remedy="Divide all cards of the node into one profile (mig_devices of the class); or set the strategy mixed, and ask for "
        "nvidia.com/mig-1g.5gb and "
        "the like in pods",
        commands=(command("kubectl get node NODE --show-labels   # nvidia.com/gpu.product ends with MIG-INVALID"),),
        source="NVIDIA/k8s-device-plugin internal/rm/device_map.go; NVIDIA/k8s-device-plugin internal/lm/mig-strategy.go"),
    Symptom("mig-capability-files", Link.PLUGIN, "The device file of a partition is missing", rank=2,
        # NVIDIA/k8s-device-plugin@v0.20.0:internal/rm/nvml_devices.go; NVIDIA/nvidia-container-toolkit@v1.19.1:internal/platform-support/dgpu/nvml.go
        phrases=("error getting MIG capability device paths", "missing MIG GPU instance capability path", "failed to get GI cap device path", "failed to get CI cap device path"),
        cause="The plugin does not find the partition in /proc/driver/nvidia-caps/mig-minors, which the driver writes. The container does "
        "not see this folder of the host, or the driver was loaded again",
        remedy="Delete the pod of the plugin on the node, so that it lists the partitions again",
        commands=(command("talosctl --nodes ADDRESS read /proc/driver/nvidia-caps/mig-minors"), command("talosctl --nodes ADDRESS ls /dev/nvidia-caps")),
        source="NVIDIA/k8s-device-plugin internal/rm/nvml_devices.go"),
)
