"""The API groups of Kubernetes itself, and the programs whose CRDs serve the others."""

from __future__ import annotations

from ..kubernetes.network import GATEWAY_API
from .cluster_programs import INTERCEPTOR_ROUTE_API, JOB_SET_API, KUEUE_API, LEADER_WORKER_SET_API, SCALED_OBJECT_API

_OF_KUBERNETES = frozenset(
    f"{each}.k8s.io"
    for each in (
        "admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization", "certificates", "coordination",
        "discovery", "events", "flowcontrol.apiserver", "internal.apiserver", "networking", "node", "rbac.authorization", "resource",
        "scheduling", "storage", "storagemigration",
    )
)  # fmt: skip
_OF_FILES = ("config.k8s.io", "config.kubernetes.io")
"""The groups that the API server has without a CRD; and the ends of the groups of files that no API server takes.

Source: GroupName in k8s.io/api, apiextensions-apiserver and kube-aggregator at v0.37.2; a CRD's group has a dot:
apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go at v0.37.2 (2026-11-28)
"""

_ARGO_CD, _ARGO_WORKFLOWS = "Argo CD", "Argo Workflows"
_BY_KIND = {
    **dict.fromkeys(("Application", "ApplicationSet", "AppProject"), _ARGO_CD),
    **dict.fromkeys(("Workflow", "CronWorkflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), _ARGO_WORKFLOWS),
    "Rollout": "Argo Rollouts",
}
_PROGRAMS = {
    **{
        api.partition("/")[0]: program
        for api, program in (
            (KUEUE_API, "Kueue"),
            (JOB_SET_API, "JobSet"),
            (LEADER_WORKER_SET_API, "LeaderWorkerSet"),
            (SCALED_OBJECT_API, "KEDA"),
            (INTERCEPTOR_ROUTE_API, "KEDA's HTTP add-on"),
            (GATEWAY_API, "the Gateway API"),
        )
    },
    **{f"{controller}.toolkit.fluxcd.io": "Flux" for controller in ("source", "helm", "kustomize", "notification", "image")},
    "monitoring.coreos.com": "the Prometheus operator",
    "nfd.k8s-sigs.io": "Node Feature Discovery",
    "nvidia.com": "the GPU operator",
    "resource.nvidia.com": "NVIDIA's DRA driver",
}
"""The program of a group. Those of the group argoproj.io differ by the kind.

Source: the API versions of `cluster_programs` and `network`; https://fluxcd.io/flux/components/;
https://prometheus-operator.dev/docs/api-reference/api/; https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/;
the CRDs of gpu-operator v26.7.0, node-feature-discovery v0.19.0 and dra-driver-nvidia-gpu (2026-11-28)
"""

BROUGHT = {
    "nfd.k8s-sigs.io": ("gpu-operator", "node-feature-discovery"),
    "nvidia.com": ("gpu-operator",),
    "resource.nvidia.com": ("dra-driver-nvidia-gpu", "nvidia-dra-driver-gpu"),
}
"""The charts that bring the CRDs of a group.

Source: the folders crds/ of the charts gpu-operator v26.7.0, node-feature-discovery v0.19.0 and dra-driver-nvidia-gpu
(2026-11-28)
"""


def is_custom(group: str) -> bool:
    """Whether objects of a group need a CRD."""
    return "." in group and group not in _OF_KUBERNETES and not group.endswith(_OF_FILES)


def program_of(group: str, kind: str) -> str | None:
    """The program that serves a kind of a group; None for one that is not known."""
    return _BY_KIND.get(kind) if group == "argoproj.io" else _PROGRAMS.get(group)
