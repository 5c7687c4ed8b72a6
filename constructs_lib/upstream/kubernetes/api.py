"""Facts about Kubernetes that GPUs depend on: API versions, feature gates, labels and limits."""

from __future__ import annotations

CLUSTER_SCOPED = frozenset(
    {
        "APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "ClusterPolicy", "ClusterQueue", "ClusterRole",
        "ClusterRoleBinding", "ComponentStatus", "CustomResourceDefinition", "DeviceClass", "FlowSchema", "GPUCluster",
        "IngressClass", "MutatingWebhookConfiguration", "NVIDIADriver", "Namespace", "Node", "NodeFeatureRule",
        "PersistentVolume", "PodSecurityPolicy", "PriorityClass", "PriorityLevelConfiguration", "ResourceFlavor",
        "RuntimeClass", "StorageClass", "Topology", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration", "VolumeAttachment",
    }
)  # fmt: skip
"""The kinds without a namespace: those of Kubernetes itself, and those that this library and the charts that it renders
emit.

Source: kubectl api-resources of Kubernetes 1.36; the CRDs of gpu-operator v26.7.0, node-feature-discovery v0.19.0,
Kueue v0.19.2 (2026-11-22)
"""

POD_TEMPLATES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}
"""The path of the pod template (with `metadata` and `spec`) in each kind. A Pod is its own template.

Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ (2026-11-23)
"""

GROUP_TEMPLATES: dict[str, tuple[tuple[str, ...], ...]] = {
    "LeaderWorkerSet": (("spec", "leaderWorkerTemplate", "leaderTemplate"), ("spec", "leaderWorkerTemplate", "workerTemplate")),
    "JobSet": (("spec", "replicatedJobs", "*", "template", "spec", "template"),),
}
"""The paths of the pod templates of kinds with several. The star stands for each item of a list.

Source: kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go, kubernetes-sigs/jobset
api/jobset/v1alpha2/jobset_types.go (2026-11-23)
"""

# The first minor of Kubernetes with dynamic resource allocation on by default, and with resource.k8s.io/v1.
DRA_SINCE = 34
DRA_BETAS_OFF_SINCE = 36  # The first minor of Kubernetes whose API server serves no beta of resource.k8s.io by default
"""Dynamic resource allocation in the minors of Kubernetes.

Source: https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/; kube-apiserver 1.36.3
(2026-08-22)
"""

IMAGE_VOLUMES_SINCE = 35
"""The first minor of Kubernetes whose kubelets mount images as volumes by default.

Source: https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/ (2026-11-22)
"""

SLEEP_ACTION_SINCE = 30
"""The first minor of Kubernetes with the action `sleep` of a preStop hook on by default. An older API server refuses a
pod that has it.

Source: https://www.kubernetes.dev/resources/keps/3960/ (2026-11-22)
"""

ENFORCE_LABEL = "pod-security.kubernetes.io/enforce"
"""The label of a namespace with the level of Pod Security that it enforces.

Source: https://kubernetes.io/docs/concepts/security/pod-security-admission/ (2026-08-22)
"""

_CONTROLLERS = {
    "CronJob": "job",
    "DaemonSet": "daemon-set",
    "Deployment": "replicaset",
    "Job": "job",
    "ReplicaSet": "replicaset",
    "ReplicationController": "replication",
    "StatefulSet": "statefulset",
}
POD_CREATORS = {kind: f"system:serviceaccount:kube-system:{name}-controller" for kind, name in _CONTROLLERS.items()}
"""The user who creates the pods of an object of a kind. Pod Security compares this user with its exemptions, and not
the author of the object.

Source: kubernetes/kubernetes cmd/kube-controller-manager/names/controller_names.go,
https://kubernetes.io/docs/concepts/security/pod-security-admission/#exemptions (2026-11-24)
"""

SYS_ADMIN = ("CAP_SYS_ADMIN", "SYS_ADMIN")
"""The capability that is like every privilege, in both spellings. With it, or with `privileged: true`, a container can
gain privileges in any case. The API server refuses `allowPrivilegeEscalation: false` beside `privileged: true` and
beside the first spelling.

Source: https://kubernetes.io/docs/tasks/configure-pod-container/security-context/, kube-apiserver 1.36.3 (2026-11-22)
"""

