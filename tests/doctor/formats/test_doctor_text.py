"""The doctor's report for a terminal: cause first, everything to be pasted, and nothing of a part that was not read."""

import dataclasses
import json
import re

import pytest
from doctor_cases import MODULES, TAINT, broken_cluster, broken_report, chain, diagnosis, dump, node, pod

from constructs_lib.arguments.commands import Command, command
from constructs_lib.doctor.diagnosis import Cause
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Advice, Healthy, NotSeen
from constructs_lib.doctor.formats.doctor_text import Style, doctor_text
from constructs_lib.observed.model.dump import Dump, Unread
from constructs_lib.observed.model.evidence import Evidence, Log, LogKind
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.symptoms.link import Link
from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import SYMPTOMS

ESC = "\x1b"


def text(report, **style):
    return "".join(doctor_text(report, Style(**style)))


def with_fault(**changes):
    return broken_report(modules=dataclasses.replace(MODULES, **changes))


def test_the_first_line_is_the_first_cause_in_the_order_of_mending_and_the_second_line_the_next():
    lines = text(broken_report()).splitlines()

    assert lines[:3] == [
        "gpu-1, gpu-2: the kernel modules are not loaded",
        "pod gpu/b: the pod does not tolerate the taint dedicated=ai:NoSchedule",
        "4 links healthy, 1 unknown; 1 pod without a GPU because of these causes",
    ]


@pytest.mark.parametrize("number", [1, 7, 8, 40])
def test_the_summary_has_at_most_ten_lines_with_any_number_of_causes(number):
    causes = [
        Cause(link=Link.MODULES, fault=dataclasses.replace(MODULES, cause=f"cause {each}"), subjects=[f"gpu-{each}"])
        for each in range(number)
    ]
    summary = doctor_report(dataclasses.replace(broken_cluster(), causes=tuple(causes))).summary

    assert len(summary) <= 10
    assert summary[0] == "gpu-0: cause 0"
    assert ("35 more causes, which are listed below" in summary) == (number == 40)


def test_a_fault_on_twenty_nodes_is_one_cause_with_three_names():
    subjects = [f"gpu-{each}" for each in range(20)]
    report = doctor_report(dataclasses.replace(broken_cluster(), causes=(Cause(link=Link.MODULES, fault=MODULES, subjects=subjects),)))

    assert report.summary[0] == "gpu-0, gpu-1, gpu-2 and 17 more: the kernel modules are not loaded"
    assert text(report).count("1. the kernel modules are not loaded") == 1


@pytest.mark.parametrize(
    ("cause", "line"),
    [("The kernel has no module", "the kernel has no module"), ("Talos has no module", "Talos has no module"), ("No card", "no card")],
)
def test_a_cause_after_its_subjects_begins_without_a_capital_unless_the_first_word_is_a_name(cause, line):
    assert with_fault(cause=cause).summary[0] == f"gpu-1, gpu-2: {line}"


def test_only_the_first_sentence_of_a_cause_is_in_the_summary():
    printed = text(with_fault(cause="The kernel has no module. The image lacks it, or nothing loads it."))

    assert printed.startswith("gpu-1, gpu-2: the kernel has no module\n")
    assert "1. The kernel has no module\n   The image lacks it, or nothing loads it.\n" in printed


def test_a_cause_has_link_evidence_with_source_consequence_followers_fix_verification_rule_and_source():
    printed = text(broken_report())

    assert (
        printed[printed.index("1. ") : printed.index("\n2. ")]
        == """\
1. the kernel modules are not loaded
   of: gpu-1, gpu-2
   broken link: modules (the kernel modules are loaded)
   evidence: NVRM: no modules
             in gpu-1/dmesg.log:120
   consequence: without the modules there is no device file, and the plugin registers no GPU
   follows: pod gpu/a
   fix:
     Set in the machine configuration:
     machine:
       kernel:
         modules:
           - name: nvidia
   verify:
     talosctl --nodes ADDRESS read /proc/modules
     (ADDRESS: 10.0.0.1, 10.0.0.2)
   rule: TG001 Up to Talos 1.12 a bridge writes the marker files that the GPU operator's pods wait for
   source: siderolabs/extensions nvidia-gpu/README.md
"""
    )


def test_the_names_of_one_pod_are_filled_into_its_commands():
    assert "     kubectl -n gpu edit pod b\n" in text(broken_report())


def test_hardware_is_told_from_configuration():
    assert "   hardware: the card or the machine has the fault, not the configuration\n" in text(with_fault(is_hardware=True))
    assert "hardware:" not in text(broken_report())


