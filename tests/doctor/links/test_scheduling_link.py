"""The link `scheduled`: the cause among the nodes, the other pods and the claims, from the scheduler's own words."""

import pytest
import yaml
from doctor.dump_parts import command, fault_names, healthy_line, log
from doctor.pod_parts import (
    PREEMPTION,
    claim_spec,
    cluster,
    event,
    live,
    node,
    only_fault,
    pending,
    pod,
    resource_slice,
    shown,
    thing,
)

from constructs_lib.doctor.fault import Follows
from constructs_lib.doctor.links.scheduling_link import scheduled
from constructs_lib.observed.model.evidence import LogKind
from constructs_lib.observed.model.talos_machine import TalosMachine
from constructs_lib.symptoms.link import Link

NO_GPU = f"0/3 nodes are available: 3 Insufficient nvidia.com/gpu. {PREEMPTION}"
TAINTED = f"0/3 nodes are available: 1 node(s) had untolerated taint {{dedicated: ai}}, 2 Insufficient nvidia.com/gpu. {PREEMPTION}"
UNNAMED = (
    f"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu. no new claims to deallocate, {PREEMPTION}"
)
UNMATCHED = f"0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. {PREEMPTION}"
UNALLOCATED = f"0/3 nodes are available: 1 cannot allocate all claims, 2 node(s) didn't match Pod's node affinity/selector. still not schedulable, {PREEMPTION}"
CPU_NODES = (node("cpu-1", gpus=None, is_gpu=False), node("cpu-2", gpus=None, is_gpu=False))
TAINT = "dedicated=ai:NoSchedule"
TOLERATION = {"tolerations": [{"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}]}


def state_of(wanting, *objects, broken=None, listed=""):
    return scheduled(cluster(wanting, *objects, *CPU_NODES, listed=listed), live(wanting), broken or {})


def fault_of(wanting, *objects, **given):
    return only_fault(state_of(wanting, *objects, **given))


def test_a_pod_with_a_node_is_scheduled():
    assert healthy_line(state_of(pod(on="gpu-1"), node())) == "nodeName: gpu-1"


def test_a_pod_of_which_the_scheduler_has_said_nothing_is_not_judged():
    assert command(state_of(pod(), node())) == "kubectl describe pod POD --namespace NAMESPACE"


def test_the_words_come_from_the_newest_event_where_the_pod_has_no_condition():
    wanting = pod()
    old = event(wanting, "FailedScheduling", UNMATCHED, at="2026-11-22T07:00:00Z")
    new = event(wanting, "FailedScheduling", NO_GPU, at="2026-11-22T08:00:00Z")

    fault = fault_of(wanting, node(), new, old, pod("other", on="gpu-1", phase="Running"))

    assert fault.name == "all-gpus-held"
    assert fault.evidence[0].text == NO_GPU


@pytest.mark.parametrize("words", [TAINTED, UNNAMED])
def test_a_taint_of_the_gpu_node_is_named_in_both_forms_of_the_message(words):
    fault = fault_of(pending(words), node(taints=[TAINT]))

    assert fault.name == "untolerated-taint"
    assert fault.cause == "The pod does not tolerate the taint dedicated=ai:NoSchedule of the GPU nodes"
    assert "taint dedicated=ai:NoSchedule | Node gpu-1, spec.taints (cluster.yaml)" in shown(fault)
    assert "- {key: 'dedicated', operator: Equal, value: 'ai', effect: 'NoSchedule'}" in str(fault.fix)
    assert fault.is_of_pod
    assert "TG053" in fault.rules


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "dedicated", "operator": "Exists"},
        {"key": "dedicated", "value": "ai"},
        {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
    ],
)
def test_a_tolerated_taint_is_no_cause(toleration):
    wanting = pending(NO_GPU, spec={"tolerations": [toleration]})

    assert fault_of(wanting, node(taints=[TAINT]), pod("other", on="gpu-1", phase="Running")).name == "all-gpus-held"


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "dedicated", "value": "web"},
        {"key": "gpu", "operator": "Exists"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"},
    ],
)
def test_a_toleration_of_another_key_value_or_effect_does_not_help(toleration):
    assert fault_of(pending(TAINTED, spec={"tolerations": [toleration]}), node(taints=[TAINT])).name == "untolerated-taint"


