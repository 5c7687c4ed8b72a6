"""The file `.talos-gpu.yaml` and the flag `--settings`: where the file is found, what it changes, and that flags win."""

import io
import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

from conftest import ROOT

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  runtimeClassName: nvidia
  nodeSelector: {nvidia.com/gpu.role: big}
  containers: [{name: a, resources: {limits: {nvidia.com/gpu: GPUS}}}]
"""
NEEDS_TALOS = "TG006"
"""A rule that is not applied without the Talos version."""
CLASS = 'nodes: {rtx: {talos: "1.12", name: rtx, labels: {nvidia.com/gpu.role: big}}}\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A repository with a pod in each of two clusters; the command runs at its root."""
    (tmp_path / ".git").mkdir()
    for name, gpus in (("good", "1"), ("bad", "0.5")):
        (tmp_path / "clusters" / name).mkdir(parents=True)
        (tmp_path / "clusters" / name / "a.yaml").write_text(POD.replace("GPUS", gpus))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def settings(folder):
    def write(text, path=".talos-gpu.yaml"):
        (folder / path).write_text(text)

    return write


@pytest.fixture
def check(run, folder):
    return lambda *arguments: run("check", *arguments)


def test_the_head_names_the_file_and_its_lines_as_sources(check, settings):
    settings('# ours\ntalos: "1.13"\nkubernetes: "1.35"\n')

    assert check("clusters/good")[1].splitlines()[:3] == [
        "settings of .talos-gpu.yaml",
        "Talos 1.13 (.talos-gpu.yaml:2)",
        "Kubernetes 1.35 (.talos-gpu.yaml:3)",
    ]


def test_without_a_file_the_head_names_no_settings(check):
    assert check("clusters/good", "--talos", "1.13")[1].startswith("Talos 1.13 (--talos)\n")


def test_flags_win_over_the_file(check, settings):
    settings('talos: "1.13"\nkubernetes: "1.35"\nfailOn: never\n')
    status, out, _ = check("clusters/bad", "--talos", "1.12", "--kubernetes", "1.34", "--fail-on", "error")

    assert status == 1
    assert out.splitlines()[:3] == ["settings of .talos-gpu.yaml", "Talos 1.12 (--talos)", "Kubernetes 1.34 (--kubernetes)"]


@pytest.mark.parametrize(("fail_on", "status"), [("never", 0), ("error", 1)])
def test_the_file_decides_which_severity_fails(check, settings, fail_on, status):
    settings(f"failOn: {fail_on}\n")

    assert check("clusters/bad")[0] == status


def test_the_file_is_found_above_the_first_path_and_the_nearest_one_wins(check, settings, folder, monkeypatch):
    settings('talos: "1.12"\n')
    settings('talos: "1.13"\n', "clusters/.talos-gpu.yaml")
    monkeypatch.chdir(folder / "clusters" / "good")

    assert "settings of ../.talos-gpu.yaml\nTalos 1.13 (" in check("a.yaml")[1]
    assert "settings of ../../.talos-gpu.yaml\nTalos 1.12 (" in check("../..")[1]
    assert "settings of ../.talos-gpu.yaml\n" in check(folder / "clusters" / "bad" / "a.yaml")[1]


def test_no_file_above_the_repository_is_read(check, settings, folder):
    settings('talos: "1.13"\n')
    (folder / "clusters" / ".git").mkdir()

    assert "settings" not in check("clusters/good")[1]


def test_without_a_repository_the_working_folder_is_the_last_one(check, settings, folder, monkeypatch):
    settings('talos: "1.13"\n')
    (folder / ".git").rmdir()

    assert "settings of .talos-gpu.yaml" in check("clusters/good")[1]
    monkeypatch.chdir(folder / "clusters")
    assert "settings" not in check("good")[1]
    assert "settings" not in check(folder / "clusters" / "good")[1]


def test_standard_input_has_the_settings_of_the_working_folder(check, settings, monkeypatch):
    settings('talos: "1.13"\n')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(POD.encode())))

    assert check("-")[1].startswith("settings of .talos-gpu.yaml\n")


