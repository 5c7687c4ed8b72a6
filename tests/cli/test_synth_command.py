"""`talos-gpu synth`: what is written, what is never touched, and the exit statuses."""

import json
import shutil
import subprocess
import sys

import pytest
import yaml
from command_line import run  # noqa: F401  # a fixture

from conftest import ROOT
from constructs_lib.cli import progress
from constructs_lib.clusters.output_folder import RECORD

FILES = ROOT / "tests" / "clusters" / "files"
FILE = """\
name: home
nodes: {gpu: {talos: 1.14.0}}
charts:
  gpu:
    namespace: kube-system
    objects:
      runtime-class: {NvidiaRuntimeClass: {}}
      device-plugin: {StandaloneDevicePlugin: {}}
  ai:
    namespace: ai
    create_namespace: true
    objects:
      ollama: {Ollama: {}}
"""
FLEET = (
    FILE.removeprefix("name: home\n")
    + "clusters:\n"
    + "".join(
        f"  c{number}:\n    charts: {{ai: {{objects: {{ollama: {{Ollama: {{keep_alive: {number}h}}}}}}}}}}\n" for number in range(1, 6)
    )
)


def tree(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != RECORD}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(FILE)
    return path


def test_the_command_writes_what_the_app_writes_and_loads_no_cdk8s(tmp_path):
    code = (
        "import sys; from constructs_lib.cli import command; status = command.main(sys.argv[1:]); "
        "sys.exit(status or [name for name in ('jsii', 'cdk8s', 'constructs') if name in sys.modules] or None)"
    )
    import subprocess

    command = [sys.executable, "-c", code, "synth", "--no-page", str(FILES / "today.yaml"), "--output-folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"{tmp_path / 'today'}: 10 files, 10 of them new or changed"
    app = tree(ROOT / "dist" / "today")
    del app["README.md"]  # --no-page
    assert tree(tmp_path / "today") == app


def test_without_a_file_the_one_that_init_writes_is_taken(run, file, monkeypatch):  # noqa: F811
    monkeypatch.chdir(file.parent)

    assert run("synth", "--no-page")[0] == 0
    assert (file.parent / "dist" / "home" / "manifests").is_dir()


def test_an_error_in_one_cluster_writes_none(run, tmp_path):  # noqa: F811
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(FLEET.replace("keep_alive: 3h", "gpus: 0"))
    status, answer, messages = run("synth", "--no-page", fleet, "--output-folder", tmp_path / "out")

    assert (status, answer) == (2, "")
    assert messages.startswith(f"talos-gpu synth: {fleet}:19: [c3] charts.ai.objects.ollama: 'gpus' must be ")
    assert list((tmp_path / "out").iterdir()) == []


def test_an_error_of_the_rules_writes_nothing_unless_nobody_checks(run, file, tmp_path):  # noqa: F811
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}"
    file.write_text(FILE.replace("      ollama: {Ollama: {}}\n", f"      ollama: {{Ollama: {{}}}}\n      half: {{Object: {pod}}}\n"))
    status, _, messages = run("synth", "--no-page", file, "--output-folder", tmp_path / "out")

    assert status == 1
    assert f"talos-gpu synth: {file}:14: charts.ai.objects.half: TG045 [ai/half]" in messages
    assert not (tmp_path / "out" / "home").exists()
    assert run("synth", "--no-page", file, "--output-folder", tmp_path / "out", "--no-check")[0] == 0
    assert (tmp_path / "out" / "home" / "manifests" / "ai.k8s.yaml").exists()


def test_a_file_of_somebody_else_is_not_replaced(run, file, tmp_path):  # noqa: F811
    theirs = tmp_path / "out" / "home" / "manifests" / "ai.k8s.yaml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs\n")
    status, _, messages = run("synth", "--no-page", file, "--output-folder", tmp_path / "out")

    assert status == 2
    assert "must be a folder without other files of these names" in messages
    assert tree(tmp_path / "out") == {"home/manifests/ai.k8s.yaml": "theirs\n"}