def test_a_taint_that_only_prefers_other_pods_is_no_cause():
    wanting = pending(NO_GPU)

    assert fault_of(wanting, node(taints=["dedicated=ai:PreferNoSchedule"]), pod("other", on="gpu-1")).name == "all-gpus-held"


def test_a_taint_of_nodes_without_gpus_is_no_cause():
    tainted = node("cpu-3", gpus=None, is_gpu=False, taints=["node-role.kubernetes.io/control-plane:NoSchedule"])
    words = f"0/4 nodes are available: 1 node(s) had untolerated taint {{node-role.kubernetes.io/control-plane: }}, 3 Insufficient nvidia.com/gpu. {PREEMPTION}"

    assert fault_of(pending(words), node(), tainted, pod("other", on="gpu-1", phase="Running")).name == "all-gpus-held"


def test_the_taints_of_several_nodes_are_one_fault():
    fault = fault_of(pending(TAINTED), node("a", taints=["gpu=true:NoSchedule"]), node("b", taints=[TAINT]))

    assert fault.cause == "The pod does not tolerate the taint gpu=true:NoSchedule or the taint dedicated=ai:NoSchedule of the GPU nodes"


def test_a_node_selector_that_no_gpu_node_satisfies_is_named_with_the_label_of_the_node():
    fault = fault_of(pending(UNMATCHED, spec={"nodeSelector": {"accelerator": "h100"}}), node(labels={"accelerator": "a100"}))

    assert fault.name == "node-label-missing"
    assert fault.cause == "No GPU node has the label that the pod selects: nodeSelector accelerator=h100"
    assert "has accelerator=a100 | Node gpu-1, metadata.labels" in shown(fault)
    assert str(fault.fix) == "Set in the pod spec:\nnodeSelector:\n  'accelerator': 'a100'"


def test_a_label_that_no_gpu_node_has_in_any_value_is_set_on_a_node():
    fault = fault_of(pending(UNMATCHED, spec={"nodeSelector": {"accelerator": "h100"}}), node())

    assert str(fault.fix).startswith("kubectl label node NODE accelerator=h100")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kubernetes.io/hostname", "gpu-9"),
        ("topology.kubernetes.io/zone", "b"),
        ("node.kubernetes.io/instance-type", "g5"),
        ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"),
        ("nvidia.com/gpu.present", "true"),
        ("feature.node.kubernetes.io/pci-10de.present", "true"),
        ("extensions.talos.dev/nvidia-container-toolkit", "1"),
    ],
)
def test_a_label_that_an_agent_sets_is_never_written_by_hand(key, value):
    wanting = pending(UNMATCHED, spec={"nodeSelector": {key: value}})

    for each in (node(), node(labels={key: "another"})):
        assert "kubectl label" not in str(fault_of(wanting, each).fix)


def test_a_role_is_a_label_that_a_person_sets():
    wanting = pending(UNMATCHED, spec={"nodeSelector": {"node-role.kubernetes.io/gpu": ""}})

    assert str(fault_of(wanting, node()).fix).startswith("kubectl label node NODE node-role.kubernetes.io/gpu=   #")


def test_the_labels_of_the_gpu_nodes_are_offered_for_an_affinity():
    wanting = pending(UNMATCHED, spec=affinity(expressions(("nvidia.com/gpu.product", "In", "H100"))))
    nodes = (node("a", labels={"nvidia.com/gpu.product": "L4"}), node("b", labels={"nvidia.com/gpu.product": "A10"}))

    assert (
        str(fault_of(wanting, *nodes).fix)
        == "Set in the node affinity of the pod spec a value of nvidia.com/gpu.product that the GPU nodes have: A10, L4"
    )


def affinity(*terms):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}}


def expressions(*given):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)} for key, operator, *values in given]}


