"""What each service account may do in the cluster: exactly what the code of its agent calls, and nothing else."""

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cdk8s import App, Chart
from control_plane import ControlPlane
from lab_site import furnish

from conftest import needs
from constructs_lib import DcgmExporter, Dra, GpuNodes, GpuWorkload, StandaloneDevicePlugin, TimeSlicing, ValidationBridge
from constructs_lib.testing import synthesize

OWN, OTHER = "gpu", "other"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete")
RESOURCES = (
    ("", "pods"), ("", "nodes"), ("", "secrets"), ("", "configmaps"), ("nfd.k8s-sigs.io", "nodefeatures"),
    ("resource.k8s.io", "resourceslices"), ("resource.k8s.io", "resourceclaims"), ("apps", "daemonsets"),
)  # fmt: skip
NODES = GpuNodes(talos_version="1.14")
SHARED = GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=2))
CLAIMED = GpuNodes(talos_version="1.14", dra=Dra())

# The calls of each agent: verb, resource, and whether in every namespace.
PODS = {("list", "pods", True), ("watch", "pods", True)}
CALLS: dict[str, tuple[Any, str, set[tuple[str, str, bool]]]] = {
    # NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin: no client of Kubernetes
    "device plugin": (lambda chart: StandaloneDevicePlugin(chart, "a", nodes=NODES), "nvidia-device-plugin", set()),
    # NVIDIA/k8s-device-plugin internal/lm/output.go: Get, Create and Update of its NodeFeature, Get of its own pod
    "feature discovery": (
        lambda chart: StandaloneDevicePlugin(chart, "a", nodes=NODES, feature_discovery=True),
        "nvidia-device-plugin-gpu-feature-discovery",
        {("get", "nodefeatures", False), ("create", "nodefeatures", False), ("update", "nodefeatures", False), ("get", "pods", False)},
    ),
    # NVIDIA/dcgm-exporter internal/pkg/transformation/kubernetes.go: the kubelet's socket names the pods
    "exporter": (lambda chart: DcgmExporter(chart, "a", nodes=NODES), "dcgm-exporter", set()),
    # … an informer on pods, for their UIDs
    "exporter of shared cards": (lambda chart: DcgmExporter(chart, "a", nodes=SHARED), "dcgm-exporter", PODS),
    # NVIDIA/dcgm-exporter internal/pkg/transformation/dra.go: an informer on ResourceSlices
    "exporter of claimed cards": (
        lambda chart: DcgmExporter(chart, "a", nodes=CLAIMED),
        "dcgm-exporter",
        PODS | {("list", "resourceslices", True), ("watch", "resourceslices", True)},
    ),
    "validation bridge": (lambda chart: ValidationBridge(chart, "a", nodes=GpuNodes(talos_version="1.12")), "default", set()),
    "workload": (lambda chart: GpuWorkload(chart, "a", nodes=NODES, image="a:1"), "default", set()),
}


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)"))
    with ControlPlane(assets) as started:
        furnish(started, crds)
        yield started


def may(lab: ControlPlane, account: str, namespace: str, verb: str, group: str, resource: str) -> bool:
    """The API server's answer to an access review for a service account."""
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{OWN}", "system:authenticated"]
    attributes = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
    review = {"user": f"system:serviceaccount:{OWN}:{account}", "groups": groups, "resourceAttributes": attributes}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": review}
    return bool(lab.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)["status"]["allowed"])


def allowed(lab: ControlPlane, account: str, namespace: str) -> set[tuple[str, str]]:
    """What a service account may do in a namespace."""
    asked = itertools.product(VERBS, RESOURCES)
    return {(verb, resource) for verb, (group, resource) in asked if may(lab, account, namespace, verb, group, resource)}


def await_access(lab: ControlPlane, number: int) -> None:
    """Wait until the authorizer has read what was applied: it reads each kind in the order of the changes, so permissions that come last are seen last."""
    version, group = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    for prefix, resource, namespaced in (("Cluster", "nodes", False), ("", "configmaps", True)):
        name = f"last-{number}-{resource}"
        metadata = {"name": name, **({"namespace": OWN} if namespaced else {})}
        rules = [{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]
        role = {"apiGroup": group, "kind": f"{prefix}Role", "name": name}
        subjects = [{"kind": "ServiceAccount", "name": name, "namespace": OWN}]
        lab.apply(
            [
                {"apiVersion": version, "kind": f"{prefix}Role", "metadata": metadata, "rules": rules},
                {"apiVersion": version, "kind": f"{prefix}RoleBinding", "metadata": metadata, "roleRef": role, "subjects": subjects},
            ]
        )
        assert lab.eventually(partial(may, lab, name, OWN, "get", "", resource))


@pytest.mark.parametrize("agent", CALLS)
def test_a_service_account_may_do_what_its_agent_calls_and_nothing_else(lab, agent):
    make, account, calls = CALLS[agent]
    app = App()
    make(Chart(app, "gpu", namespace=OWN))
    access = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
    manifests = synthesize(app)
    objects = [each for each in manifests if each["kind"] in access]
    templates = [each["spec"]["template"]["spec"] for each in manifests if each["kind"] in ("DaemonSet", "Deployment")]
    assert account in [template.get("serviceAccountName", "default") for template in templates]
    lab.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (OWN, OTHER))
    lab.apply(objects)
    await_access(lab, list(CALLS).index(agent))
    try:
        assert allowed(lab, account, OWN) == {(verb, resource) for verb, resource, _ in calls}
        assert allowed(lab, account, OTHER) == {(verb, resource) for verb, resource, everywhere in calls if everywhere}
    finally:
        for each in objects:
            lab.delete(each)
