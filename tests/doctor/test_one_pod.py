"""`--pod`: the chain of one pod and its node, and what the pod asks for, shares and waits for."""

import re
from pathlib import Path

import pytest
import yaml
from doctor_cases import broken_cluster, diagnosis, dump, node, pod

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.formats.doctor_markdown import doctor_markdown
from constructs_lib.doctor.formats.doctor_text import doctor_text
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.observed.model.live_object import LiveObject

DUMPS = Path(__file__).parent / "dumps"


def report(folder, name):
    return doctor_report(diagnose(GpuCluster(read_dump([DUMPS / folder]))), pod=name)


def lines(*objects, name="gpu/a"):
    return doctor_report(diagnosis(dump(*objects), []), pod=name).pod_lines


def with_status(**status):
    read = pod("a", nodeName="gpu-1", initContainers=[{"name": "download", "image": "example.com/models:1"}])
    read.body["status"] = {"phase": "Pending", **status}
    return read


def test_the_report_is_about_the_pod_and_its_node_alone():
    read = doctor_report(broken_cluster(), pod="gpu/a")

    assert [each.subject for each in read.diagnosis.chains] == ["gpu-1", "pod gpu/a"]
    assert [each.fault.name for each in read.diagnosis.causes] == ["modules-not-loaded"]
    assert (read.diagnosis.healthy, read.diagnosis.unseen) == (2, ())


def test_a_cause_of_another_pod_is_left_out():
    assert [each.fault.name for each in doctor_report(broken_cluster(), pod="gpu/b").diagnosis.causes] == ["taint-not-tolerated"]


@pytest.mark.parametrize("name", ["ollama/ollama", "ollama/ollama-67f8455bc6", "ollama/ollama-67f8455bc6-bbbbc"])
def test_a_pod_is_named_by_itself_or_by_the_controller_that_made_it(name):
    assert "pod ollama/ollama-67f8455bc6-bbbbc asks for nvidia.com/gpu: 1, with RuntimeClass nvidia, on gpu-1" in (
        report("healthy-shared-card", name).pod_lines
    )


def test_pods_that_share_the_cards_are_named():
    assert report("healthy-shared-card", "ollama/ollama-67f8455bc6-bbbbc").pod_lines[1] == (
        "other pods with GPUs of gpu-1: pod ollama/ollama-67f8455bc6-bbbbd, pod ollama/ollama-67f8455bc6-bbbbf"
    )


def test_the_cuda_of_the_image_stands_beside_the_driver_of_the_node():
    assert (
        "the image vllm/vllm-openai:v0.20.1 has CUDA 13, which needs the driver 580 or newer; the node runs 580.178.04"
        in report("cdi-cuda-804", "ollama/ollama").pod_lines
    )


def test_an_init_container_that_runs_is_what_the_pod_waits_for():
    read = with_status(initContainerStatuses=[{"name": "download", "state": {"running": {}}}])

    assert lines(node("gpu-1"), read)[-1] == (
        "the pod waits for its init container download, which runs: kubectl logs --namespace gpu a -c download"
    )


def test_a_waiting_container_has_its_reason():
    read = with_status(containerStatuses=[{"name": "main", "state": {"waiting": {"reason": "PodInitializing"}}}])

    assert lines(node("gpu-1"), read)[-1] == "the container main waits: PodInitializing"


def test_a_pull_that_goes_on_is_named():
    about = {"kind": "Pod", "namespace": "gpu", "name": "a"}
    event = {"kind": "Event", "involvedObject": about, "message": 'Pulling image "example.com/app:1"'}
    pulling = LiveObject({**event, "reason": "Pulling", "lastTimestamp": "2026-11-28T04:00:00Z"}, "events.yaml")
    pulled = LiveObject({**event, "reason": "Pulled", "lastTimestamp": "2026-11-28T04:05:00Z"}, "events.yaml")

    assert lines(node("gpu-1"), pod("a", nodeName="gpu-1"), pulling)[-1] == (
        'the node pulls an image since 2026-11-28T04:00:00Z: Pulling image "example.com/app:1"'
    )
    assert "pulls" not in "".join(lines(node("gpu-1"), pod("a", nodeName="gpu-1"), pulling, pulled))


