"""Logs without objects: the first line of the report is the cause, and no log with an error that nobody knows is called
healthy."""

from pathlib import Path

import pytest

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import Outcome, doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.formats.doctor_markdown import doctor_markdown
from constructs_lib.doctor.formats.doctor_text import doctor_text
from constructs_lib.doctor.gpu_cluster import GpuCluster

DUMPS = Path(__file__).parent / "dumps"
NVML = "E1128 04:20:58.000000       1 factory.go:99] Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND."
MODULE = "10.0.0.5: kern: info: [2026-11-28T04:20:58Z]: NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."
PROGRAM = "10.0.0.5: kern: warning: [2026-11-28T04:20:58Z]: NVRM: Xid (PCI:0000:01:00): 31, pid=1234, name=python"
UNKNOWN = "E1128 04:20:58.000000       1 main.go:12] the moon stands in the wrong house"


def report(text="", *paths):
    return doctor_report(diagnose(GpuCluster(read_dump(paths, stream=text or None))))


def test_the_log_of_an_agent_alone_gives_the_cause_and_the_status_of_one():
    read = report(f"starting\n{NVML}\n")

    assert read.outcome is Outcome.BROKEN
    assert read.summary[0] == "standard input: NVIDIA's agent runs without the driver's libraries"
    assert [each.fault.evidence[0].text for each in read.diagnosis.causes] == [NVML]
    assert read.symptoms == []


def test_a_line_of_a_higher_link_follows_from_that_of_the_lower_one():
    read = report(f"{NVML}\n{MODULE.partition(': kern: info: ')[2]}\n")

    assert [each.fault.name for each in read.diagnosis.causes] == ["fallen-off-the-bus"]
    assert [match.symptom.name for _, match in read.symptoms] == ["nvml-missing", "exporter-nvml"]


def test_the_log_of_a_kernel_names_its_node_and_a_fault_of_the_program_no_link():
    read = report(f"{PROGRAM}\n")
    printed = "".join(doctor_text(read))

    assert read.summary[0] == "10.0.0.5: a program made an error on the GPU"
    assert (read.outcome, read.diagnosis.causes[0].link) == (Outcome.BROKEN, None)
    assert "broken link:" not in printed
    assert "consequence" not in printed
    assert "Consequence" not in "".join(doctor_markdown(read))


def test_two_pods_with_faults_of_their_own_are_two_causes(tmp_path):
    (tmp_path / "logs.txt").write_text(
        f"[pod/plugin-1/nvidia-device-plugin] {NVML}\n[pod/ollama-1/ollama] RuntimeError: The NVIDIA driver on your system is too old (found version 11040)\n"
    )
    read = report("", tmp_path)

    assert [(each.fault.name, each.subjects) for each in read.diagnosis.causes] == [
        ("nvml-missing", ["pod plugin-1"]),
        ("driver-too-old", ["pod ollama-1"]),
    ]


def test_a_line_about_a_link_that_was_shown_to_hold_is_history():
    read = report(f"[pod/nvidia-device-plugin-aaaaa/nvidia-device-plugin] {NVML}\n", DUMPS / "healthy-idle")

    assert read.diagnosis.causes == ()
    assert [match.symptom.name for _, match in read.symptoms] == ["nvml-missing", "exporter-nvml"]


HANDLER = 'E1128 04:20:58.000000       1 pod_workers.go:12] failed to create pod sandbox: no runtime for "nvidia" is configured'


@pytest.mark.parametrize("dump", ["healthy-idle", "healthy-cdi-standalone"])
def test_an_old_line_about_a_pod_in_the_log_of_its_node_is_history_where_the_pods_run(tmp_path, dump):
    logs = tmp_path / "talos" / "10.0.0.11" / "service-logs"
    logs.mkdir(parents=True)
    (logs / "kubelet.log").write_text(f"10.0.0.11: {HANDLER}\n")

    assert report("", DUMPS / dump, tmp_path).diagnosis.causes == ()
    assert report("", tmp_path).diagnosis.causes != ()


