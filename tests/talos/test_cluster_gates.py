"""`feature_gates_patch`: Kubernetes' feature gates for GPUs by claims, in Talos' machine configuration."""

import pytest
import yaml

from conftest import message
from constructs_lib.talos import feature_gates_patch

OFF = {"talos_version": "1.13", "kubernetes_version": "1.35"}


def patch(*gates, **given):
    return list(yaml.safe_load_all(feature_gates_patch(gates, **{**OFF, **given})))


def test_every_program_of_a_control_plane_gets_the_gate():
    on = {"extraArgs": {"feature-gates": "DRAExtendedResource=true,DRAPartitionableDevices=true"}}
    of_kubelet = {"extraArgs": {"feature-gates": "DRAExtendedResource=true"}}

    assert patch("DRAPartitionableDevices", "DRAExtendedResource") == [
        {"machine": {"kubelet": of_kubelet}, "cluster": {"apiServer": on, "controllerManager": on, "scheduler": on}}
    ]


def test_a_worker_has_the_kubelet_alone():
    on = {"extraArgs": {"feature-gates": "DRAExtendedResource=true"}}

    assert patch("DRAExtendedResource", control_plane=False) == [{"machine": {"kubelet": on}}]
    worker = patch("DRAExtendedResource", talos_version="1.14", control_plane=False)
    assert worker == [{"apiVersion": "v1alpha1", "kind": "KubeletConfig", **on}]


def test_a_worker_needs_no_patch_for_a_gate_that_the_kubelet_does_not_read():
    assert feature_gates_patch(["DRAConsumableCapacity", "DRADeviceTaintRules"], **OFF, control_plane=False) == ""


@pytest.mark.parametrize(
    ("version", "gates", "served"),
    [
        ("1.35", "DRADeviceTaintRules=true,DRADeviceTaints=true", "resource.k8s.io/v1alpha3=true"),
        ("1.36", "DRADeviceTaintRules=true", "resource.k8s.io/v1beta2=true"),
    ],
)
def test_taint_rules_need_their_api_and_the_gate_of_taints_where_it_is_off(version, gates, served):
    documents = {each["kind"]: each["extraArgs"] for each in patch("DRADeviceTaintRules", talos_version="1.14", kubernetes_version=version)}

    assert list(documents) == ["KubeAPIServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig"]
    assert documents.pop("KubeAPIServerConfig") == {"feature-gates": gates, "runtime-config": served}
    assert all(each == {"feature-gates": gates} for each in documents.values())


def test_nothing_is_written_for_gates_that_the_cluster_has_on():
    assert feature_gates_patch(["DRADeviceTaintRules", "DRAExtendedResource"], talos_version="1.14", kubernetes_version="1.37") == ""


@pytest.mark.parametrize(
    ("gates", "given", "expected"),
    [
        (["DRADeviceTaintRules"], {"kubernetes_version": "1.34"},
         "'kubernetes_version' must be at least '1.35' for DRADeviceTaintRules (got '1.34'); a program refuses to start with a gate that it does not have"),
        (["DRADeviceTaints"], {"kubernetes_version": "1.33"},
         "'kubernetes_version' must be at least '1.34' for DRADeviceTaints (got '1.33'); DynamicResourceAllocation is off there"),
        (["DRAExtendedResource"], {"kubernetes_version": "1.99"}, "'kubernetes_version' must be one that Talos 1.13 runs, from '1.31' to '1.36' (got '1.99')"),
        (["DRAExtendedResources"], {}, ("'gates' must be made of 'DRAAdminAccess', 'DRAConsumableCapacity', 'DRADeviceTaintRules', 'DRADeviceTaints', "
         "'DRAExtendedResource', 'DRAPartitionableDevices', 'ResourceHealthStatus' (got 'DRAExtendedResources'); did you mean 'DRAExtendedResource'?")),
        (["DRAExtendedResource"], {"style": "documents"}, "'style' must be 'fields' on Talos 1.13 (got 'documents'); documents are new in Talos 1.14"),
    ],
)  # fmt: skip
def test_a_gate_that_the_cluster_cannot_have_is_refused(gates, given, expected):
    assert message(lambda: feature_gates_patch(gates, **{**OFF, **given})) == expected
