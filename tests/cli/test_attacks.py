"""Hostile texts in every name, label, path and value that a verb reads: nothing runs, nothing is written elsewhere, and no output obeys them."""

import ast
import io
import json
import re
import shutil
import subprocess
import sys
import tokenize

import pytest
import yaml
from command_line import run  # noqa: F401  # a fixture
from hostile_texts import OBEYED, PROGRAM, RAW, TEXTS, offences, repository, yaml_text

from constructs_lib.arguments import programs

TALOS = ("--talos", "1.13.9")
TREE_VERBS = {
    "check": ("check", ".", *TALOS, "--remarks", "--all"),
    "check without Talos": ("check", ".", "--capacity"),
    "check for 1.12": ("check", ".", "--talos", "1.12.9", "--format", "json"),
    "check sarif": ("check", ".", *TALOS, "--format", "sarif"),
    "diff": ("check", "t1", "t10", "t18", "t28", "--talos", "1.13.9", "--diff", "--unsafe-fixes"),
    "page": ("page", ".", *TALOS),
    "images": ("images", ".", *TALOS),
    "images json": ("images", ".", *TALOS, "--format", "json"),
    "images list": ("images", ".", *TALOS, "--format", "list"),
    "why": ("why", "failed to initialize NVML", "."),
    "doctor": ("doctor", "."),
    "doctor markdown": ("doctor", ".", "--format", "markdown"),
    "doctor json": ("doctor", ".", "--format", "json"),
    "init": ("init", "--from", "."),
    "leftovers": ("upgrade", "--talos", "1.12.9", "--to", "1.13.9", "--leftovers", "."),
    "plan": ("upgrade", "--talos", "1.12.9", "--to", "1.13.9", "--manifests", "."),
}


