"""The link `seen`: what the log of a program says of the GPU, and the field of the pod behind it."""

from dataclasses import replace

import pytest
import yaml
from doctor.dump_parts import command, healthy_line, seen
from doctor.pod_parts import cluster, crashing, live, node, only_fault, plugin_with, pod, pod_log, running, shown

from constructs_lib.doctor.links.visibility_link import seen as sight
from constructs_lib.observed.model.talos_machine import TalosMachine
from constructs_lib.observed.read.live.talos_resources import running_config

ABSENT = "RuntimeError: No CUDA GPUs are available"
CLASS = {"runtimeClassName": "nvidia"}


def state_of(about, *lines, talos="1.12.6", machine=None, **labels):
    logs = (pod_log(about, *lines),) if lines else ()
    return sight(cluster(about, node(talos=talos), logs=logs, machines=(machine,) if machine else ()), live(about), {})


def up(**given):
    return pod(on="gpu-1", phase="Running", status={"containerStatuses": [running()]}, **given)


def with_config(text):
    return TalosMachine(names={"gpu-1"}, config=running_config(text, "", ""))


OLLAMA = 'msg="inference compute" library=cuda variant=v13 compute=8.9 name="NVIDIA GeForce RTX 4090" total="23.5 GiB"'


@pytest.mark.parametrize(
    "line",
    [
        OLLAMA,
        "ggml_cuda_init: found 2 CUDA devices (Total VRAM: 48236 MiB):",
        "Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes",
        "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22290 MB memory:  -> device: 0",
        "Detected 1 CUDA Capable device(s)",
        "INFO 11-22 [__init__.py:239] Automatically detected platform cuda.",
        "GPU 0: RTX 4090 (UUID: GPU-837bc20f-23fb-a98f-bc28-d9d2ce73c8be)",
        "| NVIDIA-SMI 580.126.20     Driver Version: 580.126.20     CUDA Version: 13.0     |",
        "using NVIDIA L40S",
        "cuda:0 NVIDIA H100 80GB HBM3",
        "device name: Tesla T4",
    ],
)
def test_a_line_that_names_the_card_shows_that_the_program_sees_it(line):
    assert healthy_line(state_of(up(spec=CLASS), "listening", line)) == line


@pytest.mark.parametrize(
    "line",
    [
        "listening on 11434",
        "found 0 CUDA devices",
        "this model requires an NVIDIA A100",
        "failed to open NVIDIA GeForce RTX 4090",
        "Copyright (c) 2016-2025 NVIDIA CORPORATION & AFFILIATES",
        "Automatically detected platform cpu.",
    ],
)
def test_a_log_that_names_no_card_shows_nothing(line):
    assert command(state_of(up(spec=CLASS), line)) == "kubectl exec POD --namespace NAMESPACE -- nvidia-smi"


@pytest.mark.parametrize("line", ["inference compute id=cpu library=cpu", "load_tensors: offloaded 0/33 layers to GPU"])
def test_a_program_that_computes_on_the_processor_does_not_see_its_gpu(line):
    assert only_fault(state_of(up(spec=CLASS), line)).name == "runs-on-cpu"


def test_a_container_that_is_not_ready_and_ended_without_a_gpu_sees_none():
    last = {"exitCode": 1, "reason": "Error", "message": "CUDA error: no CUDA-capable device is detected"}
    about = pod(on="gpu-1", phase="Running", spec=CLASS, status={"containerStatuses": [running(is_ready=False, last=last)]})

    fault = only_fault(state_of(about, talos="1.13.2"))

    assert fault.name == "no-gpu-in-pod"
    assert "status.containerStatuses[0].lastState.terminated" in shown(fault)


def test_a_container_that_is_ready_again_has_no_past():
    last = {"exitCode": 1, "reason": "Error", "message": "CUDA error: no CUDA-capable device is detected"}
    about = pod(on="gpu-1", phase="Running", spec=CLASS, status={"containerStatuses": [running(last=last)]})

    assert command(state_of(about)).startswith("kubectl logs POD")


