"""Silence is no success: a named file or folder in which nothing was checked ends the command with status 2 and the reason."""

import json

import pytest

from constructs_lib.observed.read.repository import read_text

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
POD = HEAD + "spec: {runtimeClassName: nvidia, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
BAD = HEAD + 'spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: "0.5"}}}]}\n'
NEITHER = "neither a manifest nor a document of Talos; for chart values, name the chart (--chart gpu-operator@v26.7.0)"
EMPTY = "no Kubernetes object, chart or node configuration"


@pytest.fixture
def check(capsys, monkeypatch, tmp_path):
    """The command in a folder of its own with these files: its status, its answer and its messages."""
    from constructs_lib.cli import command as cli

    monkeypatch.chdir(tmp_path)

    def call(*arguments, **files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.with_suffix(".yaml").write_text(content)
        return cli.main(["check", *arguments, "--talos", "1.13"]), *capsys.readouterr()

    return call


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", EMPTY),
        ("# later\n", EMPTY),
        ("driver: {enabled: false}", f"a.yaml:1: {NEITHER}"),
        ("nodes: [a]\n", f"a.yaml:1: {NEITHER}"),
        ("apiVersion: v1\nkind: Pod\nmetadata: [\n", "a.yaml:4: not YAML: did not find expected node content"),
        ("a: \0", "a.yaml: binary"),
        ("apiVersion: v1\nkind: Secret\nsops: {mac: a}\n", "a.yaml:1: encrypted with SOPS"),
    ],
)
def test_a_file_in_which_nothing_was_checked_makes_the_status_2(check, form, content, reason):
    status, _, err = check("a.yaml", "b.yaml", "--format", form, a=content, b=POD)

    assert status == 2
    assert f"talos-gpu check: a.yaml: nothing was checked: {reason}\n" in err


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
@pytest.mark.parametrize("folder", [".", "sub"])
def test_a_folder_in_which_nothing_was_checked_makes_the_status_2(check, form, folder):
    status, _, err = check(folder, "--format", form, sub__notes="a: b")

    assert status == 2
    assert f"talos-gpu check: {folder}: nothing was checked: {EMPTY}\n" in err


def test_of_several_folders_each_must_have_something_to_check(check):
    status, _, err = check("one", "two", one__a=POD, two__b="a: b")

    assert (status, err) == (2, f"talos-gpu check: two: nothing was checked: {EMPTY}\n")
    assert check("one", one__a=POD)[0] == 0


def test_a_kustomization_of_another_folder_is_something_to_check(check, tmp_path):
    (tmp_path / ".git").mkdir()  # the folders are of one repository
    files = {"base__kustomization": "resources: [a.yaml]", "base__a": POD, "over__kustomization": "resources: [../base]"}

    assert check("over", **files)[0] == check("over/kustomization.yaml")[0] == 0


def test_errors_elsewhere_are_still_reported(check):
    status, out, _ = check("a.yaml", "b.yaml", a=BAD, b="")

    assert status == 2
    assert "TG045" in out


def test_an_object_of_unknown_kind_is_not_checked(check):
    status, _, err = check("a.yaml", a=POD.replace("Pod", "${KIND}"))

    assert (status, err) == (2, "talos-gpu check: a.yaml: nothing was checked: a.yaml:1: the object's kind is a placeholder: ${KIND}\n")


def test_sarif_says_that_the_run_did_not_succeed(check):
    _, out, _ = check("a.yaml", "--format", "sarif", a="")
    (invocation,) = json.loads(out)["runs"][0]["invocations"]

    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"] == [{"level": "error", "message": {"text": f"a.yaml: nothing was checked: {EMPTY}"}}]
    (invocation,) = json.loads(check("a.yaml", "--format", "sarif", a=POD)[1])["runs"][0]["invocations"]
    assert invocation == {"executionSuccessful": True, "toolExecutionNotifications": []}


def test_an_empty_path_is_no_working_folder(check):
    assert check("", a=POD) == (2, "", "talos-gpu check: PATH must be a file or a folder (got ''); is a variable of the shell empty?\n")


def test_an_empty_standard_input_is_no_success(check, monkeypatch):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    status, _, err = check("-")

    assert (status, err) == (2, f"talos-gpu check: -: nothing was checked: {EMPTY}\n")