@pytest.mark.parametrize(
    ("spec", "detail"),
    [
        (affinity(expressions(("nvidia.com/gpu.present", "In", "true"))), "node affinity nvidia.com/gpu.present In [true]"),
        (affinity(expressions(("a", "Exists")), expressions(("b", "In", "x", "y"))), "node affinity a Exists, or b In [x, y]"),
        (affinity(expressions(("kubernetes.io/hostname", "NotIn", "gpu-1"))), "node affinity kubernetes.io/hostname NotIn [gpu-1]"),
        (affinity(expressions(("kubernetes.io/hostname", "DoesNotExist"))), "node affinity kubernetes.io/hostname DoesNotExist"),
        (affinity(expressions(("memory", "Gt", "40000"))), "node affinity memory Gt [40000]"),
        (affinity(expressions(("memory", "Lt", "20000"))), "node affinity memory Lt [20000]"),
    ],
)
def test_a_required_affinity_that_no_gpu_node_satisfies_is_named(spec, detail):
    assert fault_of(pending(UNMATCHED, spec=spec), node(labels={"memory": "24000"})).cause.endswith(detail)


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {"kubernetes.io/hostname": "gpu-1"}},
        affinity(expressions(("missing", "Exists")), expressions(("kubernetes.io/hostname", "In", "gpu-1"))),
        affinity(expressions(("memory", "Gt", "20000"))),
        affinity(expressions(("memory", "Lt", "40000"))),
        affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]}),
    ],
)
def test_a_satisfied_selection_is_no_cause(spec):
    wanting = pending(NO_GPU, spec=spec)

    assert fault_of(wanting, node(labels={"memory": "24000"}), pod("other", on="gpu-1")).name == "all-gpus-held"


def test_a_taint_and_a_label_of_the_same_node_are_two_faults():
    wanting = pending(TAINTED, spec={"nodeSelector": {"accelerator": "h100"}})

    assert fault_names(state_of(wanting, node(taints=[TAINT]))) == ["untolerated-taint", "node-label-missing"]


def test_a_taint_and_more_gpus_than_the_node_has_are_two_faults():
    assert fault_names(state_of(pending(TAINTED, gpus=2), node(taints=[TAINT]))) == ["untolerated-taint", "more-gpus-than-a-node-has"]


def test_the_node_with_the_fewest_reasons_against_the_pod_tells_the_cause():
    wanting = pending(TAINTED, spec={"nodeSelector": {"accelerator": "h100"}})

    fault = fault_of(wanting, node("a", taints=["other=x:NoSchedule"]), node("b", taints=[TAINT], labels={"accelerator": "h100"}))

    assert "dedicated=ai:NoSchedule" in fault.cause
    assert "other=x" not in fault.cause


def test_cordoned_gpu_nodes_are_the_cause():
    words = f"0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu. {PREEMPTION}"

    fault = fault_of(pending(words), node(is_cordoned=True), node("gpu-2", taints=[TAINT]))

    assert fault.name == "gpu-nodes-cordoned"
    assert str(fault.fix) == "kubectl uncordon NODE"


def test_gpu_nodes_that_are_not_ready_are_the_cause():
    taints = ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]
    words = f"0/3 nodes are available: 1 node(s) had untolerated taint {{node.kubernetes.io/unreachable: }}, 2 Insufficient nvidia.com/gpu. {PREEMPTION}"

    assert fault_of(pending(words), node(taints=taints)).name == "gpu-nodes-not-ready"