def test_the_flag_names_another_file_whose_paths_begin_in_the_working_folder(check, settings):
    settings("not: read\n")
    settings("ignore: [{rule: TG045, path: clusters/bad, reason: a template}]\n", "clusters/ci.yaml")
    status, out, _ = check("clusters/bad", "--settings", "clusters/ci.yaml", "--select", "TG045")

    assert (status, out.splitlines()[0]) == (0, "settings of clusters/ci.yaml")
    assert "silenced clusters/bad/a.yaml:7: TG045, a template\n" in out


def test_labels_and_runtime_classes_from_outside_are_known(check, settings):
    flags = ("clusters/good", "--talos", "1.13", "--select", "TG007,TG041", "--remarks")
    before = check(*flags)[1]
    settings("labels: {nvidia.com/gpu.role: [small, big]}\nruntimeClasses: [nvidia]\n")

    assert [rule in before for rule in ("TG007", "TG041")] == [True, True]
    assert "nothing found" in check(*flags)[1]


def test_another_value_of_a_label_is_still_a_finding(check, settings):
    settings("labels: {nvidia.com/gpu.role: small}\nruntimeClasses: [nvidia-cdi]\n")
    out = check("clusters/good", "--talos", "1.13", "--select", "TG007,TG041", "--remarks")[1]

    assert "nvidia.com/gpu.role is only set to small" in out
    assert "creates the RuntimeClass nvidia." in out


def test_the_classes_of_nodes_stand_in_the_file_or_in_a_cluster_file(check, settings):
    flags = ("clusters/good", "--select", "TG007")
    settings(CLASS)
    inline = check(*flags)[1]
    settings("nodes: gpu/cluster.yaml\n")
    Path("gpu").mkdir()
    settings(CLASS, "gpu/cluster.yaml")

    assert "Talos 1.12 (the described nodes)" in inline
    assert "nothing found" in inline
    assert check(*flags)[1] == inline


def test_flags_for_nodes_win_over_the_nodes_of_the_file(check, settings):
    settings(f'talos: "1.13"\n{CLASS}')

    out = check("clusters/good", "--select", "TG007", "--product", "RTX 3090")[1]
    assert "Talos 1.13 (.talos-gpu.yaml:1)" in out
    assert "warning TG007" in out
    settings(CLASS.replace("1.12", "1.14"), "cluster.yaml")
    assert "Talos 1.14 (the described nodes)" in check("clusters/good", "cluster.yaml")[1]


def test_each_root_of_the_file_has_a_report_of_its_own(check, settings):
    settings('talos: "1.13"\nroots: [clusters/good, [clusters/bad]]\n')
    for arguments in ((), (".",), ("clusters",)):
        status, out, _ = check(*arguments, "--select", "TG045")
        assert status == 1
        assert [line for line in out.splitlines() if line.startswith("# ")] == ["# clusters/good", "# clusters/bad"]
        assert out.count("read 1 object") == 2


def test_a_path_inside_of_a_root_is_checked_alone(check, settings):
    settings("roots: [clusters/good, clusters/bad]\n")

    assert "#" not in check("clusters/good/a.yaml", "--select", "TG045")[1]
    assert [line for line in check("clusters/bad", "--select", "TG045")[1].splitlines() if line.startswith("# ")] == ["# clusters/bad"]


def test_the_roots_of_the_flag_win(check, settings):
    settings("roots: [clusters/good]\n")

    assert [line for line in check("--root", "clusters/bad")[1].splitlines() if line.startswith("# ")] == ["# clusters/bad"]


def test_standard_input_is_of_no_root(check, settings):
    settings("roots: [clusters/good]\n")

    assert check("-", ".")[2] == "talos-gpu check: --root must be given without - (got 'clusters/good'); standard input is of one cluster\n"


IGNORES = "ignore:\n  - {rule: TG045, path: PATH, reason: nobody applies the file}\n"