@pytest.mark.parametrize("chart", ["gpu-operatr", "nvidia/gpu-operatr@v26.7.0"])
def test_a_misspelt_chart_is_refused(check, chart):
    status, out, err = check("a.yaml", "--chart", chart, a="driver: {enabled: false}")

    assert (status, out) == (2, "")
    assert err == (
        f"talos-gpu check: --chart must be a chart's name, such as 'gpu-operator@v26.7.0' (got '{chart}'); did you mean 'gpu-operator'?\n"
    )


def test_an_unknown_chart_without_a_similar_name_is_checked(check):
    assert check("a.yaml", "--chart", "ollama", a="ollama: {gpu: {enabled: true}}")[0] == 0


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
def test_without_a_version_of_talos_the_rules_that_need_it_are_counted(capsys, tmp_path, form):
    from constructs_lib.cli import command as cli

    (tmp_path / "a.yaml").write_text(POD)
    sentence = "Talos version unknown: 1 rule was not applied; give --talos VERSION, such as --talos 1.14"

    assert cli.main(["check", str(tmp_path), "--format", form, "--select", "TG006,TG045"]) == 0
    assert sentence in "".join(capsys.readouterr())
    assert cli.main(["check", str(tmp_path), "--format", form, "--select", "TG006,TG045", "--talos", "1.13"]) == 0
    assert "unknown" not in "".join(capsys.readouterr())


def test_beside_json_the_messages_are_the_head_then_the_summary_then_the_skipped_files(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(f"{POD}---\na: [\n")
    _, _, messages = run("check", "a.yaml", "--format", "json", "--select", "TG006,TG045")

    starts = [
        "Talos version unknown: ",
        "read 1 object",
        "nothing found in 1 GPU workload; no ",
        "other skipped files and documents: 1 ",
    ]
    assert [line.startswith(f"talos-gpu check: {start}") for line, start in zip(messages.splitlines(), starts, strict=True)] == [True] * 4


PLAIN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"
NO_PART = "no GPU operator, device plugin, DRA driver, DCGM exporter, GPU workload or GPU node configuration was read"


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
@pytest.mark.parametrize("path", [".", "a.yaml"])
def test_objects_without_any_gpu_part_make_the_status_2(check, form, path):
    status, out, err = check(path, "--format", form, a=PLAIN)

    assert status == 2
    assert f"talos-gpu check: nothing was judged: {NO_PART} in 1 object\n" in err
    assert "nothing found" not in out + err


def test_a_broken_file_beside_objects_without_any_gpu_part_makes_the_status_2(check):
    assert check(".", a=PLAIN, b=f"{HEAD}spec: [\n")[0] == 2


@pytest.mark.parametrize(
    "part",
    [
        POD,
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n",
        "machine: {kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]}}\n",
        PLAIN.replace("b}", "the NVIDIA card}"),
    ],
    ids=["a workload", "a RuntimeClass", "a node configuration", "an object that names NVIDIA"],
)
def test_one_gpu_part_is_something_to_judge(check, part):
    status, _, err = check(".", a=PLAIN, b=part)

    assert (status, err) == (0, "")


def test_with_a_finding_there_is_something_to_judge(check):
    repeated = PLAIN + "data: {}\n"
    status, out, err = check("a.yaml", a=repeated)

    assert (status, err) == (0, "")
    assert f": {NO_PART}\n" in out


def test_all_lists_each_file_in_which_nothing_was_recognized(check):
    files = {"t__a": POD, "t__b": "a: [\n", "t__c": "tasks: []\n"}
    assert "other skipped files and documents: 2 (--all lists them)\n" in check("t", **files)[1]
    out = check("t", "--all", **files)[1]
    assert [f"skipped t/{name}.yaml: neither a manifest, values of a known chart, nor a document of Talos\n" in out for name in "abc"] == [
        False,
        True,
        True,
    ]


def test_a_cluster_file_in_a_folder_is_named_with_what_reads_it(check):
    status, _, err = check(".", cluster="talos: 1.14.0\nnodes: {gpu: {card: L4}}\n")

    assert status == 2
    assert ": nothing was checked: " in err
    assert "cluster.yaml: a cluster file: name it as a PATH, and it is checked, or describes the nodes of other files\n" in err


def test_a_cluster_file_on_standard_input_is_named_with_what_reads_it():
    (skipped,) = read_text("talos: 1.14.0\nnodes: {gpu: {card: L4}}\n").skipped

    assert skipped.reason == "a cluster file: name it as a PATH, and it is checked, or describes the nodes of other files"
