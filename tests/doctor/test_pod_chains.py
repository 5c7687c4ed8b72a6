"""The chains of whole clusters: what follows from a node, what stands by itself, and two faults at once."""

import pytest
from doctor.dump_parts import extensions, seen
from doctor.pod_parts import (
    LOST,
    PREEMPTION,
    agent_pod,
    agent_spec,
    cluster,
    crashing,
    daemon_set,
    event,
    node,
    pending,
    pod,
    pod_log,
    running,
    waiting,
)

from constructs_lib.doctor import node_fit
from constructs_lib.doctor.chain_shapes import Mark, marks
from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.node_commands import EXTENSIONS
from constructs_lib.doctor.node_fit import Refusal
from constructs_lib.observed.model.talos_machine import TalosMachine
from constructs_lib.observed.read.live.talos_resources import running_config
from constructs_lib.symptoms.link import Link

NO_GPU = f"0/2 nodes are available: 2 Insufficient nvidia.com/gpu. {PREEMPTION}"
UNMATCHED = f"0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. {PREEMPTION}"
NO_NVML = "Failed to initialize NVML: could not load NVML library."
LISTED = "Node Pod DaemonSet Deployment ResourceSlice"


def causes(*objects, logs=(), machines=()):
    found = diagnose(cluster(*objects, listed=LISTED, logs=logs, machines=machines)).causes
    return [(each.fault.name, each.subjects, each.followers) for each in found]


def crashed_plugin(on="gpu-1"):
    return agent_pod(f"plugin-{on}", on=on, is_ready=False, spec=agent_spec(runtime_class=""), status=crashing())


def test_a_healthy_cluster_has_no_cause():
    serving = pod(on="gpu-1", phase="Running", status={"containerStatuses": [running()]})

    assert causes(node(), daemon_set(), agent_pod(), serving, logs=(pod_log(serving, "listening"),)) == []


def test_a_pending_pod_follows_from_the_plugin_of_the_node():
    plugin = crashed_plugin()

    found = causes(node(gpus=None), daemon_set(), plugin, pending(NO_GPU), logs=(pod_log(plugin, NO_NVML),))

    assert found == [("agent-without-runtime-class", ["gpu-1"], ["pod gpu/llm-6d5f7c9b8-abcde"])]


def test_the_images_of_nodes_without_a_sign_of_a_gpu_are_not_known_while_a_pod_waits():
    waiting_pod, other = pending(NO_GPU), node("cpu-1", gpus=None, is_gpu=False)

    found = diagnose(cluster(waiting_pod, other, listed=LISTED))

    assert [(each.link, each.command, each.subjects) for each in found.unseen] == [(Link.IMAGE, EXTENSIONS, ["cpu-1"])]
    assert {mark for _, mark in marks(found.chains[0])} == {Mark.UNKNOWN}


def test_nodes_without_a_sign_of_a_gpu_have_no_chain_where_no_pod_waits_or_a_gpu_node_was_seen():
    other = node("cpu-1", gpus=None, is_gpu=False)

    assert diagnose(cluster(other, listed=LISTED)).chains == ()
    assert {each.subject for each in diagnose(cluster(other, node(), pending(NO_GPU), listed=LISTED)).chains} == {
        "gpu-1",
        "pod gpu/llm-6d5f7c9b8-abcde",
    }


def test_a_taint_that_a_pod_does_not_tolerate_stands_beside_the_fault_of_the_node():
    plugin = crashed_plugin()
    words = f"0/1 nodes are available: 1 node(s) had untolerated taint {{dedicated: ai}}. {PREEMPTION}"

    found = causes(
        node(gpus=None, taints=["dedicated=ai:NoSchedule"]), daemon_set(), plugin, pending(words), logs=(pod_log(plugin, NO_NVML),)
    )

    assert [name for name, *_ in found] == ["agent-without-runtime-class", "untolerated-taint"]


def test_one_fault_on_twenty_nodes_is_one_cause():
    nodes = [node(f"gpu-{number}", gpus=None) for number in range(20)]

    ((name, subjects, followers),) = causes(*nodes, pending(NO_GPU))

    assert (name, len(subjects), followers) == ("no-device-plugin", 20, ["pod gpu/llm-6d5f7c9b8-abcde"])