def contents(folder):
    return {
        path: path.readlink() if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() or path.is_symlink()
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return repository(tmp_path_factory.mktemp("hostile") / "repository")


@pytest.fixture(autouse=True)
def no_program(monkeypatch):
    """No verb of these tests starts a program."""

    def refused(*arguments, **_):
        raise AssertionError(arguments)

    monkeypatch.setattr(programs, "run", refused)
    monkeypatch.setattr(subprocess, "Popen", refused)


@pytest.mark.thorough
@pytest.mark.parametrize("verb", TREE_VERBS.values(), ids=TREE_VERBS)
def test_a_hostile_repository_is_read_and_never_obeyed(run, tree, monkeypatch, verb):  # noqa: F811
    monkeypatch.chdir(tree)
    before = contents(tree.parent)
    status, out, err = run(*verb)

    assert status in (0, 1) or (verb[0], status) == ("init", 2), err[:500]
    assert offences(out + err) == []
    assert "Please report this bug" not in err
    written = tree / "cluster.yaml"
    if verb[0] == "init" and written not in before and written.exists():  # its answer is a file
        assert offences(written.read_text()) == []
        written.unlink()
    assert contents(tree.parent) == before


@pytest.mark.thorough
def test_the_annotations_of_a_workflow_are_ours_alone(run, tree, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tree)
    _, out, err = run("check", ".", *TALOS, "--format", "github", "--remarks")

    assert [
        line
        for line in out.splitlines()
        if not re.match(r"::(error|warning|notice) file=[^\r\n]*?,?title=TG\d{3}[^:]*::|::(error|warning|notice) [^:]*::", line)
    ] == []
    assert RAW.findall(out + err) == []
    assert OBEYED.findall(err) == []


@pytest.mark.thorough
def test_a_shell_that_runs_the_blocks_of_the_page_starts_only_programs_that_the_page_names(run, tree, monkeypatch, tmp_path):  # noqa: F811
    """Each program is replaced by one that writes down its arguments."""
    monkeypatch.undo()
    monkeypatch.chdir(tree)
    _, page, _ = run("page", ".", *TALOS)
    lines = [
        line.strip()
        for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
        for line in block.splitlines()
        if line.strip() and line.strip()[0] != "#"
    ]
    folder = tmp_path / "empty"
    folder.mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("kubectl", "talosctl", "talhelper", "flux", "curl", "omnictl", "talos-gpu"):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nprintf "%s\\0" "$#" >> {tmp_path}/calls\n')
        (tmp_path / "bin" / name).chmod(0o755)
    done = subprocess.run(
        [shutil.which("sh"), "-c", "\n".join(lines)],
        cwd=folder,
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(lines) > 50
    assert (done.returncode, done.stderr) == (0, "")
    assert len((tmp_path / "calls").read_text().split("\0")) - 1 == len(lines)
    assert list(folder.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("flag", ["--cluster-file", "--app"])
def test_what_adopt_writes_has_the_texts_as_values_alone(run, tree, monkeypatch, tmp_path, flag):  # noqa: F811
    monkeypatch.chdir(tree)
    target = tmp_path / ("cluster.yaml" if flag == "--cluster-file" else "main.py")
    before = contents(tree.parent)
    status, out, err = run("adopt", ".", *TALOS, flag, target)

    assert status == 1, err
    assert offences(out + err) == []
    assert contents(tree.parent) == before
    written = target.read_text()
    assert RAW.findall(written) == []
    if flag == "--app":
        called = {node.func.id for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert {name for name in called if not name[0].isupper()} <= {"attach", "str"}
        outside = [
            each.string
            for each in tokenize.generate_tokens(io.StringIO(written).readline)
            if each.type not in (tokenize.STRING, tokenize.COMMENT)
        ]
        assert not [each for each in outside if "touch" in each or each == "ran" or "system" in each]
    else:
        assert yaml.safe_load(written)["nodes"]


# Flags

FLAG_VERBS = {
    "schematic": ["--talos", "--label", "--taint", "--product", "--name", "--kernel-modules", "--driver-track", "--class", "--platform", "--extension", "--memory-per-gpu", "--passthrough"],
    "patch": ["--talos", "--label", "--extra-label", "--taint", "--product", "--name", "--class", "--for", "--memory-per-gpu", "--passthrough", "--talconfig", "--hostname"],
    "upgrade": ["--talos", "--to", "--label", "--taint", "--product", "--name", "--for", "--route", "--manifests", "--leftovers"],
    "matrix": ["--product", "--cuda"],
    "models": ["--card", "--model", "--format"],
    "page": ["--title", "--chart", "--kubernetes", "--settings", "--talos", "--product", "--label", "--output"],
    "check": ["--chart", "--kubernetes", "--settings", "--talos", "--select", "--ignore", "--explain", "--root", "--fail-on", "--taint", "--output"],
    "images": ["--mirror", "--chart", "--kubernetes", "--settings", "--talos", "--output"],
    "adopt": ["--talos", "--cluster-file"],
    "init": ["--talos", "--card", "--cards", "--nodes", "--sharing", "--from", "--cluster-file"],
    "synth": ["--cluster", "--jobs"],
    "why": ["--talos", "--limit", "--settings", "--output"],
    "doctor": ["--format", "--output"],
}  # fmt: skip
GIVEN = {
    "upgrade": ["--to", "1.13.9"],
    "page": ["pod.yaml"],
    "check": ["pod.yaml"],
    "images": ["pod.yaml"],
    "adopt": ["pod.yaml"],
    "synth": ["home.yaml"],
    "why": ["NVML"],
    "doctor": ["pod.yaml"],
}
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    here = tmp_path / "outer" / "here"
    here.mkdir(parents=True)
    (here / ".git").mkdir()
    (here / "pod.yaml").write_text(POD)
    (here / "home.yaml").write_text('nodes: {talos_version: "1.13.9"}\n')
    monkeypatch.chdir(here)
    return here


@pytest.mark.thorough
@pytest.mark.parametrize("verb", FLAG_VERBS)
def test_a_hostile_flag_is_one_value_or_refused(run, folder, verb):  # noqa: F811
    for flag in FLAG_VERBS[verb]:
        for name, text in TEXTS.items():
            if flag in ("--output", "--cluster-file") and ("\0" not in text or text.startswith("/")):
                continue  # whoever gives the flag names this file
            talos = [] if flag == "--talos" or "--talos" not in FLAG_VERBS[verb] or verb == "upgrade" else ["--talos", "1.13.9"]
            talos = ["--talos", "1.12.9"] if verb == "upgrade" and flag != "--talos" else talos
            status, out, err = run(verb, *GIVEN.get(verb, []), *talos, f"{flag}={text}")

            assert status in (0, 1, 2), (flag, name)
            assert "Traceback" not in err, (flag, name)
            assert offences(out + err) == [], (flag, name)
            assert not (folder.parent / "ran").exists()
            assert not (folder / "ran").exists()


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_line_of_a_log_is_shown_and_never_obeyed(run, folder, name):  # noqa: F811
    for line in (
        f"x{TEXTS[name]}",
        f"nvml error {TEXTS[name]}: Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND {TEXTS[name]}",
        f'runtimeclass.node.k8s.io "{TEXTS[name]}" not found',
    ):
        status, out, err = run("why", line)
        assert status in (0, 1)
        assert offences(out + err) == [], line


# Cluster files

CLUSTER = {
    "nodes": {"talos_version": "1.13.9", "name": "rtx", "labels": {"role": "gpu"}, "taints": ["gpu=yes:NoSchedule"]},
    "charts": {"gpu": {"namespace": "gpu", "objects": {
        "class": {"NvidiaRuntimeClass": {}}, "plugin": {"StandaloneDevicePlugin": {}}, "operator": {"NvidiaGpuOperator": {"delivery": {"Flux": {}}}},
        "config": {"Object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}},
    }}},
    "talos": {"extensions": ["siderolabs/iscsi-tools"], "platform": "metal"},
}  # fmt: skip
PLACES = [
    ("name",), ("nodes", "talos_version"), ("nodes", "name"), ("nodes", "labels", "role"), ("nodes", "labels", "KEY"), ("nodes", "taints", 0), ("nodes", "product"),
    ("charts", "KEY"), ("charts", "gpu", "namespace"), ("charts", "gpu", "objects", "KEY"), ("charts", "gpu", "objects", "class", "NvidiaRuntimeClass", "name"),
    ("charts", "gpu", "objects", "plugin", "StandaloneDevicePlugin", "image"), ("charts", "gpu", "objects", "operator", "NvidiaGpuOperator", "chart"),
    ("charts", "gpu", "objects", "operator", "NvidiaGpuOperator", "version"), ("charts", "gpu", "objects", "operator", "NvidiaGpuOperator", "repository"),
    ("charts", "gpu", "objects", "operator", "NvidiaGpuOperator", "release_name"), ("charts", "gpu", "objects", "operator", "NvidiaGpuOperator", "delivery", "HelmTemplate", "helm"),
    ("charts", "gpu", "objects", "config", "Object", "metadata", "name"), ("charts", "gpu", "objects", "config", "Object", "kind"),
    ("charts", "gpu", "objects", "config", "Object", "data", "a"), ("talos", "extensions", 0), ("talos", "platform"), ("talos", "KEY"), ("talos", "talconfig", "file"),
    ("clusters", "KEY"), ("delivery", "flux", "repository"), ("KEY",),
]  # fmt: skip


def with_text(place, text):
    content = json.loads(json.dumps(CLUSTER))
    if "HelmTemplate" in place:
        content["charts"]["gpu"]["objects"]["operator"]["NvidiaGpuOperator"]["delivery"] = {"HelmTemplate": {}}
    at = content
    for step in place[:-1]:
        at = at[step] if isinstance(at, list) or step in at else at.setdefault(step, {})
    if place[-1] == "KEY":
        at[text] = {}
    else:
        at[place[-1]] = text
    return content


def yaml_file(value):
    """A value as flow YAML with every character escaped."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"? {yaml_text(key)} : {yaml_file(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(yaml_file, value)) + "]"
    return yaml_text(value)


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place[-2:])))
def test_a_hostile_text_in_a_cluster_file_is_a_value_or_refused(run, folder, monkeypatch, place):  # noqa: F811
    for name, text in TEXTS.items():
        cluster = yaml_file(with_text(place, text))
        (folder / "home.yaml").write_text(cluster)
        status, out, err = run("synth", "home.yaml", "--page", "--no-check")

        assert status in (0, 2), (name, err)
        assert offences(out + err) == [], name
        for path in folder.rglob("*"):
            assert path.is_relative_to(folder / "dist" / "home") or path in (
                folder / ".git",
                folder / "home.yaml",
                folder / "pod.yaml",
                folder / "dist",
            ), (name, path)
            if path.name == "README.md":
                assert RAW.findall(path.read_text()) == [], name
                assert [line for line in path.read_text().splitlines() if PROGRAM.match(line.strip()) and offences(line)] == [], name
        shutil.rmtree(folder / "dist", ignore_errors=True)
        assert [each.name for each in folder.parent.iterdir()] == ["here"], name

        given = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {{metadata: {{name: {yaml_text(text)}}}, spec: {cluster}}}\n"
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        status, out, err = run("krm", "--no-check")
        assert status in (0, 2), (name, err)
        assert RAW.findall(out + err) == [], name
        assert OBEYED.findall(err) == [], name


@pytest.mark.parametrize(
    "line",
    [
        "kubectl delete pod $(touch ran)",
        "fix: run (kubectl delete ns x;touch ran;)",
        "a\x1b[2J",
        "::error::x",
        "helm template --kubeconfig=ran x",
    ],
)
def test_the_search_finds_a_text_that_is_not_quoted(line):
    assert offences(line)


@pytest.mark.parametrize(
    "line", ["kubectl delete pod '$(touch ran)'", "Set $(touch ran) (kubectl get x), or $(touch ran)", "talos-gpu check: $(touch ran)"]
)
def test_the_search_finds_no_other_text(line):
    assert offences(line) == []
