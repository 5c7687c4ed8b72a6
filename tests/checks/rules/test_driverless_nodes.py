"""TG123: GPU pods in a cluster whose nodes were all read, and of which none has NVIDIA's driver."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec: {chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: ai}
spec: {containers: [{name: main, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
CONTROL_PLANE = "  - {hostname: cp-1, ipAddress: 10.0.0.11, controlPlane: true}\n"
LABEL = 'nodeLabels: {nvidia.com/gpu.present: "true"}'


def cluster(node="", others=CONTROL_PLANE):
    worker = f"  - {{hostname: gpu-1, ipAddress: 10.0.0.30{', ' if node else ''}{node}}}\n"
    return f"clusterName: home\ntalosVersion: v1.13.9\nendpoint: https://10.0.0.10:6443\nnodes:\n{others}{worker}"


def findings(*texts, nodes=()):
    inputs = read_text("---\n".join(texts), nodes=nodes)
    return [(str(each.severity), each.object, each.message) for each in run_rules(inputs, select=["TG123"])]


def test_a_labelled_node_without_the_module_is_an_error_at_the_node():
    assert findings(PLUGIN, POD, cluster(LABEL)) == [
        (
            "error",
            "gpu-1",
            (
                "gpu-1 has the label nvidia.com/gpu.present=true, but none of the 2 nodes in these files loads the module nvidia. The node has no "
                "/dev/nvidia0, and GPU pods stay Pending: 'Insufficient nvidia.com/gpu'"
            ),
        )
    ]


def test_without_a_labelled_node_there_may_be_further_nodes_so_it_is_a_warning_at_the_plugin():
    assert findings(PLUGIN, POD, cluster()) == [
        (
            "warning",
            "nvidia-device-plugin 0.20.0 (kube-system/plugin)",
            (
                "none of the 2 nodes in these files loads the module nvidia. Unless the cluster has further nodes, no node offers a GPU, and GPU pods "
                "stay Pending: 'Insufficient nvidia.com/gpu'"
            ),
        )
    ]


@pytest.mark.parametrize(
    "node",
    [
        "kernelModules: [{name: nvidia}]",
        "kernelModules: [{name: '${MODULE}'}]",
        "kernelModules: [{name: vfio-pci}]",
        "kernelModules: [{name: nvgpu}]",
        "schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-lts]}}}",
        "patches: ['@unread.yaml']",
        "schematic: {customization: {systemExtensions: {officialExtensions: ['${EXTENSION}']}}}",
        "schematic: {customization: {systemExtensions: {officialExtensions: '${EXTENSIONS}'}}}",
    ],
)
def test_a_node_that_has_or_may_have_another_driver_is_no_finding(node):
    assert findings(PLUGIN, POD, cluster(f"{LABEL}, {node}")) == []


def test_without_the_control_plane_the_cluster_was_not_read_whole():
    assert findings(PLUGIN, POD, cluster(LABEL, others="")) == []


def test_without_a_plugin_or_without_a_gpu_pod_nothing_waits_for_a_driver():
    assert findings(POD, cluster(LABEL)) == []
    assert findings(PLUGIN, cluster(LABEL)) == []


def test_a_described_class_of_nodes_has_a_patch_of_its_own():
    assert findings(PLUGIN, POD, cluster(LABEL), nodes=[GpuNodes(talos_version="1.13")]) == []
