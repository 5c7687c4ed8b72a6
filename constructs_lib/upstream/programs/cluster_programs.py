"""The words of programs that queue, start, scale and place GPU pods: LeaderWorkerSet and JobSet, Kueue, KEDA, HAMi."""

from __future__ import annotations

LEADER_WORKER_SET_API = "leaderworkerset.x-k8s.io/v1"  # The API version of a LeaderWorkerSet
# The label of each pod of a LeaderWorkerSet with its number in its group.
WORKER_INDEX_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
# The variable with the DNS name of the group's leader. The LeaderWorkerSet's webhook puts it before all other
# variables of each container.
LEADER_ADDRESS = "LWS_LEADER_ADDRESS"
WORKER_INDEX = "LWS_WORKER_INDEX"  # The variable with the pod's number in its group; the leader is 0
"""The words of LeaderWorkerSet.

Source: kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go, pkg/utils/pod/pod_utils.go at v0.10.0
(2026-11-22)
"""

JOB_SET_API = "jobset.x-k8s.io/v1alpha2"  # The API version of a JobSet
# The DNS name of a pod of a JobSet's first Job, with the pod's number.
JOB_SET_POD = "{name}-{job}-0-{index}.{subdomain}"
# The annotation of each pod of an Indexed Job with its number.
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""The words of JobSet, and of the Indexed Jobs that it starts.

Source: kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go at v0.12.0;
https://jobset.sigs.k8s.io/docs/concepts/;
https://kubernetes.io/docs/reference/labels-annotations-taints/#batch-kubernetes-io-job-completion-index (2026-11-22)
"""

TORCHRUN = "PET_"  # The prefix of the variables from which torchrun takes the arguments that its command line lacks
RENDEZVOUS_PORT = 29500  # The port at which torchrun's processes meet by default
"""The words of torchrun.

Source: pytorch/pytorch torch/distributed/argparse_util.py at 0734fe0, torch/distributed/run.py at 010929f (2026-11-22)
"""

# The variable with the level of NCCL's log. With WARN a call that fails says why; without the variable it says
# nothing.
NCCL_DEBUG = "NCCL_DEBUG"
# The variable that, with 1, makes NCCL use IP sockets in the place of InfiniBand and RoCE.
NCCL_IB_DISABLE = "NCCL_IB_DISABLE"
# The variables with the network interface of NCCL, and of Gloo, with which PyTorch's processes agree on the CPU.
INTERFACE_VARIABLES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
"""The variables of NCCL and Gloo.

Source: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug and #nccl-ib-disable;
https://docs.pytorch.org/docs/stable/distributed.html#common-environment-variables (2026-11-22)
"""

LOCKED_MEMORY = "IPC_LOCK"
"""The capability with which a process locks the memory that an RDMA device reads and writes.

Source: https://docs.vllm.ai/en/stable/serving/parallelism_scaling/#enabling-gpudirect-rdma (2026-11-22)
"""


# The stored version of Kueue's API. The older version v1beta1 is served with a warning.
KUEUE_API = "kueue.x-k8s.io/v1beta2"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"  # The label of a workload with the name of its LocalQueue
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"  # The label of a workload with the name of its WorkloadPriorityClass
# The prefix of the labels that Kueue reads, such as those of the queue and of the priority.
KUEUE_LABELS = "kueue.x-k8s.io/"
MOST_PER_FLAVOR = 8  # The most node labels, and the most node taints, of a ResourceFlavor
MOST_LEVELS = 16  # The most levels of a Topology
# The annotations of a pod template with the level within which Kueue places all pods, or places them if it can.
REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY = f"{KUEUE_LABELS}podset-required-topology", f"{KUEUE_LABELS}podset-preferred-topology"
# The annotation of two pod templates that Kueue places within the same domain: a leader, and its workers.
PODSET_GROUP = f"{KUEUE_LABELS}podset-group-name"
TOPOLOGY_ANNOTATIONS = (REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, PODSET_GROUP)
DEFAULT_QUEUE = "default"  # The LocalQueue that the workloads of its namespace get that name no queue
# The annotation of a Job that Kueue may start with fewer pods than its parallelism.
LEAST_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
COHORT_FIELDS = ("cohortName", "cohort")  # The field of a ClusterQueue with its cohort, in v1beta2 and in v1beta1
# The kinds of which one object is one workload of Kueue, admitted as a whole. Of other kinds each pod is one.
WHOLE_WORKLOADS = ("Job", "CronJob", "JobSet", "StatefulSet")
"""The words of Kueue that its queues and the workloads in them need.

