"""Attacks on `doctor` and `why` by files, names, answers and lines of strangers. None runs, writes, hangs, crashes or is obeyed by a terminal."""

from __future__ import annotations

import copy
import json
import os
import re
import shlex
import time
import zipfile
from pathlib import Path

import pytest
from doctor_cases import node, pod
from test_doctor_command import listing

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.formats.doctor_json import doctor_json
from constructs_lib.doctor.formats.doctor_markdown import doctor_markdown
from constructs_lib.doctor.formats.doctor_text import doctor_text
from constructs_lib.doctor.gpu_cluster import GpuCluster

FEW_SECONDS = 30
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\[", re.MULTILINE)


def everything(dump):
    """The report of a dump in all formats."""
    report = doctor_report(diagnose(GpuCluster(dump)))
    return "".join([*doctor_text(report), *doctor_markdown(report), *doctor_json(report)])


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


KERNEL = "10.0.0.1: kern: warning: [2026-11-22T08:00:00.0Z]: NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x0:1)\n"


def test_links_devices_pipes_and_loops_in_a_folder_are_not_read(run, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("NVRM: planted RmInitAdapter failed!\n")
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "a.log").symlink_to(secret)
    (folder / "b").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    (folder / "zero.log").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.log")
    (folder / "nodes.json").write_text(listing(node("gpu-1")))
    status, out, _ = run("doctor", folder)

    assert status == 3
    assert "planted" not in out
    assert out.count("a link, which is not followed") == 2
    assert "no regular file" in out


@pytest.mark.parametrize("path", ["/dev/zero"])
def test_a_device_is_no_file(run, path):
    status, out, err = run("doctor", path)

    assert status == 2
    assert "no" in out + err


HOSTILE_NAMES = (
    "\x1b]0;owned\x07.log",
    "a\n::error::b.log",
    "##[error]a.log",
    "\u202egpj.log",
    "$(touch planted).log",
    "`touch planted`.log",
    "a\r\nb.log",
    "-x.log",
)


def test_no_name_of_a_file_is_obeyed(run, tmp_path):
    for each in HOSTILE_NAMES:
        (tmp_path / each).write_text(KERNEL)
    for form in ("text", "markdown", "json"):
        _, out, _ = run("doctor", tmp_path, "--format", form)

        assert not OBEYED.search(out)


MEMBERS = (
    "../../planted", "/tmp/planted", "talos/$(touch planted)/dmesg.log", "talos/;touch planted;/dmesg.log", "talos/-h/dmesg.log", "talos/../dmesg.log", "talos/*/dmesg.log",
    "kubernetes/logs/../../planted.log", "logs/$(x)/$(y).log", "a\\..\\b", "talos/\x1b[2J/dmesg.log", "talos/NODE/dmesg.log", "talos/10.0.0.1;reboot/dmesg.log",
)  # fmt: skip


def test_no_name_of_a_member_of_an_archive_is_a_path_or_a_command(run, tmp_path, monkeypatch):
    work = tmp_path / "a" / "work"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    zipped(work / "b.zip", dict.fromkeys(MEMBERS, KERNEL.replace("10.0.0.1: ", "")))
    before = {*tmp_path.rglob("*")}
    for form in ("text", "markdown"):
        _, out, _ = run("doctor", "b.zip", "--format", form)

        assert not OBEYED.search(out)
        for line in out.splitlines():
            if re.match(r"\s*(kubectl|talosctl|IMAGE=|until) ", line):
                assert "touch" not in line
                assert ";reboot" not in line
                assert "--nodes ADDRESS" in line or "--nodes" not in line
    assert {*tmp_path.rglob("*")} == before


LAUGHS = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    nvidia.com/gpu: a\n    a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"    a{each}: &a{each} [{','.join([f'*a{each - 1}'] * 9)}]\n" for each in range(1, 12)
)
LONG = 200_000
TEXTS = {
    "billion-laughs": LAUGHS,
    "deep-json": '{"apiVersion": "v1", "kind": "Pod", "a": ' + "[" * LONG,
    "deep-list": '{\n"apiVersion": "v1", "kind": "List", "items": [' + '{"a":' * LONG,
    "deep-yaml": "apiVersion: v1\nkind: Node\nmetadata: " + "{a: " * 5_000,
    "deep-blocks": "apiVersion: v1\nkind: Node\n" + "".join(f"{' ' * each}a:\n" for each in range(3_000)),
    "braces": "{" * LONG,
    "brace-lines": "{\n" * 20_000,
    "marks": "---\n" * 50_000,
    "kinds": "kind: Node\napiVersion: v1\n" * 5_000,
    "items": '{"apiVersion":"v1","items":[' * 5_000,
    "metadata": "metadata:\n" * 20_000,
    "node": "node: a\n" * 20_000,
    "spaces": " " * LONG,
    "nul": "a" + "\0" * LONG,
    "colons": ":" * LONG,
    "quotes": '"' * LONG + "'" * LONG,
    "nvrm": "NVRM: " * 30_000,
    "xid": "NVRM: Xid (PCI:0000:01:00): " * 8_000,
    "kern": "10.0.0.1: kern: " * 10_000,
    "table": "NODE   NAMESPACE   TYPE   ID   VERSION\n" * 5_000,
    "words": "password " * 20_000 + "token: " * 20_000,
    "key": "-----BEGIN RSA PRIVATE KEY-----" * 5_000,
    "nodes-are-available": "0/3 nodes are available: " + "1 Insufficient nvidia.com/gpu, " * 10_000,
    "crlf": "\r\n" * LONG,
    "surrogates": "\ud800" * 1000,
}


