"""Files that are given to flags: no error quotes their values, and none is read without end."""

import os
import subprocess
import sys
import tracemalloc

import pytest

SECRETS = [
    "hunter2-hunter2",
    "apiVersion: v1\nkind: Secret\ndata: {password: hunter2-hunter2}\n",
    "secret: hunter2-hunter2\n",
    "- hunter2-hunter2\n",
    "password: *hunter2-hunter2\n",
    "password: !hunter2-hunter2 x\n",
    "password: !!int hunter2-hunter2\n",
    "password: !!bool hunter2-hunter2\n",
    "password: !!timestamp hunter2-hunter2\n",
    "password: [hunter2-hunter2\n",
    "hunter2-hunter2: : b\n",
    "talos_version: hunter2-hunter2\n",
    "{talos: '1.13', nodes: {gpu: {labels: {token: 'hunter2-hunter2 !'}}}}\n",
    "{talos: '1.13', nodes: {gpu: {taints: ['hunter2-hunter2:x:y']}}}\n",
    "{talos: '1.13', nodes: {gpu: {name: 'hunter2-hunter2 !'}}}\n",
    "{talos: '1.13', nodes: {gpu: {card: hunter2-hunter2, cards: hunter2-hunter2}}}\n",
    "{talos: '1.13', nodes: {gpu: {sharing: hunter2-hunter2}}}\n",
    "{talos: '1.13', nodes: {gpu: {sharing: {mps: hunter2-hunter2}}}}\n",
    "{talos: '1.13', nodes: {gpu: {dra: {share: hunter2-hunter2}}}}\n",
    "{talos: '1.13', nodes: {a: {name: hunter2-hunter2}, b: {name: hunter2-hunter2}}}\n",
    "{talos: '1.13', nodes: {a: {}, rtx: {labels: {token: 'hunter2-hunter2 !'}}}}\n",
]
TALCONFIGS = [
    "talosVersion: v1.5.hunter2-hunter2\nnodes: [{hostname: gpu-1}]\n",
    "imageFactory: {registryURL: 'hunter2-hunter2@example.com'}\nnodes: [{hostname: gpu-1}]\n",
    "nodes:\n  - hostname: gpu-1\n    nodeTaints: hunter2-hunter2\n",
    "nodes:\n  - hostname: gpu-1\n    machineSpec: hunter2-hunter2\n    schematic: hunter2-hunter2\n",
    "nodes:\n  - hostname: gpu-1\n    talosImageURL: hunter2-hunter2\n",
    "nodes:\n  - hostname: gpu-1\n    kernelModules: hunter2-hunter2\n",
    "nodes:\n  - hostname: gpu-1\n    kernelModules: [hunter2-hunter2]\n",
    "nodes: hunter2-hunter2\n",
    "nodes: [hunter2-hunter2]\n",
]
SETTINGS = [
    "talos: hunter2-hunter2\n",
    "kubernetes: hunter2-hunter2\n",
    "roots: [hunter2-hunter2, ../hunter2-hunter2]\n",
    "ignore: [{rule: hunter2-hunter2}]\n",
    "ignore: [{rule: TG007, reason: [hunter2-hunter2]}]\n",
    "labels: {role: 'hunter2-hunter2 !'}\n",
    "runtimeClasses: ['hunter2-hunter2 !']\n",
    "nodes: {gpu: {talos: hunter2-hunter2}}\n",
    "failOn: hunter2-hunter2\n",
]
FLAGS = {
    "--settings": ["check", ".", "--settings"],
    "FILE": ["patch"],
    "--talconfig": ["patch", "--talos", "1.13", "--for", "talhelper", "--label", "a=b", "--taint", "a=b", "--hostname", "gpu-1", "--talconfig"],
    "--leftovers": ["upgrade", "--talos", "1.12.11", "--to", "1.13.9", "--leftovers"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        *(("FILE", text) for text in SECRETS),
        *(("--talconfig", text) for text in [*SECRETS, *TALCONFIGS]),
        *(("--settings", text) for text in [*SECRETS, *SETTINGS]),
    ],
)
def test_an_error_about_a_file_quotes_no_value(refusal, tmp_path, flag, text):
    path = tmp_path / "file.yaml"
    path.write_text(text)
    sentence = refusal(*FLAGS[flag], path)

    assert str(path) in sentence
    assert "hunter2" not in sentence
    assert "Secret" not in sentence


@pytest.mark.parametrize("command", ["check", "patch"])
def test_an_error_about_a_file_names_the_key(refusal, tmp_path, command):
    path = tmp_path / "file.yaml"
    path.write_text("talos: '1.13'\nnodes: {gpu: {pasword: hunter2}}\n")
    paths = [tmp_path] if command == "check" else []

    assert refusal(command, *paths, path).startswith(f"{path}:2: 'nodes.gpu.pasword' must be a key of a node; ")


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(refusal, flag, path):
    assert refusal(*FLAGS[flag], path) == f"{flag} must be a file that can be read (got '{path}'); it is a device or a socket, not a file"


@pytest.mark.parametrize("flag", FLAGS)
def test_a_pipe_is_read_up_to_the_limit(refusal, tmp_path, flag):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = subprocess.Popen(
        [sys.executable, "-c", f"import shutil; shutil.copyfileobj(open('/dev/zero', 'rb'), open({str(path)!r}, 'wb'))"],
        stderr=subprocess.DEVNULL,
    )
    sentence = refusal(*FLAGS[flag], path)
    writer.kill()
    writer.wait()

    assert "; it is larger than " in sentence


@pytest.mark.parametrize(("flag", "limit"), [("FILE", 50), ("--talconfig", 2), ("--settings", 2), ("--leftovers", 20)])
def test_a_huge_file_is_refused_before_it_is_read(refusal, tmp_path, flag, limit):
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(10**9)
    tracemalloc.start()
    sentence = refusal(*FLAGS[flag], path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert sentence == f"{flag} must be a file that can be read (got '{path}'); it is larger than {limit} MB"
    assert peak < 100_000_000


@pytest.mark.parametrize("flag", ["FILE", "--talconfig", "--settings"])
@pytest.mark.parametrize("text", ["[" * 100_000, "nodes: " + "{a: " * 100_000, "- " * 100_000])
def test_a_hundred_thousand_brackets_are_an_error(refusal, tmp_path, flag, text):
    path = tmp_path / "deep.yaml"
    path.write_text(text)

    assert "nested deeper than 100 levels" in refusal(*FLAGS[flag], path)


@pytest.mark.parametrize("flag", ["FILE", "--talconfig", "--settings"])
def test_anchors_that_expand_to_billions_of_values_are_an_error(refusal, tmp_path, flag):
    path = tmp_path / "laughs.yaml"
    path.write_text("a0: &a0 [x, x]\n" + "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)))

    assert f"more than {'1000000' if flag == 'FILE' else '100000'} values" in refusal(*FLAGS[flag], path)


def test_an_empty_path_of_leftovers_is_no_working_folder(refusal):
    assert refusal(*FLAGS["--leftovers"], "") == "--leftovers must be files or folders of manifests (got '')"
