"""The words of LeaderWorkerSet and JobSet, which run gangs of pods over several nodes, and of the programs in such
pods: NCCL and torchrun."""

from __future__ import annotations

LEADER_WORKER_SET_API = "leaderworkerset.x-k8s.io/v1"
"""The API version of a LeaderWorkerSet.

Source: kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go at v0.10.0 (2026-11-22)
"""

JOB_SET_API = "jobset.x-k8s.io/v1alpha2"
"""The API version of a JobSet.

Source: kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go at v0.12.0 (2026-11-22)
"""

LEADER_ADDRESS = "LWS_LEADER_ADDRESS"
"""The variable with the DNS name of the group's leader. The LeaderWorkerSet's webhook puts it before all other
variables of each container.

Source: kubernetes-sigs/lws pkg/utils/pod/pod_utils.go at v0.10.0 (2026-11-22)
"""

WORKER_INDEX = "LWS_WORKER_INDEX"
"""The variable with the pod's number in its group; the leader is 0.

Source: kubernetes-sigs/lws pkg/utils/pod/pod_utils.go at v0.10.0 (2026-11-22)
"""

WORKER_INDEX_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
"""The label of each pod of a LeaderWorkerSet with its number in its group.

Source: kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go at v0.10.0 (2026-11-22)
"""

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""The annotation of each pod of an Indexed Job with its number.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#batch-kubernetes-io-job-completion-index
(2026-11-22)
"""

JOB_SET_POD = "{name}-{job}-0-{index}.{subdomain}"
"""The DNS name of a pod of a JobSet's first Job, with the pod's number.

Source: https://jobset.sigs.k8s.io/docs/concepts/ (2026-11-22)
"""

TORCHRUN = "PET_"
"""The prefix of the variables from which torchrun takes the arguments that its command line lacks.

Source: pytorch/pytorch torch/distributed/argparse_util.py at 0734fe0 (2026-11-22)
"""

RENDEZVOUS_PORT = 29500
"""The port at which torchrun's processes meet by default.

Source: pytorch/pytorch torch/distributed/run.py at 010929f (2026-11-22)
"""

NCCL_DEBUG = "NCCL_DEBUG"
"""The variable with the level of NCCL's log. With WARN a call that fails says why; without the variable it says
nothing.

Source: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug (2026-11-22)
"""

NCCL_IB_DISABLE = "NCCL_IB_DISABLE"
"""The variable that, with 1, makes NCCL use IP sockets in the place of InfiniBand and RoCE.

Source: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-disable (2026-11-22)
"""

INTERFACE_VARIABLES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
"""The variables with the network interface of NCCL, and of Gloo, with which PyTorch's processes agree on the CPU.

Source: https://docs.pytorch.org/docs/stable/distributed.html#common-environment-variables (2026-11-22)
"""

LOCKED_MEMORY = "IPC_LOCK"
"""The capability with which a process locks the memory that an RDMA device reads and writes.

Source: https://docs.vllm.ai/en/stable/serving/parallelism_scaling/#enabling-gpudirect-rdma (2026-11-22)
"""