def test_each_shape_of_chains_has_one_picture_from_bottom_to_top():
    printed = text(broken_report())

    assert "chains (✔ holds, ✘ broken, ? not known, ↳ follows from a broken link)" in printed
    assert "   gpu-1, gpu-2\n   ✔ image ── ✘ modules ── ↳ driver ── ↳ runtime ── ↳ plugin ── ↳ allocatable\n" in printed
    assert "   pod gpu/a\n   ✔ admitted ── ↳ scheduled ── ↳ started ── ↳ seen\n" in printed
    assert printed.count("image ──") == 2


def test_a_terminal_without_utf_8_gets_a_picture_in_ascii():
    printed = text(broken_report(), ascii_only=True)

    assert "+ image -- X modules -- > driver" in printed
    assert printed.isascii()


def test_only_a_terminal_with_colours_gets_colours():
    assert ESC not in text(broken_report())
    assert text(broken_report(), colour=True).startswith(f"{ESC}[1;38;5;196mgpu-1, gpu-2: the kernel modules are not loaded{ESC}[0m\n")


def test_a_narrow_terminal_wraps_sentences_and_no_line_that_is_pasted():
    command = "talosctl --nodes 10.0.0.1 get extensions --output yaml --and --many --more --words"
    printed = text(with_fault(fix=Command(command), consequence="long " * 30), width=50)

    assert f"     {command}\n" in printed
    assert max(len(line) for line in printed.splitlines() if "long" in line) <= 50


def test_a_narrow_terminal_wraps_every_title_in_its_colour():
    printed = text(broken_report(), width=40, colour=True).splitlines()
    headline = [line for line in printed if line.startswith(f"{ESC}[1;38;5;196m")]

    assert len(headline) > 1
    assert [
        line
        for line in printed
        if line.startswith(f"{ESC}[1") and (len(re.sub(f"{ESC}.*?m", "", line)) > 40 or not line.endswith(f"{ESC}[0m"))
    ] == []


def test_what_is_not_known_has_the_command_that_tells_with_the_address_of_the_node():
    printed = text(broken_report())

    assert (
        "   modules of gpu-3: whether the kernel modules are loaded; the output of this command tells\n     talosctl --nodes 10.0.0.3 services\n"
        in printed
    )


def test_without_a_cause_the_report_says_what_was_looked_at_and_what_is_not_known():
    read = dump(node("gpu-1"), pod("a"))
    shown = Healthy(evidence=Evidence(text="a", source="b"))
    chains = [chain("gpu-1", (Link.IMAGE, shown), (Link.MODULES, NotSeen(command=Command("talosctl"))))]
    report = doctor_report(diagnosis(read, chains))

    assert report.summary == [
        "too little was read to judge 1 GPU node (not known: modules, driver, runtime, plugin, allocatable)",
        "versions: Talos 1.13.2, Kubernetes 1.35.1 on gpu-1",
        "1 link healthy, 0 unknown",
    ]
    assert "well" not in text(report)


def test_the_line_after_the_first_says_that_the_input_was_cut():
    whole = json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("gpu-1").body, pod("a").body]}, indent=4)
    read = read_dump([], stream=whole[: whole.index('"a"')])
    report = doctor_report(diagnosis(read, [chain("gpu-1", (Link.IMAGE, Healthy(evidence=Evidence(text="a", source="b"))))]))

    assert report.summary[1] == "the input was cut, so objects may be missing: standard input"
    assert doctor_report(diagnosis(read, [])).summary[0] == report.summary[1]


def test_a_cut_input_is_told_below_the_causes():
    report = broken_report()
    report.dump.cut.add("cluster.yaml")

    assert report.summary[2:] == [
        "4 links healthy, 1 unknown; 1 pod without a GPU because of these causes",
        "the input was cut, so objects may be missing: cluster.yaml",
        "versions: Talos 1.13.2, Kubernetes 1.35.1 on gpu-1, gpu-2, gpu-3",
    ]


def test_without_a_gpu_node_the_report_says_what_was_read_of_the_nodes():
    plain = node("cp-1")
    plain.body["metadata"]["labels"].clear()

    assert doctor_report(diagnosis(dump(plain), [])).summary == [
        "no GPU node was seen: nothing that was read of the node that was read names an extension, a GPU or a card of NVIDIA's",
        "versions: Talos 1.13.2, Kubernetes 1.35.1 on cp-1",
    ]


def test_without_a_node_no_claim_about_nodes_is_made():
    assert doctor_report(diagnosis(dump(listed=["Pod"], counts={"Pod": 3}), [])).summary == [
        "too little was read to judge: no node was read; kubectl get nodes -o yaml, or talos-gpu doctor --collect, shows the nodes"
    ]