def test_a_line_about_the_node_in_the_log_of_a_pod_is_history_where_the_node_shows_its_link():
    [pod] = [each for each in report("", DUMPS / "healthy-cdi-standalone").diagnosis.chains if each.is_of_pod]
    line = f"[pod/{pod.subject.rpartition('/')[2]}/ollama] {MODULE.partition(': kern: info: ')[2]}\n"

    assert report(line, DUMPS / "healthy-cdi-standalone").diagnosis.causes == ()


def test_a_pasted_line_is_history_where_every_node_shows_its_link_and_a_pod_shows_nothing():
    assert report(f"starting\n{NVML}\n", DUMPS / "healthy-cdi-standalone").diagnosis.causes == ()


def test_a_cause_in_the_objects_comes_alone_and_the_lines_of_logs_below_it():
    read = report(MODULE.replace("10.0.0.5", "10.0.0.11") + "\n", DUMPS / "cdi-toolkit-missing")

    assert [each.fault.name for each in read.diagnosis.causes] == ["toolkit-missing"]


def test_an_error_that_no_symptom_knows_is_printed_and_no_cluster_with_one_is_called_healthy():
    read = report(f"{UNKNOWN}\n", DUMPS / "healthy-idle")

    assert read.outcome is Outcome.UNJUDGED
    assert read.summary[0] == "each link of 1 GPU node was shown to hold, but logs have errors that are not explained here"
    assert f"error lines in logs that are not explained here\n   {UNKNOWN}\n      in standard input:1\n" in "".join(doctor_text(read))
    assert f"- `{UNKNOWN}` in `standard input:1`\n" in "".join(doctor_markdown(read))


@pytest.mark.parametrize(("words", "found"), [("the moon", 0), ("nvidia.com/gpu: the moon", 1)])
def test_of_a_service_that_all_pods_share_only_errors_about_gpus_count(tmp_path, words, found):
    logs = tmp_path / "talos" / "10.0.0.5" / "service-logs"
    logs.mkdir(parents=True)
    (logs / "kubelet.log").write_text(f"10.0.0.5: E1128 04:20:58.000000       1 pod_workers.go:12] Error syncing pod, skipping, {words}\n")
    (logs.parent / "dmesg.log").write_text(f"10.0.0.5: kern:     err: [2026-11-28T04:20:58Z]: ata1: error: {words}\n")

    assert len(report("", tmp_path).unexplained) == 2 * found


def test_an_error_of_a_service_of_nvidia_counts_whatever_it_names(tmp_path):
    logs = tmp_path / "talos" / "10.0.0.5" / "service-logs"
    logs.mkdir(parents=True)
    (logs / "ext-nvidia-cdi-gen.log").write_text('10.0.0.5: time="2026-11-28T04:20:58Z" level=error msg="the moon"\n')

    assert len(report("", tmp_path).unexplained) == 1


def test_an_unexplained_error_has_the_program_that_says_it():
    line = "E1128 04:20:58.000000       1 config.go:12] error opening config file: the moon"
    read = report(f"{line}\n")

    assert list(read.origins) == [line]
    assert "said by " in "".join(doctor_text(read))
    assert ", said by " in "".join(doctor_markdown(read))


def test_an_unknown_error_alone_is_too_little_to_judge():
    read = report(f"{UNKNOWN}\n")

    assert read.outcome is Outcome.UNJUDGED
    assert read.summary[0].startswith("too little was read to judge: no node was read")
    assert read.summary[-1] == "logs have 1 error line without an explanation here, which stand below"


@pytest.mark.parametrize(
    "line",
    [
        'time="2026-11-28T04:20:58Z" level=error msg="the moon"',
        '{"level":"error","ts":"2026-11-28T04:20:58Z","msg":"the moon"}',
        "2026-11-28T04:20:58Z\tERROR\tsetup\tthe moon",
        "run failed\nError: the moon",
        "failed to find the moon",
        "panic: the moon",
        "F1128 04:20:58.000000       1 main.go:12] the moon",
    ],
)
def test_errors_are_known_by_the_marks_of_the_libraries_that_log_them(line):
    assert [each.text for each in report(f"{line}\n").unexplained] == [line.rpartition("\n")[2]]


