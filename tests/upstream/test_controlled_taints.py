"""Taints that Kubernetes or a controller takes away, in every place that reads taints."""

import pytest
import yaml
from chart_checks import CDI, checked, node, release

from conftest import message
from constructs_lib import GpuNodes, Taint
from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.present_nodes import present_live
from constructs_lib.doctor.gpu_node import GpuNode
from constructs_lib.nodes.nodes_file import nodes_in
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.kubernetes.controlled_taints import is_controlled, remover

STARTUP = {
    "node.kubernetes.io/not-ready": "Kubernetes",
    "node.kubernetes.io/network-unavailable": "Kubernetes",
    "node.cloudprovider.kubernetes.io/uninitialized": "the cloud controller manager",
    "node.cluster.x-k8s.io/uninitialized": "the Cluster API",
    "node.cilium.io/agent-not-ready": "Cilium",
    "ebs.csi.aws.com/agent-not-ready": "the EBS CSI driver",
    "efs.csi.aws.com/agent-not-ready": "the EFS CSI driver",
    "storage.example.com/agent-not-ready": "the agent that the taint names",
    "example.com/uninitialized": "the controller that the taint names",
    "cni.istio.io/not-ready": "Istio",
    "karpenter.sh/unregistered": "Karpenter",
    "karpenter.sh/disrupted": "Karpenter",
    "startup-taint.cluster-autoscaler.kubernetes.io/topolvm-capacity-not-ready": "the controller that the taint is for",
    "ignore-taint.cluster-autoscaler.kubernetes.io/cilium": "the controller that the taint is for",
    "example.com/startup-taint": "the controller that the taint is for",
    "readiness.k8s.io/network": "the Node Readiness Controller",
    "ToBeDeletedByClusterAutoscaler": "the Cluster Autoscaler",
    "DeletionCandidateOfClusterAutoscaler": "the Cluster Autoscaler",
    "drbd.linbit.com/lost-quorum": "the HA controller of Piraeus",
}
LASTING = (
    "nvidia.com/gpu",
    "dedicated",
    "node-role.kubernetes.io/control-plane",
    "example.com/gpu-not-ready-for-web",
    "agent-not-ready",
    "",
)


def test_a_startup_taint_is_known_by_its_name_and_by_who_takes_it_away():
    assert {key: remover(key) for key in STARTUP} == STARTUP
    assert [key for key in LASTING if is_controlled(key)] == []


def test_a_class_of_nodes_has_no_startup_taint():
    for key, by in STARTUP.items():
        assert message(lambda: GpuNodes(talos_version="1.14", taints=[Taint("dedicated"), Taint(key)])) == (  # noqa: B023  # called at once
            f"'taints[1]' must be a taint that stays on its node (got {Taint(key)!r}); {by} takes this taint away once the node can serve pods; a "
            "pod that tolerates the taint starts before that. Leave the taint out"
        )
        with pytest.raises(ValueError, match="a taint that stays on its node"):
            nodes_in([{"talos_version": "1.14", "taints": [f"{key}:NoSchedule"]}])


def tainted(*keys, **given):
    listed = [{"key": key, "effect": "NoSchedule"} for key in keys]
    return node(kubelet={"extraConfig": {"registerWithTaints": listed}}, **given)


def test_nothing_has_to_tolerate_a_startup_taint():
    operator = release("gpu-operator", CDI, version="v26.7.0")

    assert checked("TG053", operator, tainted(*STARTUP)) == []
    found = checked("TG053", operator, tainted(*STARTUP, "dedicated"))
    assert found
    assert all("the taint dedicated:NoSchedule of gpu-1" in each.message for each in found)


def test_a_startup_taint_of_node_taints_belongs_to_the_registration():
    for key, by in STARTUP.items():
        (finding,) = checked("TG079", node(nodeTaints={key: "NoSchedule"}), talos="1.13")
        assert finding.fix == (
            f"Set the taint in machine.kubelet.extraConfig.registerWithTaints: [{{key: {key}, effect: NoSchedule}}] alone: {by} takes the taint away, "
            "and nodeTaints would set the taint again"
        )


def test_adoption_leaves_a_startup_taint_in_its_file():
    text = yaml.safe_dump(tainted("node.cilium.io/agent-not-ready", "dedicated"))
    adoption = adopt(read_text(text, file="machine.yaml"), "1.13.9")

    assert adoption.nodes.classes[0]["taints"] == ["dedicated:NoSchedule"]
    assert [each for each in adoption.nodes.notes if "taint" in each] == [
        "Cilium takes the taint node.cilium.io/agent-not-ready of gpu-1 away, so no pod has to tolerate it: it stays in its file"
    ]


def test_adoption_asks_the_files_who_takes_a_taint_away_as_the_checks_do():
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cilium-config"},
        "data": {"agent-not-ready-taint-key": "example.com/network"},
    }
    text = yaml.safe_dump_all([tainted("example.com/network", "dedicated"), config])
    adoption = adopt(read_text(text, file="machine.yaml"), "1.13.9")

    assert adoption.nodes.classes[0]["taints"] == ["dedicated:NoSchedule"]
    assert [each for each in adoption.nodes.notes if "taint" in each] == [
        "Cilium takes the taint example.com/network of gpu-1 away, so no pod has to tolerate it: it stays in its file"
    ]


def test_live_nodes_state_no_startup_taint():
    live = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-1"},
        "spec": {"taints": [{"key": key, "effect": "NoSchedule"} for key in (*STARTUP, "dedicated")]},
        "status": {"capacity": {"nvidia.com/gpu": "1"}, "nodeInfo": {"osImage": "Talos (v1.14.0)"}},
    }

    node = GpuNode(name="gpu-1", node=LiveObject(live, "node.yaml"), machine=None)
    assert present_live([node]).classes[0].arguments["taints"] == ["dedicated:NoSchedule"]


def test_what_every_pod_tolerates_is_no_startup_taint():
    tolerations = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in (*STARTUP, "dedicated")]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "llm"},
        "spec": {
            "tolerations": tolerations,
            "containers": [{"name": "llm", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}],
        },
    }

    assert adopt(read_text(yaml.safe_dump(pod), file="pod.yaml"), "1.13.9").nodes.classes[0]["taints"] == ["dedicated:NoSchedule"]
