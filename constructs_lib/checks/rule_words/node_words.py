"""The words of the rules about the labels of nodes and the namespaces of agents."""

from __future__ import annotations

from .words import RuleWords

NODE_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG007",
        claim="Something sets the labels that a node selector or a required node affinity names",
        symptom="DESIRED 0 of a DaemonSet; 0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector",
        fix="Set the label in machine.nodeLabels (Talos 1.14: labels of KubeNodeConfig) or by a NodeFeatureRule, or select a label that Talos sets: "
        "{key: extensions.talos.dev/nvidia-container-toolkit-production, operator: Exists}. The GPU operator sets nvidia.com/gpu.present; NFD and GPU "
        "feature discovery do not",
        source="NVIDIA/k8s-device-plugin#1213; https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/system-configuration/labels",
    ),
    RuleWords(
        id="TG135",
        claim="Beside the GPU operator the machine configuration has no label nvidia.com/gpu.present",
        symptom="Setting node label nvidia.com/gpu.present=false; Node no longer has GPUs; Disabling all operands for node",
        fix="Remove nvidia.com/gpu.present from machine.nodeLabels (Talos 1.14: labels of KubeNodeConfig). The operator sets the label on every node that "
        "NFD has labelled with an NVIDIA device, so pods can select it all the same",
        source="NVIDIA/gpu-operator controllers/nodelabeling_controller.go; siderolabs/talos "
        "internal/app/machined/pkg/controllers/k8s/node_apply.go",
    ),
    RuleWords(
        id="TG049",
        claim="A label extensions.talos.dev/* is selected by key, not by value",
        symptom="0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, after an upgrade of Talos",
        fix="Use a required node affinity with matchExpressions: [{key: extensions.talos.dev/…, operator: Exists}]",
        source="siderolabs/talos pkg/machinery/constants/constants.go",
    ),
    RuleWords(
        id="TG052",
        claim="The namespace of the pods that serve GPU nodes is privileged",
        symptom='pods "nvidia-device-plugin-" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes',
        fix="Set the label pod-security.kubernetes.io/enforce: privileged on the Namespace, or use kube-system, which Talos exempts",
        source="siderolabs/talos pkg/machinery/config/generate/init.go",
    ),
    RuleWords(
        id="TG123",
        claim="A node of the cluster loads NVIDIA's driver where pods request GPUs",
        symptom="0/2 nodes are available: 1 Insufficient nvidia.com/gpu; no /dev/nvidia0; Failed to initialize NVML: Driver Not Loaded",
        fix="Give a node an image with NVIDIA's extensions (talos-gpu schematic), and set machine.kernel.modules: [{name: nvidia}, {name: nvidia_uvm}, "
        "{name: nvidia_drm}, {name: nvidia_modeset}] (talhelper: kernelModules)",
        source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
    ),
)