@pytest.mark.parametrize(
    ("taint", "words"),
    [
        ("node.kubernetes.io/unreachable", "their kubelet does not report"),
        ("node.kubernetes.io/not-ready", "their kubelet reports, and can't run pods"),
        ("node.kubernetes.io/network-unavailable", "have no network yet"),
        ("node.kubernetes.io/disk-pressure", "short of disk space"),
        ("node.kubernetes.io/memory-pressure", "short of memory"),
        ("node.kubernetes.io/pid-pressure", "short of process ids"),
        ("node.kubernetes.io/of-a-later-release", "can't serve pods now"),
        ("node.cloudprovider.kubernetes.io/uninitialized", "are new"),
        ("node.cilium.io/agent-not-ready", "wait for the agent of node.cilium.io"),
        ("ToBeDeletedByClusterAutoscaler=1763800000", "on their way out"),
        ("karpenter.sh/disrupted", "on their way out"),
    ],
)
def test_a_condition_of_the_nodes_is_told_with_its_end_and_never_tolerated(taint, words):
    fault = fault_of(pending(TAINTED), node(taints=[f"{taint}:NoSchedule", f"{taint}:NoExecute"]))

    assert fault.name in ("gpu-nodes-not-ready", "gpu-nodes-not-in-service")
    assert words in fault.cause
    assert taint.partition("=")[0] in fault.cause
    assert "toleration" not in str(fault.fix)
    assert fault.rules == ()


def test_a_node_without_a_network_plugin_has_one_fault_and_not_two():
    taints = ["node.kubernetes.io/network-unavailable:NoSchedule", "node.kubernetes.io/not-ready:NoSchedule"]

    assert "node.kubernetes.io/not-ready" in fault_of(pending(TAINTED), node(taints=taints)).cause


def test_the_nodes_that_refuse_the_pod_are_those_of_the_commands():
    nodes = (node("gpu-1", taints=["node.kubernetes.io/disk-pressure:NoSchedule"]), node("gpu-2", taints=[TAINT, "a=b:NoSchedule"]))

    assert [each.name for each in fault_of(pending(TAINTED), *nodes).about] == ["gpu-1"]


@pytest.mark.parametrize("value", ["true", "1", "no", "1e3"])
def test_the_toleration_of_any_value_is_text_in_yaml(value):
    fault = fault_of(pending(TAINTED), node(taints=[f"dedicated={value}:NoSchedule"]))

    tolerations = yaml.safe_load(str(fault.fix).partition("\n")[2])["tolerations"]
    assert tolerations == [{"key": "dedicated", "operator": "Equal", "value": value, "effect": "NoSchedule"}]


def test_a_pod_that_wants_more_gpus_than_any_node_has_is_told_the_most():
    fault = fault_of(pending(NO_GPU, gpus=4), node(gpus=2), node("gpu-2", gpus=1))

    assert fault.name == "more-gpus-than-a-node-has"
    assert fault.cause == "The pod asks for 4 nvidia.com/gpu on one node, and no node that it may use offers more than 2"
    assert "nvidia.com/gpu: 2 | Node gpu-1, status.allocatable" in shown(fault)


@pytest.mark.parametrize("offered", ["nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"])
def test_a_resource_of_another_name_is_the_cause(offered):
    fault = fault_of(pending(NO_GPU), node(gpus={"nvidia.com/gpu": 0, offered: 4}))

    assert fault.name == "resource-not-offered"
    assert fault.cause.endswith(f"offer {offered}")
    assert f"limits: {{'{offered}': 1}}" in str(fault.fix)


def test_gpus_that_other_pods_hold_are_told_with_the_pods():
    holders = [
        pod("web-1", on="gpu-1", phase="Running"),
        pod("web-2", on="gpu-1", phase="Running"),
        pod("done", on="gpu-1", phase="Succeeded"),
    ]

    fault = fault_of(pending(NO_GPU), node(gpus=2), *holders)

    assert fault.name == "all-gpus-held"
    assert "holds nvidia.com/gpu: 1 of gpu-1 | Pod gpu/web-1, spec" in shown(fault)
    assert "web-2" in shown(fault)
    assert "done" not in shown(fault)
    assert "gpu-1" not in fault.cause


def test_a_rolling_update_whose_old_pod_holds_the_gpu_is_a_deadlock():
    old = pod("llm-old-1", on="gpu-1", phase="Running", owner=("ReplicaSet", "llm-5f4d8c7b6"))

    fault = fault_of(pending(NO_GPU), node(), old)

    assert fault.name == "rolling-update-deadlock"
    assert fault.rules == ("TG048",)
    assert "kubectl patch deployment llm --namespace gpu" in str(fault.fix)


