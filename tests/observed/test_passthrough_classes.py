"""Facts about classes whose GPUs belong to virtual machines: their nodes have no driver, no plugin and no GPU pod."""

from constructs_lib import GpuNodes, Passthrough, TimeSlicing, check
from constructs_lib.checks.formats.capacity_table import capacity_json
from constructs_lib.nodes.taints import Taint
from constructs_lib.observed.images.cuda_drivers import drivers
from constructs_lib.observed.model import Inputs
from constructs_lib.observed.nodes.cards import has_several_cards
from constructs_lib.observed.nodes.node_labels import labels_of_nodes
from constructs_lib.observed.pods.workloads import gpu_workloads
from constructs_lib.observed.read.repository import read_text
from constructs_lib.talos import MachineConfigPatch

CARDS = Passthrough(pci_ids=["10de:2236"], resource_name="nvidia.com/GA102GL_A10")
MACHINES = GpuNodes(talos_version="1.14.2", name="vms", passthrough=CARDS, gpus_per_node=2, count=3)
CONFIG = "nvidia.com/device-plugin.config"
POD = """
apiVersion: v1
kind: Pod
metadata: {name: app, namespace: ai}
spec:
  runtimeClassName: nvidia
  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
  containers: [{name: app, image: "example.com/app:1.0", resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def test_the_driver_of_the_nodes_is_that_of_the_other_classes():
    apps = GpuNodes(talos_version="1.13.9", name="apps")

    assert [each.node for each in drivers(Inputs(nodes=(MACHINES, apps))) or ()] == ["apps"]
    assert drivers(Inputs(nodes=(MACHINES,))) is None


def test_talos_sets_no_label_of_an_nvidia_extension_on_the_nodes():
    assert labels_of_nodes(Inputs(nodes=(MACHINES,))).extensions is None


def test_the_name_of_the_class_chooses_no_config_of_the_device_plugin():
    written = MachineConfigPatch(nodes=MACHINES).text

    for inputs in (Inputs(nodes=(MACHINES,)), read_text(written)):
        labels = labels_of_nodes(inputs)
        assert CONFIG not in labels.values
        assert labels.values["nvidia.com/gpu.workload.config"] == {"vm-passthrough"}
    assert labels_of_nodes(Inputs(nodes=(GpuNodes(talos_version="1.14", name="apps"),))).values[CONFIG] == {"apps"}


def test_the_number_of_cards_is_that_of_nodes_for_pods():
    one_card = GpuNodes(talos_version="1.14", name="apps", gpus_per_node=1)
    several = GpuNodes(talos_version="1.14", name="apps", gpus_per_node=2)
    (workload,) = gpu_workloads(read_text(POD))

    assert not has_several_cards(Inputs(nodes=(MACHINES,)), workload)
    assert not has_several_cards(Inputs(nodes=(MACHINES, one_card)), workload)
    assert has_several_cards(Inputs(nodes=(GpuNodes(talos_version="1.14", name="vms", passthrough=CARDS), several)), workload)


def test_a_gpu_pod_need_not_tolerate_the_taints_of_the_nodes(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    tainted = GpuNodes(talos_version="1.14", name="vms", passthrough=CARDS, taints=[Taint("dedicated", "vms")])

    assert [
        each.rule for each in check(tmp_path, nodes=[GpuNodes(talos_version="1.14", name="a", taints=tainted.taints)], select=["TG053"])
    ]
    assert check(tmp_path, nodes=[tainted], select=["TG053"]) == []


def test_the_table_of_capacity_names_the_resource_of_virtual_machines():
    assert capacity_json(Inputs(nodes=(MACHINES,)))["classes"] == [
        {"name": "vms", "offers": [{"resource": "nvidia.com/GA102GL_A10", "amount": 6}], "memory_per_gpu": None}
    ]


def test_a_container_that_requests_a_gpu_gets_no_advice_for_the_card_of_a_virtual_machine(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD.replace("  runtimeClassName: nvidia\n", ""))

    assert [(each.rule, each.message, each.fix) for each in check(tmp_path, nodes=[MACHINES], select=["TG040", "TG047"])] == [
        (
            "TG047",
            "the pod requests nvidia.com/gpu, but the GPUs of the described nodes belong to virtual machines (passthrough). The pods stay Pending",
            "Set a nodeSelector for GPU nodes without passthrough, and describe these nodes, too (a cluster file, or GpuNodes)",
        )
    ]


def test_the_resource_of_virtual_machines_is_no_choice_for_a_container(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    shared = GpuNodes(talos_version="1.14", name="apps", sharing=TimeSlicing(replicas=2, rename_by_default=True))
    (finding,) = check(tmp_path, nodes=[MACHINES, shared], select=["TG047"])

    assert (
        finding.message
        == "the pod requests nvidia.com/gpu, but the described nodes offer only nvidia.com/gpu.shared. The pods stay Pending"
    )
    assert finding.fix.startswith("Set limits: {nvidia.com/gpu.shared: 1}, or")
