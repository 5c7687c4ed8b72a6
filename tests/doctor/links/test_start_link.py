"""The link `started`: containers that wait or crash, sandboxes, claims and volumes."""

import pytest
from doctor.dump_parts import command, healthy_line
from doctor.pod_parts import (
    claim_spec,
    cluster,
    crashing,
    event,
    live,
    node,
    only_fault,
    plugin_with,
    pod,
    pod_log,
    running,
    shown,
    waiting,
)

from constructs_lib.doctor.links.start_link import started
from constructs_lib.doctor.links.visibility_link import seen


def state_of(about, *objects, logs=()):
    return started(cluster(about, node(), *objects, logs=logs), live(about), {})


def placed(*containers, **given):
    return pod(on="gpu-1", status={"containerStatuses": list(containers), **given})


def fault_of(*containers, logs=(), **given):
    return only_fault(state_of(placed(*containers, **given), logs=logs))


def test_running_containers_have_started():
    assert healthy_line(state_of(placed(running()))) == "running since 2026-11-22T08:00:00Z"


def test_the_restarts_of_a_container_that_is_not_ready_are_told():
    again = running(is_ready=False, last={"exitCode": 1})

    assert healthy_line(state_of(placed(again))) == "running since 2026-11-22T08:00:00Z, restarts: 1, not ready"


def test_a_container_that_has_ended_well_has_started():
    done = {"name": "llm", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}

    assert healthy_line(state_of(placed(done))) == "ended with exit code 0"


def test_a_pod_without_a_node_is_not_judged():
    assert command(state_of(pod())) == "kubectl describe pod POD --namespace NAMESPACE"


def test_a_container_that_is_being_created_is_not_judged():
    assert command(state_of(placed(waiting("ContainerCreating")))) == "kubectl describe pod POD --namespace NAMESPACE"


@pytest.mark.parametrize("reason", ["ImagePullBackOff", "ErrImagePull", "InvalidImageName"])
def test_an_image_that_can_not_be_pulled_is_a_fault_of_the_pod(reason):
    fault = fault_of(waiting(reason, 'Back-off pulling image "ollama/ollama:9"', image="ollama/ollama:9"))

    assert (fault.name, fault.is_of_pod) == ("image-not-pulled", True)
    assert fault.cause == "The image ollama/ollama:9 can't be pulled"
    assert f"{reason}: Back-off" in shown(fault)


def test_a_missing_secret_is_a_fault_of_the_pod():
    fault = fault_of(waiting("CreateContainerConfigError", 'secret "token" not found'))

    assert (fault.name, fault.is_of_pod) == ("container-configuration", True)
    assert fault.cause == 'The kubelet can\'t configure the container: secret "token" not found'


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (
            "failed to create containerd task: CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=GPU-1",
            "cdi-unresolvable",
        ),
        (
            "runc create failed: error running createContainer hook #0: fork/exec /usr/bin/nvidia-ctk: no such file or directory",
            "cdi-hook",
        ),
        (
            "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters: last insn is not an exit or jmp",
            "device-filter",
        ),
        ("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0", "driver-too-old"),
        ("nvidia-container-cli: something new", "runtime-refuses-container"),
    ],
)
@pytest.mark.parametrize("reason", ["CreateContainerError", "RunContainerError"])
def test_what_the_runtime_says_of_gpus_tells_the_cause(reason, words, name):
    fault = fault_of(waiting(reason, words))

    assert (fault.name, fault.is_of_pod) == (name, False)
    assert words in shown(fault)


def test_a_command_that_does_not_exist_is_a_fault_of_the_pod():
    fault = fault_of(waiting("RunContainerError", 'exec: "serve": executable file not found in $PATH'))

    assert (fault.name, fault.is_of_pod) == ("runtime-refuses-container", True)


def test_a_start_error_before_the_back_off_is_read():
    last = {"exitCode": 128, "reason": "StartError", "message": "fork/exec /usr/bin/nvidia-cdi-hook: no such file or directory"}

    assert fault_of(waiting("CrashLoopBackOff", "back-off", last=last)).name == "cdi-hook"


def test_a_container_without_memory_is_told_as_such():
    fault = fault_of(waiting("CrashLoopBackOff", "back-off", last={"exitCode": 137, "reason": "OOMKilled"}))

    assert (fault.name, fault.is_of_pod) == ("out-of-memory", True)
    assert "The memory of the GPU has nothing to do with it" in fault.consequence


