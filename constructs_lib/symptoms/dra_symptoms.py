"""Symptoms of dynamic resource allocation: NVIDIA's DRA driver, the kubelet and the scheduler with claims."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.generations import CDI_LAYOUT
from .link import Link, Symptom

_CLAIMS = command("kubectl get resourceclaims --all-namespaces -o yaml")
_SLICES = command("kubectl get resourceslices -o yaml")
_PODS = command("kubectl get pods --namespace dra-driver-nvidia-gpu -o wide")
_LOG = command("kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin --all-containers")

# fmt: off
DRA_SYMPTOMS = (
    Symptom("dra-driver-root", Link.PLUGIN, "The DRA driver finds no driver in the folder that nvidiaDriverRoot names", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.1:hack/kubelet-plugin-prestart.sh, cmd/gpu-kubelet-plugin/{root,nvlib}.go
        phrases=(
            "Check failed. Has the NVIDIA GPU driver been set up",
            "failed to create device library: failed to locate driver libraries",
            "failed to create device library: failed to locate nvidia-smi",
            "/driver-root … nvidia-smi: not found, libnvidia-ml.so.1: not found"),
        likely=("error enumerating all possible devices … ERROR_LIBRARY_NOT_FOUND",),
        possible=('error locating "libnvidia-ml.so.1"',),
        cause="The init container and the plugin look for nvidia-smi and libnvidia-ml.so.1 below nvidiaDriverRoot, and its default is "
        "another folder than Talos'; or the node's image has no driver",
        remedy="Set nvidiaDriverRoot: /usr/local in the values of the chart",
        commands=(
            command("kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin -c init-container"),
            command("talosctl --nodes ADDRESS get extensions")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#605; kubernetes-sigs/dra-driver-nvidia-gpu#204; kubernetes-sigs/dra-driver-nvidia-gpu#1272", rules=("TG031",)),
    Symptom("dra-device-major", Link.MODULES, "The DRA driver finds no device number of NVIDIA's in /proc/devices", rank=3,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.1 and v0.5.0:internal/common/nvcaps.go
        phrases=("error getting device major: error parsing '/proc/devices'",),
        cause="The driver registers the numbers of MIG and IMEX (nvidia-caps, nvidia-caps-imex-channels) when it loads: the kernel "
        "modules are "
        "not loaded on the node",
        remedy="Load the kernel modules on the node (talos-gpu patch)",
        commands=(command("talosctl --nodes ADDRESS read /proc/devices"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu internal/common/nvcaps.go", rules=("TG071",)),
    Symptom("dra-configuration", Link.STARTED, "The DRA driver refuses the configuration of a claim", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.1 and v0.5.0 (the first four: 0.5.0):cmd/gpu-kubelet-plugin/device_state.go
        phrases=(
            "MPS sharing is not supported when consumable shares is enabled",
            "has conflicting configuration with already prepared claim",
            "requests admin access on a non-full-GPU device",
            "requests admin access with a device configuration",
            "cannot apply GpuConfig to device",
            "cannot apply MigDeviceConfig to device"),
        cause="The configuration of the claim is not of its device: GpuConfig on a partition, MigDeviceConfig on a card, one beside "
        "admin "
        "access, or MPS beside shares; or another claim has the device with another configuration",
        remedy="Give the request the configuration of its DeviceClass: GpuConfig with gpu.nvidia.com, MigDeviceConfig with "
        "mig.nvidia.com; "
        "none with admin access. Claims that share a device have the same one",
        commands=(command("kubectl get resourceclaims --all-namespaces -o yaml"),),
        source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/device_state.go"),
    Symptom("dra-claim-source", Link.ADMITTED, "The API server refuses the claims of a pod: it does not see which claim is meant", rank=1,
        # kubernetes/kubernetes@v1.31:pkg/apis/core/validation/validation.go
        phrases=("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",),
        cause="The pod's claim has the field source, as up to Kubernetes 1.30, or neither name. From 1.31 on the API server drops source, "
        "and resourceClaimName or resourceClaimTemplateName is a field beside the name of the claim",
        remedy="Write resourceClaims: [{name: gpu, resourceClaimTemplateName: NAME}], and take examples of the release of Kubernetes in use",
        commands=(command("kubectl version"), command("kubectl get pod POD -o yaml")),
        source="Project-HAMi/k8s-dra-driver#5; kubernetes/kubernetes pkg/apis/core/validation/validation.go"),
    Symptom("dra-mps-daemon", Link.STARTED, "The MPS daemon that the DRA driver starts for a claim is not ready", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.1 and v0.5.0:cmd/gpu-kubelet-plugin/device_state.go
        phrases=("MPS control daemon is not yet ready",),
        cause="The driver makes a Deployment mps-control-daemon-… in its own namespace for each claim with MPS, and the claim waits for "
        "the pod. "
        "No report is known of a claim with MPS that works on Talos",
        remedy="Read why the pod of the Deployment does not start, or share the card by time-slicing in the claim",
        commands=(command("kubectl get pods --namespace dra-driver-nvidia-gpu -o wide"),),
        source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/sharing.go", rules=("TG025",)),
    Symptom("dra-unknown-uuid", Link.STARTED, "NVML does not know the card of a claim that is to be prepared", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.1 and v0.5.0:cmd/gpu-kubelet-plugin/cdi.go around NVML's Not Found
        phrases=("unable to get device spec for … device handle from UUID",),
        likely=("unable to get device spec for",),
        cause="The claim holds a card by its UUID, and the node's driver does not list it. The card is still bound to vfio-pci for a "
        "virtual machine, was exchanged, has fallen off the bus, or is a partition that was made again. Where the driver lists it, "
        "nvidia-smi -L has the UUID of the claim",
        remedy="Compare the ResourceSlice of the node with its cards. A card of vfio-pci: end the virtual machine or the pod that has it, so "
        "that the DRA driver gives it back; the pod of the claim starts by itself. A card that is gone: delete pod and claim",
        commands=(_SLICES, _CLAIMS, command("talosctl --nodes ADDRESS get pcidevices"), _LOG),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#1330; kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/cdi.go"),
    Symptom("dra-edits-not-applied", Link.STARTED, "The runtime does not apply the CDI devices of a claim", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/compute-domain-daemon/main.go; 25.8: writeIMEXConfig reads a template that the edits mount
        phrases=(
            "CDI container edits did not apply -- is CDI enabled in your container runtime",
            "writeIMEXConfig failed: error parsing template file: open … imexd.cfg.tmpl: no such file or directory"),
        cause="The container started without the variables and mounts that the DRA driver asked for by CDI: CDI is off in containerd (its "
        "default before 2.0, or enable_cdi = false), or the runtime of the pod is not containerd's own. Folders that containerd does not read "
        "give another error: unresolvable CDI devices",
        remedy=f"Take enable_cdi and cdi_spec_dirs out of machine.files: {CDI_LAYOUT.when} Talos sets both itself, and the DRA driver needs "
        "such a Talos",
        commands=(command("talosctl --nodes ADDRESS read /etc/cri/conf.d/cri.toml"), command("talosctl --nodes ADDRESS ls /run/cdi"), _LOG),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#720; kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-daemon/main.go", rules=("TG085", "TG008")),
    Symptom("dra-not-registered", Link.PLUGIN, "The DRA driver is not registered with the kubelet of the node", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go, and 1.31 to 1.33: plugin/plugins_store.go
        phrases=(
            "DRA driver gpu.nvidia.com is not registered",
            "DRA driver compute-domain.nvidia.com is not registered",
            "plugin name gpu.nvidia.com not found in the list of registered DRA plugins",
            "DRA driver … nvidia.com … is not registered"),
        cause="The scheduler has given the pod a card by claim, but that node's kubelet knows no DRA driver with the name. The driver's "
        "pod does not run there, is still starting, or its part for this name is off (compute-domain.nvidia.com belongs to "
        "resources.computeDomains). Taints without a toleration keep the pod away",
        remedy="See why no pod of the driver runs on the node: tolerations, its init container, its log. The pod of the claim starts by "
        "itself once the driver is registered",
        commands=(_PODS, _LOG, _SLICES),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#814", rules=("TG031", "TG053")),
    Symptom("dra-claim-version", Link.STARTED, "Kubelet and API server disagree on the version of the claims' API", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/dra/manager.go
        phrases=("failed to fetch ResourceClaim … the server could not find the requested resource", "fetch ResourceClaim … the server could not find the requested resource"),
        cause="The kubelet of the node is older than the API server, and asks for a version of resource.k8s.io that was removed from this "
        "API server",
        remedy="Upgrade the kubelet of the node to the version of the control plane: talosctl upgrade-k8s, which restarts the kubelets, "
        "and workloads go on",
        commands=(command("kubectl get nodes -o wide"), command("kubectl version")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#766", rules=("TG094",)),
    Symptom("dra-no-device", Link.SCHEDULED, "No node has a free device for the claim of the pod",
        # kubernetes/kubernetes@v1.36.3:pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
        likely=("cannot allocate all claims", "resourceclaim not available on the node"),
        cause="The devices of the class are taken, none passes the selectors of the request, or no driver publishes any: a node without "
        "ResourceSlices has no DRA driver that works",
        remedy="Compare the ResourceSlices with the claims that are allocated. Without slices: see the log of the DRA driver. With free "
        "devices: try the expression of the selector on the attributes in the slice",
        commands=(_SLICES, _CLAIMS),
        source="kubernetes/kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go", rules=("TG093", "TG031"), alerts=("GpuPodPending",)),
    Symptom("dra-class-missing", Link.SCHEDULED, "The DeviceClass of a claim does not exist", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, dynamic-resource-allocation structured allocator
        phrases=("device class … nvidia.com does not exist", "could not retrieve device class … nvidia.com"),
        likely=("request … device class … does not exist",),
        cause="The chart of the DRA driver makes gpu.nvidia.com and mig.nvidia.com. It is not installed, its part gpus is off, or the "
        "claim has a typing error",
        remedy=f"Install NVIDIA's DRA driver with resources.gpus.enabled ({CDI_LAYOUT.when} with nvidiaDriverRoot: /usr/local), or name "
        "a class that exists",
        commands=(command("kubectl get deviceclasses"), _CLAIMS),
        source="kubernetes/kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go", rules=("TG056", "TG093")),
    Symptom("dra-claim-missing", Link.SCHEDULED, "The claim of the pod does not exist", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, staging resourceclaim/claim.go
        likely=('resourceclaim "…" not found', "waiting for dynamic resource controller to create the resourceclaim", "ResourceClaim not created yet"),
        cause="The pod names a ResourceClaim that is not in its namespace, or a ResourceClaimTemplate from which the controller has not "
        "made the claim: the template is missing or not valid",
        remedy="Apply claim or template in the namespace of the pod, before the pod",
        commands=(command("kubectl get resourceclaims,resourceclaimtemplates --all-namespaces"), command("kubectl describe pod POD")),
        source="kubernetes/kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go", rules=("TG054",)),
    Symptom("dra-selector", Link.SCHEDULED, "The expression of a device selector fails", rank=1,
        # kubernetes/kubernetes@v1.36.3: staging/src/k8s.io/dynamic-resource-allocation/structured/internal/stable/allocator_stable.go
        phrases=("selector … CEL runtime error", "selector … CEL compile error"),
        cause="The expression reads an attribute or a capacity that a device does not have, such as one of cards on a partition, or it "
        "is no valid CEL. One such device stops the allocation on its node",
        remedy="Ask first whether the attribute is there, for example 'productName' in device.attributes['gpu.nvidia.com'], and take the "
        "name from the ResourceSlice",
        commands=(_SLICES, _CLAIMS),
        source="kubernetes/dynamic-resource-allocation structured/internal/stable/allocator_stable.go"),
    Symptom("dra-checkpoint", Link.PLUGIN, "The DRA driver can't read the state that it wrote before", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/gpu-kubelet-plugin/{device_state,checkpoint}.go
        phrases=("unable to get checkpoint: … checkpoint is corrupted",),
        likely=("checkpoint failed checksum verification",),
        possible=("error verifying checksum for", "unable to get checkpoint", "unable to list checkpoints"),
        cause="Another driver release wrote the node's file of prepared claims, or a power loss cut the file off. A downgrade of the "
        "driver does it, too",
        remedy="Install the newer release again. Else end the pods with claims on the node, and remove "
        "/var/lib/kubelet/plugins/gpu.nvidia.com/checkpoint.json by a pod with this hostPath; then delete the pod of the driver",
        commands=(_LOG, command("talosctl --nodes ADDRESS ls /var/lib/kubelet/plugins/gpu.nvidia.com")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/device_state.go"),
    Symptom("dra-gates", Link.PLUGIN, "The DRA driver has feature gates that exclude each other", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:pkg/featuregates/featuregates.go
        phrases=("feature gate … is currently mutually exclusive with",),
        likely=("feature gate validation failed",),
        cause="In this release DynamicMIG excludes PassthroughSupport, NVMLDeviceHealthCheck and MPSSupport, and others need each other: "
        "the words name both",
        remedy="Remove one of the two from featureGates in the chart's values",
        commands=(_LOG, command("kubectl get daemonsets --namespace dra-driver-nvidia-gpu -o yaml")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go", rules=("TG017",)),
    Symptom("dra-sharing-gate", Link.STARTED, "A claim asks for a way of sharing whose feature gate is off", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:api/nvidia.com/resource/v1beta1/{validate,sharing}.go
        phrases=(
            "unknown time-slice interval",
            "error validating GPU config",
            "invalid GPU sharing settings",
            "cannot use MpsConfig with the 'TimeSlicing' strategy",
            "cannot use TimeSlicingConfig with the 'MPS' strategy"),
        cause="GpuConfig in the claim asks for time-slicing or MPS with settings that the driver does not take, or whose gate "
        "(TimeSlicingSettings, MPSSupport) is off",
        remedy="Set featureGates.TimeSlicingSettings or MPSSupport to true in the values of the chart, and give the claim the settings "
        "of its own strategy only",
        commands=(_CLAIMS, _LOG), source="kubernetes-sigs/dra-driver-nvidia-gpu api/nvidia.com/resource/v1beta1/validate.go", rules=("TG025",)),
    Symptom("dra-passthrough", Link.STARTED, "A card can't be handed to a virtual machine by claim", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/gpu-kubelet-plugin/vfio-device.go
        phrases=(
            "timed out waiting for gpu to be free",
            "gpu device … has open fds by process",
            "missing iommufd cdev for GPU"),
        likely=("IOMMU is not enabled in the kernel", "failed to load vfio_pci module", "cannot unbind … VFs"),
        cause="Passthrough unbinds the card from NVIDIA's driver and binds it to vfio-pci: that needs the IOMMU, the module vfio_pci, "
        "and a card that no program holds, nvidia-persistenced included",
        remedy="Start the kernel with intel_iommu=on or amd_iommu=on (customization.extraKernelArgs of the schematic), and load vfio_pci "
        "by machine.kernel.modules; end the programs on the card. The new image reboots the node, which ends its pods",
        commands=(_LOG, command("talosctl --nodes ADDRESS read /proc/cmdline"), command("talosctl --nodes ADDRESS get pcidevices")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/vfio-device.go"),
    Symptom("compute-domain", Link.STARTED, "A ComputeDomain is not ready on the node", rank=2,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/compute-domain-kubelet-plugin/{computedomain,device_state}.go, cmd/compute-domain-daemon/main.go
        phrases=(
            "current node not ready in ComputeDomain",
            "minimum version not satisfied for IMEXDaemonsWithDNSNames",
            "label already exists for a different ComputeDomain",
            "the ResourceClaim's namespace is different than the ComputeDomain's namespace",
            "IMEX daemon check failed"),
        likely=("Query Status returned error code",),  # nvidia-imex-ctl in the daemon's probe
        cause="Programs that share memory over several nodes wait until the IMEX daemon of the domain runs on each of them. The first "
        "line is normal for a while; it stays where the daemon's pod does not start, the driver is too old, or a node is in another "
        "domain",
        remedy="See the pods of the domain in the namespace of the driver, and their logs. Put claim, ComputeDomain and pods into one "
        "namespace; a node is in one domain at a time",
        commands=(command("kubectl get computedomains --all-namespaces -o yaml"), _PODS, _LOG),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#1162; kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-kubelet-plugin/computedomain.go"),
    Symptom("imex-addresses", Link.STARTED, "The IMEX daemon finds none of its configured addresses on the node", rank=1,
        phrases=("No matching network interface found for any IP addresses in the node configuration",),
        cause="The file with the nodes of the domain has addresses of other nodes, or of pods that are gone. So the daemon ends, and the "
        "ComputeDomain does not become ready",
        remedy="Delete the pod of the ComputeDomain's daemon on that node, so that the file is written again; use a newer DRA driver",
        commands=(command("kubectl get computedomains --all-namespaces -o yaml"), _PODS),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#289"),
    Symptom("dra-api-missing", Link.PLUGIN, "The API server has no resource.k8s.io for the GPU operator's DRA driver", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:internal/state/gpucluster.go, controllers/clusterinfo/clusterinfo.go
        phrases=("the resource.k8s.io DeviceClass API is not served by the cluster", "could not determine the GVR for the DeviceClass resource"),
        cause="The GPUCluster or its DRA driver needs Kubernetes with dynamic resource allocation, and this control plane is older or "
        "has the API switched off",
        remedy="Upgrade Kubernetes (talosctl upgrade-k8s), or use the device plugin",
        commands=(command("kubectl version"), command("kubectl get deviceclasses")),
        source="NVIDIA/gpu-operator internal/state/gpucluster.go", rules=("TG093",)),
)