def test_a_container_that_can_not_start_follows_from_the_node_and_a_wrong_image_does_not():
    broken = node(gpus=None)
    sandbox = pod("a", on="gpu-1", status={"containerStatuses": [waiting("ContainerCreating")]})
    words = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'
    image = pod("b", on="gpu-1", status={"containerStatuses": [waiting("ImagePullBackOff", "a")]})

    found = causes(broken, sandbox, event(sandbox, "FailedCreatePodSandBox", words), image)

    # A plugin that is not there explains no handler that containerd does not know.
    assert found == [
        ("no-device-plugin", ["gpu-1"], []),
        ("image-not-pulled", ["pod gpu/b"], []),
        ("runtime-not-configured", ["pod gpu/a"], []),
    ]


HANDLER = 'unable to get OCI runtime for sandbox "ab1": no runtime for "{}" is configured'


@pytest.mark.parametrize(
    ("plugin", "handler", "follows"),
    [("nvidia", "nvidia", True), ("nvidia-cdi", "nvidia-cdi", True), ("nvidia", "kata", False), (None, "nvidia", False)],
)
def test_an_unknown_handler_follows_from_the_node_only_if_the_plugin_has_the_same(plugin, handler, follows):
    """The plugin is refused too, or has crashed without the driver's libraries."""
    crashed = crashed_plugin()
    waits = agent_pod(is_ready=False, status={"containerStatuses": [waiting("ContainerCreating")]})
    broken = (waits, event(waits, "FailedCreatePodSandBox", HANDLER.format(plugin))) if plugin else (crashed,)
    refused = pod("a", on="gpu-1", status={"containerStatuses": [waiting("ContainerCreating")]})
    logs = () if plugin else (pod_log(crashed, NO_NVML),)

    found = causes(
        node(gpus=None), daemon_set(), *broken, refused, event(refused, "FailedCreatePodSandBox", HANDLER.format(handler)), logs=logs
    )

    assert [name for name, subjects, _ in found if subjects == ["pod gpu/a"]] == ([] if follows else ["runtime-not-configured"])
    assert [subjects for _, subjects, followers in found if "pod gpu/a" in followers] == ([["gpu-1"]] if follows else [])


def test_a_card_that_the_plugin_knows_and_the_driver_does_not_follows_from_the_lost_card():
    """A pod that got the card's UUID just before."""
    words = "failed to create NVIDIA Container Runtime: failed to get device handle from UUID: Not Found"
    state = {"containerStatuses": [waiting("RunContainerError", f"failed to create containerd task: {words}")]}

    found = causes(node(gpus=2, allocatable=1), daemon_set(), agent_pod(), pod("a", on="gpu-1", status=state))

    assert [(name, subjects) for name, subjects, _ in found] == [("gpus-unhealthy", ["gpu-1"])]


def test_an_image_without_a_working_driver_explains_the_handler_nvidia_and_no_other():
    machine = TalosMachine(
        names={"gpu-1"}, extensions=extensions({"nvidia-open-gpu-kernel-modules-lts": "580.178.04-v1.13.9"}), talos_version=seen("1.13.9")
    )
    pods = [pod(name, on="gpu-1", status={"containerStatuses": [waiting("ContainerCreating")]}) for name in ("a", "b")]
    events = [
        event(each, "FailedCreatePodSandBox", HANDLER.format(handler)) for each, handler in zip(pods, ("nvidia", "kata"), strict=True)
    ]

    found = causes(node(gpus=None), *pods, *events, machines=[machine])

    assert [cause[1:] for cause in found] == [(["gpu-1"], ["pod gpu/a"]), (["pod gpu/b"], [])]
    assert found[1][0] == "runtime-not-configured"


def test_a_program_that_sees_no_gpu_follows_from_the_node_unless_its_own_fields_explain_it():
    machine = TalosMachine(names={"gpu-1"}, config=running_config("machine: {type: worker}", "", ""), talos_version=seen("1.12.6"))
    plugin = crashed_plugin()
    named = pod("a", on="gpu-1", phase="Running", spec={"runtimeClassName": "nvidia"}, status={"containerStatuses": [running()]})
    bare = pod("b", on="gpu-1", phase="Running", status={"containerStatuses": [running()]})
    logs = (pod_log(plugin, NO_NVML), pod_log(named, "No CUDA GPUs are available"), pod_log(bare, "No CUDA GPUs are available"))

    found = causes(node(gpus=None, talos="1.12.6"), daemon_set(), plugin, named, bare, logs=logs, machines=(machine,))

    assert [(name, followers) for name, _, followers in found if name != "agent-without-runtime-class"][-1] == (
        "runtime-class-not-named",
        [],
    )
    assert any("pod gpu/a" in followers for _, _, followers in found)