@pytest.mark.parametrize(
    "path",
    [
        "clusters/bad",
        "clusters/bad/a.yaml",
        "clusters/*/a.yaml",
        "clusters/b*",
        "'**/bad'",
        "'**/clusters/bad'",
        "clusters/**/bad/*",
        "'**/a.yaml'",
        "'**'",
    ],
)
def test_an_ignored_finding_is_silenced_with_its_reason(check, settings, path):
    settings(IGNORES.replace("PATH", path))
    status, out, _ = check(".", "--select", "TG045")

    assert status == 0
    assert "silenced clusters/bad/a.yaml:7: TG045, nobody applies the file\n" in out
    assert "matches no finding" not in out


@pytest.mark.parametrize(
    "path",
    ["clusters/good", "clusters/ba", "a.yaml", "clusters/*.yaml", "bad", "clusters/bad/a.yaml/b", "old/**/a.yaml", "clusters/**/good/**"],
)
def test_an_ignore_that_matches_no_finding_is_named(check, settings, path):
    settings(IGNORES.replace("PATH", path))
    status, out, _ = check(".", "--select", "TG045")

    assert status == 1
    assert out.splitlines()[-1] == f".talos-gpu.yaml:2: the ignore of TG045 in {path} matches no finding; remove the entry"


def test_an_ignore_without_a_path_is_of_the_whole_repository(check, settings):
    settings("ignore:\n  - rule: TG045\n    reason: templates\n  - rule: TG001\n    reason: old\n")
    status, out, _ = check("clusters", "--talos", "1.12")

    assert status == 0
    assert ": TG045, templates\n" in out
    assert out.splitlines()[-1] == ".talos-gpu.yaml:4: the ignore of TG001 matches no finding; remove the entry"


@pytest.mark.parametrize(
    ("path", "arguments", "named"),
    [
        ("clusters/good", ["clusters/good"], True),
        ("clusters/good", ["."], True),
        ("clusters", ["clusters/good"], True),
        ("clusters/good", ["clusters/bad"], False),
        ("clusters", ["clusters/good/a.yaml"], False),
        ("clusters/good", [".", "--ignore", "TG013"], False),
        ("clusters/good", [".", "--select", "TG045"], False),
    ],
)
def test_an_ignore_is_named_only_if_its_files_and_its_rule_were_checked(check, settings, path, arguments, named):
    settings(f"ignore: [{{rule: TG013, path: {path}, reason: old}}]\n")

    assert ("matches no finding" in check(*arguments, "--talos", "1.13")[1]) is named


def test_an_ignore_of_a_rule_that_needs_the_talos_version_is_named_only_with_it(check, settings):
    settings(f"ignore: [{{rule: {NEEDS_TALOS}, reason: old}}]\n")

    assert "matches no finding" not in check(".")[1]
    assert "matches no finding" in check(".", "--talos", "1.13")[1]


def test_an_ignore_that_one_root_of_several_needs_is_not_named(check, settings):
    settings(f"roots: [clusters/bad, clusters/good]\n{IGNORES.replace('PATH', 'clusters')}  - {{rule: TG045, path: old, reason: gone}}\n")
    for arguments in ((), (".",)):
        out = check(*arguments, "--select", "TG045")[1]
        assert out.count("matches no finding") == 1
        assert out.splitlines()[-1] == ".talos-gpu.yaml:4: the ignore of TG045 in old matches no finding; remove the entry"


def test_the_reason_of_an_annotation_stays(check, settings, folder):
    pod = folder / "clusters" / "bad" / "a.yaml"
    pod.write_text(pod.read_text().replace("{name: a}\nspec", '{name: a, annotations: {talos-gpu/ignore-TG045: "mine"}}\nspec'))
    settings(IGNORES.replace("PATH", "clusters"))
    out = check("clusters", "--select", "TG045")[1]

    assert ": TG045, mine\n" in out
    assert "matches no finding" not in out


def test_other_formats_have_the_settings_too(check, settings):
    settings(IGNORES.replace("PATH", "clusters/bad") + "  - {rule: TG045, path: old, reason: gone}\n")
    _, out, err = check(".", "--select", "TG045", "--format", "json")
    report = json.loads(out)
    jsonschema.validate(report, json.loads((ROOT / "docs" / "report-schema.json").read_text()))

    assert report["settings"] == ".talos-gpu.yaml"
    assert [(each["rule"], each["reason"]) for each in report["silenced"]] == [("TG045", "nobody applies the file")]
    assert err.startswith("talos-gpu check: settings of .talos-gpu.yaml\n")
    assert err.endswith("talos-gpu check: .talos-gpu.yaml:3: the ignore of TG045 in old matches no finding; remove the entry\n")