def test_a_pod_of_the_same_replica_set_is_no_deadlock():
    sibling = pod("llm-2", on="gpu-1", phase="Running")

    assert fault_of(pending(NO_GPU), node(), sibling).name == "all-gpus-held"


def test_a_pod_follows_from_a_broken_node_that_it_could_use():
    state = state_of(pending(NO_GPU), node(gpus=None), broken={"gpu-1": Link.MODULES})

    assert isinstance(state, Follows)
    assert state.nodes == ("gpu-1",)
    assert state.evidence.text == NO_GPU


def test_a_pod_follows_from_the_broken_node_though_a_healthy_one_is_full():
    state = state_of(pending(NO_GPU), node(gpus=None), node("gpu-2"), pod("a", on="gpu-2"), broken={"gpu-1": Link.DRIVER})

    assert isinstance(state, Follows)


def test_a_pod_with_an_untolerated_taint_has_its_own_fault_beside_a_broken_node():
    fault = fault_of(pending(TAINTED), node(gpus=None, taints=[TAINT]), broken={"gpu-1": Link.MODULES})

    assert fault.name == "untolerated-taint"


def test_a_pod_that_wants_more_than_the_capacity_of_a_broken_node_has_its_own_fault():
    state = state_of(pending(NO_GPU, gpus=4), node(gpus=2, allocatable=1), broken={"gpu-1": Link.ALLOCATABLE})

    assert fault_names(state) == ["more-gpus-than-a-node-has"]


def test_a_node_that_offers_nothing_and_is_not_known_to_be_broken_is_told_as_such():
    assert fault_of(pending(NO_GPU), node(gpus=None)).name == "no-gpus-on-offer"


def without_gpu_nodes(*nodes, unread=(), logs=(), **fields):
    """The fault of a pending pod; the images of all nodes but the unread ones were read, and have no extension of NVIDIA's."""
    wanting = pending(NO_GPU, **fields)
    machines = tuple(TalosMachine(names={each.name}, extensions={}) for each in nodes if each.name not in unread)
    return only_fault(scheduled(cluster(wanting, *nodes, machines=machines, logs=logs), live(wanting), {}))


def test_a_cluster_without_a_gpu_node_is_told_where_all_images_were_read():
    fault = without_gpu_nodes(*CPU_NODES)

    assert fault.name == "no-gpu-node"
    assert fault.cause == "The cluster has no GPU node: no node has NVIDIA's extensions in its image, a label of a card, or nvidia.com/gpu"
    assert "nvidia.com/gpu: 1 | Pod gpu/llm-6d5f7c9b8-abcde, spec" in shown(fault)


def test_of_a_cluster_whose_images_were_not_read_only_the_node_objects_are_told():
    fault = without_gpu_nodes(*CPU_NODES, unread=["cpu-2"])

    assert fault.name == "no-gpu-node-seen"
    assert fault.cause == (
        "No node shows NVIDIA's extensions in its labels, a label of a card, or nvidia.com/gpu. The images of these nodes were not read: cpu-2. "
        "A node may lack the labels though its image has the extensions"
    )
    assert fault.rules == ("TG110", "TG123")


def test_before_a_new_image_the_fix_reads_the_present_one_of_the_nodes_that_would_take_the_pod():
    fault = without_gpu_nodes(node("cp-1", gpus=None, is_gpu=False, taints=[TAINT]), *CPU_NODES, unread=["cp-1", "cpu-1", "cpu-2"])

    assert str(fault.fix).splitlines()[0].startswith("talosctl --nodes ADDRESS get extensions ")
    assert "talos-gpu schematic --talos 1.13.2 --print installer" in str(fault.fix).splitlines()[4]
    assert [each.name for each in fault.about] == ["cpu-1", "cpu-2"]


