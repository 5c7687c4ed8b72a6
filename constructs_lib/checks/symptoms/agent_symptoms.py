"""Symptoms of the agents of GPU nodes: operator, device plugin, DRA driver, exporter."""

from __future__ import annotations

from .symptom import Symptom

AGENT_SYMPTOMS = (
    Symptom(
        name="operator-waits",
        title="The pods of the GPU operator wait for a driver that Talos has elsewhere",
        phrases=(
            "waiting for nvidia container stack to be setup",
            "Attempting to validate a driver container installation",
            "failed to validate the driver, retrying",
            "/run/nvidia/validations/.driver-ctr-ready … no such file or directory",
        ),
        cause="The operator's validator does not find the driver, so nobody writes the markers that the other pods wait for. Up to Talos 1.12 the validator can't "
        "find the driver; from Talos 1.13 on it does with hostPaths.driverInstallDir: /usr/local",
        remedy="Up to Talos 1.12: run the ValidationBridge of this library (talos-gpu check --explain TG001). From Talos 1.13 on: set hostPaths.driverInstallDir: /usr/local, "
        "driver.enabled: false and toolkit.enabled: false",
        commands=("kubectl logs -n gpu-operator -l app=nvidia-operator-validator -c driver-validation",),
        source="NVIDIA/gpu-operator#1687; siderolabs/talos#9014",
        rules=("TG001", "TG003", "TG002"),
        alerts=("GpuDaemonSetNotReady",),
    ),
    Symptom(
        name="nvml-missing",
        title="NVIDIA's agent runs without the driver's libraries",
        phrases=(
            "Detected non-NVML platform",
            "could not load NVML library",
            "libnvidia-ml.so.1: cannot open shared object file",
            "If this is a GPU node, did you configure the NVIDIA Container Toolkit",
            "Incompatible strategy detected",
            "Incompatible platform detected",
            "No devices found. Waiting indefinitely",
        ),
        cause="The pod of the device plugin or of GPU feature discovery has no RuntimeClass nvidia, so the runtime injects nothing; or the node has no card",
        remedy="Set runtimeClassName: nvidia in the values of the chart, and run the DaemonSet on nodes with a card only",
        commands=("kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'", "talosctl --nodes ADDRESS get extensions"),
        source="NVIDIA/k8s-device-plugin#479; NVIDIA/k8s-device-plugin#478",
        rules=("TG018", "TG041", "TG106"),
    ),
    Symptom(
        name="exporter-nvml",
        title="dcgm-exporter runs without the driver's libraries",
        phrases=(
            "Cannot init NVML library",
            "ERROR_LIBRARY_NOT_FOUND",
            "Error starting nv-hostengine: DCGM initialization error",
            "Cannot initialize the hostengine",
        ),
        cause="The exporter's pod has no RuntimeClass nvidia, so the runtime injects nothing",
        remedy="Set runtimeClassName: nvidia in the values of the chart, or use DcgmExporter of this library",
        commands=("kubectl get pod POD -o jsonpath='{.spec.runtimeClassName}'",),
        source="NVIDIA/dcgm-exporter#612; NVIDIA/dcgm-exporter#34",
        rules=("TG019",),
        alerts=("GpuMetricsTargetDown",),
    ),
    Symptom(
        name="cdi-hook",
        title="A CDI hook of NVIDIA's is not where its specification says",
        phrases=(
            "fork/exec /usr/bin/nvidia-ctk: no such file or directory",
            "fork/exec /usr/bin/nvidia-cdi-hook: no such file or directory",
            "nvidia-container-runtime-wrapper: unknown command nvidia-cdi-hook",
            "nvidia-cdi-hook … no such file or directory",
        ),
        cause="Up to Talos 1.12 the hooks are in /usr/local/bin, and a plugin that injects by CDI writes /usr/bin. From Talos 1.13 on both paths exist",
        remedy="Up to Talos 1.12: set DEVICE_LIST_STRATEGY=envvar, and runtimeClassName: nvidia in the pods; or upgrade to Talos 1.13",
        commands=("talosctl --nodes ADDRESS ls -l /usr/local/bin",),
        source="siderolabs/extensions#1019; siderolabs/talos#13021",
        rules=("TG006",),
    ),
    Symptom(
        name="cdi-unresolvable",
        title="The runtime knows no CDI device of the name that a pod asks for",
        phrases=("unresolvable CDI devices", "failed to inject CDI devices", "CDI device injection failed", "no CDI devices found"),
        cause="Nothing wrote a CDI specification with this device into a folder that containerd reads: the strategy of the plugin does not fit this Talos, "
        "cdi_spec_dirs was replaced, or ext-nvidia-cdi-gen has not run since the cards changed",
        remedy="Up to Talos 1.12: cdi.enabled: false in the operator, DEVICE_LIST_STRATEGY=envvar in a plugin. From Talos 1.13 on: leave cdi_spec_dirs alone, and look "
        "at the folder /run/cdi",
        commands=("talosctl --nodes ADDRESS ls /run/cdi", "talosctl --nodes ADDRESS logs ext-nvidia-cdi-gen"),
        source="NVIDIA/gpu-operator#1876; NVIDIA/nvidia-container-toolkit#1895",
        rules=("TG008", "TG085", "TG006"),
    ),
    Symptom(
        name="cdi-empty-edits",
        title="A CDI specification has a device without device files",
        phrases=("empty device edits", "Ignoring empty CDI specs"),
        cause="The plugin found no device file for a card, and CDI refuses such a device. The DRA driver keeps the cards of an earlier start of the driver in "
        "memory, or the device files were not yet there when it started. No manifest shows this state",
        remedy="Delete the pod of the plugin (DRA: dra-driver-nvidia-gpu-kubelet-plugin) on the node, so that the plugin lists the cards again; then recreate the pod",
        commands=("talosctl --nodes ADDRESS ls /dev", "talosctl --nodes ADDRESS services", "kubectl describe pod POD"),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#1144; kubernetes-sigs/dra-driver-nvidia-gpu#1380",
        rules=("TG031", "TG033"),
    ),
    Symptom(
        name="mps-daemon",
        title="MPS does not run on the node",
        phrases=(
            "error waiting for MPS daemon",
            "error checking MPS daemon health",
            "Failed to send command to MPS daemon",
            "MPS client failed to connect to the MPS control daemon",
            "nvidia-cuda-mps-server exited with status",
            "using MPS requires --mps-root to be specified",
        ),
        cause="The plugin waits for a control daemon that is not there or has failed. No report is known of MPS that works on Talos",
        remedy="Share the card by time-slicing",
        commands=("kubectl get pods --all-namespaces | grep mps",),
        source="NVIDIA/k8s-device-plugin#712; NVIDIA/k8s-device-plugin#1614",
        rules=("TG025",),
    ),
    Symptom(
        name="unified-memory",
        title="A GB10 card (DGX Spark) has no memory of its own to report",
        phrases=(
            "error getting device memory: Not Supported",
            "error getting memory info for device … Not Supported",
            "GetMemoryInfo … Not Supported",
        ),
        cause="CPU and GPU of the GB10 share their memory, so NVML reports none. Device plugins before v0.17.4 and DRA drivers up to v25.12.0 end with this error",
        remedy="Use a device plugin of v0.17.4 or newer (GPU operator v25.10.0 or newer), or a DRA driver of v0.4.0 or newer",
        commands=("kubectl get pods --all-namespaces -o jsonpath='{..image}'",),
        source="NVIDIA/gpu-operator#1794; kubernetes-sigs/dra-driver-nvidia-gpu#1073",
        rules=("TG108", "TG112"),
    ),
    Symptom(
        name="operator-read-only",
        title="An agent writes to a file system of Talos that is read-only",
        phrases=(
            "mkdir /etc/containerd/conf.d: read-only file system",
            "mkdir /usr/local/nvidia: read-only file system",
            "mkdir /usr/local/glibc: read-only file system",
            "failed to mkdir /usr/local/glibc … read-only file system",
            'error while creating mount source path "/usr/local/nvidia',
        ),
        cause="The operator installs a toolkit or a driver on the node, or its hostPaths name a folder that this Talos does not have. Talos brings both as extensions",
        remedy="Set toolkit.enabled: false and driver.enabled: false; from Talos 1.13 on also hostPaths.driverInstallDir: /usr/local",
        commands=("kubectl get clusterpolicy -o yaml",),
        source="NVIDIA/gpu-operator#2382; siderolabs/talos#8402",
        rules=("TG011", "TG003"),
    ),
)
