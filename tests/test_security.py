"""SECURITY.md: what `talos-gpu check` reads, runs, writes and never does, seen by an audit hook of Python; and that nobody installs a stranger's package."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import ROOT
from tools.publishing import Publication, publication, written

# Every event of the interpreter, with the files that it opens; modules of Python itself come from elsewhere.
AUDIT = """
import json, os, sys
from constructs_lib.cli.command import main
import constructs_lib.checks.check, constructs_lib.checks.formats.programs
events = []
def hook(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        events.append(["write" if (flags or 0) & (os.O_WRONLY | os.O_RDWR) else "read", os.fsdecode(path) if isinstance(path, (str, bytes)) else ""])
    elif event not in ("compile", "exec", "import", "marshal.loads", "object.__getattr__", "sys._getframe"):
        events.append([event, repr(arguments)])
sys.addaudithook(hook)
status = main(sys.argv[2:])
sys.stdout.flush()
open(sys.argv[1], "w").write(json.dumps(events))
"""
READS_OBJECTS = """
from constructs_lib import check
def judge():
    check(json.loads(sys.argv[2]), talos_version="1.14")
"""
HARMLESS = {"os.scandir", "os.listdir", "read", "write", "builtins.id", "gc.freeze", "array.__new__", "object.__setattr__"}

KUSTOMIZATION = """
resources: [plugin.yaml, https://example.com/remote.yaml, "git::https://example.com/base.git?ref=v1", oci://example.com/base]
generators: [generator.yaml]
transformers: [generator.yaml]
helmCharts: [{name: gpu-operator, repo: "https://helm.ngc.nvidia.com/nvidia", version: v26.7.0, releaseName: gpu-operator}]
"""
PLUGIN = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: gpu}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec: {containers: [{name: main, image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", command: [sh, -c, "$(touch ran)"]}]}
"""
GENERATOR = """
apiVersion: example.com/v1
kind: Generator
metadata: {name: generator, annotations: {config.kubernetes.io/function: "exec: {path: ./generate}"}}
"""
DEPLOYERS = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu}
spec: {chart: {spec: {chart: gpu-operator, version: v26.7.0, sourceRef: {kind: HelmRepository, name: nvidia}}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: nvidia, namespace: gpu}
spec: {url: "https://helm.ngc.nvidia.com/nvidia"}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: remote, namespace: argocd}
spec: {source: {repoURL: "https://example.com/other.git", path: gpu, plugin: {name: execute}}, destination: {namespace: gpu}}
"""


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    for name, content in (
        ("apps/kustomization.yaml", KUSTOMIZATION),
        ("apps/plugin.yaml", PLUGIN),
        ("apps/generator.yaml", GENERATOR),
        ("deployers.yaml", DEPLOYERS),
        ("tag.yaml", "!!python/object/apply:os.system ['touch ran']\n"),
        (".hidden.yaml", PLUGIN),
        ("template.yaml.j2", "{{ lipsum.__globals__['os'].system('touch ran') }}\n"),
        ("sitecustomize.py", "open('ran', 'w')\n"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    generate = folder / "apps" / "generate"
    generate.write_text("#!/bin/sh\ntouch ran\n")
    generate.chmod(0o755)
    return folder


def audited(tmp_path, folder, *arguments):
    """The events of one check in a folder, and its result."""
    written = tmp_path / "events.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "KUBECONFIG": str(tmp_path / "kubeconfig")}
    command = [sys.executable, "-c", AUDIT, str(written), "check", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert written.exists(), done.stderr
    return json.loads(written.read_text())[:-1], done


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_check_runs_nothing_opens_no_connection_and_writes_its_output_alone(tmp_path, repository):
    before = files(repository)
    output = tmp_path / "findings.sarif"
    events, done = audited(tmp_path, repository, ".", "--talos", "1.14", "--format", "sarif", "--output", str(output))

    assert {event for event, _ in events} - HARMLESS == set(), done.stderr
    assert {path for event, path in events if event == "write"} <= {str(output), str(tmp_path / "events.json")}
    assert json.loads(output.read_text())["runs"]
    assert files(repository) == before


def test_a_check_reads_the_repository_alone_and_no_kubeconfig(tmp_path, repository):
    events, _ = audited(tmp_path, repository, ".", "--talos", "1.14")
    own = (str(ROOT), sys.prefix, sys.base_prefix, "/usr/lib/python")
    read = {os.path.relpath(repository / path, repository) for event, path in events if event == "read" and not path.startswith(own)}

    assert "apps/plugin.yaml" in read
    assert {path for path in read if path.startswith("..")} == set()
    assert {".hidden.yaml", "sitecustomize.py", "apps/generate"} & read == set()


def test_the_hook_sees_a_process_a_connection_and_a_file_that_is_written(tmp_path):
    code = AUDIT.replace(
        "status = main(sys.argv[2:])", "import subprocess, socket; subprocess.run(['true']); socket.socket().close(); open('x', 'w')"
    )
    subprocess.run([sys.executable, "-c", code, "events.json"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    events = json.loads((tmp_path / "events.json").read_text())

    assert {"subprocess.Popen", "socket.__new__"} <= {event for event, _ in events}
    assert ["write", "x"] in events


def test_a_python_tag_makes_no_object_in_the_file_of_nodes_either(tmp_path, repository):
    (tmp_path / "nodes.yaml").write_text("!!python/object/apply:os.system ['touch ran']\n")
    events, done = audited(tmp_path, repository, ".", str(tmp_path / "nodes.yaml"))

    assert done.returncode == 0  # of the audit; the check itself refuses the file
    assert {event for event, _ in events} - HARMLESS == set()
    assert not (repository / "ran").exists()


def test_a_large_file_a_pipe_and_a_binary_file_are_named_and_not_read(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "binary.yaml").write_bytes(b"a: \0")
    with (folder / "large.yaml").open("wb") as large:
        large.truncate(20_000_001)
    events, done = audited(tmp_path, folder, "pipe.yaml", "binary.yaml", "large.yaml")

    assert {event for event, _ in events} - HARMLESS == set()
    assert not {path for _, path in events if path.endswith(("pipe.yaml", "large.yaml"))}
    for name in ("pipe.yaml", "binary.yaml", "large.yaml"):
        assert name in done.stdout + done.stderr


# The other verbs


def test_no_module_but_those_that_the_page_names_can_start_a_process_or_open_a_connection():
    words = re.compile(
        r"^ *(?:import|from) (subprocess|socket|multiprocessing|concurrent|urllib\.request|http|ssl|ftplib|asyncio)\b", re.MULTILINE
    )
    users = {path.stem for path in (ROOT / "constructs_lib").rglob("*.py") if words.search(path.read_text())}

    # of doctor --live and HelmTemplate; of synth --jobs; the threads of doctor --live; the comment on a pull request
    assert users == {"programs", "fleet", "live_commands", "rest"}
    assert "`python -m constructs_lib.forges`" in (ROOT / "SECURITY.md").read_text()
    assert "| `doctor --live` |" in (ROOT / "SECURITY.md").read_text()
    assert "| `synth --jobs N` |" in (ROOT / "SECURITY.md").read_text()


# Constructs


def test_the_check_of_an_app_reads_no_file_that_its_objects_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "plugin.yaml").write_text(PLUGIN)
    code = AUDIT.replace("from constructs_lib.cli.command import main", READS_OBJECTS).replace("main(sys.argv[2:])", "judge()")
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpu", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "https://example.com/this.git", "path": "gpu"}, "destination": {"namespace": "gpu"}},
    }
    subprocess.run(
        [sys.executable, "-c", code, "events.json", json.dumps([application])],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    events = json.loads((tmp_path / "events.json").read_text())

    assert not [path for _, path in events if path.endswith("plugin.yaml")]
    assert {event for event, _ in events} - HARMLESS == set()


# Installation


def shown_texts():
    """Every text that tells somebody how to install something."""
    listed = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", ".pre-commit-hooks.yaml", "Makefile", ".ci/run")]
    return [
        *listed,
        *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "publishing.md"),
        *sorted((ROOT / "constructs_lib").rglob("*.py")),
        *sorted(path for path in (ROOT / "tools").rglob("*.py") if path.name != "publishing.py"),
    ]


NAME_ALONE = re.compile(
    r"""(?:pip3?\s+(?:install|download)|pipx\s+(?:install|run)|uvx|uv\s+tool\s+(?:install|run))[^\n`|]*?[\s'"]cdk8s-nvidia-talos(?:-rehearsal)?(?:[\[=@][^\s`'"]*)?(?=[\s`'"]|$)(?! @)"""
)


def test_before_a_release_nothing_installs_the_package_by_a_name_that_nobody_owns():
    assert [str(path) for path in shown_texts() if NAME_ALONE.search(written(path.read_text(), Publication()))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("pip install cdk8s-nvidia-talos", True),
        ("`pip install --upgrade cdk8s-nvidia-talos`", True),
        ("uvx --from cdk8s-nvidia-talos talos-gpu check .", True),
        ("pipx install cdk8s-nvidia-talos", True),
        ("uv tool install cdk8s-nvidia-talos", True),
        ("pip install 'cdk8s-nvidia-talos[terraform]'", True),
        ("`pip install cdk8s-nvidia-talos-rehearsal`", True),
        ("pipx run --spec cdk8s-nvidia-talos==0.1.0 talos-gpu check .", True),
        ('pip install "cdk8s-nvidia-talos[node] @ git+https://git.example.com/cdk8s-nvidia-talos@v0.1.0"', False),
        ("uvx --from ./cdk8s-nvidia-talos talos-gpu check .", False),
        ('uvx --from "git+https://git.example.com/cdk8s-nvidia-talos@v0.1.0" talos-gpu check .', False),
        ("pip install ./cdk8s-nvidia-talos", False),
        ('pip install "git+https://git.example.com/cdk8s-nvidia-talos@v0.1.0"', False),
    ],
)
def test_a_bare_name_is_found_and_a_checkout_is_not(line, found):
    assert bool(NAME_ALONE.search(line)) is found