def test_the_talos_of_the_new_image_is_left_open_where_the_nodes_differ():
    older = node("cpu-3", gpus=None, is_gpu=False, talos="1.13.1")

    assert "--talos VERSION " in str(without_gpu_nodes(CPU_NODES[0], older, unread=["cpu-1", "cpu-3"]).fix)


def test_a_log_with_the_driver_whose_machine_is_not_named_is_evidence_that_a_node_may_have_the_extensions():
    words = "[    3.2] NVRM: No NVIDIA GPU found."

    fault = without_gpu_nodes(*CPU_NODES, unread=["cpu-1"], logs=(log(words, kind=LogKind.UNKNOWN),))

    assert f"{words} | dmesg.log:1" in shown(fault)


def test_without_nodes_the_words_are_all_that_is_told():
    wanting = pending(NO_GPU)

    fault = only_fault(scheduled(cluster(wanting), live(wanting), {}))

    assert fault.name == "insufficient-gpus"


@pytest.mark.parametrize("words", [TAINTED, UNNAMED])
def test_without_nodes_taints_may_be_those_of_other_nodes(words):
    wanting = pending(words)

    assert only_fault(scheduled(cluster(wanting), live(wanting), {})).name == "insufficient-gpus"


@pytest.mark.parametrize("words", [NO_GPU, TAINTED])
def test_without_nodes_a_pod_that_lacks_gpus_follows_from_the_broken_machines(words):
    wanting = pending(words)

    state = scheduled(cluster(wanting), live(wanting), {"10.0.0.11": Link.MODULES})

    assert isinstance(state, Follows)
    assert state.nodes == ("10.0.0.11",)


def test_without_nodes_a_pod_that_lacks_something_else_does_not_follow_from_a_machine():
    wanting = pending("0/3 nodes are available: 3 Insufficient cpu.")

    state = scheduled(cluster(wanting), live(wanting), {"10.0.0.11": Link.MODULES})

    assert fault_names(state) == ["insufficient-resources"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient nvidia.com/gpu.", "insufficient-resources"),
        ("0/3 nodes are available: 1 Insufficient memory, 2 Insufficient nvidia.com/gpu.", "insufficient-resources"),
        (
            "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 Insufficient nvidia.com/gpu.",
            "no-node-takes-the-pod",
        ),
        ("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "volume-not-available"),
        ('0/3 nodes are available: persistentvolumeclaim "models" not found.', "volume-not-available"),
        ("0/3 nodes are available: 1 node(s) had volume node affinity conflict, 2 Insufficient nvidia.com/gpu.", "volume-not-available"),
    ],
)
def test_causes_outside_of_the_gpus_are_told_as_what_they_are(words, name):
    fault = fault_of(pending(f"{words} {PREEMPTION}"), node())

    assert fault.name == name
    assert "preemption" not in fault.cause + fault.consequence


def test_cpu_is_named_with_its_resource():
    fault = fault_of(pending("0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient nvidia.com/gpu."), node())

    assert fault.cause == "No node that the pod may use has enough cpu left; the GPUs are not the cause"


CLAIMING = {"gpus": None, "spec": claim_spec()}
TEMPLATE = thing(
    "ResourceClaimTemplate",
    "one-gpu",
    {"spec": {"spec": {"devices": {"requests": [{"exactly": {"deviceClassName": "gpu.nvidia.com"}}]}}}},
    namespace="gpu",
)


def allocated(name, device, pod_name):
    results = [{"driver": "gpu.nvidia.com", "pool": "gpu-1", "device": device}]
    return thing(
        "ResourceClaim",
        name,
        {"status": {"allocation": {"devices": {"results": results}}, "reservedFor": [{"name": pod_name}]}},
        namespace="gpu",
    )


def test_a_missing_device_class_is_named():
    fault = fault_of(
        pending("0/3 nodes are available: request gpu: device class gpu.nvidia.com does not exist.", **CLAIMING), node(gpus=None), TEMPLATE
    )

    assert fault.name == "device-class-missing"
    assert fault.cause == "The DeviceClass gpu.nvidia.com of the pod's claim does not exist"