Source: kubernetes-sigs/kueue config/components/crd, pkg/controller/constants/constants.go,
apis/kueue/v1beta2/{resourceflavor,topology}_types.go, apis/kueue/v1beta1/clusterqueue_types.go,
pkg/controller/jobframework/{defaults,tas_validation}.go, pkg/controller/jobs/{job,deployment,statefulset} at v0.19.2
(2026-11-28)
"""

SCALED_OBJECT_API = "keda.sh/v1alpha1"  # The API version of a ScaledObject
# The API version of an InterceptorRoute, which is in the HTTP add-on since 0.14, in the place of the HTTPScaledObject.
INTERCEPTOR_ROUTE_API = "http.keda.sh/v1beta1"
KEDA_NAMESPACE = "keda"  # The namespace in which the guides of KEDA and of its HTTP add-on install both
# The Service of the HTTP add-on's proxy, as its chart names it.
INTERCEPTOR_SERVICE = "keda-add-ons-http-interceptor-proxy"
INTERCEPTOR_PORT = 8080  # The port of the HTTP add-on's proxy
# The address at which KEDA asks the HTTP add-on for its counts, with the namespace of the add-on.
EXTERNAL_SCALER = "keda-add-ons-http-external-scaler.{namespace}:9090"
"""KEDA, which scales workloads by events, and its HTTP add-on, which wakes them.

Source: https://keda.sh/docs/latest/reference/scaledobject-spec/;
https://keda.sh/http-add-on/latest/reference/interceptorroute/; https://keda.sh/http-add-on/0.16/getting-started/ and
user-guide/configure-ingress/; https://keda.sh/http-add-on/0.14/reference/httpscaledobject/ (2026-11-22)
"""

HPA_API = "autoscaling/v2"  # The API version of a HorizontalPodAutoscaler
EXPORTER_METRICS = "DCGM_FI_"  # The beginning of the names of DCGM's series
"""HorizontalPodAutoscalers, and the prometheus-adapter, which serves series of Prometheus to them.

Source: k8s.io/api autoscaling/v2/types.go at v0.37.2; kubernetes-sigs/prometheus-adapter docs/config.md;
prometheus-community/helm-charts charts/prometheus-adapter/values.yaml (2026-11-28)
"""

HAMI_CHART = "hami"  # The name of HAMi's chart
# The chart's value for the folder of the node, and of a pod, that holds `vgpu` with HAMi's library.
HOOK_FOLDER = ("global", "gpuHookPath")
# The chart's values for folders of the node, with their defaults. The plugin mounts the first two, and gives pods
# files of `vgpu` below the third.
HAMI_FOLDERS = {
    ("devicePlugin", "libPath"): "/usr/local/vgpu",
    ("devicePlugin", "monitor", "ctrPath"): "/usr/local/vgpu/containers",
    HOOK_FOLDER: "/usr/local",
}
OLD_MONITOR_FOLDER = ("devicePlugin", "monitorctrPath")  # The second value of `HAMI_FOLDERS` before `MONITOR_SINCE`
MONITOR_SINCE = "2.7.0"  # The first version with `devicePlugin.monitor`, and with `devicePlugin.enabled`
# The first version that writes the path of its library into ld.so.preload. An older one always writes /usr/local/vgpu.
PRELOAD_SINCE = "2.10.0"
"""HAMi, a device plugin that shares GPUs by memory: the values of its chart for folders of the node.

Source: Project-HAMi/HAMi charts/hami/{Chart.yaml,values.yaml} at v2.4.0, v2.6.0, v2.7.0 and v2.9.0,
pkg/device-plugin/nvidiadevice/nvinternal/plugin/server.go at v2.9.0, docker/vgpu-init.sh at 229130af, first in v2.10.0
(2026-11-22)
"""
