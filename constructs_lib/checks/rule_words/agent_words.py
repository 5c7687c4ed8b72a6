"""The words of the rules about the device plugin, the DRA driver and the DCGM exporter."""

from __future__ import annotations

from ...upstream.nvidia.dcgm_metric_names import EXPORTER_RENAMED
from .words import RuleWords

EXPORTER_MEMORY = "512Mi"
"""The memory limit of upstream's DCGM exporter."""

AGENT_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG009",
        claim="The strategies of a device plugin are words that the plugin knows, and not that of a Tegra, for which Talos has no driver",
        symptom="invalid --device-list-strategy option: invalid strategy: envvars; CrashLoopBackOff of nvidia-device-plugin",
        fix="Use one of the words that the plugin knows",
        source="NVIDIA/k8s-device-plugin api/config/v1/strategy.go; NVIDIA/k8s-device-plugin internal/rm/tegra_devices.go",
    ),
    RuleWords(
        id="TG017",
        claim="The feature gates of the DRA driver are compatible",
        symptom="feature gate DynamicMIG is currently mutually exclusive with MPSSupport; CrashLoopBackOff of dra-driver-nvidia-gpu-kubelet-plugin",
        fix="Set one of the two feature gates to false",
        source="kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go",
    ),
    RuleWords(
        id="TG018",
        claim="A device plugin and GPU feature discovery run with NVIDIA's runtime",
        symptom="Failed to initialize NVML: could not load NVML library; Incompatible strategy detected auto; No devices found. Waiting indefinitely",
        fix="Set runtimeClassName: nvidia in the chart's values",
        source="NVIDIA/k8s-device-plugin#1220; siderolabs/talos#12901",
    ),
    RuleWords(
        id="TG019",
        claim="A DCGM exporter runs with NVIDIA's runtime",
        symptom="Cannot init NVML library; ERROR_LIBRARY_NOT_FOUND; error starting nv-hostengine: DCGM initialization error",
        fix="Set runtimeClassName: nvidia",
        source="NVIDIA/dcgm-exporter#612",
    ),
    RuleWords(
        id="TG020",
        claim="A plugin that writes CDI specs mounts the host's driver from the folder that NVIDIA_DRIVER_ROOT names",
        symptom="RunContainerError: error mounting /usr/local/usr/local/lib/libcuda.so to rootfs: no such file or directory",
        fix="Mount hostPath / at /driver-root, and set NVIDIA_DRIVER_ROOT=/",
        source="https://github.com/proompteng/lab/commit/e1e5b38d; NVIDIA/k8s-device-plugin internal/cdi/cdi.go",
    ),
    RuleWords(
        id="TG022",
        claim="A device plugin can read its config",
        symptom="unable to parse config file: number of replicas must be >= 2; no resources specified; CrashLoopBackOff of nvidia-device-plugin",
        fix="Set sharing.timeSlicing.resources: [{name: nvidia.com/gpu, replicas: 2}], with 2 or more replicas, or remove sharing for whole GPUs",
        source="NVIDIA/k8s-device-plugin api/config/v1/replicas.go",
    ),
    RuleWords(
        id="TG023",
        claim="A device plugin reads every field of its config",
        symptom="Customizing the 'resources' field is not yet supported in the config. Ignoring; a node advertises fewer GPUs than the config says",
        fix="Remove the field",
        source="NVIDIA/k8s-device-plugin api/config/v1/config.go",
    ),
    RuleWords(
        id="TG024",
        claim="The config that a device plugin is to use exists",
        symptom="specified config default does not exist; no config was set, no default was provided, and all fallbacks failed; MountVolume.SetUp "
        'failed: configmap "time-slicing-config" not found',
        fix="Put the configs into config.map, or set config.name to the ConfigMap that holds the configs, and set config.default to one of its keys",
        source="NVIDIA/k8s-device-plugin cmd/config-manager/main.go",
    ),
    RuleWords(
        id="TG025",
        claim="GPUs on Talos are shared by time-slicing, not by MPS",
        symptom="error waiting for MPS daemon; MPS client failed to connect to the MPS control daemon or the MPS server; init 250 result=11",
        fix="Use sharing.timeSlicing in place of sharing.mps. If MPS was tried and works, silence the rule and name the card in the reason",
        source="NVIDIA/k8s-device-plugin#1614; https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-mps",
    ),
    RuleWords(
        id="TG026",
        claim="One device plugin serves the GPUs of a node",
        symptom="nvidia.com/gpu: 0 in the node's Allocatable after the pod of one plugin restarts, until the pod of the other plugin is deleted",
        fix="Give the two plugins node selectors that never match the same node, or remove one plugin",
        source="kubernetes/kubernetes#121994; NVIDIA/k8s-device-plugin#255",
    ),
    RuleWords(
        id="TG031",
        claim="The DRA driver looks for the driver where Talos has it",
        symptom="nvidia-smi: not found, repeated in the init container of dra-driver-nvidia-gpu-kubelet-plugin",
        fix="Set nvidiaDriverRoot: /usr/local",
        source="kubernetes-sigs/dra-driver-nvidia-gpu#605; https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation",
    ),
    RuleWords(
        id="TG032",
        claim="A DRA chart that serves GPUs sets gpuResourcesEnabledOverride",
        symptom="When 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard GPU device plugin on the same node",
        fix="Set gpuResourcesEnabledOverride: true, if no device plugin serves the same nodes",
        source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    ),
    RuleWords(
        id="TG033",
        claim="The operator does not run its own DRA driver on Talos",
        symptom="/bin/nvidia-cuda-mps-control: no such file or directory, in every pod with a claim; no ResourceSlice of gpu.nvidia.com",
        fix="Set gpuCluster.deployCR: false, and install the chart dra-driver-nvidia-gpu with nvidiaDriverRoot: /usr/local",
        source="https://github.com/nicolerenee/infra/pull/2394; NVIDIA/gpu-operator manifests/state-dra-driver/0500_daemonset.yaml",
    ),
    RuleWords(
        id="TG034",
        claim="A GPU is served by the DRA driver or by a device plugin, not by both",
        symptom="CUDA out of memory in two pods with a whole GPU each, one by a claim and one by nvidia.com/gpu",
        fix="Set devicePlugin.enabled: false in the operator's values, or remove the standalone device plugin, or give it and the DRA driver node "
        "selectors that never match the same node",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    ),
    RuleWords(
        id="TG035",
        claim="A DCGM exporter has the memory that DCGM needs, and requests no GPU",
        symptom="dcgm-exporter is OOMKilled; nvidia.com/gpu is 1 of 1 used, but no workload runs",
        fix=f"Set resources: {{limits: {{memory: {EXPORTER_MEMORY}}}}}, or more",
        source="NVIDIA/dcgm-exporter deployment/values.yaml; https://github.com/jlengelbrecht/prox-ops/commit/dd2ffbb8",
    ),
    RuleWords(
        id="TG038",
        claim="A device plugin with a MIG strategy is privileged, from Talos 1.12 on",
        symptom="error building MIG device map: error getting device memory info: Insufficient Permissions",
        fix="Set securityContext: {privileged: true} in the chart's values, or migStrategy: none if no card has MIG partitions",
        source="NVIDIA/nvidia-container-toolkit#1740; NVIDIA/k8s-device-plugin#1683",
    ),
    RuleWords(
        id="TG059",
        claim="A ServiceMonitor or PodMonitor of GPUs matches a Service or a pod, and one of its ports",
        symptom="no data for any DCGM_FI_ metric; the target is missing in Prometheus, without an error",
        fix="Set spec.selector.matchLabels to the labels of the Service itself (PodMonitor: of the pods), and namespaceSelector to its namespace",
        source="https://github.com/prometheus-operator/prometheus-operator/blob/main/Documentation/platform/troubleshooting.md",
    ),
    RuleWords(
        id="TG100",
        claim="Dashboards and alerts use the metric names of the DCGM exporter's version",
        symptom="no data for DCGM_FI_DEV_GPU_UTIL after an upgrade to dcgm-exporter 4.9",
        fix="Use the metric names of DCGM 4.7 in dashboards and alerts, or pin a chart before 4.9.0",
        source="NVIDIA/go-dcgm pkg/dcgm/const_fields.go; NVIDIA/dcgm-exporter etc/default-counters.csv",
    ),
    RuleWords(
        id="TG116",
        claim="A device plugin reads the ConfigMap with its config",
        symptom="Capacity: nvidia.com/gpu: 1, in place of 4, after a ConfigMap with timeSlicing and replicas: 4 was applied",
        fix="Set config.name in the values of the device plugin, or devicePlugin.config.name in those of the GPU operator, to the ConfigMap",
        source="NVIDIA/k8s-device-plugin#990",
    ),
    RuleWords(
        id="TG125",
        claim="Alerts and dashboards read metrics by the names that the DCGM exporter's version has",
        symptom="an alert that never fires; No data in panels with DCGM_FI_ metrics after an upgrade of dcgm-exporter",
        fix=f"Use the exporter's names, and thresholds in their units, or read both: new_name or old_name. dcgm-exporter {EXPORTER_RENAMED} renamed the metrics",
        source="NVIDIA/go-dcgm pkg/dcgm/const_fields.go; NVIDIA/dcgm-exporter etc/default-counters.csv",
    ),
    RuleWords(
        id="TG129",
        claim="One GPU feature discovery labels a node",
        symptom="nvidia.com/gpu.product with and without -SHARED in turn; nvidia.com/gpu.replicas: 1 on a node whose GPUs are shared",
        fix="Keep the GPU feature discovery that has the config of the device plugin, and set gfd.enabled: false for the other one",
        source="NVIDIA/k8s-device-plugin internal/lm/output.go; kubernetes-sigs/node-feature-discovery pkg/nfd-master/nfd-master.go",
    ),
)
