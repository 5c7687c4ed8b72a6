"""The stand-in: the program in place of an image's own one says what its container sees, serves until SIGTERM, or ends."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api_server import reserved_port
from talos_gpu_rehearsal.build import program
from talos_gpu_rehearsal.roles import Role, as_json
from waiting import becomes

TRAINS = Role(words=("train",), ends=True)


@pytest.fixture(scope="module")
def built() -> Path:
    if not shutil.which("go"):
        pytest.skip("Go is not there: it builds the stand-in")
    return program("stand-in") / "stand-in"


@pytest.fixture
def port() -> Iterator[int]:
    with ExitStack() as held:
        yield reserved_port(held)


@pytest.fixture
def start(built, tmp_path):
    """Start the stand-in with its roles, under the name that is the first word."""
    shutil.copy(built, tmp_path / "stand-in")
    started = []

    def start(*words: str, roles: tuple[Role, ...] = (), **variables: str) -> subprocess.Popen:
        (tmp_path / "stand-in.json").write_text(as_json(roles))
        called = subprocess.Popen(
            words, executable=tmp_path / "stand-in", stdout=subprocess.PIPE, text=True, env={**os.environ, **variables}
        )
        started.append(called)
        return called

    yield start
    for each in started:
        each.kill()
        each.communicate()


def lines(called: subprocess.Popen) -> list[dict]:
    return [json.loads(line) for line in called.communicate(timeout=60)[0].splitlines()]


def ignores(status: str, number: int) -> bool:
    """Whether a process with this text in /proc ignores a signal."""
    return bool(int(re.search(r"^SigIgn:\s+(\w+)$", status, re.MULTILINE)[1], 16) >> number - 1 & 1)


def serving(called: subprocess.Popen) -> dict:
    """The report, once the ports are open."""
    report = json.loads(called.stdout.readline())
    assert json.loads(called.stdout.readline())["stand-in"] == "serves"
    return report


def test_the_report_says_what_the_container_sees(start):
    words = ("serve", "--port", "1")
    report = lines(start(*words, roles=(Role(words=words, ends=True),), NVIDIA_VISIBLE_DEVICES="void"))[0]
    assert report["words"] == list(words)
    assert report["environment"]["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert (report["uid"], report["gid"]) == (os.getuid(), os.getgid())
    assert report["shm_bytes"] == os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize
    assert {"devices", "mounts", "libraries", "ld_cache", "read_only", "nvidia_smi"} <= set(report)
    assert "/" in {each["path"] for each in report["mounts"]}


def test_the_report_shows_no_secret(start):
    report = lines(start("train", roles=(TRAINS,), HF_TOKEN="hf_abc", API_KEY="abc"))[0]
    assert {report["environment"]["HF_TOKEN"], report["environment"]["API_KEY"]} == {"(not shown)"}


def test_the_report_has_the_answer_of_nvidia_smi(start, tmp_path):
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "GPU 0: mock $*"; exit 9\n')
    tool.chmod(0o755)
    report = lines(start("train", roles=(TRAINS,), PATH=f"{tool.parent}:{os.environ['PATH']}"))[0]
    assert report["nvidia_smi"] == {"path": str(tool), "status": 9, "output": "GPU 0: mock -L"}


def test_a_server_answers_every_path_with_its_report_until_sigterm(start, port):
    called = start("serve", roles=(Role(words=("serve",), ports=(port,)),))
    serving(called)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as answer:
        assert answer.status == 200
        assert json.load(answer)["words"] == ["serve"]
    called.send_signal(signal.SIGTERM)
    assert lines(called) == [{"stand-in": "ended", "by": "SIGTERM"}]
    assert called.returncode == 0


def test_arguments_without_a_command_are_words_of_the_entry_point(start, port):
    called = start("/stand-in", "--model", "m", roles=(Role(words=("--model", "m"), ports=(port,)),))
    assert serving(called)["words"] == ["--model", "m"]


def test_a_variable_of_the_manifest_is_any_word(start, port):
    called = start("serve", "10.5.0.1:80", roles=(Role(words=("serve", "$(ADDRESS):80"), ports=(port,)),))
    serving(called)


def test_a_server_whose_port_is_taken_fails(start, port):
    with socket.create_server(("", port)):
        called = start("serve", roles=(Role(words=("serve",), ports=(port,)),))
        assert lines(called)[-1]["stand-in"] == "failed"
        assert called.returncode == 1


def test_the_program_of_a_job_says_what_it_sees_and_ends(start):
    called = start("train", roles=(TRAINS,))
    assert [each["stand-in"] for each in lines(called)] == ["started", "ended"]
    assert called.returncode == 0


@pytest.mark.parametrize("roles", [(Role(words=("other",), ports=(1,)),), ()])
def test_a_program_of_a_script_ends_without_a_report(start, roles):
    called = start("hf", "download", roles=roles)
    assert lines(called) == [{"stand-in": "ended", "by": "itself", "words": ["hf", "download"]}]
    assert called.returncode == 0


def test_pause_waits_for_its_end_and_says_nothing(start):
    called = start("/pause")
    status = Path(f"/proc/{called.pid}/status")
    assert becomes(True, lambda: ignores(status.read_text(), signal.SIGCHLD))  # what it does last before it waits
    called.send_signal(signal.SIGTERM)
    assert (called.communicate(timeout=60)[0], called.returncode) == ("", 0)


def test_curl_asks_a_server_and_fails_without_one(start, port):
    called = start("serve", roles=(Role(words=("serve",), ports=(port,)),))
    serving(called)
    asking = start("curl", "--silent", "--output", "/dev/null", "--fail", f"http://127.0.0.1:{port}/health")
    assert (asking.communicate(timeout=60)[0], asking.returncode) == ("", 0)
    called.kill()
    called.wait()
    assert start("curl", "-s", f"http://127.0.0.1:{port}/health").wait(60) == 7


def test_curl_and_wget_write_a_line_in_place_of_a_download(start, tmp_path):
    for words in (("curl", "--fail", "--output"), ("wget", "-q", "-O")):
        target = tmp_path / words[0]
        assert start(*words, str(target), "https://hub.example/model").wait(60) == 0
        assert target.read_text() == "a stand-in for https://hub.example/model\n"


def test_the_sample_fails_without_a_card(start):
    if list(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a card")
    assert start("/cuda-samples/sample").wait(60) == 1


def test_the_source_needs_no_other_module(built):
    from talos_gpu_rehearsal.sources import SOURCES

    assert not re.search(r"^require", (SOURCES["stand-in"].folder / "go.mod").read_text(), re.MULTILINE)


SMI = """\
#!/bin/sh
case "$1" in -L) ;; *) echo "0, GPU-0001, NVIDIA A100-SXM4-40GB, 40960"; echo "1, GPU-0002, NVIDIA A100-SXM4-40GB, 40960" ;; esac
"""


def test_the_exporter_has_the_counters_of_its_file_for_each_card(start, port, tmp_path):
    for path, text in (
        ("bin/nvidia-smi", SMI),
        ("etc/dcgm-exporter/node-label", "hostname"),
        ("counters.csv", "# none\nA_B, gauge, a b\nC, label, c\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "bin/nvidia-smi").chmod(0o755)
    variables = {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "DCGM_EXPORTER_COLLECTORS": f"{tmp_path}/counters.csv",
        "NODE_NAME": "gpu-1",
    }
    serving(start("serve", roles=(Role(words=("serve",), ports=(port,)),), **variables))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        page = answer.read().decode().splitlines()
    assert page[:2] == ["# HELP A_B a b", "# TYPE A_B gauge"]
    assert page[3:] == ['A_B{gpu="1",UUID="GPU-0002",device="nvidia1",modelName="NVIDIA A100-SXM4-40GB",hostname="gpu-1"} 0']
