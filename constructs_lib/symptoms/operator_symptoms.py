"""Symptoms of the GPU operator, its validator, node feature discovery, and of the device plugin's configuration."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.generations import BRIDGED, CLASS_HANDLER, NRI_TOOLKIT, UNBRIDGED
from .link import Link, Symptom

_OPERATOR = command("kubectl logs --namespace gpu-operator --selector app=gpu-operator")
_POLICY = command("kubectl get clusterpolicy -o yaml")
_PODS = command("kubectl get pods --namespace gpu-operator -o wide")
_LABELS = command("kubectl get nodes --show-labels")
_CONFIGS = command("kubectl get configmaps --all-namespaces | grep -i plugin")

# fmt: off
OPERATOR_SYMPTOMS = (
    Symptom("operator-without-nfd", Link.PLUGIN, "The GPU operator finds no labels of node feature discovery", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:controllers/clusterpolicy_controller.go, object_controls.go, internal/state/nodepool.go
        phrases=(
            "NFD labels missing in the cluster, GPU nodes cannot be discovered",
            "No NFD label found, polling for new nodes",
            "Could not find NFD label for node. Is NFD installed",
            "Could not find NFD labels for node. Is NFD installed",
            "unable to retrieve OS name from label feature.node.kubernetes.io"),
        cause="The operator decides by labels of node feature discovery which nodes have a card. No node has them: NFD is off, or its "
        "pods don't run on the GPU nodes (taints). The ClusterPolicy is ready all the same, and every DaemonSet stays at DESIRED 0",
        remedy="Set nfd.enabled: true, and give NFD's worker, master and gc the tolerations of the GPU nodes "
        "(node-feature-discovery.worker.tolerations and so on)",
        commands=(_LABELS, _PODS, _OPERATOR),
        source="NVIDIA/gpu-operator controllers/clusterpolicy_controller.go", rules=("TG005", "TG053")),
    Symptom("operator-node-without-nfd", Link.PLUGIN, "A GPU node lacks the labels of node feature discovery that the GPU operator reads", rank=1,
        # NVIDIA/gpu-operator v1.11 to v25.10:controllers/object_controls.go, kernelFullVersion; @v26.7.0: the second only
        phrases=(
            "Couldn't get kernelVersion, did you run the node feature discovery",
            "Failed to get kernel version of GPU node using Node Feature Discovery (NFD) labels",
            "Could not find kernel full version",
            'Label.Node "feature.node.kubernetes.io/kernel-version.full" not found'),
        possible=("Could not get any nodes to match nvidia.com/gpu.present label",),
        cause="A node counts as GPU node (nvidia.com/gpu.present or pci-10de.present is true) and has no label kernel-version.full: NFD's "
        "worker does not run there (taints, off, crashing), or the label was set by hand or by machine.nodeLabels before NFD came. "
        "The operator reads the label for its own driver, and Talos brings the driver itself. Where no node matches gpu.present, "
        "the words about the kernel mean that alone",
        remedy="Give NFD's worker the tolerations of the GPU nodes (node-feature-discovery.worker.tolerations), take nvidia.com/gpu.present "
        "out of machine.nodeLabels, and set driver.enabled: false",
        commands=(_LABELS, _PODS, _OPERATOR),
        source="NVIDIA/gpu-operator#149; NVIDIA/gpu-operator#423", rules=("TG005", "TG053", "TG010")),
    Symptom("nfd-publish", Link.PLUGIN, "Node feature discovery can't write what it found on a node", rank=1,
        # kubernetes-sigs/node-feature-discovery@v0.18:pkg/nfd-worker/nfd-worker.go, pkg/nfd-master/nfd-master.go; GPU feature discovery says the third, too
        phrases=(
            "failed to advertise features (via CRD API)",
            "failed to get NodeFeature object",
            "failed to create NodeFeature object",
            "failed to update NodeFeature object",
            "the server could not find the requested resource (get nodefeatures.nfd.k8s-sigs.io)",
            "the server could not find the requested resource (get nodefeaturerules.nfd.k8s-sigs.io)"),
        cause="The worker, or GPU feature discovery, writes a NodeFeature, from which NFD's master makes the node's labels. Its service "
        "account lacks the right (forbidden), the CRDs are missing or from another release, or the API server is unreachable. So "
        "the node gets no labels of its card",
        remedy="Install NFD's chart whole, with CRDs, Role and RoleBinding in the namespace of the worker: a template that was applied without "
        "its namespace puts them elsewhere. Run one NFD in the cluster",
        commands=(command("kubectl get crd nodefeatures.nfd.k8s-sigs.io"), command("kubectl get roles,rolebindings --all-namespaces | grep -i nfd"), _LABELS),
        source="NVIDIA/gpu-operator#546; NVIDIA/gpu-operator#1543", rules=("TG005",)),
    Symptom("nfd-connection", Link.PLUGIN, "The worker of node feature discovery does not reach its master", rank=1,
        # kubernetes-sigs/node-feature-discovery up to 0.16: gRPC between worker and master
        phrases=("failed to connect to … nfd-master", "failed to connect to … node-feature-discovery-master"),
        cause="Releases up to 0.16 send the features of a node over the pod network to the master: the service has no pod, its name is not "
        "resolved, or the network of that node does not reach it. So the node gets no labels of its card",
        remedy="See that a pod of the master runs, and that other pods of that node reach services (CNI, DNS, NetworkPolicy). Newer releases "
        "write a NodeFeature and need no such connection",
        commands=(command("kubectl get pods,services,endpoints --all-namespaces -o wide"), command("kubectl logs POD")),
        source="NVIDIA/gpu-feature-discovery#20; NVIDIA/gpu-operator#429"),
    Symptom("nfd-label-refused", Link.PLUGIN, "Node feature discovery refuses labels outside of its own namespace", rank=1,
        # kubernetes-sigs/node-feature-discovery@v0.18:pkg/nfd-master/nfd-master.go; the second up to v0.13
        likely=("ignoring label … namespace … is not allowed", "Namespace 'nvidia.com' is not allowed. Ignoring label"),
        cause="NFD's master drops labels of refused namespaces. An old NFD accepts only its own namespace, so it drops the labels of GPU "
        "feature discovery (nvidia.com), and pods that select nodes by nvidia.com/gpu.product stay Pending. A newer NFD drops "
        "labels below kubernetes.io and those in denyLabelNs",
        remedy="Add the namespace to extraLabelNs of NFD's chart (old: the master's -extra-label-ns=nvidia.com), or remove it from "
        "denyLabelNs",
        commands=(command("kubectl logs --all-containers POD   # of nfd-master"), _LABELS),
        source="NVIDIA/gpu-feature-discovery#5; kubernetes-sigs/node-feature-discovery pkg/nfd-master/nfd-master.go", rules=("TG005",)),
    Symptom("operator-without-node", Link.PLUGIN, "The GPU operator sees no node with a card", rank=2,
        # NVIDIA/gpu-operator@v26.7.0:controllers/clusterpolicy_controller.go, object_controls.go
        phrases=(
            "No GPU node can be found in the cluster",
            "No GPU node found, watching for new nodes to join the cluster",
            "No GPU node in the cluster, do not create DaemonSets"),
        cause="Node feature discovery runs, but every node lacks the label of an NVIDIA PCI device (pci-10de.present). The card is not on "
        "the bus, NFD's worker does not run on that node, or the label was set by hand in another form. The ClusterPolicy is ready "
        "all the same",
        remedy="See whether the machine lists the card (vendor 0x10de), and whether NFD's worker runs on the node. Don't set "
        "nvidia.com/gpu.present by hand beside the operator",
        commands=(command("talosctl --nodes ADDRESS get pcidevices"), _LABELS, _PODS),
        source="NVIDIA/gpu-operator controllers/clusterpolicy_controller.go", rules=("TG005", "TG135")),
    Symptom("operator-toolkit-validation", Link.PLUGIN, "The operator's validator runs without the driver, because the runtime injects nothing", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:cmd/nvidia-validator/main.go
        phrases=('error validating toolkit installation: exec: "nvidia-smi": executable file not found in $PATH', "error validating toolkit installation"),
        likely=("toolkit is not ready",),
        cause="The init container toolkit-validation runs nvidia-smi as a container with a GPU would, and finds none: containerd has no "
        f"runtime nvidia for its RuntimeClass, or the runtime has no driver. {BRIDGED.opening} the validator has no driver in any case",
        remedy=f"{CLASS_HANDLER.opening} add siderolabs/nvidia-container-toolkit to the image and set toolkit.enabled: false; "
        f"{NRI_TOOLKIT.when} let the operator install its toolkit. {BRIDGED.opening} run the ValidationBridge of this library",
        commands=(command("kubectl logs -n gpu-operator -l app=nvidia-operator-validator -c toolkit-validation"), command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/gpu-operator cmd/nvidia-validator/main.go", rules=("TG001", "TG106")),
    Symptom("operator-plugin-validation", Link.ALLOCATABLE, "The operator's validator waits for GPUs, and the node offers none", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:cmd/nvidia-validator/main.go
        phrases=(
            "GPU resources are not discovered by the node",
            "GPU resources are not yet discovered by the node",
            "unable to find any allocatable GPU resource",
            "error validating plugin installation"),
        cause="The driver and the runtime are there, and the node has no nvidia.com/gpu: the device plugin does not run or found no "
        "card. It is a consequence; the log of the plugin has the reason",
        remedy="Read the log of the device plugin on the node",
        commands=(command("kubectl logs --namespace gpu-operator --selector app=nvidia-device-plugin-daemonset"), command("kubectl describe node NODE")),
        source="NVIDIA/gpu-operator cmd/nvidia-validator/main.go", alerts=("GpuNodeLostGpus",)),
    Symptom("operator-cuda-validation", Link.SEEN, "The operator's test program with CUDA does not finish", rank=3,
        # NVIDIA/gpu-operator@v26.7.0:cmd/nvidia-validator/main.go
        possible=("error validating cuda workload", "gave up waiting for pod nvidia-cuda-validator", "gave up waiting for pod … to be available"),
        cause="The validator starts a pod with a GPU, and the pod does not succeed. It waits for a GPU or its image, does not tolerate a "
        "taint, or CUDA fails in it. Its own log and events have the reason",
        remedy="Read events and log of the pod nvidia-cuda-validator",
        commands=(command("kubectl describe pods --namespace gpu-operator --selector app=nvidia-cuda-validator"), command("kubectl logs --namespace gpu-operator --selector app=nvidia-cuda-validator --all-containers")),
        source="NVIDIA/gpu-operator cmd/nvidia-validator/main.go"),
    Symptom("operator-driver-root", Link.PLUGIN, "The operator's validator finds no driver in the folder that it is given", rank=2,
        # NVIDIA/gpu-operator@v26.7.0:cmd/nvidia-validator/main.go and find.go
        phrases=(
            'error validating driver installation: failed to locate driver libraries: error locating "libnvidia-ml.so.1"',
            "error validating driver installation",
            "error validating driver: failed to locate",
            "chroot: failed to run command 'nvidia-smi'"),
        cause="The validator looks for nvidia-smi and libnvidia-ml.so.1 on the host and below hostPaths.driverInstallDir. "
        f"{UNBRIDGED.opening} they are below /usr/local; {BRIDGED.when} the validator finds them nowhere",
        remedy=f"{UNBRIDGED.opening} set hostPaths.driverInstallDir: /usr/local and driver.enabled: false. {BRIDGED.opening}: run the "
        "ValidationBridge of this library (talos-gpu check --explain TG001)",
        commands=(command("kubectl logs -n gpu-operator -l app=nvidia-operator-validator -c driver-validation"), _POLICY),
        source="NVIDIA/gpu-operator cmd/nvidia-validator/main.go", rules=("TG003", "TG001")),
    Symptom("operator-dev-char", Link.PLUGIN, "The operator's validator has found the driver, and can't load its modules for links in /dev/char", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:cmd/nvidia-validator/main.go; NVIDIA/nvidia-container-toolkit pkg/system/nvmodules/modules.go
        phrases=("error creating symlink creator: failed to load NVIDIA kernel modules",),
        cause="With the node's driver the validator links device files below /dev/char. For them it runs modprobe for nvidia, nvidia_uvm "
        "and nvidia_modeset in the driver's folder. Talos lets no container load a module; elsewhere the module is missing, or the "
        "card has no display (No such device)",
        remedy="Load the modules by the machine configuration (talos-gpu patch), or turn the links off: validator.driver.env with "
        'DISABLE_DEV_CHAR_SYMLINK_CREATION: "true"; Talos does not need them',
        commands=(command("talosctl --nodes ADDRESS read /proc/modules"), command("kubectl logs -n gpu-operator -l app=nvidia-operator-validator -c driver-validation"), _POLICY),
        source="NVIDIA/gpu-operator#671; NVIDIA/nvidia-container-toolkit pkg/system/nvmodules/modules.go", rules=("TG071",)),
    Symptom("operator-nri-settings", Link.PLUGIN, "The GPU operator refuses its NRI settings", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:controllers/state_manager.go
        phrases=("the NRI Plugin cannot be enabled when CDI is disabled", "the NRI Plugin cannot be enabled when the Container Toolkit is disabled"),
        cause="cdi.nriPluginEnabled needs cdi.enabled and toolkit.enabled: the operator's toolkit is the NRI plugin",
        remedy=f"{NRI_TOOLKIT.opening} set all three to true; {CLASS_HANDLER.when} set cdi.nriPluginEnabled: false",
        commands=(_POLICY, _OPERATOR), source="NVIDIA/gpu-operator controllers/state_manager.go", rules=("TG012",)),
    Symptom("operator-two-policies", Link.PLUGIN, "The GPU operator has two objects that exclude each other", rank=1,
        # NVIDIA/gpu-operator@v26.7.0:controllers/clusterpolicy_controller.go, internal/validator
        phrases=("ClusterPolicy and GPUCluster cannot co-exist", "multiple NVIDIADrivers match the same node", "multiple default NVIDIADrivers found"),
        likely=("only one CR may be present at a time",),
        cause="The cluster has both a ClusterPolicy and a GPUCluster, or two NVIDIADrivers select one node. They come from two releases, "
        "or from a chart and a repository. The operator does nothing until one is gone",
        remedy="Delete the leftover object, without a release that owns it. On Talos no NVIDIADriver is needed",
        commands=(command("kubectl get clusterpolicies,nvidiadrivers --all-namespaces"), _OPERATOR),
        source="NVIDIA/gpu-operator controllers/clusterpolicy_controller.go", rules=("TG117", "TG138")),
    Symptom("operator-null-field", Link.ADMITTED, "The API server refuses an empty value of the ClusterPolicy", rank=1,
        phrases=(
            'spec.mig: Invalid value: "null"',
            "spec.devicePlugin.config.default … must be of type string",
            "spec.migManager.config.name … null"),
        possible=("ClusterPolicy.nvidia.com … is invalid",),
        cause="An empty chart value renders as null, and server-side apply refuses null; or CRD and chart come from different operator "
        "releases",
        remedy="Give the field a legal value (mig.strategy: none, single or mixed), or leave it out. After a way back to an older chart: "
        "apply the CRDs of that chart first",
        commands=(_POLICY, command("kubectl get crd clusterpolicies.nvidia.com -o yaml")),
        source="NVIDIA/gpu-operator deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml"),
    Symptom("operator-crd-missing", Link.PLUGIN, "The cluster does not have the kinds of the GPU operator", rank=1,
        phrases=(
            'no matches for kind "ClusterPolicy" in version "nvidia.com/v1"',
            'no matches for kind "NVIDIADriver" in version "nvidia.com/v1alpha1"',
            'no matches for kind "NodeFeatureRule" in version "nfd.k8s-sigs.io/v1alpha1"',
            'no matches for kind "NodeFeature" in version "nfd.k8s-sigs.io/v1alpha1"'),
        cause="The CRDs were not installed or were removed: a release without its CRDs (skipCrds, crds: Skip), or objects applied before "
        "the chart",
        remedy="Install the chart's CRDs, and apply the object after them (Flux: dependsOn; Argo CD: sync waves)",
        commands=(command("kubectl get crd clusterpolicies.nvidia.com nodefeatures.nfd.k8s-sigs.io"),),
        source="NVIDIA/gpu-operator deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml", rules=("TG036",)),
    Symptom("host-paths-of-others", Link.PLUGIN, "An agent mounts a folder that only another distribution has", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/volume/hostpath/host_path.go, hostPath type check failed
        phrases=(
            "mkdir /home/kubernetes: read-only file system",
            "mkdir /usr/src: read-only file system",
            "hostPath type check failed: /home/kubernetes/bin/nvidia",
            "hostPath type check failed: /usr/src is not a directory",
            "hostPath type check failed: /usr/bin/nvidia-smi is not a file",
            "hostPath type check failed: /etc/containerd is not a directory",
            "hostPath type check failed: /etc/containerd/config.toml is not a file",
            "hostPath type check failed: /var/lib/rancher"),
        likely=("hostPath type check failed: /run/nvidia/driver", "hostPath type check failed: /run/nvidia is not a directory", "hostPath type check failed: /usr/lib/x86_64-linux-gnu", "hostPath type check failed: /usr/local/nvidia"),
        cause="The manifest or the values are made for GKE (/home/kubernetes), k3s (/var/lib/rancher), Ubuntu "
        "(/usr/lib/x86_64-linux-gnu, /usr/src) or the operator's own driver (/run/nvidia/driver). Talos has none of these folders, and "
        "its root is read-only",
        remedy="Take the volume out, or use the manifest of NVIDIA's chart. Talos has the driver below /usr/local; containerd's "
        "configuration is in /etc/cri/conf.d and is not to be mounted. NFD: worker.mountUsrSrc: false",
        commands=(command("kubectl describe pod POD"), command("kubectl get daemonsets --all-namespaces -o yaml")),
        source="kubernetes/kubernetes pkg/volume/hostpath/host_path.go; siderolabs/talos#9014", rules=("TG021",)),
    Symptom("device-file-missing", Link.DRIVER, "A pod mounts an NVIDIA device file that is missing on the node", rank=4,
        likely=(
            "failed to generate spec: lstat … dev/nvidiactl: no such file or directory",
            "failed to generate spec: lstat … dev/nvidia0: no such file or directory",
            "hostPath type check failed: /dev/nvidia … is not a character device", "error gathering device information while adding custom device /dev/nvidia"),
        cause="The driver has not made the file: no card runs on this node, or the module for it (nvidia_uvm for /dev/nvidia-uvm) is not "
        "loaded. Below /run/nvidia/driver: no driver container of the operator runs there",
        remedy="Load the modules (talos-gpu patch), and take a limit nvidia.com/gpu in place of the volume",
        commands=(command("talosctl --nodes ADDRESS ls /dev"), command("talosctl --nodes ADDRESS read /proc/modules")),
        source="kubernetes/kubernetes pkg/volume/hostpath/host_path.go", rules=("TG071",)),
    Symptom("plugin-config", Link.PLUGIN, "The device plugin can't use the configuration that a node names", rank=1,
        # NVIDIA/k8s-device-plugin@v0.20.0:cmd/config-manager/main.go, api/config/v1/{config,replicas}.go
        phrases=(
            "no config was set, no default was provided, and all fallbacks failed",
            "unable to finalize config: unable to parse config file"),
        likely=("specified config … does not exist", "no configuration files available"),
        cause="The node's label nvidia.com/device-plugin.config, or the chart's config.default, names a missing key of the ConfigMap; or "
        "the key's text is no plugin configuration",
        remedy="Name a key of the ConfigMap, or add it; the config needs version: v1",
        commands=(_CONFIGS, _LABELS), source="NVIDIA/k8s-device-plugin cmd/config-manager/main.go", rules=("TG024", "TG022")),
    Symptom("plugin-sharing-config", Link.PLUGIN, "The device plugin can't read its configuration of shared GPUs", rank=1,
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:api/config/v1/{config,replicas,resources}.go
        phrases=(
            "error parsing config file: unmarshal error … no resources specified",
            "error parsing config file: unmarshal error … no resource name specified",
            "error parsing config file: unmarshal error … no replicas specified",
            "error parsing config file: unmarshal error … number of replicas must be",
            "error parsing config file: unmarshal error … resources must have a",
            "error parsing config file: unmarshal error … incorrect format for resource name",
            "error parsing config file: unmarshal error … unrecognized type for devices spec",
            "error parsing config file: unmarshal error … devices set as"),
        likely=("error parsing config file: unmarshal error", "error parsing config file: unknown version"),
        cause="The text after the last colon names the fault. Each entry below sharing.timeSlicing.resources (or sharing.mps.resources) "
        "needs name, and replicas of at least 2. version is v1, and the text is YAML with the plugin's names. So the plugin ends at "
        "once. Keys in a wrong place are no error: renameByDefault and failRequestsGreaterThanOne belong below sharing.timeSlicing, "
        "and elsewhere nobody reads them",
        remedy="Mend the entry in the ConfigMap, and delete the pod of the plugin. GPUs that nobody shares have no entry",
        commands=(_CONFIGS, command("kubectl logs --namespace kube-system --selector app.kubernetes.io/name=nvidia-device-plugin")),
        source="NVIDIA/k8s-device-plugin api/config/v1/replicas.go; NVIDIA/k8s-device-plugin#1433", rules=("TG022", "TG024")),
    Symptom("plugin-flag", Link.PLUGIN, "The device plugin does not know the value of a setting", rank=1,
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:cmd/nvidia-device-plugin/main.go
        phrases=("unknown MIG strategy", "invalid --device-id-strategy option", "invalid --shared-devices-allocation-policy option", "invalid IMEX channel IDs"),
        cause="The value is no word of the plugin: MIG_STRATEGY is none, single or mixed; DEVICE_ID_STRATEGY uuid or index. So the plugin ends at once",
        remedy="Set the variable, or the value of the chart, to one of these words",
        commands=(command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 -e MIG_STRATEGY -e DEVICE_ID"),),
        source="NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go"),
    Symptom("plugin-config-ignored", None, "The device plugin ignores a part of its configuration",
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:api/config/v1/{config,replicas}.go
        phrases=(
            "Customizing the 'resources' field is not yet supported in the config",
            "Setting the 'rename' field in sharing … is not yet supported in the config",
            "Customizing the 'devices' field in sharing … is not yet supported in the config"),
        cause="The format has resources, and rename and devices of a shared resource, but they have no effect: the plugin shares all "
        "cards of the node, under nvidia.com/gpu, or nvidia.com/gpu.shared with renameByDefault",
        remedy="Take the field out. For cards that are shared in different ways: one configuration per node, by the label "
        "nvidia.com/device-plugin.config",
        commands=(_CONFIGS,), source="NVIDIA/k8s-device-plugin api/config/v1/replicas.go", rules=("TG022",)),
    Symptom("plugin-beside-another", Link.ALLOCATABLE, "The kubelet refuses the device plugin, because it has another one at this socket", rank=0,
        # kubernetes/kubernetes@v1.37.2:pkg/kubelet/cm/devicemanager/manager.go, plugin/v1beta1/handler.go
        phrases=("device plugin already connected: /var/lib/kubelet/device-plugins/",),
        cause="From Kubernetes 1.37 on the kubelet takes one plugin at a socket, and refuses the next one as long as it knows the first. After a "
        "refusal it does not see the end of the first one any more: the node keeps its GPUs in Allocatable, and new GPU pods fail "
        "(UnexpectedAdmissionError, nvidia-gpu.sock: connect: no such file or directory)",
        remedy="Run one device plugin on a node, then talosctl --nodes ADDRESS service kubelet restart; pods go on",
        commands=(command("kubectl get pods --all-namespaces -o wide | grep device-plugin"),),
        source="kubernetes/kubernetes#139338", rules=("TG026",)),
    Symptom("plugin-registration", Link.ALLOCATABLE, "The kubelet does not take the device plugin's registration", rank=1,
        # NVIDIA/k8s-device-plugin@v0.20.0:internal/plugin/server.go; kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/devicemanager/plugin/v1beta1
        phrases=(
            "Could not register device plugin",
            "Could not start device plugin for",
            "GRPC server for … has repeatedly crashed recently. Quitting",
            "failed to dial device plugin",
            "requested API version … is not supported by kubelet",
            "Failed to created FS watcher",
            "failed to create FS watcher for /var/lib/kubelet/device-plugins"),
        cause="The plugin talks to the kubelet by sockets in /var/lib/kubelet/device-plugins. The folder is not mounted, the container may not "
        "read it (SELinux), the plugin is years older than the kubelet (unknown service), another plugin removed the socket, the node "
        "has no inotify watches left, or the kubelet restarts at that moment",
        remedy="Delete the pod of the plugin. Where it comes back: mount the host's /var/lib/kubelet/device-plugins, run one plugin on a "
        "node, and see fs.inotify.max_user_instances",
        commands=(command("kubectl logs POD"), command("talosctl --nodes ADDRESS ls /var/lib/kubelet/device-plugins"), command("talosctl --nodes ADDRESS read /proc/sys/fs/inotify/max_user_instances")),
        source="NVIDIA/k8s-device-plugin internal/plugin/server.go", rules=("TG026",)),
    Symptom("agent-nvml-unknown", Link.PLUGIN, "NVML fails in an agent with an unknown error", rank=2,
        # go-nvml's name of NVML_ERROR_UNKNOWN, in the words of the plugin, GFD, the DRA driver and mig-parted
        likely=(
            "factory.go … Failed to initialize NVML: Unknown Error",
            "nvml init failed: ERROR_UNKNOWN",
            "nvml init failed: Unknown Error",
            "Failed to initialize NVML: ERROR_UNKNOWN",
            "error initializing NVML: ERROR_UNKNOWN",
            "error initializing NVML: Unknown Error",
            "error calling nvml.Init: Unknown Error",
            "error calling nvml.Init: ERROR_UNKNOWN"),
        cause="The driver's library is there, but can't open the device files. The pod has no right to them (not privileged, and its "
        "cards come as a volume), or the driver lost every card. The library alone does not tell which",
        remedy="talosctl --nodes ADDRESS dmesg | talos-gpu why -. Without an error there: delete the pod of the agent, and run it "
        "privileged or by the RuntimeClass nvidia",
        commands=(command("kubectl get pod POD -o yaml"), command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e xid")),
        source="NVIDIA/go-nvml pkg/nvml/return.go; NVIDIA/gpu-operator#485", rules=("TG038", "TG018")),
    Symptom("agent-older-than-driver", Link.PLUGIN, "An agent asks NVML for a function that the driver lacks", rank=3,
        likely=("ERROR_FUNCTION_NOT_FOUND", "symbol lookup error: nvidia-ctk: undefined symbol", "nvidia-kubevirt-gpu-device-plugin: undefined symbol"),
        cause="The agent is newer than the driver of this Talos: NVML of the driver lacks the function",
        remedy="Use an older release of the agent, or a Talos with a newer driver (talos-gpu matrix)",
        commands=(command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version"), command("kubectl get pods --all-namespaces -o jsonpath='{..image}'")),
        source="NVIDIA/go-nvml pkg/nvml/return.go"),
)
