"""The words of the rules about the GPU operator."""

from __future__ import annotations

from ...upstream.charts import GPU_OPERATOR
from ...upstream.charts.gpu_operator_chart import LEGACY, POLICY_DEFAULTS, VALIDATOR_LABEL
from .words import RuleWords

_BY_TALOS = f"Set version: {GPU_OPERATOR.newest} from Talos 1.13 on, or version: {LEGACY} up to Talos 1.12"
_POINTERS = ", ".join(f"/spec/{'/'.join(path)}" for path in POLICY_DEFAULTS)
ADDED_FIELDS = f"{{group: nvidia.com, kind: ClusterPolicy, jsonPointers: [{_POINTERS}]}}"
"""The entry of ignoreDifferences for the fields that the API server adds to the ClusterPolicy."""

OPERATOR_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG001",
        claim="Up to Talos 1.12 a bridge writes the marker files that the GPU operator's pods wait for",
        symptom="Init:0/1 of nvidia-device-plugin-daemonset and gpu-feature-discovery; waiting for nvidia container stack to be setup",
        fix=f"Run kubectl label node NODE {VALIDATOR_LABEL}=false, and apply the DaemonSet of the passing example (talos-gpu check --explain TG001; "
        "ValidationBridge of this library). Or upgrade to Talos 1.13, where the operator needs neither the label nor the DaemonSet",
        source="NVIDIA/gpu-operator#1687; siderolabs/talos#9014",
    ),
    RuleWords(
        id="TG002",
        claim="The bridge writes the operator's marker files in a loop",
        symptom="Init:0/1 again after the operator-validator restarted; waiting for nvidia container stack to be setup",
        fix="Run in a container, and not in an init container: while true; do mkdir -p /run/nvidia/validations; touch "
        "/run/nvidia/validations/driver-ready /run/nvidia/validations/toolkit-ready; sleep 30; done",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/cmd/nvidia-validator/main.go",
    ),
    RuleWords(
        id="TG003",
        claim="hostPaths.driverInstallDir is the folder in which this Talos has the driver",
        symptom="CreateContainerError of driver-validation: failed to mkdir /usr/local/glibc: read-only file system",
        fix="Set hostPaths.driverInstallDir: /usr/local",
        source="https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu; siderolabs/extensions "
        "nvidia-gpu/nvidia-container-toolkit",
    ),
    RuleWords(
        id="TG004",
        claim="The version of the gpu-operator chart works on Talos",
        symptom='strconv.Atoi: parsing "v1": invalid syntax; ClusterPolicy notReady',
        fix=_BY_TALOS,
        source="NVIDIA/gpu-operator#2239",
    ),
    RuleWords(
        id="TG005",
        claim="Node feature discovery runs beside the GPU operator",
        symptom="unable to retrieve OS name from label feature.node.kubernetes.io/system-os_release.ID; no operands on any node",
        fix="Set nfd.enabled: true, or install the chart node-feature-discovery",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/state_manager.go",
    ),
    RuleWords(
        id="TG006",
        claim="Up to Talos 1.12 GPUs are not injected by CDI",
        symptom="fork/exec /usr/bin/nvidia-ctk: no such file or directory; libcuda.so.1: cannot open shared object file; unresolvable CDI devices",
        fix="Set DEVICE_LIST_STRATEGY=envvar (the chart's deviceListStrategy: envvar), and runtimeClassName: nvidia in the pods",
        source="siderolabs/talos#13021; siderolabs/extensions#1019",
    ),
    RuleWords(
        id="TG008",
        claim="The container runtime of Talos supports the device list strategy",
        symptom="unresolvable CDI devices after the upgrade to gpu-operator v25.10; pods start without /dev/nvidia0",
        fix="Set DEVICE_LIST_STRATEGY=envvar in a standalone plugin, or remove DEVICE_LIST_STRATEGY if the operator runs the plugin",
        source="NVIDIA/gpu-operator#1876; NVIDIA/nvidia-container-toolkit#1895",
    ),
    RuleWords(
        id="TG010",
        claim="The operator does not install a driver on Talos",
        symptom="ImagePullBackOff of nvidia-driver-daemonset: nvcr.io/nvidia/driver:595.91.07-talosv1.13.9 not found",
        fix="Set driver.enabled: false, and add the extension siderolabs/nvidia-open-gpu-kernel-modules-production (or the one that fits the card) to "
        "the image",
        source="NVIDIA/gpu-operator#647; siderolabs/talos#8402",
    ),
    RuleWords(
        id="TG011",
        claim="The operator does not install a container toolkit on Talos",
        symptom="mkdir /etc/containerd/conf.d: read-only file system, in nvidia-container-toolkit-daemonset",
        fix="Set toolkit.enabled: false, and add the extension siderolabs/nvidia-container-toolkit-production (or -lts) to the image",
        source="NVIDIA/gpu-operator#2382",
    ),
    RuleWords(
        id="TG012",
        claim="The operator's NRI plugin has the toolkit, CDI, and a Talos with NRI on",
        symptom="the NRI Plugin cannot be enabled when the Container Toolkit is disabled",
        fix="Set cdi.nriPluginEnabled: false",
        source="NVIDIA/gpu-operator#2384",
    ),
    RuleWords(
        id="TG013",
        claim="The operator's MIG manager does not partition the cards on Talos",
        symptom="nvidia-mig-manager logs Updating to MIG config: all-1g.10gb and nothing after it; no nvidia.com/mig.config.state=success",
        fix="Set migManager.enabled: false, and partition the cards with nvidia-mig-parted in a privileged init container of the device plugin",
        source="NVIDIA/gpu-operator#2501; NVIDIA/mig-parted#356",
    ),
    RuleWords(
        id="TG014",
        claim="A RuntimeClass beside the operator has another name than the operator's own",
        symptom='RuntimeClass.node.k8s.io "nvidia" is invalid: handler: Invalid value: "nvidia-container-runtime": field is immutable',
        fix="Delete this RuntimeClass, which the operator creates itself, or rename it",
        source="NVIDIA/gpu-operator#446",
    ),
    RuleWords(
        id="TG015",
        claim="Argo CD ignores the fields that the API server adds to the ClusterPolicy",
        symptom="Application gpu-operator OutOfSync: ClusterPolicy cluster-policy spec.cdi.default",
        fix=f"Add ignoreDifferences: [{ADDED_FIELDS}] to the Application",
        source="NVIDIA/gpu-operator#2795",
    ),
    RuleWords(
        id="TG016",
        claim="One chart installs the CRDs of resource.nvidia.com",
        symptom="Two Applications OutOfSync over CustomResourceDefinition computedomains.resource.nvidia.com; spec.numNodes: Required value",
        fix="Set spec.upgrade.crds: Skip in the operator's HelmRelease (Argo CD: helm.skipCrds: true), and install the operator's other CRDs by hand",
        source="NVIDIA/aicr#2715; NVIDIA/gpu-operator#2863",
    ),
    RuleWords(
        id="TG029",
        claim="The version of an NVIDIA chart is pinned",
        symptom="GPU pods break after a reconciliation that changed nothing in git",
        fix="Pin one version, such as version: v26.7.0 of gpu-operator, or version: 0.20.0 of nvidia-device-plugin",
        source="NVIDIA/gpu-operator#2239",
    ),
    RuleWords(
        id="TG030",
        claim="The gpu-operator chart is new enough for this Talos",
        symptom="Failed to create symlinks under /dev/char; operator-validator in Init:CrashLoopBackOff",
        fix=_BY_TALOS,
        source="NVIDIA/gpu-operator#2244; NVIDIA/gpu-operator#569",
    ),
    RuleWords(
        id="TG036",
        claim="Helm runs the chart's hooks, or the hooks name their namespace",
        symptom="error looking up service account gpu-operator/gpu-operator-upgrade-crd-hook-sa: "
        'serviceaccount "gpu-operator-upgrade-crd-hook-sa" not found',
        fix="Set operator.upgradeCRD: false in the chart's values and includeCRDs: true in kustomize's helmCharts, or from Talos 1.13 on use gpu-operator "
        f"{GPU_OPERATOR.newest}",
        source="https://github.com/mitchross/talos-argocd-proxmox/commit/3989d592",
    ),
    RuleWords(
        id="TG037",
        claim="Operator components that install something on the host are off",
        symptom="ImagePullBackOff of nvidia-vgpu-manager-daemonset; read-only file system in nvidia-kata-manager; no module nvidia_fs or gdrdrv",
        fix="Set the component's enabled: false. On Talos only an extension changes the host",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/object_controls.go",
    ),
    RuleWords(
        id="TG117",
        claim="With driver.enabled: false no NVIDIADriver makes the operator install a driver",
        symptom="ImagePullBackOff of nvidia-gpu-driver-…: nvcr.io/nvidia/driver:570.148.08-talosv1.11.3 not found, with driver.enabled: false",
        fix="Remove the NVIDIADriver: Talos brings the driver in its image",
        source="NVIDIA/gpu-operator#1795",
    ),
)