def test_a_file_with_the_same_bytes_is_taken_over(run, file, tmp_path):  # noqa: F811
    run("synth", "--no-page", file, "--output-folder", tmp_path / "out")
    (tmp_path / "out" / "home" / RECORD).unlink()

    status, answer, _ = run("synth", "--no-page", file, "--output-folder", tmp_path / "out")
    assert (status, answer.splitlines()[0]) == (0, f"{tmp_path / 'out' / 'home'}: 5 files, 0 of them new or changed")


def test_what_a_file_no_longer_describes_is_deleted_and_what_others_wrote_stays(run, file, tmp_path):  # noqa: F811
    home = tmp_path / "out" / "home"
    run("synth", "--no-page", file, "--output-folder", tmp_path / "out")
    (home / "README.md").write_text("mine\n")
    (home / "talos" / "installer-image.txt").write_text("changed by hand\n")
    file.write_text(FILE.partition("  ai:")[0].replace("1.14.0", '"1.14"'))
    status, *_ = run("synth", "--no-page", file, "--output-folder", tmp_path / "out")

    assert status == 0
    assert sorted(tree(home)) == ["README.md", "manifests/gpu.k8s.yaml", "talos/installer-image.txt"]


@pytest.mark.parametrize("name", ["../../outside.txt", "/etc/hostname"])
def test_a_record_that_names_a_file_outside_of_the_folder_deletes_nothing(run, file, tmp_path, name):  # noqa: F811
    import hashlib

    outside = tmp_path / "outside.txt"
    outside.write_text("mine\n")
    run("synth", "--no-page", file, "--output-folder", tmp_path / "out")
    record = tmp_path / "out" / "home" / RECORD
    content = json.loads(record.read_text())
    content["files"][name] = hashlib.sha256(b"mine\n").hexdigest()
    record.write_text(json.dumps(content))
    run("synth", "--no-page", file, "--output-folder", tmp_path / "out")

    assert outside.read_text() == "mine\n"


def test_a_single_file_is_written_or_unchanged(run, file, tmp_path):  # noqa: F811
    file.write_text(FILE.partition("  ai:")[0].replace("1.14.0", '"1.14"'))
    answers = [run("synth", "--no-page", file, "--output-folder", tmp_path / "out")[1].splitlines()[0] for _ in range(2)]

    assert answers == [f"{tmp_path / 'out' / 'home'}: 1 file, {state}" for state in ("written", "unchanged")]


def test_only_changed_clusters_are_synthesized(run, tmp_path):  # noqa: F811
    fleet, out = tmp_path / "fleet.yaml", tmp_path / "out"
    fleet.write_text(FLEET)
    run("synth", "--no-page", fleet, "--output-folder", out)
    fleet.write_text(FLEET.replace("keep_alive: 3h", "keep_alive: 30h"))
    (out / "c5" / "manifests" / "ai.k8s.yaml").write_text("changed by hand\n")
    _, answer, _ = run("synth", "--no-page", fleet, "--output-folder", out, "--changed")

    assert answer.splitlines() == [
        f"{out / 'c1'}: unchanged",
        f"{out / 'c2'}: unchanged",
        f"{out / 'c3'}: 5 files, 1 of them new or changed",
        f"{out / 'c4'}: unchanged",
        f"{out / 'c5'}: 5 files, 1 of them new or changed",
    ]


def test_several_processes_write_the_same_bytes(run, tmp_path):  # noqa: F811
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(FLEET)
    one = run("synth", "--no-page", fleet, "--output-folder", tmp_path / "out")
    written = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")

    assert run("synth", "--no-page", fleet, "--output-folder", tmp_path / "out", "--jobs", "2") == one
    assert tree(tmp_path / "out") == written
    assert len(written) == 25