def test_a_missing_claim_is_told():
    wanting = pending('0/3 nodes are available: resourceclaim.resource.k8s.io "shared" not found.', **CLAIMING)

    assert fault_of(wanting, node(gpus=None)).name == "claim-missing"


def test_devices_that_other_claims_hold_are_told_with_the_pods():
    fault = fault_of(
        pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, resource_slice("gpu-1", "gpu-0"), allocated("a", "gpu-0", "web-1")
    )

    assert fault.name == "all-devices-held"
    assert "holds gpu-0 for web-1 | ResourceClaim gpu/a, status" in shown(fault)


def test_free_devices_that_do_not_satisfy_the_claim_are_told():
    wanting = pending(UNALLOCATED, **CLAIMING)

    assert (
        fault_of(wanting, node(gpus=None), TEMPLATE, resource_slice("gpu-1", "gpu-0", "gpu-1"), allocated("a", "gpu-0", "b")).name
        == "no-device-matches"
    )


def tainted_slice(effect, *devices):
    made = resource_slice("gpu-1", "gpu-0", "gpu-1")
    for each in made.mappings("spec", "devices"):
        if each["name"] in devices:
            each["taints"] = [{"key": "gpu.nvidia.com/xid", "value": "79", "effect": effect}]
    return made


def test_free_devices_that_the_driver_has_tainted_are_told_with_the_taint():
    held = allocated("a", "gpu-0", "b")
    fault = fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, tainted_slice("NoSchedule", "gpu-1"), held)

    assert fault.name == "devices-tainted"
    assert "gpu-1: gpu.nvidia.com/xid=79:NoSchedule | ResourceSlice gpu-1-gpu.nvidia.com, spec.devices.1.taints" in shown(fault)


@pytest.mark.parametrize(("effect", "devices"), [("None", ("gpu-0", "gpu-1")), ("NoExecute", ("gpu-1",))])
def test_a_taint_without_an_effect_and_a_free_device_without_a_taint_explain_nothing(effect, devices):
    fault = fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, tainted_slice(effect, *devices))

    assert fault.name == "no-device-matches"


def template(*tolerations, admin=False):
    exactly = {"deviceClassName": "gpu.nvidia.com", "tolerations": [*tolerations], **({"adminAccess": True} if admin else {})}
    return thing("ResourceClaimTemplate", "one-gpu", {"spec": {"spec": {"devices": {"requests": [{"exactly": exactly}]}}}}, namespace="gpu")


@pytest.mark.parametrize(
    ("toleration", "name"),
    [
        ({"operator": "Exists"}, "no-device-matches"),
        ({"key": "gpu.nvidia.com/xid", "value": "79"}, "no-device-matches"),
        ({"key": "gpu.nvidia.com/xid", "operator": "Equal", "value": "79", "effect": "NoSchedule"}, "no-device-matches"),
        ({"key": "gpu.nvidia.com/xid", "operator": "Exists", "effect": "NoExecute"}, "devices-tainted"),
        ({"key": "gpu.nvidia.com/xid", "value": "48"}, "devices-tainted"),
        ({"key": "other", "operator": "Exists"}, "devices-tainted"),
        ({"key": "gpu.nvidia.com/xid", "operator": "New"}, "devices-tainted"),
    ],
)
def test_the_tolerations_of_the_claim_decide_whether_a_taint_keeps_it_away(toleration, name):
    fault = fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), template(toleration), tainted_slice("NoSchedule", "gpu-0", "gpu-1"))

    assert (fault.name, fault.is_sure) == (name, True)


def test_a_taint_keeps_no_claim_for_administration_from_a_device():
    fault = fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), template(admin=True), tainted_slice("NoSchedule", "gpu-0", "gpu-1"))

    assert fault.name == "no-device-matches"