def test_a_crash_without_words_is_told_with_its_exit_code():
    fault = fault_of(*crashing(code=2)["containerStatuses"])

    assert (fault.name, fault.is_of_pod) == ("container-crashes", True)
    assert fault.cause == "The container ends with exit code 2"
    assert str(fault.fix).endswith("--previous")


def test_a_crash_whose_log_misses_the_gpu_is_left_to_the_next_link():
    about = placed(*crashing()["containerStatuses"])

    state = state_of(about, logs=(pod_log(about, "RuntimeError: No CUDA GPUs are available"),))

    assert healthy_line(state) == "llm: ran, exit code 1"


def test_a_crash_whose_log_has_another_symptom_is_that_symptom():
    about = placed(*crashing()["containerStatuses"])

    state = state_of(about, logs=(pod_log(about, "ERROR: init 250 result=11"),))

    assert only_fault(state).name == "post-start-hook"


def test_an_init_container_that_crashes_stops_the_pod():
    about = pod(
        on="gpu-1",
        status={
            "initContainerStatuses": [waiting("CrashLoopBackOff", "back-off", last={"exitCode": 3, "reason": "Error"}, name="fetch")],
            "containerStatuses": [waiting("PodInitializing")],
        },
    )

    fault = only_fault(state_of(about))

    assert fault.cause == "The container ends with exit code 3"
    assert "fetch: exit code 3, Error | Pod gpu/llm-6d5f7c9b8-abcde, status.initContainerStatuses[0].lastState.terminated" in shown(fault)


CREATING = placed(waiting("ContainerCreating"))


@pytest.mark.parametrize(
    ("reason", "words", "name", "is_of_pod"),
    [
        (
            "FailedCreatePodSandBox",
            'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured',
            "runtime-not-configured",
            False,
        ),
        ("FailedCreatePodSandBox", "Failed to create pod sandbox: rpc error: plugin type cilium-cni failed", "sandbox-not-created", False),
        (
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.nvidia.com is not registered",
            "dra-driver-not-registered",
            False,
        ),
        (
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
            "claim-not-prepared",
            False,
        ),
        (
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: prepare devices failed: empty device edits",
            "cdi-empty-edits",
            False,
        ),
        ("FailedMount", 'MountVolume.SetUp failed for volume "models" : secret "s3" not found', "volume-not-mounted", True),
    ],
)
def test_events_tell_why_no_container_is_created(reason, words, name, is_of_pod):
    fault = only_fault(state_of(CREATING, event(CREATING, reason, words)))

    assert (fault.name, fault.is_of_pod) == (name, is_of_pod)
    assert fault.evidence[0].text == words


def test_old_events_do_not_matter_to_running_containers():
    about = placed(running())

    assert healthy_line(state_of(about, event(about, "FailedCreatePodSandBox", "a"))).startswith("running")


def test_a_claim_whose_driver_is_unknown_names_the_driver():
    about = pod(on="gpu-1", gpus=None, spec=claim_spec(), status={"containerStatuses": [waiting("ContainerCreating")]})
    words = "prepare dynamic resources: plugin name gpu.nvidia.com not found in the list of registered DRA plugins"

    fault = only_fault(state_of(about, event(about, "FailedPrepareDynamicResources", words)))

    assert fault.cause == "The kubelet of the node has no DRA driver gpu.nvidia.com: its kubelet plugin does not run there"


def test_a_pod_that_its_node_has_ended_is_told():
    about = pod(
        on="gpu-1", phase="Failed", owner=None, status={"reason": "Evicted", "message": "The node was low on resource: ephemeral-storage."}
    )

    fault = only_fault(state_of(about))

    assert fault.cause == "The node ended the pod (Evicted), and nothing has started another one"


def test_two_containers_with_different_faults_are_two_faults():
    state = state_of(placed(waiting("ImagePullBackOff", "a"), waiting("CreateContainerConfigError", "b", name="side")))

    assert [each.name for each in state.faults] == ["image-not-pulled", "container-configuration"]


MOUNT = 'MountVolume.SetUp failed for volume "models" : configmap "a" not found'


def mount_failed(about, at):
    return event(about, "FailedMount", MOUNT, at=at)