def test_every_action_of_others_in_the_examples_is_pinned_to_a_commit_and_ours_to_a_tag():
    used = re.findall(r"uses: (.*)", (ROOT / "docs" / "rules.md").read_text())
    ours = [line for line in used if "/cdk8s-nvidia-talos@" in line]

    assert len(used) == 2
    assert [re.fullmatch(rf"{publication().owner}/cdk8s-nvidia-talos@v\d+\.\d+\.\d+", line) is not None for line in ours] == [True]
    assert [line for line in used if line not in ours and not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line)] == []


def test_the_inputs_of_the_action_in_the_example_are_inputs_that_it_has():
    page = (ROOT / "docs" / "rules.md").read_text()
    (workflow,) = (yaml.safe_load(block) for block in re.findall(r"^```yaml\n(name: gpu-checks\n.*?)^```", page, re.MULTILINE | re.DOTALL))
    given = workflow["jobs"]["check"]["steps"][-1]["with"]

    assert set(given) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])


@pytest.mark.parametrize("name", ["synth", "command", "dev", "lock", "grafana", "site"])
def test_every_requirement_has_a_version_and_a_hash(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ")

    assert text.strip()
    assert [line for line in text.splitlines() if not re.fullmatch(r"\S+==\S+( ; [^#]*?)?( +--hash=sha256:[0-9a-f]{64})+\s*", line)] == []


def test_every_pip_of_make_and_of_ci_asks_for_hashes():
    for name in ("Makefile", ".ci/run"):
        lines = [line for line in (ROOT / name).read_text().splitlines() if "pip install" in line and not line.startswith("#")]
        assert lines, name
        assert [line for line in lines if "--require-hashes" not in line] == []


def test_the_notice_names_the_source_of_every_part_of_imports():
    notice = (ROOT / "NOTICE").read_text()
    entries = [entry.partition(":=") for entry in yaml.safe_load((ROOT / "cdk8s.yaml").read_text())["imports"]]

    assert {path.name for path in (ROOT / "imports").iterdir() if path.is_dir()} - {"__pycache__"} == {name for name, _, _ in entries}
    for name, _, address in entries:
        assert f"imports/{name}\n  {address.partition('#')[0]}\n" in notice


def test_the_hook_runs_the_checkout_and_installs_nothing_else():
    (hook,) = yaml.safe_load(Path(ROOT / ".pre-commit-hooks.yaml").read_text())

    assert "additional_dependencies" not in hook