@pytest.mark.parametrize(("other", "name"), [([{"operator": "Exists"}], "no-device-matches"), ([], "devices-tainted")])
def test_one_alternative_of_a_request_that_tolerates_is_enough(other, name):
    either = [{"name": "a", "deviceClassName": "gpu.nvidia.com"}, {"name": "b", "deviceClassName": "gpu.nvidia.com", "tolerations": other}]
    wanted = thing(
        "ResourceClaimTemplate", "one-gpu", {"spec": {"spec": {"devices": {"requests": [{"firstAvailable": either}]}}}}, namespace="gpu"
    )

    assert fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), wanted, tainted_slice("NoSchedule", "gpu-0", "gpu-1")).name == name


def test_the_taints_of_devices_are_no_sure_cause_where_the_claim_was_not_read():
    wanting = pending(UNALLOCATED, spec=claim_spec())
    fault = fault_of(wanting, node(gpus=None), tainted_slice("NoSchedule", "gpu-0", "gpu-1"))

    assert (fault.name, fault.is_sure) == ("devices-tainted", False)


def test_a_taint_of_a_rule_keeps_a_claim_away_and_the_rule_is_named():
    selector = {"driver": "gpu.nvidia.com", "pool": "gpu-1", "device": "gpu-0"}
    rule = thing("DeviceTaintRule", "sick", {"spec": {"deviceSelector": selector, "taint": {"key": "sick", "effect": "NoExecute"}}})
    fault = fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, resource_slice("gpu-1", "gpu-0"), rule)

    assert fault.name == "devices-tainted"
    assert fault.cause == (
        "A DeviceTaintRule or the DRA driver has tainted every free device of the nodes that the pod may use, and the claim does not tolerate the taints"
    )
    assert "gpu-0: sick=:NoExecute | DeviceTaintRule sick, spec.taint" in shown(fault)
    assert fault.fix.text.startswith("kubectl get devicetaintrules -o yaml")


@pytest.mark.parametrize("selector", [None, {"device": "gpu-7"}, {"pool": "gpu-2"}, {"driver": "other.example.com"}])
def test_a_rule_that_selects_no_device_of_the_node_explains_nothing(selector):
    spec = {"taint": {"key": "sick", "effect": "NoExecute"}, **({} if selector is None else {"deviceSelector": selector})}
    rule = thing("DeviceTaintRule", "sick", {"spec": spec})

    assert (
        fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, resource_slice("gpu-1", "gpu-0"), rule).name
        == "no-device-matches"
    )


def test_access_for_administration_holds_no_device():
    watching = allocated("watch", "gpu-0", "dcgm")
    watching.mappings("status", "allocation", "devices", "results")[0]["adminAccess"] = True

    assert (
        fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, resource_slice("gpu-1", "gpu-0"), watching).name
        == "no-device-matches"
    )


def test_a_claim_without_any_device_is_told_where_slices_were_listed():
    assert fault_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, listed="ResourceSlice").name == "no-devices-on-offer"


def test_a_claim_that_was_not_read_may_be_for_another_vendors_device():
    state = state_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), resource_slice("gpu-1", "gpu-0"))

    assert command(state) == "kubectl get resourceclaims,resourceclaimtemplates --namespace NAMESPACE -o yaml"


def test_a_claim_follows_from_a_broken_node_without_devices():
    state = state_of(pending(UNALLOCATED, **CLAIMING), node(gpus=None), TEMPLATE, broken={"gpu-1": Link.PLUGIN}, listed="ResourceSlice")

    assert isinstance(state, Follows)


def test_a_limit_that_the_dra_driver_serves_is_not_judged_by_the_nodes_amounts():
    words = f"0/3 nodes are available: 1 cannot allocate all claims, 2 Insufficient nvidia.com/gpu. still not schedulable, {PREEMPTION}"

    assert fault_names(state_of(pending(words), node(gpus=None), resource_slice("gpu-1", "gpu-0"), allocated("a", "gpu-0", "b"))) == [
        "all-devices-held"
    ]


def test_a_tolerating_pod_on_a_full_tainted_node_waits_for_the_gpu():
    assert fault_of(pending(NO_GPU, spec=TOLERATION), node(taints=[TAINT]), pod("other", on="gpu-1")).name == "all-gpus-held"