@pytest.mark.parametrize(
    ("text", "jobs", "processors", "processes"),
    [
        (FILE, "50", 64, []),
        (FLEET, "9999999", 64, [5]),
        (FLEET, "9999999", 3, [3]),
        (FLEET, "0", 2, [2]),
        (FLEET, "2", 64, [2]),
        (FLEET, "50", 1, []),
        (FLEET, "50", None, []),
    ],
)
def test_no_more_processes_run_than_there_are_clusters_or_processors(run, tmp_path, monkeypatch, text, jobs, processors, processes):  # noqa: F811
    from concurrent import futures

    class Pool(futures.ThreadPoolExecutor):
        def __init__(self, number, **_):
            started.append(number)
            super().__init__(1)

    started = []
    monkeypatch.setattr(futures, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    (tmp_path / "fleet.yaml").write_text(text)
    status, answer, _ = run("synth", "--no-page", tmp_path / "fleet.yaml", "--output-folder", tmp_path / "out", "--jobs", jobs)

    assert (status, answer.count("new or changed")) == (0, text.count("keep_alive") or 1)
    assert started == processes


def test_what_clusters_have_in_common_is_merged_with_what_each_says(run, tmp_path):  # noqa: F811
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(FLEET)
    run("synth", "--no-page", fleet, "--output-folder", tmp_path / "out")

    def keep_alive(name):
        documents = yaml.safe_load_all((tmp_path / "out" / name / "manifests" / "ai.k8s.yaml").read_text())
        (deployment,) = (each for each in documents if each["kind"] == "Deployment")
        return {each["name"]: each.get("value") for each in deployment["spec"]["template"]["spec"]["containers"][0]["env"]}[
            "OLLAMA_KEEP_ALIVE"
        ]

    assert [keep_alive(f"c{number}") for number in range(1, 6)] == ["1h", "2h", "3h", "4h", "5h"]


def test_a_warning_names_its_line(run, file, tmp_path):  # noqa: F811
    file.write_text(FILE.replace("1.14.0", "1.15.0-beta.0"))
    status, _, messages = run("synth", "--no-page", file, "--output-folder", tmp_path / "out", "--no-check")

    assert f"talos-gpu synth: warning: {file}:2: nodes: Talos 1.15.0-beta.0 is a beta" in messages or status == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (),
            "talos-gpu synth: a FILE must be given, or cluster.yaml must be here: a cluster file; talos-gpu synth --schema prints its JSON Schema\n",
        ),
        (("missing.yaml",), "talos-gpu synth: FILE must be a file that can be read (got 'missing.yaml'); no such file or directory\n"),
        (("{file}", "--jobs", "-1"), "talos-gpu synth: --jobs must be a whole number of at least 0 (got -1)\n"),
        (("{file}", "--job", "2"), "talos-gpu synth: --job must be a flag of talos-gpu synth (got '--job 2'); did you mean '--jobs'?\n"),
    ],
)
def test_a_wrong_argument_is_refused(run, file, arguments, message):  # noqa: F811
    status, answer, messages = run("synth", "--no-page", *(each.format(file=file) for each in arguments))

    assert (status, answer, messages) == (2, "", message)


def test_the_schema_is_printed(run):  # noqa: F811
    assert run("synth", "--no-page", "--schema")[:2] == (0, (ROOT / "docs" / "cluster-schema.json").read_text())


def test_a_folder_that_cannot_be_written_is_an_error(run, file, tmp_path):  # noqa: F811
    (tmp_path / "out").write_text("a file\n")
    status, _, messages = run("synth", "--no-page", file, "--output-folder", tmp_path / "out")

    assert status == 2
    assert "must be a folder that can be written" in messages


