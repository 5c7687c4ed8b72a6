"""The words of the rules about charts and their versions, and about objects that stand twice."""

from __future__ import annotations

from .words import RuleWords

CHART_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG021",
        claim="From Talos 1.13 on no chart value names a path of Talos 1.12, and no bridge runs",
        symptom="no such file or directory: /usr/local/glibc/usr/lib/libnvidia-ml.so.1, after the upgrade to Talos 1.13",
        fix="Remove LD_LIBRARY_PATH. Remove another setting, or set it to the driver root of Talos 1.13, /usr/local",
        source="siderolabs/talos#13346; https://github.com/siderolabs/extensions/commit/fdd02585",
    ),
    RuleWords(
        id="TG027",
        claim="A chart reads every value that it is given",
        symptom="A toleration, node selector or flag is in the values, but no pod has it",
        fix="Use the key that the chart reads",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/templates/clusterpolicy.yaml; "
        "https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/deployments/helm/nvidia-device-plugin/values.yaml",
    ),
    RuleWords(
        id="TG028",
        claim="A chart's values have the types that its templates expect",
        symptom="failOnInitError is in the values, but FAIL_ON_INIT_ERROR is not in the pod; incompatible types for comparison",
        fix="Write true and false without quotes, and strings with quotes",
        source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/daemonset-device-plugin.yml",
    ),
    RuleWords(
        id="TG039",
        claim="A chart renders with the given values",
        symptom="execution error at (nvidia-device-plugin/templates/validation.yml): Running in the 'default' namespace is not recommended",
        fix="Change the value that the chart's error names",
        source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/validation.yml",
    ),
    RuleWords(
        id="TG090",
        claim="This Talos supports the Kubernetes version",
        symptom="version of Kubernetes 1.36.0 is too new to be used with Talos 1.12.11",
        fix="Use a Kubernetes version that this Talos supports",
        source="siderolabs/talos pkg/machinery/compatibility/kubernetes_version.go",
    ),
    RuleWords(
        id="TG091",
        claim="The nodes' driver is new enough for the CUDA version of an image",
        symptom="CUDA driver version is insufficient for CUDA runtime version; The NVIDIA driver on your system is too old; Error 804: forward compatibility "
        "was attempted on non supported HW; Error 803: system has unsupported display driver / cuda driver combination",
        fix="Use an image built with an older CUDA, or a newer Talos",
        source="https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html; https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
    ),
    RuleWords(
        id="TG101",
        claim="This library knows the releases of Talos and of NVIDIA's charts",
        symptom="a fault that no rule finds, or a finding that a newer release has made untrue",
        fix="Install a newer version of this library, or read the release notes of the new Talos or chart",
        source="siderolabs/talos tags; NVIDIA/gpu-operator tags",
    ),
    RuleWords(
        id="TG102",
        claim="A key stands once in a mapping",
        symptom='mapping key "machine" already defined at line 1',
        fix="Merge both values below one key",
        source="https://yaml.org/spec/1.2.2/#3213-node-comparison; https://github.com/go-yaml/yaml/blob/v3.0.1/decode.go; "
        "https://github.com/fluxcd/kustomize-controller/issues/243",
    ),
    RuleWords(
        id="TG119",
        claim="HAMi keeps its files in a folder that Talos can write",
        symptom='CreateContainerError of hami-device-plugin: failed to mkdir "/usr/local/vgpu": mkdir /usr/local/vgpu: read-only file system',
        fix="Set global.gpuHookPath, devicePlugin.libPath and devicePlugin.monitor.ctrPath to folders below /var",
        source="Project-HAMi/HAMi charts/hami/values.yaml; Project-HAMi/k8s-dra-driver#46",
    ),
    RuleWords(
        id="TG124",
        claim="The repository of a chart has the chart's version",
        symptom='chart "gpu-operator" version "v25.3.9" not found in https://helm.ngc.nvidia.com/nvidia repository; no \'gpu-operator\' chart with version '
        "matching 'v25.3.9' found",
        fix="Set a version that the repository has: helm search repo gpu-operator --versions",
        source="https://github.com/NVIDIA/gpu-operator/blob/gh-pages/stable/index.yaml; helm/helm pkg/repo/v1/chartrepo.go",
    ),
    RuleWords(
        id="TG128",
        claim="One Kustomization or Application applies an object of the GPU stack",
        symptom="SharedResourceWarning: RuntimeClass/nvidia is part of applications; a RuntimeClass or a plugin that disappears after a sync",
        fix="Leave the object in one folder, and name that folder's Kustomization in dependsOn of the other",
        source="argoproj/argo-cd controller/state.go; https://fluxcd.io/flux/components/kustomize/kustomizations/#prune",
    ),
)
