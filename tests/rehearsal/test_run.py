"""What a rehearsal does on a cluster that is up, and what it reports: with a double of the cluster, since the real one has tests of its own."""

import dataclasses
import itertools
import json

import pytest
from fake_cluster import FakeCluster, options_of, pod

from conftest import ROOT
from talos_gpu_rehearsal import report, run
from talos_gpu_rehearsal.command import planned, rehearse
from talos_gpu_rehearsal.run import rehearsed

UUID = "GPU-1111"
STARTED = {
    "stand-in": "started",
    "environment": {"NVIDIA_VISIBLE_DEVICES": UUID, "HOME": "/"},
    "devices": [{"path": "/dev/nvidia0", "open": "yes"}, {"path": "/dev/nvidiactl", "open": "yes"}],
    "mounts": [{"path": "/dev/shm", "type": "tmpfs", "read_only": False}],
    "shm_bytes": 64 * 2**20,
    "nvidia_smi": {"output": "GPU 0: NVIDIA GeForce RTX 4090", "status": 0},
}
NODE = {
    "metadata": {"name": "gpu-1", "labels": {"kubernetes.io/hostname": "gpu-1", "role": "gpu"}},
    "spec": {"taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]},
    "status": {"allocatable": {"cpu": "2", "nvidia.com/gpu": "5"}, "conditions": [{"type": "Ready", "status": "True"}]},
}
GPU = {"name": "app", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
SMOKE = pod(
    "smoke-test-x",
    "Succeeded",
    namespace="talos-gpu-rehearsal",
    labels={"talos-gpu/class": "default"},
    containers=[({"name": "smoke-test"}, {})],
)
LOGS = {"ai/app app": json.dumps(STARTED), "talos-gpu-rehearsal/smoke-test-x smoke-test": "passed count\npassed all\n"}
FOLDER = (ROOT / "dist/standalone-shared/manifests", "--talos", "1.12.11", "--label", "nvidia.com/gpu.present=true")


@pytest.fixture(autouse=True)
def definitions(monkeypatch):
    """No Go module is read for the definitions of Node Feature Discovery."""
    monkeypatch.setattr("talos_gpu_rehearsal.run.definitions", list)


@pytest.fixture
def outcome():
    """The outcome of a plan on a double, whose clock goes on with each pause."""

    def run(cluster):
        clock = itertools.count(step=2)
        plan = planned(options_of(*FOLDER))
        return rehearsed(plan, cluster, wait=400, say=lambda _: None, pause=lambda _: None, now=lambda: next(clock))

    return run


def cluster(*pods, logs=LOGS, **more):
    return FakeCluster({"Node": [NODE], "Pod": [SMOKE, *pods], **more.pop("objects", {})}, logs, **more)


WELL = pod("app", containers=[(GPU, {"name": "app", "ready": True})])


def test_a_cluster_that_came_up_shows_allocatable_labels_and_what_each_gpu_container_sees(outcome):
    found = outcome(cluster(WELL))
    (seen,) = found.containers

    assert found.is_well
    assert found.settled
    assert (found.nodes[0].allocatable, found.nodes[0].labels) == ({"nvidia.com/gpu": "5"}, {"role": "gpu"})
    assert (seen.asked, seen.environment) == ({"nvidia.com/gpu": "1"}, {"NVIDIA_VISIBLE_DEVICES": UUID})
    assert seen.devices == ("/dev/nvidia0", "/dev/nvidiactl")
    assert found.smoke_tests[0].lines == ("passed count", "passed all")


def test_a_container_that_sees_a_card_and_asked_for_none_is_shown(outcome):
    greedy = pod("greedy", containers=[({"name": "app"}, {"name": "app", "ready": True})])

    found = outcome(cluster(greedy, logs=LOGS | {"ai/greedy app": json.dumps(STARTED)}))

    assert "ai/greedy app asks for no GPU and sees NVIDIA's devices" in "".join(report.text("a", found))


def test_a_pod_that_does_not_run_has_the_words_of_the_scheduler_and_the_kubelet(outcome):
    unscheduled = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available"}]
    waiting = {"name": "app", "state": {"waiting": {"reason": "CreateContainerError", "message": "unresolvable CDI devices"}}}
    crashed = {
        "name": "app",
        "restartCount": 3,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
    }
    pods = [
        pod("a", "Pending", node="", conditions=unscheduled),
        pod("b", "Pending", containers=[(GPU, waiting)]),
        pod("c", "Running", conditions=[], containers=[({"name": "app"}, crashed)]),
        pod("d", "Failed", reason="UnexpectedAdmissionError", message="Allocate failed"),
    ]

    found = outcome(cluster(*pods, logs=LOGS | {"ai/c app": "nvml init failed\n"}))
    reasons = {each.name: each.reasons for each in found.pods}

    assert not found.is_well
    assert reasons["ai/a"] == ("Unschedulable: 0/1 nodes are available",)
    assert reasons["ai/b"] == ("app: CreateContainerError: unresolvable CDI devices",)
    assert reasons["ai/c"] == ("app: CrashLoopBackOff", "app: ended with 1 (Error)", "app says: nvml init failed")
    assert reasons["ai/d"] == ("UnexpectedAdmissionError: Allocate failed",)


def test_an_object_that_the_api_server_refuses_is_named_with_its_words_and_the_others_are_applied(outcome):
    double = cluster(refuse=lambda each: "denied" if each["kind"] == "Deployment" else "")

    found = outcome(double)

    assert "Deployment ollama/ollama: denied" in found.refusals
    assert "DaemonSet" in [each["kind"] for each in double.applied]
    assert not found.is_well


def test_the_words_with_which_a_secret_is_refused_are_not_told():
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "ai"}, "stringData": {"pin": 12345}}
    double = cluster(refuse=lambda _: "expected string, got 12345")

    assert list(run._applied(double, [secret])) == ["Secret ai/a: the API server refuses it; its words may have a value of the Secret"]


