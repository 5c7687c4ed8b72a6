"""`device_taint_rule`: the rule that takes one device out of use, in the version that the cluster has."""

import pytest

from conftest import message
from constructs_lib import device_taint_rule
from strict_schemas import faults

DEVICE = {"node": "gpu-1", "device": "gpu-0"}


@pytest.mark.parametrize(("minor", "api"), [(35, "v1alpha3"), (36, "v1beta2"), (37, "v1"), (38, "v1")])
def test_the_rule_has_the_newest_version_of_the_clusters_api(minor, api):
    made = device_taint_rule(**DEVICE, kubernetes_version=f"1.{minor}.1")

    assert made == {
        "apiVersion": f"resource.k8s.io/{api}",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "gpu-1-gpu-0"},
        "spec": {
            "deviceSelector": {"driver": "gpu.nvidia.com", "pool": "gpu-1", "device": "gpu-0"},
            "taint": {"key": "talos-gpu/sick", "effect": "NoSchedule"},
        },
    }


@pytest.mark.parametrize("effect", ["None", "NoSchedule", "NoExecute"])
def test_kubernetes_has_every_field_of_the_rule(effect):
    assert faults(device_taint_rule(**DEVICE, kubernetes_version="1.37", effect=effect), 37) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kubernetes_version": "1.34"}, "'kubernetes_version' must be at least '1.35' (got '1.34'); older Kubernetes has no DeviceTaintRule of this form"),
        ({"kubernetes_version": "37"}, "'kubernetes_version' must be a Kubernetes version such as '1.37' (got '37')"),
        ({"effect": "PreferNoSchedule"}, "'effect' must be one of 'None', 'NoSchedule', 'NoExecute' (got 'PreferNoSchedule')"),
    ],
)  # fmt: skip
def test_a_rule_that_no_cluster_takes_is_refused(given, expected):
    assert message(lambda: device_taint_rule(**{**DEVICE, "kubernetes_version": "1.37", **given})).startswith(expected)