def test_a_pod_that_was_refused_and_replaced_is_no_cause():
    refused = pod("old", on="gpu-1", phase="Failed", status={"reason": "UnexpectedAdmissionError", "message": "Allocate failed"})
    serving = pod("new", on="gpu-1", phase="Running", status={"containerStatuses": [running()]})

    assert causes(node(), daemon_set(), agent_pod(), refused, serving) == []


def test_a_line_is_told_once_for_all_pods_that_wait_for_the_same_gpus():
    ((name, subjects, _),) = causes(
        node(),
        daemon_set(),
        agent_pod(),
        pod("holder", on="gpu-1", phase="Running", status={"containerStatuses": [running()]}),
        pending(NO_GPU, name="a"),
        pending(NO_GPU, name="b"),
    )

    assert (name, subjects) == ("all-gpus-held", ["pod gpu/a", "pod gpu/b"])


UNREACHABLE = ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]


def test_a_pod_that_runs_on_a_node_without_news_follows_from_the_node():
    serving = pod(on="gpu-1", phase="Running", status={"containerStatuses": [running()]})

    found = causes(node(ready=LOST, taints=UNREACHABLE), daemon_set(), agent_pod(), serving)

    assert found == [("node-not-ready", ["gpu-1"], ["pod gpu/llm-6d5f7c9b8-abcde"])]


def test_a_pod_that_waits_for_a_node_without_news_follows_from_the_node():
    words = f"0/1 nodes are available: 1 node(s) had untolerated taint {{node.kubernetes.io/unreachable: }}. {PREEMPTION}"

    found = causes(node(ready=LOST, taints=UNREACHABLE), daemon_set(), agent_pod(), pending(words))

    assert found == [("node-not-ready", ["gpu-1"], ["pod gpu/llm-6d5f7c9b8-abcde"])]


def test_a_pod_that_was_refused_by_a_node_with_unhealthy_gpus_follows_from_the_node():
    words = "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected"
    refused = pod(on="gpu-1", phase="Failed", owner=None, status={"reason": "UnexpectedAdmissionError", "message": words})

    found = causes(node(gpus=1, allocatable=0), daemon_set(), agent_pod(), refused)

    assert found == [("gpus-unhealthy", ["gpu-1"], ["pod gpu/llm-6d5f7c9b8-abcde"])]


def selecting(number, key="zone"):
    return pending(UNMATCHED, name=f"llm-{number}", spec={"nodeSelector": {key: f"value-{number}"}})


def test_many_pods_that_select_other_values_of_one_label_are_one_cause_without_a_value():
    pods = [selecting(number) for number in range(4)]

    (cause,) = diagnose(cluster(node(), agent_pod(), *pods, listed=LISTED)).causes

    assert cause.subjects == [f"pod gpu/llm-{number}" for number in range(4)]
    assert cause.fault.cause == "No GPU node has the value that the pod selects of the label zone"
    assert "value-" not in str(cause.fault.fix)


def test_a_few_pods_and_other_labels_are_causes_of_their_own_with_their_values():
    pods = [*(selecting(number) for number in range(3)), selecting(3, "disk")]

    found = diagnose(cluster(node(), agent_pod(), *pods, listed=LISTED)).causes

    assert sorted(each.fault.cause.partition(": ")[2] for each in found) == [
        "nodeSelector disk=value-3",
        *(f"nodeSelector zone=value-{number}" for number in range(3)),
    ]


def test_the_taints_of_a_node_are_judged_once_for_all_pods_of_the_same_tolerations(monkeypatch):
    judged, shown = [], []
    judge, evidence = node_fit.taint_refusals, Refusal.evidence
    monkeypatch.setattr(node_fit, "taint_refusals", lambda spec, live: judged.append(live.name) or judge(spec, live))
    monkeypatch.setattr(Refusal, "evidence", lambda refusal, live: shown.append(live.name) or evidence(refusal, live))
    nodes = [node(f"gpu-{number}") for number in range(20)]
    plugins = [agent_pod(f"plugin-{number}", on=f"gpu-{number}") for number in range(20)]

    diagnose(cluster(*nodes, *plugins, *(selecting(number) for number in range(10)), listed=LISTED))

    assert len(judged) == 20
    assert len(shown) == 10 * 5