def test_an_event_of_a_volume_is_past_for_a_container_in_back_off():
    last = {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-22T11:00:00Z"}
    about = placed(waiting("CrashLoopBackOff", last=last))

    assert only_fault(state_of(about, mount_failed(about, "2026-11-22T09:00:00Z"), logs=(pod_log(about, "Traceback"),))).name == (
        "container-crashes"
    )
    no_gpu = (pod_log(about, "RuntimeError: No CUDA GPUs are available"),)
    assert healthy_line(state_of(about, mount_failed(about, "2026-11-22T09:00:00Z"), logs=no_gpu)) == "llm: ran, exit code 1"


def test_an_event_of_a_volume_is_past_while_a_newer_event_says_that_the_image_is_pulled():
    about = placed(waiting("ContainerCreating"))
    pulls = event(about, "Pulling", 'Pulling image "vllm/vllm-openai:v0.12.0"', at="2026-11-22T09:00:10Z")

    assert command(state_of(about, mount_failed(about, "2026-11-22T09:00:02Z"), pulls)).endswith(
        '# its last event: Pulling image "vllm/vllm-openai:v0.12.0"'
    )
    assert only_fault(state_of(about, mount_failed(about, "2026-11-22T09:00:20Z"), pulls)).name == "volume-not-mounted"


def test_an_event_of_the_same_second_as_the_pull_is_past_in_either_form_of_time():
    about = placed(waiting("ContainerCreating"))
    pulls = event(about, "Pulling", "Pulling image", at="2026-11-22T09:00:02.000000Z")

    assert command(state_of(about, mount_failed(about, "2026-11-22T09:00:02Z"), pulls)).endswith("# its last event: Pulling image")


def test_a_sandbox_that_fails_after_the_end_of_its_containers_is_the_fault():
    ended = {"exitCode": 255, "reason": "Unknown", "finishedAt": "2026-11-22T08:00:00Z"}
    about = placed(waiting("ContainerCreating", last=ended))
    refused = event(about, "FailedCreatePodSandBox", 'no runtime for "nvidia" is configured', at="2026-11-22T08:05:00Z")

    assert only_fault(state_of(about, refused)).name == "runtime-not-configured"


def test_a_volume_is_past_once_an_init_container_has_ended():
    done = {"name": "fetch", "state": {"terminated": {"exitCode": 0, "finishedAt": "2026-11-22T09:01:00Z"}}}
    about = placed(waiting("PodInitializing"), initContainerStatuses=[done])

    assert command(state_of(about, mount_failed(about, "2026-11-22T09:00:00Z"))) == "kubectl describe pod POD --namespace NAMESPACE"


HIDING = {"env": {"NVIDIA_VISIBLE_DEVICES": "void"}, "spec": {"runtimeClassName": "nvidia"}}


def test_a_crash_without_words_is_left_to_the_link_seen_where_a_variable_is_known_to_hide_the_gpus():
    about = pod(on="gpu-1", status=crashing(), **HIDING)
    of = cluster(about, node(talos="1.14.0"), plugin_with("envvar"))

    assert healthy_line(started(of, live(about), {})) == "llm: ran, exit code 1"
    fault = only_fault(seen(of, live(about), {}))
    assert fault.name == "gpus-hidden-by-variable"
    assert "DEVICE_LIST_STRATEGY=envvar | Pod nvidia/nvidia-device-plugin-x7k2p, spec.containers[0].env" in shown(fault)


@pytest.mark.parametrize("strategy", ["cdi-cri", "envvar,cdi-cri", ""])
def test_a_crash_without_words_is_told_beside_a_variable_that_may_hide_the_gpus(strategy):
    about = pod(on="gpu-1", status=crashing(), **HIDING)

    fault = only_fault(started(cluster(about, node(talos="1.14.0"), plugin_with(strategy)), live(about), {}))

    assert (fault.name, fault.rules) == ("container-crashes", ("TG043",))
    assert "NVIDIA_VISIBLE_DEVICES=void | Pod gpu/llm-6d5f7c9b8-abcde, spec.containers[0].env" in shown(fault)


def test_a_variable_is_not_known_to_hide_the_gpus_without_nvidias_runtime():
    about = pod(on="gpu-1", status=crashing(), env=HIDING["env"])

    assert only_fault(started(cluster(about, node(talos="1.14.0"), plugin_with("envvar")), live(about), {})).name == "container-crashes"


def test_a_crash_with_words_is_told_by_them_beside_a_hiding_variable():
    last = {"exitCode": 137, "reason": "OOMKilled"}
    about = pod(on="gpu-1", status={"containerStatuses": [waiting("CrashLoopBackOff", last=last)]}, **HIDING)

    assert only_fault(started(cluster(about, node(talos="1.12.6")), live(about), {})).name == "out-of-memory"
