"""The labels that a node may set on itself, written out."""

import pytest

from constructs_lib.upstream.kubernetes.api import node_may_set

# https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
ALLOWED = [
    "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type", "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "kubelet.kubernetes.io/a", "a.kubelet.kubernetes.io/b", "node.kubernetes.io/instance-type", "a.node.kubernetes.io/b",
    "nvidia.com/gpu.present", "gpu", "example.com/kubernetes.io", "mykubernetes.io/a",
]  # fmt: skip
REFUSED = [
    "node-role.kubernetes.io/gpu", "kubernetes.io/role", "node-restriction.kubernetes.io/a", "a.k8s.io/b", "k8s.io/a", "beta.kubernetes.io/a",
    "topology.kubernetes.io/rack",
]  # fmt: skip


@pytest.mark.parametrize("label", ALLOWED)
def test_a_label_that_the_node_restriction_allows(label):
    assert node_may_set(label)


@pytest.mark.parametrize("label", REFUSED)
def test_a_label_that_the_node_restriction_refuses(label):
    assert not node_may_set(label)