def test_a_refusal_of_a_controller_s_pods_is_told_once_however_often_it_tried(outcome):
    about = {"kind": "DaemonSet", "namespace": "ai", "name": "app"}
    words = 'is forbidden: violates PodSecurity "baseline:latest"'
    messages = [f'Error creating: pods "app-1" {words}', f'(combined from similar events): Error creating: pods "app-2" {words}']

    events = [{"metadata": {}, "reason": "FailedCreate", "involvedObject": about, "message": each} for each in messages]

    assert outcome(cluster(objects={"Event": events})).refusals == (f"DaemonSet ai/app: Error creating: pods … {words}",)


def test_a_daemon_set_that_no_node_takes_is_named_with_the_labels_that_it_selects(outcome):
    taken = {"metadata": {"name": "a", "namespace": "ai"}, "status": {"desiredNumberScheduled": 1}}
    spec = {"template": {"spec": {"nodeSelector": {"gpu": "yes"}}}}
    idle = {"metadata": {"name": "b", "namespace": "ai"}, "spec": spec, "status": {"desiredNumberScheduled": 0, "observedGeneration": 1}}

    found = outcome(cluster(objects={"DaemonSet": [taken, idle]}))

    assert found.idle == ("DaemonSet ai/b: no node for it (DESIRED 0); it selects gpu=yes",)
    assert "On no node\n  DaemonSet ai/b" in "".join(report.text("a", found))


def test_a_node_has_the_label_of_its_extension_as_talos_sets_it():
    (node,) = planned(options_of(*FOLDER, "--driver-track", "lts")).nodes

    assert node.spec.labels["extensions.talos.dev/nvidia-container-toolkit-lts"] == "1.18.2"
    assert not [each for each in dataclasses.replace(node.spec, has_toolkit=False).labels if "talos.dev" in each]


def test_a_node_shows_the_devices_that_its_dra_driver_publishes(outcome):
    card, part = {"productName": {"string": "NVIDIA L4"}}, {"productName": {"string": "NVIDIA A100"}, "profile": {"string": "1g.5gb"}}
    devices = [{"name": "gpu-1-mig-0", "attributes": part}, {"name": "gpu-0", "attributes": card}]
    slices = [
        {"metadata": {"name": node}, "spec": {"nodeName": node, "devices": devices[:number]}} for node, number in (("gpu-1", 2), ("b", 1))
    ]

    found = outcome(cluster(objects={"ResourceSlice": slices}))

    assert found.nodes[0].claimable == ("gpu-0 (NVIDIA L4)", "gpu-1-mig-0 (1g.5gb)")
    assert "  claimable    gpu-0 (NVIDIA L4), gpu-1-mig-0 (1g.5gb)\n" in "".join(report.text("a", found))


def test_namespaces_are_there_before_what_stands_in_them(outcome):
    double = cluster()
    outcome(double)
    kinds = [each["kind"] for each in double.applied]

    assert max(number for number, kind in enumerate(kinds) if kind == "Namespace") < kinds.index("DaemonSet")