def test_a_cluster_that_is_no_talos_is_named_with_its_system():
    read = dump(node("n1"))
    read.is_other_system = LiveObject(
        {"kind": "Node", "metadata": {"name": "n1"}, "status": {"nodeInfo": {"osImage": "Ubuntu 24.04"}}}, "a"
    )

    assert (
        doctor_report(diagnosis(read, [])).summary[0]
        == "no node runs Talos: Node n1 runs Ubuntu 24.04; the doctor knows the GPU nodes of Talos"
    )


def test_when_nothing_could_be_read_the_report_says_so_and_no_more():
    report = doctor_report(diagnosis(Dump(unread=[Unread(source="a.bin", reason="binary data")]), []))

    assert len(report.summary) == 1
    assert report.summary[0].startswith("nothing was read: no given file has the form of an output of kubectl or talosctl")
    assert "not read\n   a.bin: binary data\n" in text(report)


def test_known_lines_of_logs_that_belong_to_no_cause_are_told_after_the_causes():
    lines = [(3, "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM"), (4, MODULES.evidence[0].text)]
    read = dump(node("gpu-1"))
    read.logs.append(Log(kind=LogKind.KERNEL, source="dmesg.log", matches=tuple(LogSearch(SYMPTOMS).search(lines)), lines=4))
    printed = text(broken_report(read=read))

    assert "other known lines in logs\n   The GPU's own processor (GSP) does not start\n" in printed
    assert "      in dmesg.log:3\n" in printed


def test_a_line_that_is_evidence_of_a_cause_is_not_told_twice():
    line = "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM"
    read = dump(node("gpu-1"))
    read.logs.append(Log(kind=LogKind.KERNEL, source="dmesg.log", matches=tuple(LogSearch(SYMPTOMS).search([(3, line)])), lines=4))
    fault = dataclasses.replace(MODULES, evidence=(Evidence(text=line, source="dmesg.log:3"),))

    assert "known lines" not in text(broken_report(read=read, modules=fault))


HOSTILE = "a\x1b[2J\n::error::b\u202ec"


def test_no_character_of_a_dump_is_obeyed_by_a_terminal_or_a_workflow():
    evil = dataclasses.replace(
        MODULES,
        cause=HOSTILE,
        evidence=(Evidence(text=HOSTILE, source=HOSTILE),),
        consequence=HOSTILE,
        fix=Advice(HOSTILE, HOSTILE),
        verify=command("a {name}", name=HOSTILE),
        source=HOSTILE,
    )
    read = dump(node(HOSTILE))
    read.unread.append(Unread(source=HOSTILE, reason=HOSTILE))
    cluster = broken_cluster(modules=evil, read=read)
    cluster.causes[0].subjects.append(HOSTILE)
    cluster.causes[0].followers.append(HOSTILE)
    cluster.unseen[0].subjects.append(HOSTILE)
    printed = text(doctor_report(cluster))

    assert not {ESC, "\u202e"} & {*printed}
    assert not any(line.lstrip().startswith("::") for line in printed.splitlines())


@pytest.mark.parametrize("name", ["a;reboot", "$(reboot)", "-a", "a b", "`a`"])
def test_a_name_that_a_shell_would_obey_is_not_filled_into_a_command(name):
    read = dump(node("gpu-1"), pod(name))
    title = f"pod gpu/{name}"
    cluster = diagnosis(
        read,
        [chain(title, (Link.ADMITTED, NotSeen(command=Command("a"))), is_of_pod=True)],
        [Cause(link=Link.ADMITTED, fault=TAINT, subjects=[title])],
    )
    printed = text(doctor_report(cluster))

    assert "     kubectl -n gpu edit pod POD\n" in printed


PLANTED = "hf_plantedSecretValue0123456789"


def test_no_value_of_a_credential_is_printed():
    secret = LiveObject({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"token": PLANTED}}, "s.yaml")
    with_token = pod("a", nodeName="gpu-1")
    with_token.body["metadata"].pop("ownerReferences")
    with_token.body["spec"]["containers"][0]["env"] = [{"name": "HF_TOKEN", "value": PLANTED}]
    read = dump(node("gpu-1"), with_token, secret)
    fault = dataclasses.replace(MODULES, evidence=(Evidence(text=f"refused token {PLANTED} of the user", source="app.log:1"),))
    printed = text(broken_report(read=read, modules=fault))

    assert PLANTED not in printed
    assert "refused token (a secret value) of the user" in printed