@pytest.mark.thorough
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_hangs_or_crashes_the_reader(text):
    before = time.process_time()
    for content in (TEXTS[text].encode(errors="surrogatepass"), TEXTS[text].encode("utf-16", errors="surrogatepass")):
        assert not OBEYED.search(everything(read_dump([], stream=content)))
    assert time.process_time() - before < FEW_SECONDS


NUMBERS = ("9" * 5_000, "-1", "1e999", "٣", "0x10", "NaN", "1" + "0" * 400, " 1", "")


@pytest.mark.parametrize("number", NUMBERS)
def test_no_amount_of_gpus_crashes_the_report(number):
    body = copy.deepcopy(node("gpu-1").body)
    body["status"].update(allocatable={"nvidia.com/gpu": number}, capacity={"nvidia.com/gpu": number})
    asking = copy.deepcopy(pod("a").body)
    asking["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": number}}
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "message": f"0/{number} nodes are available: {number} Insufficient nvidia.com/gpu.",
    }
    asking["status"] = {"phase": "Pending", "conditions": [condition]}

    assert everything(read_dump([], stream=json.dumps({"apiVersion": "v1", "kind": "List", "items": [body, asking]})))


def test_a_number_of_many_digits_in_json_is_no_crash():
    text = (
        '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"nvidia.com/gpu": '
        + "9" * 9000
        + "}}}]}"
    )

    assert everything(read_dump([], stream=text))


ADDRESSES = ("../../planted", "*", "-h", "10.0.0.1;reboot", "$(reboot)", "fe80::1%../../planted", "10.0.0.1\n", "", "10.0.0.1 10.0.0.2")


@pytest.mark.parametrize("address", [each for each in ADDRESSES if each.strip() != "10.0.0.1"])
def test_no_address_that_is_none_is_taken_from_the_user(run, address):
    status, out, err = run("doctor", "--live", "--talosctl-nodes", f"{address}")

    assert (status, out) == (2, "")
    assert "--talosctl-nodes must be " in err
    assert not OBEYED.search(err.rstrip("\n"))


def test_no_name_or_address_that_kubectl_prints_is_a_path_or_an_argument(run, tmp_path, monkeypatch):
    programs, calls, temporary = tmp_path / "bin", tmp_path / "calls", tmp_path / "x" / "y"
    programs.mkdir()
    temporary.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    nodes = [node(f"gpu-{number}", address) for number, address in enumerate([*ADDRESSES[:-3], "10.0.0.9"])]
    pods = []
    for number, name in enumerate(["../../../planted", "-n", "a;touch planted", "*", "$(touch planted)", "good"]):
        body = copy.deepcopy(pod(name, nodeName="gpu-1").body)
        body["metadata"]["namespace"] = "gpu" if number else "../../planted"
        body["status"] = {"phase": "Running"}
        pods.append(type(nodes[0])(body, ""))
    (tmp_path / "all.json").write_text(listing(*nodes, *pods))
    for program in ("kubectl", "talosctl"):
        text = f'for each in "$@"; do printf "%s\\n" "$each"; done >> {calls}; echo END >> {calls}\n'
        text += f'case "$2" in nodes) cat {tmp_path}/all.json ;; *) echo "{{}}" ;; esac\n' if program == "kubectl" else "exit 1\n"
        (programs / program).write_text(f"#!/bin/sh\n{text}")
        (programs / program).chmod(0o755)
    before = {*tmp_path.rglob("*")}
    run("doctor", "--live")
    argv = [each.strip().split("\n") for each in calls.read_text().split("END")]

    assert {each[1] for each in argv if each[0] == "--nodes"} == {"10.0.0.9"}
    assert {each[3] for each in argv if each[0] == "logs"} == {"good"}
    assert {*tmp_path.rglob("*")} - before == {calls}


FILES = ("a;touch planted", "$(touch planted)", "a b", "-rf", "a'b", "a\nb")


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_why_names_is_one_word_of_a_command(run, tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    Path(file).write_text("x")
    _, out, _ = run("why", "--", file)
    command = out.partition("to read the file: ")[2]

    assert shlex.split(command)[:4] == ["talos-gpu", "why", "-", "<"]
    assert len(shlex.split(command)) == 5
    assert len(out.splitlines()) == 1
