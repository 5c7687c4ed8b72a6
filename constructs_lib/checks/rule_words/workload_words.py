"""The words of the rules about the pods that use GPUs."""

from __future__ import annotations

from ...upstream.kubernetes.api import ESCALATION_REFUSED, SYS_ADMIN
from ...upstream.talos.features import LEGACY_LIBRARIES
from .words import RuleWords

WORKLOAD_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG040",
        claim="A pod that requests a GPU names the RuntimeClass that injects the GPU",
        symptom="nvidia-smi: not found; libcuda.so.1: cannot open shared object file; no NVIDIA GPU detected, in a pod with an allocated GPU",
        fix="Set runtimeClassName: nvidia in the pod spec",
        source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
    ),
    RuleWords(
        id="TG041",
        claim="A RuntimeClass that pods name exists",
        symptom='pod rejected: RuntimeClass "nvidia" not found',
        fix="Add {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}. The GPU operator creates its RuntimeClass itself",
        source="https://kubernetes.io/docs/concepts/containers/runtime-class/",
    ),
    RuleWords(
        id="TG042",
        claim="A RuntimeClass has a handler that Talos knows",
        symptom='Failed to create pod sandbox: no runtime for "nvidia-cdi" is configured',
        fix="Set handler: nvidia",
        source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit",
    ),
    RuleWords(
        id="TG043",
        claim="A container with a GPU limit does not choose GPUs by NVIDIA_VISIBLE_DEVICES",
        symptom="nvidia-smi in a pod shows every GPU of the node; CUDA out of memory on a GPU that was allocated to nobody else",
        fix="Remove NVIDIA_VISIBLE_DEVICES: the device plugin sets the variable to the allocated GPU",
        source="NVIDIA/k8s-device-plugin#61",
    ),
    RuleWords(
        id="TG044",
        claim="A container with NVIDIA_VISIBLE_DEVICES has a GPU limit",
        symptom="A pod without nvidia.com/gpu uses GPU memory; CUDA out of memory in another pod",
        fix="Set resources: {limits: {nvidia.com/gpu: 1}}, and remove NVIDIA_VISIBLE_DEVICES",
        source="NVIDIA/k8s-device-plugin#87",
    ),
    RuleWords(
        id="TG048",
        claim="A Deployment frees a whole GPU before its next pod starts",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a new pod while the old one runs; the rollout never ends",
        fix="Set strategy: {type: Recreate}, or strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
    ),
    RuleWords(
        id="TG050",
        claim="On Talos 1.12 no hook or probe runs a command in a container with a GPU",
        symptom="FailedPostStartHook; ERROR: init 250 result=11; a container that exits with code 0 a few seconds after its start",
        fix="Pull models in a Job or an init container, probe by httpGet, and set preStop: {sleep: {seconds: 10}}; or upgrade to Talos 1.13",
        source="siderolabs/extensions#940",
    ),
    RuleWords(
        id="TG051",
        claim="On Talos 1.12 an image with its own libc has LD_LIBRARY_PATH set to the driver's libraries",
        symptom="Plex transcodes on the CPU; Cannot load libcuda.so.1",
        fix=f"Set LD_LIBRARY_PATH={LEGACY_LIBRARIES}, and remove the variable on Talos 1.13",
        source="DavidIlie/home-cluster kubernetes/apps/media/plex",
    ),
    RuleWords(
        id="TG053",
        claim="Pods for GPU nodes tolerate the taints of these nodes",
        symptom="DESIRED 0 of the device plugin; 0/3 nodes are available: 1 node(s) had untolerated taint(s); untolerated taint {dedicated: ai}",
        fix="Add the taint's key, value and effect to tolerations",
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    ),
    RuleWords(
        id="TG060",
        claim="A container gets GPUs by a resource, not by device files of the host",
        symptom="Failed to initialize NVML: Unknown Error; /dev/nvidia0: Operation not permitted",
        fix="Set resources: {limits: {nvidia.com/gpu: 1}}, and remove the volume: the device plugin brings the device files",
        source="kubernetes/kubernetes#5607",
    ),
    RuleWords(
        id="TG061",
        claim="From Talos 1.13 on no pod names /usr/local/glibc",
        symptom="MountVolume.SetUp failed: hostPath type check failed: /usr/local/glibc/usr/lib is not a directory",
        fix="Use /usr/local/lib and /usr/local/bin, or remove the path: CDI gives the container the libraries",
        source="https://github.com/siderolabs/extensions/commit/fdd02585",
    ),
    RuleWords(
        id="TG064",
        claim="A vLLM pod beside a Service named vllm gets no service variables",
        symptom="ValueError: VLLM_PORT 'tcp://10.96.0.10:8000' appears to be a URI. This may be caused by a Kubernetes service discovery issue",
        fix="Set enableServiceLinks: false in the pod spec, or rename the Service",
        source="vllm-project/vllm#34199",
    ),
    RuleWords(
        id="TG065",
        claim="A container with a GPU limit is not privileged",
        symptom="nvidia-smi in a pod shows every GPU of the node",
        fix="Remove privileged: true. The device plugin and the runtime give the container everything that its GPU needs",
        source="kubernetes/kubernetes#46007",
    ),
    RuleWords(
        id="TG103",
        claim="A container with several GPUs has more shared memory than the runtime's 64 MiB",
        symptom="NCCL WARN Error while creating shared memory segment /dev/shm/nccl-… (size 9637888); unhandled system error; Bus error (core dumped)",
        fix="Add volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}], and mount it: volumeMounts: [{name: shm, mountPath: /dev/shm}]. "
        "Shared memory counts towards the container's memory limit",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/runtime_and_mpi_issues.html#shared-memory",
    ),
    RuleWords(
        id="TG113",
        claim="KubeVirt permits the GPUs that virtual machines ask for",
        symptom="failed to render launch manifest: GPU nvidia.com/AD102_GEFORCE_RTX_4090 is not permitted in permittedHostDevices configuration",
        fix="Correct deviceName, or add the device, with its ids, to spec.configuration.permittedHostDevices.pciHostDevices of the KubeVirt object: "
        '{pciVendorSelector: "10DE:2684", resourceName: NAME, externalResourceProvider: true}, with NAME as kubectl describe node shows it',
        source="kubevirt/kubevirt pkg/virt-controller/services/renderresources.go; kubevirt/kubevirt#4950",
    ),
    RuleWords(
        id="TG118",
        claim="A pod that requests a GPU does not run under gVisor or Kata Containers",
        symptom="nvidia-smi: not found, or no CUDA-capable device is detected, in a pod with runtimeClassName gvisor or kata",
        fix='Set runtimeClassName: nvidia. For gVisor, register a handler whose runsc.toml has nvproxy = "true"; for virtual machines, hand the card over with '
        "sandboxWorkloads of the GPU operator",
        source="siderolabs/extensions#413; google/gvisor#9368; kata-containers/documentation#764",
    ),
    RuleWords(
        id="TG120",
        claim="A video server gets the driver's libraries for NVENC and NVDEC",
        symptom="Cannot load libnvidia-encode.so.1; Cannot load libnvcuvid.so.1; The minimum required Nvidia driver for nvenc is 418.30 or newer",
        fix="Set the variable NVIDIA_DRIVER_CAPABILITIES of the container to compute,video,utility",
        source="linuxserver/docker-plex#340; jellyfin-archive/jellyfin-metapackages#2",
    ),
    RuleWords(
        id="TG122",
        claim="A container with every privilege does not turn privilege escalation off",
        symptom=f"{ESCALATION_REFUSED['privileged']}; {ESCALATION_REFUSED['capabilities']}",
        fix=f"Remove allowPrivilegeEscalation: false, or remove privileged: true and the capability {SYS_ADMIN[0]}",
        source="kubernetes/kubernetes pkg/apis/core/validation/validation.go",
    ),
    RuleWords(
        id="TG130",
        claim="A volume in memory is smaller than the memory limit of the container that fills it",
        symptom="OOMKilled (exit code 137) of a container that writes to /dev/shm, or to another emptyDir with medium: Memory",
        fix="Raise the memory limit by the sizeLimit of the volume, or lower the sizeLimit: the process needs memory beside the files",
        source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir; kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go",
    ),
    RuleWords(
        id="TG133",
        claim="A GPU pod has a literal credential in a variable, a command or an argument",
        symptom="The token is in the repository, in kubectl get pod -o yaml, and in every log that prints the command line",
        fix="Put the credential into a Secret, and read it with env: [{name: …, valueFrom: {secretKeyRef: {name: …, key: …}}}]; then replace the credential",
        source="https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
    ),
    RuleWords(
        id="TG134",
        claim="The image of a GPU container has no tag, or the tag latest",
        symptom="CUDA driver version is insufficient for CUDA runtime version, after a restart of a pod that worked before",
        fix="Write a tag with a version, or a digest",
        source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    ),
)