def test_each_claim_gets_one_volume(outcome):
    claim = {
        "metadata": {"name": "models", "namespace": "ai"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "9Gi"}}},
    }
    double = cluster(objects={"PersistentVolumeClaim": [claim]})
    outcome(double)
    (volume,) = [each for each in double.applied if each["kind"] == "PersistentVolume"]

    assert volume["spec"]["claimRef"]["name"] == "models"
    assert volume["spec"]["capacity"] == {"storage": "9Gi"}
    assert double.folders == [volume["spec"]["local"]["path"]]


def test_pods_that_go_on_changing_do_not_settle_and_the_report_says_so():
    double, clock = cluster(), itertools.count(step=2)
    double.objects["Pod"] = [SMOKE, WELL]

    def pause(_):
        double.objects["Pod"][1] = pod(f"app-{next(clock)}")

    found = rehearsed(planned(options_of(*FOLDER)), double, wait=60, say=lambda _: None, pause=pause, now=lambda: next(clock))

    assert not found.settled
    assert "did not settle" in "".join(report.text("a", found))


@pytest.mark.parametrize(("suspend", "is_well"), [(True, True), (False, False)])
def test_a_suspended_job_is_not_waited_for(suspend, is_well):
    job = {"kind": "Job", "metadata": {"name": "later", "namespace": "ai"}, "spec": {"suspend": suspend}}

    assert run._state(cluster(WELL, objects={"Job": [job]}))[1] is is_well


def test_the_json_has_the_same_without_the_raw_reports(outcome):
    found = json.loads(report.as_json("a", outcome(cluster(WELL))))

    assert (found["cluster"], found["well"]) == ("a", True)
    assert found["nodes"][0]["allocatable"] == {"nvidia.com/gpu": "5"}
    assert "raw" not in found["containers"][0]


def test_words_of_strangers_are_shown_and_not_obeyed(outcome):
    found = outcome(cluster(pod("a", "Failed", reason="Evicted", message="\x1b[2J")))

    assert "\x1b" not in "".join(report.text("a", found))


def test_the_status_says_whether_everything_came_up(monkeypatch):
    monkeypatch.setattr("talos_gpu_rehearsal.command.rehearsed", lambda plan, cluster, **_: outcome_of(plan, cluster))
    monkeypatch.setattr("talos_gpu_rehearsal.command.missing", lambda _: [])
    for pods, status in (([WELL], 0), ([pod("a", "Failed")], 1)):
        given = options_of(*FOLDER, "--yes")
        answer = rehearse(given, lambda _, pods=pods: cluster(*pods))
        assert given.status == status
        assert answer[0].startswith("Rehearsal of ")


def outcome_of(plan, double):
    clock = itertools.count(step=2)
    return rehearsed(plan, double, wait=400, say=lambda _: None, pause=lambda _: None, now=lambda: next(clock))


def test_a_pod_has_the_kubelet_s_last_warning_of_each_kind_and_none_twice(outcome):
    waiting = {
        "name": "app",
        "state": {"waiting": {"reason": "ContainerCreating"}},
        "lastState": {"terminated": {"exitCode": 128, "message": "no runtime"}},
    }
    about = {"kind": "Pod", "namespace": "ai", "name": "a"}
    events = [
        {"metadata": {}, "type": "Warning", "reason": reason, "message": message, "involvedObject": about, "lastTimestamp": str(number)}
        for number, (reason, message) in enumerate(
            [("FailedMount", "first"), ("FailedMount", "last"), ("BackOff", "back-off"), ("Failed", "Error: no runtime")]
        )
    ]

    found = outcome(cluster(pod("a", "Pending", containers=[(GPU, waiting)]), objects={"Event": events}))

    assert found.pods[0].reasons == ("app: ContainerCreating", "app: ended with 128 (Error): no runtime", "FailedMount: last")


def test_labels_of_node_feature_discovery_that_name_no_card_are_counted(outcome):
    double = cluster(WELL)
    labels = {"feature.node.kubernetes.io/pci-0302_10de.present": "true", "feature.node.kubernetes.io/cpu-cpuid.AVX": "true", "role": "gpu"}
    double.objects["Node"] = [{**NODE, "metadata": {"name": "gpu-1", "labels": labels}}]

    words = "".join(report.text("a", outcome(double)))

    assert "pci-0302_10de.present=true, role=gpu, and 1 of node feature discovery" in words
    assert "AVX" not in words
