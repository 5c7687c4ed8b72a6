"""The API groups of Kubernetes itself, and the programs whose CRDs serve the others."""

from __future__ import annotations

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

Source: kubernetes pkg/controlplane/instance.go, pkg/controlplane/apiserver/aggregator.go at v1.37.2; a CRD's group has
a dot: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go (2026-11-28)
"""

_ARGO_CD, _ARGO_WORKFLOWS = "Argo CD", "Argo Workflows"
_BY_KIND = {
    **dict.fromkeys(("Application", "ApplicationSet", "AppProject"), _ARGO_CD),
    **dict.fromkeys(("Workflow", "CronWorkflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), _ARGO_WORKFLOWS),
    "Rollout": "Argo Rollouts",
}
_PROGRAMS = {
    "kueue.x-k8s.io": "Kueue",
    "jobset.x-k8s.io": "JobSet",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet",
    "keda.sh": "KEDA",
    "http.keda.sh": "KEDA's HTTP add-on",
    "gateway.networking.k8s.io": "the Gateway API",
    "monitoring.coreos.com": "the Prometheus operator",
    "source.toolkit.fluxcd.io": "Flux",
    "helm.toolkit.fluxcd.io": "Flux",
    "kustomize.toolkit.fluxcd.io": "Flux",
    "nfd.k8s-sigs.io": "Node Feature Discovery",
    "nvidia.com": "the GPU operator",
    "resource.nvidia.com": "NVIDIA's DRA driver",
}
"""The program of a group. Those of the group argoproj.io differ by the kind.

Source: the CRDs of kubernetes-sigs/kueue v0.19.2, jobset v0.12.0, lws v0.10.0, gateway-api, node-feature-discovery v0.19.0;
kedacore/keda, http-add-on; prometheus-operator/prometheus-operator; fluxcd/{source,helm,kustomize}-controller;
argoproj/{argo-cd,argo-workflows,argo-rollouts}; gpu-operator v26.7.0; NVIDIA/k8s-dra-driver-gpu (2026-11-28)
"""

BROUGHT = {
    "nfd.k8s-sigs.io": ("gpu-operator", "node-feature-discovery"),
    "nvidia.com": ("gpu-operator",),
    "resource.nvidia.com": ("dra-driver-nvidia-gpu", "nvidia-dra-driver-gpu"),
}
"""The charts that bring the CRDs of a group."""


def is_custom(group: str) -> bool:
    """Whether objects of a group need a CRD."""
    return "." in group and group not in _OF_KUBERNETES and not group.endswith(_OF_FILES)


def program_of(group: str, kind: str) -> str | None:
    """The program that serves a kind of a group; None for one that is not known."""
    return _BY_KIND.get(kind) if group == "argoproj.io" else _PROGRAMS.get(group)
