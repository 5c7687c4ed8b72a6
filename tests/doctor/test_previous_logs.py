"""What a container wrote before its last restart: a sign of now while the container is not ready, and history afterwards."""

import json

from doctor.pod_parts import cluster, crashing, live, node, only_fault, pod, pod_log, running

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.links.visibility_link import seen

NO_GPU = "RuntimeError: No CUDA GPUs are available"
NOW = 'msg="inference compute" library=cuda name="NVIDIA GeForce RTX 4090"'


def test_the_previous_log_of_a_container_that_is_ready_again_is_history():
    serving = pod(on="gpu-1", phase="Running", status={"containerStatuses": [running()]})
    of = cluster(serving, node(), logs=(pod_log(serving, NO_GPU, is_previous=True), pod_log(serving, NOW)))

    assert diagnose(of).causes == ()
    assert doctor_report(diagnose(of)).symptoms == []


def test_the_previous_log_of_a_container_in_back_off_is_a_sign_of_now():
    crashed = pod(on="gpu-1", status=crashing())
    of = cluster(crashed, node(), logs=(pod_log(crashed, NO_GPU, is_previous=True),))

    assert only_fault(seen(of, live(crashed), {})).name == "no-gpu-in-pod"


def test_a_previous_log_with_prefixes_is_history_only_for_the_containers_that_are_ready(tmp_path):
    serving, failing = running("web"), crashing()["containerStatuses"][0]
    of = pod("llm", on="gpu-1", phase="Running", status={"containerStatuses": [serving, failing]})
    place = tmp_path / "kubernetes" / "logs" / "gpu"
    place.mkdir(parents=True)
    (tmp_path / "kubernetes" / "pods.json").write_text(json.dumps(of.body))
    (place / "llm.previous.log").write_text(f"[pod/llm/web] {NO_GPU}\n[pod/llm/llm] error while loading shared libraries: libz.so.1\n")
    (place / "llm.log").write_text(f"[pod/llm/web] {NOW}\n")

    dump = read_dump([tmp_path])

    assert sorted((each.name, each.is_previous) for each in dump.logs) == [("llm", True), ("web", False), ("web", True)]
    read = cluster(*dump.of_kind("Pod"), logs=tuple(dump.logs))
    assert sorted((each.name, each.is_previous) for each in read.logs(live(of))) == [("llm", True), ("web", False)]


def test_the_previous_log_of_a_pod_that_was_not_read_stays():
    other = pod("other")

    assert cluster(node(), logs=(pod_log(other, NO_GPU, is_previous=True),)).current_logs != []


def test_a_log_keeps_the_first_line_that_names_a_card(tmp_path):
    (tmp_path / "kubernetes" / "logs" / "gpu").mkdir(parents=True)
    (tmp_path / "kubernetes" / "logs" / "gpu" / "llm.log").write_text(f"listening\n{NOW}\n{NOW}\n")

    assert [each.kept for each in read_dump([tmp_path]).logs] == [((2, NOW),)]