def event(reason, message):
    about = {"kind": "Pod", "namespace": "gpu", "name": "a"}
    return LiveObject({"kind": "Event", "involvedObject": about, "reason": reason, "message": message}, "events.yaml")


@pytest.mark.parametrize("reason", ["PodInitializing", "ContainerCreating"])
def test_a_container_behind_an_init_container_or_an_image_is_not_told_beside_it(reason):
    waiting = [{"name": "main", "state": {"waiting": {"reason": reason}}}]
    behind = with_status(initContainerStatuses=[{"name": "download", "state": {"running": {}}}], containerStatuses=waiting)

    assert "the container main" not in "".join(lines(node("gpu-1"), behind))
    assert "the container main" not in "".join(
        lines(node("gpu-1"), with_status(containerStatuses=waiting), event("Pulling", "Pulling image"))
    )


def test_a_probe_that_fails_while_a_pod_starts_is_told():
    words = "Startup probe failed: HTTP probe failed with statuscode: 503"

    assert lines(node("gpu-1"), with_status(), event("Unhealthy", words))[-1] == f"the kubelet says: {words}"


def with_log(*messages, ready="False"):
    read = with_status(phase="Running", conditions=[{"type": "Ready", "status": ready}])
    text = yaml.safe_dump(read.body) + "---\n" + "".join(f"[pod/a/main] {each}\n" for each in messages)
    return doctor_report(diagnose(GpuCluster(read_dump([], stream=text))), pod="gpu/a")


LOADING = (
    'time=2026-11-28T08:01:00.000Z level=INFO source=download.go:177 msg="downloading 6a0746a1ec1a in 47 100 MB part(s)"',
    "Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:12<00:36, 12.1s/it]",
    "Fetching 12 files:  33%|███▎      | 4/12 [00:20<00:40,  5.00s/it]",
    "model-00001-of-00004.safetensors:  12%|█▏        | 600M/4.98G [00:20<02:30, 29.2MB/s]",
    "2026-11-28T08:00:00.000000Z  INFO download: text_generation_launcher: Starting check and download process for a/b",
)


@pytest.mark.parametrize("line", LOADING)
def test_a_model_that_is_fetched_or_loaded_is_the_first_line_of_a_pod_that_is_not_ready(line):
    read = with_log("the program starts", line)

    assert read.summary[0] == f"pod gpu/a: the program of main fetches or loads its model: {line}"
    assert read.pod_lines[-1] == f"the program of main fetches or loads its model: {line}"


def test_a_model_that_was_loaded_before_or_by_a_pod_that_is_ready_is_not_told():
    later = [f"request {number}" for number in range(9)]

    assert "its model" not in "".join(with_log(LOADING[1], *later).pod_lines)
    assert "its model" not in "".join(with_log(LOADING[1], ready="True").pod_lines)


def test_of_a_text_that_a_program_writes_over_itself_the_newest_part_is_told():
    assert with_log(LOADING[2] + "\r" + LOADING[2].replace("33%", "66%")).pod_lines[-1].count("Fetching 12 files:  66%") == 1


def test_a_command_about_the_pod_names_its_namespace():
    read = with_log("load_tensors: offloaded 0/33 layers to GPU")
    [cause] = read.diagnosis.causes

    assert read.printed(cause.fault.verify, cause.subjects, cause.about).lines == ["kubectl exec a --namespace gpu -- nvidia-smi"]


def test_the_lines_stand_in_every_format():
    read = report("healthy-shared-card", "ollama/ollama-67f8455bc6-bbbbc")

    assert "the pod\n   pod ollama/ollama-67f8455bc6-bbbbc asks for" in "".join(doctor_text(read))
    assert "## The pod\n\n- pod ollama/ollama-67f8455bc6-bbbbc asks for" in "".join(doctor_markdown(read))
    assert "the pod\n" not in "".join(doctor_text(doctor_report(broken_cluster())))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ollama/olama", "did you mean 'ollama/ollama'?"),
        ("x", "a pod without a limit nvidia.com/gpu, a claim or NVIDIA's RuntimeClass gets no GPU"),
    ],
)
def test_a_pod_that_was_not_read_is_an_error_that_says_why_it_may_have_no_gpu(name, hint):
    message = f"'pod' must be NAMESPACE/NAME of a pod that asks for a GPU and was read, or of its controller (got {name!r}); {hint}"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        report("healthy-shared-card", name)