def test_a_container_whose_log_shows_a_card_now_has_no_past():
    last = {"exitCode": 1, "reason": "Error", "message": "CUDA error: no CUDA-capable device is detected"}
    about = pod(on="gpu-1", phase="Running", spec=CLASS, status={"containerStatuses": [running(is_ready=False, last=last)]})
    logs = (pod_log(about, ABSENT, is_previous=True), pod_log(about, OLLAMA))

    assert healthy_line(sight(cluster(about, node(), logs=logs), live(about), {})) == OLLAMA


def test_the_log_of_one_container_does_not_speak_for_the_past_of_another():
    last = {"exitCode": 1, "reason": "Error", "message": "CUDA error: no CUDA-capable device is detected"}
    statuses = [running("web"), running(is_ready=False, last=last)]
    about = pod(on="gpu-1", phase="Running", spec=CLASS, status={"containerStatuses": statuses})
    log = replace(pod_log(about, OLLAMA), name="web")

    assert only_fault(sight(cluster(about, node(), logs=(log,)), live(about), {})).name == "no-gpu-in-pod"


def test_a_running_pod_without_a_log_is_not_judged():
    assert command(state_of(up(spec=CLASS))).startswith("kubectl logs POD --namespace NAMESPACE --all-containers")


def test_a_pod_that_has_not_run_is_not_judged():
    assert command(state_of(pod(on="gpu-1"))) == "kubectl logs POD --namespace NAMESPACE --all-containers"


def test_a_pod_without_a_runtime_class_on_legacy_talos_is_the_cause():
    fault = only_fault(state_of(up(), ABSENT))

    assert (fault.name, fault.rules, fault.is_of_pod) == ("runtime-class-not-named", ("TG040",), True)
    assert ABSENT in shown(fault)
    assert "osImage: Talos (v1.12.6)" in shown(fault)


def test_a_pod_without_a_runtime_class_needs_no_log_where_the_machine_configuration_has_another_default():
    assert only_fault(state_of(up(), machine=with_config("machine: {type: worker}"))).name == "runtime-class-not-named"


def with_default_runtime(name):
    content = f'[plugins."io.containerd.cri.v1.runtime".containerd]\n  default_runtime_name = "{name}"\n'
    file = {"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": content}
    return with_config(yaml.safe_dump({"machine": {"type": "worker", "files": [file]}}))


def test_a_default_runtime_of_nvidia_needs_no_runtime_class():
    assert command(state_of(up(), machine=with_default_runtime("nvidia"))).startswith("kubectl logs")
    assert only_fault(state_of(up(), machine=with_default_runtime("runc"))).name == "runtime-class-not-named"


@pytest.mark.parametrize("talos", ["1.12.6", "1.13.2"])
def test_a_default_runtime_of_nvidia_is_not_the_cause_of_what_the_log_says(talos):
    about = up()
    parts = (about, node(talos=talos), plugin_with("envvar"))
    made = cluster(*parts, logs=(pod_log(about, ABSENT),), machines=(with_default_runtime("nvidia"),))

    assert only_fault(sight(made, live(about), {})).name == "no-gpu-in-pod"


def test_a_pod_without_a_runtime_class_is_not_judged_without_configuration_and_log():
    assert command(state_of(up())).startswith("kubectl logs")


@pytest.mark.parametrize("talos", ["1.13.2", "1.14.0"])
@pytest.mark.parametrize(("strategy", "name"), [("envvar", "runtime-class-not-named"), ("cdi-cri", "no-gpu-in-pod"), ("", "no-gpu-in-pod")])
def test_from_talos_1_13_on_the_runtime_class_is_the_cause_where_the_plugin_only_sets_a_variable(talos, strategy, name):
    about = up()
    parts = (about, node(talos=talos), plugin_with(strategy))

    fault = only_fault(sight(cluster(*parts, logs=(pod_log(about, ABSENT),)), live(about), {}))

    assert fault.name == name
    assert ("DEVICE_LIST_STRATEGY=envvar" in str(shown(fault))) is (strategy == "envvar")


