"""The words of the rules about the configuration of Talos and its images."""

from __future__ import annotations

from ...upstream.charts import device_plugin_chart
from ...upstream.talos.features import BTI_ARGUMENT, CUSTOMIZATION_PATH, DMA_BUF
from ...upstream.talos.omni_metadata import OMNI_DOMAIN, OMNI_NAMESPACE, OMNI_TARGETS, UNREGISTERED_TYPE
from .words import RuleWords

TALOS_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG070",
        claim="Only nodes with a card have NVIDIA's extensions in their image",
        symptom='a node reboots about every 70 minutes; service "ext-nvidia-persistenced" waiting for file "/dev/nvidia0" to exist; boot timeout',
        fix="Move the extensions to the nodes with a card. talhelper: nodes[].schematic.customization.systemExtensions. Omni: systemExtensions of a Workers "
        "document with only these machines",
        source="siderolabs/talos#14373; siderolabs/extensions#888",
    ),
    RuleWords(
        id="TG071",
        claim="A node with NVIDIA's extensions loads their kernel modules: the extension turns automatic loading off",
        symptom="no /dev/nvidia0; Failed to initialize NVML: Driver Not Loaded; NVRM is not in the kernel's log",
        fix="Set machine.kernel.modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}] (talhelper: kernelModules; from "
        "Talos 1.14 on: one KernelModuleConfig per module). Or, if the node has no card, take the extensions out of its image",
        source="siderolabs/extensions nvidia-gpu; siderolabs/talos#9187",
    ),
    RuleWords(
        id="TG072",
        claim="Extensions are named without a version: the Image Factory uses the version of the image's Talos",
        symptom='official extension "siderolabs/…" is not available for Talos version; module nvidia: key was rejected by service',
        fix="Remove the extension from machine.install.extensions, and add it to the schematic of the Image Factory",
        source="mitchross/talos-argocd-proxmox omni/cluster-template; siderolabs/talos#7174",
    ),
    RuleWords(
        id="TG073",
        claim="Up to Talos 1.11 a GPU node sets net.core.bpf_jit_harden to 1",
        symptom="nvidia-container-cli: mount error: failed to add device rules: last insn is not an exit or jmp",
        fix='Set machine.sysctls: {net.core.bpf_jit_harden: "1"}',
        source="NVIDIA/libnvidia-container#176; siderolabs/extensions#101",
    ),
    RuleWords(
        id="TG074",
        claim=f"A node gets one {CUSTOMIZATION_PATH}",
        symptom="resource EtcFileSpecs.files.talos.dev(files/cri/conf.d/20-customization.part@undefined) already exists; the node reboots in a loop",
        fix="Merge both contents into one entry, or remove the first by an entry with the same path and $patch: delete before the second. From Talos 1.14 on "
        "a CRICustomizationConfig takes the place of the entry",
        source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go",
    ),
    RuleWords(
        id="TG075",
        claim="machine.files creates files only below /var",
        symptom='create operation not allowed outside of /var: "/etc/nvidia-container-runtime/config.toml"; the node reboots in a loop',
        fix="Remove the file: Talos 1.13 and newer read no configuration of the toolkit, and older releases read /usr/local/etc/nvidia-container-runtime in "
        "the image",
        source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go; siderolabs/talos#9550",
    ),
    RuleWords(
        id="TG076",
        claim="The kernel modules and the driver of a node support its card",
        symptom="No devices were found; NVRM: The NVIDIA GPU is not supported by open gpu; GPU is supported through the NVIDIA 580.xx Legacy drivers",
        fix="Maxwell, Pascal and Volta: use siderolabs/nonfree-kmod-nvidia-lts and siderolabs/nvidia-container-toolkit-lts. Blackwell: use "
        "siderolabs/nvidia-open-gpu-kernel-modules-production and siderolabs/nvidia-container-toolkit-production",
        source="NVIDIA/open-gpu-kernel-modules README.md; siderolabs/talos#9430",
    ),
    RuleWords(
        id="TG077",
        claim="From Talos 1.13 on no node configuration names /usr/local/glibc",
        symptom="after the upgrade to Talos 1.13 the node does not come up, or kubelet fails: no such file or directory: /usr/local/glibc",
        fix="Remove the path, or replace it by /usr/local/lib (libraries) and /usr/local/bin (programs)",
        source="https://github.com/siderolabs/extensions/commit/fdd02585; siderolabs/talos#13346",
    ),
    RuleWords(
        id="TG078",
        claim="Machines with NVSwitch run the fabric manager",
        symptom="CUDA_ERROR_SYSTEM_NOT_READY (802); system not yet initialized",
        fix="Add siderolabs/nvidia-fabricmanager-production (or -lts, as the driver) if the machine has NVSwitch",
        source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; siderolabs/extensions nvidia-gpu/nvidia-fabricmanager",
    ),
    RuleWords(
        id="TG079",
        claim="Up to Talos 1.13 a worker's taints are in registerWithTaints, not only in nodeTaints",
        symptom='nodes "gpu-1" is forbidden: node "gpu-1" is not allowed to modify taints; pods without a toleration run on the GPU node; the node has no labels',
        fix="Let the kubelet register the node with the taint: machine.kubelet.extraConfig.registerWithTaints",
        source="siderolabs/talos#10935; siderolabs/talos#8193",
    ),
    RuleWords(
        id="TG080",
        claim="NVIDIA's extensions of a node have one flavour and one track",
        symptom="Failed to initialize NVML: Driver/library version mismatch",
        fix="Use one track for kernel modules, container toolkit and fabric manager, such as siderolabs/nvidia-container-toolkit-production with one of "
        "siderolabs/nvidia-open-gpu-kernel-modules-production and siderolabs/nonfree-kmod-nvidia-production",
        source="siderolabs/extensions nvidia-gpu; siderolabs/image-factory internal/profile/profile.go",
    ),
    RuleWords(
        id="TG081",
        claim="Settings of NVIDIA's runtime stand where containerd reads them",
        symptom="pods without runtimeClassName see no GPU although default_runtime_name is nvidia; fork/exec /usr/bin/nvidia-container-runtime",
        fix='Set default_runtime_name = "nvidia" in [plugins."io.containerd.cri.v1.runtime".containerd], and remove the runtime nvidia: the extension brings the runtime with '
        "/usr/local/bin/nvidia-container-runtime",
        source="siderolabs/talos hack/cri-plugin.part; siderolabs/extensions nvidia-gpu",
    ),
    RuleWords(
        id="TG082",
        claim="On Talos 1.12 a node with NVIDIA's extensions has no nfs-utils",
        symptom="rpc-statd restarts in a loop; containerd does not start: boltdb; the node is NotReady",
        fix="Remove siderolabs/nfs-utils from the image of these nodes, or upgrade to Talos 1.13",
        source="siderolabs/talos#12667; siderolabs/extensions#1021",
    ),
    RuleWords(
        id="TG083",
        claim="A node that loads NVIDIA's modules has an image with these modules",
        symptom='error loading module "nvidia": module not found; after an upgrade nvidia.com/gpu is gone',
        fix="Set the installer of a schematic with NVIDIA's extensions: machine.install.image (talhelper: schematic or talosImageURL)",
        source="jlengelbrecht/prox-ops talos/talconfig.yaml; siderolabs/talos pkg/machinery/config/types/v1alpha1",
    ),
    RuleWords(
        id="TG132",
        claim="No node installs ghcr.io/siderolabs/installer from Talos 1.14 on, and Renovate does not watch it",
        symptom="ghcr.io/siderolabs/installer:v1.14.0: not found; Renovate proposes no Talos newer than 1.13",
        fix="Name the image of the node's schematic at the Image Factory: talos-gpu schematic --from FILE --print installer. For Renovate: datasource=github-releases depName=siderolabs/talos",
        source="https://docs.siderolabs.com/talos/v1.14/getting-started/what's-new-in-talos#default-installer-image",
    ),
    RuleWords(
        id="TG084",
        claim="Labels and taints of a node stand under machine, not under machine.kubelet",
        symptom="unknown keys found during decoding: machine: kubelet: nodeLabels",
        fix="Move the field to machine.nodeLabels",
        source="https://docs.siderolabs.com/talos/v1.13/reference/configuration/v1alpha1/config",
    ),
    RuleWords(
        id="TG085",
        claim="Up to Talos 1.12 cdi_spec_dirs keeps the folder to which DRA drivers and device plugins write CDI specs",
        symptom="unresolvable CDI devices; no CDI devices found",
        fix='Add "/var/run/cdi" to cdi_spec_dirs',
        source="siderolabs/talos hack/cri-plugin.part",
    ),
    RuleWords(
        id="TG086",
        claim="A node's configuration sets nothing both in a field and in a document",
        symptom=".machine.nodeLabels is already set in v1alpha1 config; UnattendedInstallConfig config is incompatible with v1alpha1 config "
        "(.machine.install)",
        fix="Move the field into the document. A node upgraded from Talos 1.13 keeps its fields. A node installed with 1.14 has documents",
        source="siderolabs/talos pkg/machinery/config/container/validate.go",
    ),
    RuleWords(
        id="TG087",
        claim="The node's Talos knows the kind of every document",
        symptom='error decoding document v1alpha1/KernelModuleConfig/nvidia (line 1): "KernelModuleConfig" "v1alpha1": not registered',
        fix="Up to Talos 1.13 use fields. KernelModuleConfig: machine.kernel.modules. SysctlConfig: machine.sysctls. KubeNodeConfig: machine.nodeLabels and "
        "machine.nodeTaints. CRICustomizationConfig: machine.files",
        source="siderolabs/talos pkg/machinery/config/types",
    ),
    RuleWords(
        id="TG088",
        claim="A node with gdrcopy has the open kernel modules, and loads gdrdrv",
        symptom='module not found "gdrdrv"; gdr_open() failed; no /dev/gdrdrv',
        fix="Use siderolabs/nvidia-open-gpu-kernel-modules-production (or -lts, as the toolkit), or remove siderolabs/nvidia-gdrdrv-device and the "
        "module gdrdrv",
        source="siderolabs/pkgs nvidia-open-gpu-kernel-modules; siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device",
    ),
    RuleWords(
        id="TG089",
        claim="The Image Factory has every NVIDIA extension of a node",
        symptom='official extension "siderolabs/nvidia-driver" is not available for Talos version v1.11.1',
        fix="Use siderolabs/nvidia-open-gpu-kernel-modules-production or siderolabs/nonfree-kmod-nvidia-production for the driver, and "
        "siderolabs/nvidia-container-toolkit-production; or all of them with -lts",
        source="siderolabs/extensions nvidia-gpu; siderolabs/image-factory internal/profile/profile.go",
    ),
    RuleWords(
        id="TG104",
        claim="A node with fabric manager for NVLink 5 (B100, B200, B300) loads ib_umad, on Talos 1.12 or newer",
        symptom="NV_WARN_NOTHING_TO_DO; umad_init: can't read ABI version: is ib_umad module loaded?; CUDA_ERROR_SYSTEM_NOT_READY (802)",
        fix="Add {name: ib_umad} to machine.kernel.modules (talhelper: kernelModules; from Talos 1.14 on: a KernelModuleConfig with name: ib_umad)",
        source="siderolabs/extensions#717; siderolabs/docs#581",
    ),
    RuleWords(
        id="TG105",
        claim="No node loads nvidia_peermem: Talos can't load the module, and DMA-BUF takes its place",
        symptom='error loading module "nvidia_peermem": load nvidia_peermem failed: invalid argument',
        fix="Remove nvidia_peermem from the modules. For GPUDirect RDMA use DMA-BUF, which needs no further module: open kernel modules, Talos "
        f"{DMA_BUF.first} or newer",
        source="siderolabs/talos#12021; siderolabs/pkgs#1356",
    ),
    RuleWords(
        id="TG106",
        claim="An image with NVIDIA's kernel modules has the container toolkit, too: the extension with the driver's libraries",
        symptom='no runtime for "nvidia" is configured; libcuda.so.1: cannot open shared object file',
        fix="Add siderolabs/nvidia-container-toolkit-production (or -lts, as the modules) to the extensions of the image",
        source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit; NVIDIA/k8s-device-plugin#479",
    ),
    RuleWords(
        id="TG107",
        claim="The image of a node with a GB10 has the kernel argument arm64.nobti",
        symptom="the node reboots or the kernel panics while it loads nvidia.ko; Internal error: Oops - BTI",
        fix=f"Add {BTI_ARGUMENT} to customization.extraKernelArgs of the schematic, and install the image of the new ID",
        source="siderolabs/talos#13019; NVIDIA/open-gpu-kernel-modules#771; https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu-proprietary",
    ),
    RuleWords(
        id="TG108",
        claim="The device plugin is new enough for a GB10",
        symptom="error getting device memory: Not Supported",
        fix=f"Use the device plugin v{device_plugin_chart.UNIFIED_MEMORY_SINCE} or newer",
        source="NVIDIA/gpu-operator#1794; NVIDIA/k8s-device-plugin#1374",
    ),
    RuleWords(
        id="TG109",
        claim="A node that loads NVIDIA's modules does not bind NVIDIA's cards to vfio_pci by their ids",
        symptom="device not bound to 'vfio-pci'; device: 0000:18:00.0 driver: 'nvidia'; NVIDIA GPU driver is already pre-installed on the node; "
        "nvidia-sandbox-validator is in CrashLoopBackOff",
        fix="For virtual machines, remove NVIDIA's modules and extensions from the node. If one card is for containers and one for virtual machines, "
        'remove the ids, and hand the second card over by its address: {apiVersion: v1alpha1, kind: PCIDriverRebindConfig, name: "0000:04:00.0", targetDriver: vfio-pci}',
        source="cozystack/cozystack#2763; siderolabs/talos internal/app/machined/pkg/controllers/hardware/pci_driver_rebind.go",
    ),
    RuleWords(
        id="TG110",
        claim="No machine configuration of a worker, and no argument node-labels of a kubelet, has a label that a node may not set on itself",
        symptom='nodes "gpu-1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/gpu; the node has no labels and no taints; '
        "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels",
        fix="Remove the label from nodeLabels, or from the kubelet's argument node-labels, and set the label with kubectl label nodes after the worker has joined",
        source="siderolabs/talos#8193; siderolabs/talos internal/app/machined/pkg/controllers/k8s/node_apply.go; "
        "kubernetes/kubernetes cmd/kubelet/app/options/options.go; https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction",
    ),
    RuleWords(
        id="TG111",
        claim="The release of Talos has a fabric manager that starts",
        symptom="error while loading shared libraries: libz.so.1: cannot open shared object file; FABRIC_NODE_CONFIG_FILE has an invalid value; "
        "Runner Containerd(ext-nvidia-fabricmanager) exited without error, going to restart it; CUDA_ERROR_SYSTEM_NOT_READY (802)",
        fix="Upgrade to a patch release of Talos whose fabric manager starts: 1.13.1 or newer",
        source="siderolabs/extensions#1073; siderolabs/extensions#511",
    ),
    RuleWords(
        id="TG112",
        claim="The DRA driver is new enough for a GB10",
        symptom="error getting info for GPU 0: error getting memory info for device 0: Not Supported; no ResourceSlice has the GPU",
        fix="Use the DRA driver 0.4.0 or newer, which is the chart oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
        source="kubernetes-sigs/dra-driver-nvidia-gpu#1073; kubernetes-sigs/dra-driver-nvidia-gpu#1115",
    ),
    RuleWords(
        id="TG114",
        claim="The GPU operator reads the label by which a node hands its cards to virtual machines",
        symptom="no resource such as nvidia.com/AD102_GEFORCE_RTX_4090 on the node; no nvidia-vfio-manager and no nvidia-sandbox-device-plugin runs",
        fix="Set sandboxWorkloads: {enabled: true} in the values of the GPU operator, or remove the label",
        source="NVIDIA/gpu-operator controllers/state_manager.go; https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-kubevirt.html",
    ),
    RuleWords(
        id="TG126",
        claim="A resource of Omni has a type that Omni knows",
        symptom=UNREGISTERED_TYPE,
        fix=f"Set metadata: {{type: ConfigPatches.{OMNI_DOMAIN}}}",
        source="siderolabs/omni client/pkg/omnictl/apply.go; cosi-project/runtime pkg/resource/protobuf/registry.go",
    ),
    RuleWords(
        id="TG127",
        claim=f"A resource of Omni is in the namespace {OMNI_NAMESPACE}, and its labels name a cluster or a machine",
        symptom="a config patch that changes no machine; destroy orphaned config patch",
        fix=f"Set metadata: {{labels: {{{OMNI_TARGETS[0]}: CLUSTER}}}}, and {OMNI_DOMAIN}/machine-set or {OMNI_DOMAIN}/cluster-machine for a part of the cluster",
        source="siderolabs/omni internal/backend/runtime/omni/controllers/omni/internal/layeredresource/layeredresource.go",
    ),
)