def test_explaining_a_rule_reads_no_settings(check, settings):
    settings("not: read\n")

    assert check("--explain", "TG007")[0] == check("--list")[0] == 0


def test_a_file_that_cannot_be_read_is_an_error(check, settings, folder):
    (folder / ".talos-gpu.yaml").mkdir()
    assert check(".") == (2, "", "talos-gpu check: .talos-gpu.yaml: 'settings' must be a file that can be read; is a directory\n")
    (folder / ".talos-gpu.yaml").rmdir()
    (folder / ".talos-gpu.yaml").symlink_to("missing")
    assert check(".")[2] == "talos-gpu check: .talos-gpu.yaml: 'settings' must be a file that can be read; no such file or directory\n"
    assert check(".", "--settings", "none")[2] == (
        "talos-gpu check: --settings must be a file that can be read (got 'none'); no such file or directory\n"
    )
    (folder / "bytes").write_bytes(b"\xff\xfe\x00")
    assert check(".", "--settings", "bytes")[2] == "talos-gpu check: --settings must be a file of text (got 'bytes')\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nodes: none.yaml\n", ".talos-gpu.yaml:1: 'nodes' must be a file that can be read; no such file or directory"),
        (
            "# a\nnodes: other.yaml\n",
            ".talos-gpu.yaml:2: 'nodes' must be a path inside of the repository; a symbolic link leads out of the repository",
        ),
        (
            "# a\nroots: [clusters/out]\n",
            ".talos-gpu.yaml:2: 'roots[0]' must be a path inside of the repository; a symbolic link leads out of the repository",
        ),
        ("nodes: pipe\n", ".talos-gpu.yaml:1: 'nodes' must be a file that can be read"),
        ("nodes: bad.yaml\n", "bad.yaml:2: 'nodes.gpu.lables' must be a key of a node; did you mean 'labels'?"),
        (
            "roots:\n  - clusters/good\n  - [clusters/bad, clusters/none]\n",
            ".talos-gpu.yaml:3: 'roots[1]' must be an existing file or folder; no such file or directory",
        ),
    ],
)
def test_a_path_in_the_file_has_to_exist_inside_of_its_folder(check, settings, folder, text, message):
    settings(text)
    (folder / "other.yaml").symlink_to(ROOT / "README.md")
    (folder / "clusters" / "out").symlink_to(ROOT / "docs")
    os.mkfifo(folder / "pipe")
    settings('talos: "1.13"\nnodes: {gpu: {lables: {a: b}}}\n', "bad.yaml")

    assert check("clusters") == (2, "", f"talos-gpu check: {message}\n")


@pytest.mark.parametrize("paths", [(), ("clusters",), ("clusters/good",), ("clusters/good", "clusters/bad")])
def test_a_root_that_does_not_exist_is_an_error_whichever_path_is_given(check, settings, paths):
    settings("roots:\n  - clusters/good\n  - clusters/badd\n")

    expected = "talos-gpu check: .talos-gpu.yaml:3: 'roots[1]' must be an existing file or folder; no such file or directory\n"
    assert check(*paths) == (2, "", expected)


def test_without_a_path_and_without_roots_a_path_is_needed(check, settings):
    settings('talos: "1.13"\n')

    assert check() == (2, "", "talos-gpu check: a PATH must be given, a file or a folder; - is standard input\n")


def test_a_file_that_a_hostile_tree_puts_in_the_place_of_the_settings_is_not_opened(check, folder):
    path = folder / ".talos-gpu.yaml"
    os.mkfifo(path)
    assert check(".")[2] == "talos-gpu check: .talos-gpu.yaml: 'settings' must be a file that can be read; it is a pipe\n"
    path.unlink()
    path.symlink_to("/proc/kmsg")
    assert "a symbolic link leads out of the repository" in check(".")[2]