ESCALATION_REFUSED = {
    "privileged": "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    "capabilities": "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
}
"""The words with which the API server refuses `allowPrivilegeEscalation: false`, by the other field of the security
context.

Source: kubernetes/kubernetes pkg/apis/core/validation/validation.go (2026-11-22)
"""

BASELINE_CAPABILITIES = frozenset(
    {
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID",
        "SETPCAP", "SETUID", "SYS_CHROOT",
    }
)  # fmt: skip
"""The capabilities that the level `baseline` of Pod Security lets a container add.

Source: k8s.io/pod-security-admission policy/check_capabilities_baseline.go (2026-08-22)
"""

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
"""The label and the taint of a control-plane node.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-08-22)
"""

HOSTNAME_LABEL = "kubernetes.io/hostname"
"""The label of each node with its name.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetesiohostname (2026-11-28)
"""

# The labels below kubernetes.io that a node may set on itself.
KUBELET_LABELS = frozenset(
    {
        HOSTNAME_LABEL,
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
    }
)
# The domains below kubernetes.io in which a node may set any label on itself.
KUBELET_DOMAINS = (".kubelet.kubernetes.io", ".node.kubernetes.io")
"""What NodeRestriction lets a node set on itself.

Source: kubernetes staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go (2026-08-22)
"""

CLOUD_LABEL_DOMAINS = (
    "kubernetes.io",
    "k8s.io",
    "sidero.dev",
    "siderolabs.com",
    "karpenter.sh",
    "k8s.aws",
    "amazonaws.com",
    "google.com",
    "azure.com",
)
"""The domains of node labels that the cluster itself, a cloud or a machine manager sets.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/, https://karpenter.sh/docs/concepts/scheduling/
(2026-08-22)
"""


def node_may_set(label: str) -> bool:
    """Whether NodeRestriction lets a node set this label on itself (kubernetes
    plugin/pkg/admission/noderestriction)."""
    domain = f".{label.rpartition('/')[0]}"
    if not domain.endswith((".kubernetes.io", ".k8s.io")):
        return True
    return label in KUBELET_LABELS or domain.endswith(KUBELET_DOMAINS)


SHARED_MEMORY = "/dev/shm"  # noqa: S108  # the folder in the container
"""Where processes of a container share memory, by default 64 MiB.

Source: containerd/containerd pkg/oci/mounts.go at 94d45d2a, defaultMounts (2026-11-23)
"""


# The handlers of Talos' extension gvisor. Its runsc.toml and runsc-kvm.toml don't set `NVPROXY`.
GVISOR_HANDLERS = ("runsc", "runsc-kvm")
NVPROXY = "nvproxy"  # The option of runsc by which gVisor lets a container use NVIDIA's driver
# The handlers of Talos' extension kata-containers. A virtual machine of Kata takes a card by VFIO, and not from the
# node's driver.
KATA_HANDLERS = ("kata", "kata-qemu")
"""The handlers of container runtimes that isolate pods by a kernel of their own: gVisor and Kata Containers.

Source: siderolabs/extensions container-runtime/{gvisor,kata-containers} at 26822f5, siderolabs/extensions#413;
https://gvisor.dev/docs/user_guide/gpu/, google/gvisor#9368; kata-containers/documentation#764 (2026-11-22)
"""

POD_STATUSES = frozenset(
    {
        "Pending", "ContainerCreating", "PodInitializing", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError", "CreateContainerError",
        "RunContainerError", "PostStartHookError", "CrashLoopBackOff", "Error", "OOMKilled", "Failed", "Terminating", "Unknown", "NotReady",
    }
)  # fmt: skip
"""The states of a pod that does not serve; those of init containers have `Init:` before them.

Source: kubernetes/kubernetes pkg/printers/internalversion/printers.go,
pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go
(2026-11-22)
"""

SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The PriorityClasses that every cluster has, with their values.

Source: kubernetes/kubernetes pkg/apis/scheduling/v1/helpers.go at v1.36.3 (2026-11-28)
"""