def test_the_manifests_of_one_cluster_are_printed_and_nothing_is_written(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(FLEET)
    status, answer, messages = run("synth", "--no-page", fleet, "--print", "--cluster", "c2")

    assert (status, messages) == (0, "")
    assert [each["kind"] for each in yaml.safe_load_all(answer)][:2] == ["RuntimeClass", "ServiceAccount"]
    assert [path.name for path in tmp_path.iterdir()] == ["fleet.yaml"]
    assert (
        run("synth", "--no-page", fleet, "--print")[2]
        == "talos-gpu synth: --cluster must be given with --print: the file has several clusters\n"
    )
    assert run("synth", "--no-page", fleet, "--cluster", "c9")[2].startswith(
        "talos-gpu synth: --cluster must be the name of a cluster of the file (got 'c9')"
    )
    assert run("synth", "--no-page", fleet, "--cluster", "c2", "--output-folder", tmp_path / "out")[0] == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c2"]


def test_a_resource_that_nothing_advertises_is_remarked_once_for_all_clusters(run, tmp_path):  # noqa: F811
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(FLEET.replace("      device-plugin: {StandaloneDevicePlugin: {}}\n", ""))

    assert run("synth", "--no-page", fleet, "--output-folder", tmp_path / "out")[::2] == (
        0,
        "talos-gpu synth: remark: nothing in this file advertises nvidia.com/gpu, which ai/ollama requests\n",
    )


@pytest.mark.parametrize("flags", [(), ("--cluster", "paris"), ("--cluster", "paris", "--print")])
@pytest.mark.parametrize("others", ["", "  berlin: {}\n"])
def test_an_error_names_the_line_and_the_cluster_also_where_one_cluster_is_synthesized(run, tmp_path, flags, others):  # noqa: F811
    file = tmp_path / "fleet.yaml"
    file.write_text(
        "nodes: {gpu: {talos: 1.14.0}}\n"
        "charts: {ai: {namespace: ai, objects: {ollama: {Ollama: {keep_alive: 24h}}}}}\n"
        f"clusters:\n{others}"
        "  paris:\n    charts: {ai: {objects: {ollama: {Ollama: {keep_aliv: 1h}}}}}\n"
    )
    status, _, messages = run("synth", "--no-page", file, "--output-folder", tmp_path / "out", *flags)

    assert status == 2
    assert f"talos-gpu synth: {file}:{6 if others else 5}: [paris] charts.ai.objects.ollama: 'keep_aliv' must be" in messages


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_a_worker_imports_nothing_from_the_working_folder(tmp_path, start):
    """A new interpreter has the working folder first on its path, unless it is told otherwise."""
    (tmp_path / "fleet.yaml").write_text(
        "clusters:\n" + "".join(f"  {each}: {{talos: 1.14.0, nodes: {{gpu: {{}}}}, stack: none}}\n" for each in "ab")
    )
    for name in ("multiprocessing", "json", "_posixsubprocess", "constructs_lib"):
        (tmp_path / f"{name}.py").write_text(f"open('ran-{name}', 'w')\n")
    main = tmp_path / "program" / "main.py"
    main.parent.mkdir()
    main.write_text(
        f"import multiprocessing, os, sys\nsys.path.append({str(ROOT)!r})\nif __name__ == '__main__':\n    multiprocessing.set_start_method({start!r})\n"
        "    os.cpu_count = lambda: 2\n    from constructs_lib.cli.command import main\n    sys.exit(main(['synth', 'fleet.yaml', '--jobs', '2']))\n"
    )
    done = subprocess.run([sys.executable, main], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (
        0,
        "dist/a: 4 files, 4 of them new or changed\ndist/b: 4 files, 4 of them new or changed\n",
    ), done.stderr
    assert list(tmp_path.glob("ran-*")) == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_progress_names_the_cluster_that_is_synthesized(run, tmp_path, monkeypatch, jobs):  # noqa: F811
    said = []

    class Recorded(progress.Progress):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "doing":
                said.append(value)

    monkeypatch.setattr(progress, "Progress", Recorded)
    file = tmp_path / "fleet.yaml"
    file.write_text("{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090}}, clusters: {berlin: {}, paris: {}}}\n")
    status, _, err = run("synth", file, "--output-folder", tmp_path / "dist", "--jobs", jobs)

    assert (status, err) == (0, "")
    assert said == ["synthesizing berlin (1 of 2)", "synthesizing paris (2 of 2)", "writing"]


def test_the_first_file_with_one_card_one_program_and_the_proof_has_no_warning(run, tmp_path):  # noqa: F811
    file = tmp_path / "cluster.yaml"
    text = "{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, cards: 1, count: 1}}, workloads: {proof: {recipe: CudaSmokeTest}, a: {recipe: Ollama}}}\n"
    file.write_text(text)

    assert run("synth", file, "--output-folder", tmp_path / "dist")[::2] == (0, "")
    file.write_text(text.replace("a: {recipe: Ollama}", "a: {recipe: Ollama}, b: {recipe: Ollama}"))
    status, _, err = run("synth", file, "--output-folder", tmp_path / "dist")
    assert status == 1
    assert "TG096" in err