def test_a_runtime_class_beside_nri_is_the_cause_from_talos_1_15_on():
    assert only_fault(state_of(up(spec=CLASS), ABSENT, talos="1.15.0")).name == "runtime-class-beside-nri"


def test_a_pod_without_a_limit_requests_no_gpu():
    fault = only_fault(state_of(up(gpus=None, spec=CLASS), ABSENT))

    assert fault.name == "gpu-limit-missing"
    assert fault.cause == "The pod requests no GPU: no container has a limit nvidia.com/gpu or a claim"


def test_a_pod_without_a_limit_whose_log_is_well_is_healthy():
    assert healthy_line(state_of(up(gpus=None, spec=CLASS), "GPU 0: RTX 4090 (UUID: GPU-837bc20f)"))


@pytest.mark.parametrize("value", ["none", "void"])
def test_a_variable_that_hides_the_gpus_is_the_cause_on_legacy_talos(value):
    fault = only_fault(state_of(up(spec=CLASS, env={"NVIDIA_VISIBLE_DEVICES": value})))

    assert fault.name == "gpus-hidden-by-variable"
    assert f"NVIDIA_VISIBLE_DEVICES={value} | Pod gpu/llm-6d5f7c9b8-abcde, spec.containers[0].env" in shown(fault)


def test_a_variable_that_hides_the_gpus_is_told_on_newer_talos_with_a_log_only():
    hiding = up(spec=CLASS, env={"NVIDIA_VISIBLE_DEVICES": "void"})

    assert command(state_of(hiding, talos="1.13.2")).startswith("kubectl logs")
    assert only_fault(state_of(hiding, ABSENT, talos="1.13.2")).name == "gpus-hidden-by-variable"


def test_a_variable_that_shows_all_gpus_hides_none():
    assert command(state_of(up(spec=CLASS, env={"NVIDIA_VISIBLE_DEVICES": "all"}))).startswith("kubectl logs")


TOO_OLD = "CUDA error: CUDA driver version is insufficient for CUDA runtime version"


def test_an_image_with_a_newer_cuda_than_the_driver_is_named():
    machine = TalosMachine(names={"gpu-1"}, driver_version=seen("570.211.01", "NVRM version: 570.211.01"))

    fault = only_fault(state_of(up(spec=CLASS, image="pytorch/pytorch:2.9.0-cuda13.0-cudnn9-runtime"), TOO_OLD, machine=machine))

    assert fault.name == "cuda-newer-than-driver"
    assert fault.cause == "The image is built with CUDA 13, which needs the driver 580 or newer, and the node runs 570"
    assert "NVRM version: 570.211.01" in shown(fault)


def test_a_driver_that_is_new_enough_is_not_blamed():
    machine = TalosMachine(names={"gpu-1"}, driver_version=seen("580.126.20"))

    fault = only_fault(state_of(up(spec=CLASS, image="pytorch/pytorch:2.9.0-cuda13.0-cudnn9-runtime"), TOO_OLD, machine=machine))

    assert (fault.name, fault.is_of_pod) == ("driver-too-old", True)


def test_a_crashed_program_that_misses_the_gpu_is_told_by_its_log():
    about = pod(on="gpu-1", spec=CLASS, status=crashing())

    fault = only_fault(state_of(about, ABSENT))

    assert (fault.name, fault.is_of_pod) == ("no-gpu-in-pod", False)


def test_a_crashed_program_that_misses_the_gpu_is_told_by_its_last_message():
    about = pod(on="gpu-1", spec=CLASS, status=crashing(message="torch.cuda: Found no NVIDIA driver on your system"))

    assert only_fault(state_of(about)).name == "no-gpu-in-pod"


def test_a_full_memory_of_the_gpu_is_a_fault_of_the_pod():
    fault = only_fault(state_of(up(spec=CLASS), "torch.OutOfMemoryError: CUDA out of memory."))

    assert (fault.name, fault.is_of_pod) == ("cuda-out-of-memory", True)