# What settings leave out


def head(out):
    return [line for line in out.splitlines() if line.startswith("the settings ")]


def test_the_head_names_the_folders_that_no_root_contains(check, settings, folder):
    (folder / "talos" / "deep").mkdir(parents=True)
    (folder / "talos" / "deep" / "a.json").write_text("{}")
    (folder / "words").mkdir()
    (folder / "words" / "a.txt").write_text("")
    (folder / "b.yml").write_text("")
    settings("roots: [[clusters/good]]\n")

    expected = "the settings leave out b.yml, clusters/bad and talos, which none of their roots contains"
    assert head(check()[1]) == head(check(".")[1]) == [expected]
    assert head(check("clusters")[1]) == ["the settings leave out clusters/bad, which none of their roots contains"]
    assert head(check(".", "clusters/good")[1]) == [expected]
    assert head(check("clusters/bad")[1]) == head(check(".", "--root", "clusters/good")[1]) == []
    (folder / "clusters" / "bad" / "a.yaml").unlink()
    assert head(check("clusters")[1]) == []


def test_a_root_that_is_all_leaves_nothing_out(check, settings):
    settings("roots: [clusters/good, [clusters/bad]]\n")
    assert head(check("clusters")[1]) == []


def test_the_head_names_what_is_silenced_and_what_is_stated_without_a_file(check, settings):
    settings(
        "ignore:\n  - {rule: TG045, path: clusters/bad, reason: a}\n  - {rule: TG007, reason: b}\n  - {rule: TG007, reason: c}\n"
        "labels: {role: gpu}\nruntimeClasses: [nvidia]\nfailOn: never\n"
    )

    assert head(check("clusters/bad")[1]) == [
        "the settings silence TG045 in clusters/bad and TG007",
        "the settings make the exit status 1 for no finding",
        "the settings state the label role and the RuntimeClass nvidia, which no file has to create",
    ]
    assert "exit status" not in check("clusters/bad", "--fail-on", "error")[1]
    assert "talos-gpu check: the settings silence TG045 " in check("clusters/bad", "--format", "sarif")[2]


def test_a_long_list_is_cut_and_text_of_the_file_is_shown_and_never_obeyed(check, settings):
    entries = "".join(f'  - {{rule: TG045, path: "{each}\\u202e\\x1b[2J", reason: a}}\n' for each in range(9))
    settings(f"ignore:\n{entries}")
    (line,) = head(check("clusters/good")[1])

    assert line.endswith("and 4 more")
    assert "TG045 in 4\\u202e\\x1b[2J" in line


def test_no_settings_reads_no_file(check, settings):
    settings("roots: [[clusters/good]]\nignore: [{rule: TG045, reason: a}]\n")
    assert check(".", "--select", "TG045")[0] == 0
    status, out, _ = check(".", "--select", "TG045", "--no-settings")

    assert status == 1
    assert "settings" not in out
    settings("not: valid\n")
    assert check(".", "--no-settings")[0] == 1
    assert "not allowed with argument" in check(".", "--no-settings", "--settings", "a")[2]


def test_roots_are_sets_with_a_limit(check, settings, folder):
    import itertools

    for name in "abcdefg":
        (folder / name).mkdir()
    every = list(itertools.permutations("abcdefg"))
    settings(json.dumps({"roots": [list(each) for each in every[:2]]}))
    assert (
        check(".")[2]
        == "talos-gpu check: .talos-gpu.yaml:1: 'roots[1]' must be another cluster than the others; roots[0] has the same folders\n"
    )
    settings(json.dumps({"roots": [list(each) for each in every]}))
    assert check(".")[2] == "talos-gpu check: .talos-gpu.yaml:1: 'roots' must be a list of at most 100 clusters; the list has 5040\n"
    settings(json.dumps({"roots": [["a"] * 101]}))
    assert "'roots[0]' must be a list of at most 100 folders; the list has 101" in check(".")[2]
    settings("roots: [[a, ./a, a/]]\n")
    assert [line for line in check(".")[1].splitlines() if line.startswith("# ")] == ["# a"]