@pytest.mark.parametrize("line", ["I1128 04:20:58.000000       1 main.go:12] no error", "loaded 0 errors", 'level=info msg="ok"'])
def test_a_line_without_such_a_mark_is_no_error(line):
    assert report(f"{line}\n").unexplained == []


CLASS = "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:317, unhandled system error, NCCL version 2.21.5"
APART = "the line has cause 1 or 2: what the commands to verify print, and what the rules find in files, tells which"


def test_several_causes_of_one_line_come_together_with_what_tells_them_apart():
    read = report(f"{CLASS}\n")

    assert [(each.fault.name, each.fault.is_sure) for each in read.diagnosis.causes] == [("nccl-error", False), ("TG103", False)]
    assert "".join(doctor_text(read)).count(f"   apart: {APART}\n") == 1
    assert "".join(doctor_markdown(read)).count(f"- Apart: {APART}\n") == 1


VALIDATOR = "Error: error validating driver installation: error creating symlink creator: failed to create NVIDIA device nodes: failed to create device node nvidiactl: failed to determine major: invalid device node"


@pytest.mark.parametrize("text", [f"{NVML}\n{MODULE.partition(': kern: info: ')[2]}\n", f"{NVML}\n", f"{VALIDATOR}\n"])
def test_where_a_line_has_a_sure_cause_nothing_has_to_be_told_apart(text):
    assert "apart: " not in "".join(doctor_text(report(text)))


KNOWN_BY_CATALOGUE = "I1128 04:20:58.000000       1 main.go:12] Waiting for change to 'nvidia.com/device-plugin.config' label"
INFO = "I1128 04:20:58.000000       1 main.go:12] the moon rises"


def test_of_lines_without_known_words_the_number_and_the_programs_that_say_them_are_told():
    read = report(f"{INFO}\n{KNOWN_BY_CATALOGUE}\n\n{INFO}\n")

    assert read.outcome is Outcome.UNJUDGED
    assert read.summary == [
        "too little was read to judge: no node was read, and the text of 3 lines has no known words; kubectl get nodes -o yaml, or talos-gpu doctor --collect, shows the nodes",
        "lines without an explanation here are said by NVIDIA's MIG manager 0.10 to 0.15 or NVIDIA's device plugin or GPU feature discovery 0.15 to 0.20 (1 line)",
    ]
    assert read.what_was_read == "3 lines without a known form"


def test_of_the_log_of_a_pod_without_known_words_the_number_of_lines_is_told():
    read = report(f"[pod/plugin-1/nvidia-device-plugin] {INFO}\n" * 4)

    assert read.outcome is Outcome.UNJUDGED
    assert read.summary[0].startswith("too little was read to judge: no node was read, and the text of 4 lines has no known words; ")


def test_of_the_log_of_a_kernel_without_known_words_the_number_of_lines_is_told():
    read = report("10.0.0.5: kern: info: [2026-11-28T04:20:58Z]: usb 1-1: new device\n" * 2)

    assert read.outcome is Outcome.UNJUDGED
    assert read.summary[0].startswith("too little was read to judge: no GPU node was seen, and the text of 2 lines has no known words; ")


def test_where_a_line_is_known_or_an_error_the_others_are_not_told():
    assert report(f"{INFO}\n{UNKNOWN}\n").summary[0].startswith("too little was read to judge: no node was read; ")


def test_lines_without_known_words_beside_a_cluster_change_nothing():
    assert report(f"{INFO}\n", DUMPS / "healthy-idle").outcome is Outcome.UNBROKEN


def test_of_each_log_three_errors_are_kept():
    assert len(report("\n".join(f"Error: moon {number}: it is not there" for number in range(30))).unexplained) == 3
