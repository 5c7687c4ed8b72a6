"""`talos-gpu diff`: two folders, two commits, or a commit and the files, in three formats."""

import json
import signal
import subprocess

import jsonschema
import pytest

from conftest import ROOT
from constructs_lib.changes import git_tree
from constructs_lib.cli import diff_command

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: ai}
spec:
  runtimeClassName: nvidia
  containers: [{name: server, image: "server:1", resources: {limits: {nvidia.com/gpu: 1}}}]
"""
CLUSTER = "talos: 1.13.9\nnodes: {gpu-1: {card: RTX 4090, address: 192.168.1.21}}\nworkloads:\n  ollama: {recipe: Ollama}\n"
SCHEMA = json.loads((ROOT / "docs" / "diff-schema.json").read_text())


@pytest.fixture
def sides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("old", POD), ("new", POD.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pod.yaml").write_text(text)
    return tmp_path


def git(*words):
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *settings, *words], check=True, capture_output=True)


def test_a_new_error_is_told_and_is_the_exit_status(run, sides):
    status, answer, _ = run("diff", "old", "new")

    assert status == 1
    assert answer.splitlines()[0] == "old -> new: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding"
    assert "  changed: Pod ai/server (pod.yaml)\n    spec.containers.server.resources.limits.nvidia.com/gpu: 1 -> 0.5\n" in answer
    assert "\nnew\n  error TG045 pod.yaml:6 Pod ai/server: " in answer


@pytest.mark.parametrize(("level", "status"), [("error", 1), ("never", 0)])
def test_the_user_chooses_what_fails(run, sides, level, status):
    assert run("diff", "old", "new", "--fail-on", level)[0] == status


def test_the_way_back_is_solved(run, sides):
    status, answer, _ = run("diff", "new", "old")

    assert status == 0
    assert "\nsolved\n  error TG045 pod.yaml:6 " in answer


def test_what_a_change_silences_is_told_with_its_reason_and_is_not_solved(run, sides):
    broken = (sides / "new" / "pod.yaml").read_text()
    silenced = broken.replace("namespace: ai}", "namespace: ai, annotations: {talos-gpu/ignore-TG045: we know better}}")
    (sides / "new" / "pod.yaml").write_text(silenced)
    status, answer, _ = run("diff", "old", "new")

    assert (status, answer.splitlines()[0]) == (
        0,
        "old -> new: parts of the GPU stack: 1 changed; no new finding; silenced: 1 error; on both sides: 1 finding",
    )
    (line,) = (each for each in answer.splitlines() if "TG045" in each and "  error" in each)
    assert line.startswith("  error TG045 pod.yaml:6 Pod ai/server: ")
    assert "; silenced: we know better; fix: " in line
    assert "\nsilenced by the change\n" in answer
    (sides / "old" / "pod.yaml").write_text(broken)
    assert run("diff", "old", "new")[1].splitlines()[0].endswith("; no new finding; silenced: 1 error; on both sides: 1 finding")
    assert run("diff", "new", "old")[1].splitlines()[0].endswith("; new: 1 error; on both sides: 1 finding")
    assert "silenced" not in run("diff", "new", "new")[1]


def test_nothing_is_one_line(run, sides):
    assert run("diff", "old", "old")[:2] == (0, "old -> old: nothing changes for the GPUs, as far as the files were read\n")


def test_a_commit_is_compared_with_the_files_of_the_current_folder(run, sides, monkeypatch):
    monkeypatch.chdir(sides / "old")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    (sides / "old" / "pod.yaml").write_text((sides / "new" / "pod.yaml").read_text())

    status, answer, _ = run("diff", "HEAD")
    assert (status, answer.splitlines()[0]) == (1, "HEAD -> .: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding")
    git("commit", "--quiet", "--all", "--message=second")
    assert run("diff", "HEAD~1", "HEAD")[1].startswith(
        "HEAD~1 -> HEAD: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding\n"
    )


def test_three_dots_compare_a_branch_with_where_it_left_the_other(run, sides, monkeypatch):
    monkeypatch.chdir(sides / "old")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    git("checkout", "--quiet", "-b", "change")
    (sides / "old" / "pod.yaml").write_text((sides / "new" / "pod.yaml").read_text())
    git("commit", "--quiet", "--all", "--message=second")
    git("checkout", "--quiet", "main")
    (sides / "old" / "pod.yaml").write_text(POD.replace("server:1", "server:2"))
    git("commit", "--quiet", "--all", "--message=third")

    assert (
        run("diff", "main...change")[1]
        .splitlines()[0]
        .endswith(" -> change: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding")
    )
    assert "server:2" not in run("diff", "main...change")[1]
    assert (
        run("diff", "change...")[1]
        .splitlines()[0]
        .endswith(" -> HEAD: parts of the GPU stack: 1 changed; no new finding; on both sides: 1 finding")
    )
    assert run("diff", "main...change", "old")[2] == "talos-gpu diff: NEW must be left out after A...B (got 'old'); A...B has both sides\n"
    assert run("diff", "main...nothing")[2] == (
        "talos-gpu diff: OLD and NEW must each be a file, a folder, or a ref of git (got 'nothing'); git knows no such commit; `git fetch` may bring it\n"
    )
    git("checkout", "--quiet", "--orphan", "alone")
    git("commit", "--quiet", "--message=alone")
    assert run("diff", "main...alone")[2] == "talos-gpu diff: OLD and NEW must have a common ancestor in this clone (got 'main...alone')\n"


def test_no_file_of_a_branch_stands_for_a_side_of_three_dots(run, sides, monkeypatch):
    """A stranger's branch may have a folder, or a link out of the repository, with the name of a commit or of the range."""
    (sides / "new").rename(sides / "change")
    monkeypatch.chdir(sides / "old")
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all")
    git("commit", "--quiet", "--message=good")
    base = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    broken = (sides / "change" / "pod.yaml").read_text()
    (sides / "old" / "pod.yaml").write_text(broken)
    git("commit", "--quiet", "--all", "--message=bad")
    (sides / "secret").mkdir()
    (sides / "secret" / "pod.yaml").write_text(broken.replace("server", "hidden"))
    for name in (base, f"{base}...HEAD", "HEAD"):
        (sides / "old" / name).symlink_to(sides / "secret")
    git("add", "--all")
    git("commit", "--quiet", "--message=links")
    status, answer, errors = run("diff", f"{base}...HEAD")

    assert (status, errors) == (1, "")
    assert "error TG045 pod.yaml:6 Pod ai/server" in answer
    assert "hidden" not in answer


def test_a_part_of_a_folder_that_becomes_a_submodule_or_a_link_out_is_not_removed(run, sides, monkeypatch):
    (sides / "repository" / "apps").mkdir(parents=True)
    (sides / "new" / "pod.yaml").rename(sides / "repository" / "apps" / "pod.yaml")
    monkeypatch.chdir(sides / "repository")
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all")
    git("commit", "--quiet", "--message=files")
    git("rm", "--quiet", "-r", "apps")
    git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},apps")
    git("commit", "--quiet", "--message=module")
    git("rm", "--quiet", "--cached", "apps")
    (sides / "repository" / "apps").symlink_to(sides / "old")
    git("add", "apps")
    git("commit", "--quiet", "--message=link")
    for ref in ("HEAD~1", "HEAD"):
        status, answer, _ = run("diff", "HEAD~2", ref)
        assert (status, "removed" in answer, "solved" in answer) == (0, False, False)
        assert "not compared" in answer


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--json", "-"), "--json must be the path of a file (got '-'); --format json prints the JSON"),
        (("--json", "a", "--output", "./a"), "--json must be another file than --output (got 'a')"),
        (("--json", "new/pod.yaml"), "--json must be another file than the files that are read (got 'new/pod.yaml'); it would be replaced"),
        (("--output", "old/pod.yaml"), "--output must be another file than the files that are read (got 'old/pod.yaml'); it would be replaced"),
        (("--path", "pod.yaml", "--json", "new/pod.yaml"),
         "--json must be another file than the files that are read (got 'new/pod.yaml'); it would be replaced"),
    ],
)  # fmt: skip
def test_the_json_replaces_no_file_that_is_read_and_not_the_output(run, sides, words, expected):
    before = [(sides / side / "pod.yaml").read_text() for side in ("old", "new")]

    assert run("diff", "old", "new", *words) == (2, "", f"talos-gpu diff: {expected}\n")
    assert [(sides / side / "pod.yaml").read_text() for side in ("old", "new")] == before


def test_a_fault_in_a_file_that_the_old_side_could_not_read_may_be_older(run, sides, monkeypatch):
    monkeypatch.setattr("constructs_lib.observed.read.files.LARGEST", 300)
    (sides / "old" / "pod.yaml").write_text(POD + "#" * 300)
    status, answer, _ = run("diff", "old", "new")

    assert status == 1
    (line,) = (each for each in answer.splitlines() if "error TG045" in each)
    assert "(or older: old has this file, and it could not be read there)" in line


def test_classes_with_one_plan_have_it_once(run, sides):
    classes = "nodes:\n  a: {card: RTX 4090, count: 2}\n  b: {card: RTX 4090, count: 2}\n"
    for side, talos in (("old", "1.13.9"), ("new", "1.14.6")):
        (sides / side / "cluster.yaml").write_text(f"talos: {talos}\n{classes}")

    assert "\nTalos 1.14.6 on a, b: talos-gpu upgrade " in run("diff", "old", "new", "--path", "cluster.yaml", "--fail-on", "never")[1]


def test_of_a_file_with_several_clusters_one_is_compared(run, sides):
    fleet = "clusters:\n  paris:\n    talos: 1.13.9\n    nodes: {gpu: {card: RTX 4090}}\n  rome:\n    talos: 1.13.9\n    nodes: {gpu: {card: L4}}\n"
    for side, text in (("old", fleet), ("new", fleet.replace("1.13.9", "1.14.6", 1))):
        (sides / side / "cluster.yaml").write_text(text)

    assert "Talos: 1.13.9 -> 1.14.6" in run("diff", "old", "new", "--path", "cluster.yaml", "--class", "paris")[1]
    assert run("diff", "old", "new", "--path", "cluster.yaml", "--class", "rome")[:2] == (
        0,
        "old -> new: nothing changes for the GPUs, as far as the files were read\n",
    )
    assert "--class must be " in run("diff", "old", "new", "--path", "cluster.yaml")[2]


def test_the_plan_of_each_class_names_its_card(run, sides):
    classes = "nodes:\n  a: {card: RTX 4090, address: 192.168.1.21}\n  b: {card: GTX 1080, address: 192.168.1.22}\n"
    for side, talos in (("old", "1.12.11"), ("new", "1.13.9")):
        (sides / side / "cluster.yaml").write_text(f"talos: {talos}\n{classes}")
    _, answer, _ = run("diff", "old", "new", "--path", "cluster.yaml", "--fail-on", "never")
    upgrade = "talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --route standalone"

    assert f"\nTalos 1.13.9 on a: {upgrade} --product 'RTX 4090'\n" in answer
    assert f"\nTalos 1.13.9 on b: {upgrade} --kernel-modules proprietary --product 'GTX 1080'\n" in answer


def test_a_cluster_file_is_compared_by_what_it_describes(run, sides, monkeypatch):
    (sides / "old" / "cluster.yaml").write_text(CLUSTER)
    (sides / "new" / "cluster.yaml").write_text(CLUSTER.replace("1.13.9", "1.14.6"))
    status, answer, _ = run("diff", "old", "new", "--path", "cluster.yaml")

    assert status == 0
    assert "\n  Talos: 1.13.9 -> 1.14.6\n" in answer
    assert "\nTalos 1.14.6: talos-gpu upgrade --talos 1.13.9 --to 1.14.6 --route standalone --product 'RTX 4090'\n" in answer


def test_a_path_that_only_one_side_has_is_added(run, sides):
    (sides / "new" / "apps").mkdir()
    (sides / "new" / "apps" / "pod.yaml").write_text(POD)

    assert "\n  added: Pod ai/server (pod.yaml)\n" in run("diff", "old", "new", "--path", "apps")[1]


def test_markdown_is_the_comment_of_a_pull_request(run, sides):
    _, answer, _ = run("diff", "old", "new", "--format", "markdown")

    assert answer.splitlines()[:4] == [
        "### GPUs: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding",
        "",
        "**new**",
        "",
    ]
    assert "\n- changed: `Pod ai/server`\n  - `spec.containers.server.resources.limits.nvidia.com/gpu: 1 -> 0.5`\n" in answer


def test_text_from_the_files_is_no_markdown(run, sides):
    evil = POD.replace("name: server,", "name: 'x<img src=a>[a](b)@me',")
    (sides / "new" / "pod.yaml").write_text(evil)
    _, answer, _ = run("diff", "old", "new", "--format", "markdown")

    assert all("`" in line.partition("<img")[0] for line in answer.splitlines() if "<img" in line)


def test_prose_from_the_files_is_no_mention_and_no_link(run, sides):
    for name in ("old", "new"):
        (sides / name / "@everyone www.evil.yaml").write_text(f"apiVersion: v1\nkind: Pod\nnvidia: [{name}\n")
    _, answer, _ = run("diff", "old", "new", "--format", "markdown")

    assert "\n- @\u200beveryone www\u200b.evil.yaml:4 differs, and was not read: " in answer


def test_a_file_without_a_format_is_no_side_where_a_ref_has_its_name(run, sides, monkeypatch):
    monkeypatch.chdir(sides / "old")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    git("clone", "--quiet", "--bare", ".", "../bare")
    monkeypatch.chdir(sides / "bare")

    assert run("diff", "HEAD", "../new")[1].startswith(
        "HEAD -> ../new: parts of the GPU stack: 1 changed; new: 1 error; on both sides: 1 finding\n"
    )


def test_a_clean_working_tree_with_links_is_its_own_commit(run, sides, monkeypatch):
    monkeypatch.chdir(sides / "old")
    (sides / "old" / "manifests").mkdir()
    (sides / "old" / "pod.yaml").rename(sides / "old" / "manifests" / "pod.txt")
    (sides / "old" / "pod.yaml").symlink_to("manifests/pod.txt")
    (sides / "old" / "out.yaml").symlink_to("/etc/hostname")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")

    assert run("diff", "HEAD")[1] == ("HEAD -> .: nothing changes for the GPUs, as far as the files were read\n")


def test_a_file_that_is_padded_is_told_and_is_a_change(run, sides, monkeypatch):
    monkeypatch.setattr(git_tree, "_LARGEST", 1000)
    monkeypatch.chdir(sides / "old")
    git("init", "--quiet")
    for number, text in enumerate((POD.replace(": 1}", ": 0.5}"), POD + "#" * 1000, "# nothing\n" + "#" * 1000)):
        (sides / "old" / "pod.yaml").write_text(text)
        git("add", "--all")
        git("commit", "--quiet", f"--message={number}")
    told = "1 file of HEAD~1, such as pod.yaml (larger than 1,000 bytes): what it has is unknown\n"

    assert run("diff", "HEAD~2", "HEAD~1", "--path", "pod.yaml")[1].endswith(f"\nnot compared\n{told}")
    assert run("diff", "HEAD~2", "HEAD~1")[1] == f"HEAD~2 -> HEAD~1: no new finding\n\nnot compared\n{told}"
    assert told in run("diff", "HEAD~1", "HEAD")[1]
    assert json.loads(run("diff", "HEAD~1", "HEAD", "--format", "json")[1])["nothing"] is False
    assert "larger" not in run("diff", "HEAD", "HEAD")[1]
    assert run("diff", "HEAD~1", "HEAD", "--path", "pod.yaml")[0] == 0


def test_a_stopped_run_leaves_no_files(sides, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(sides / "new"))
    monkeypatch.setattr("tempfile.tempdir", None)

    def stopped():
        with diff_command._commit_folder() as folder:
            (folder / "a.yaml").write_text("a: 1\n")
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(SystemExit):
        stopped()
    assert [each.name for each in (sides / "new").iterdir()] == ["pod.yaml"]


def test_json_is_as_its_schema_says(run, sides):
    for old, new in (("old", "new"), ("new", "old"), ("old", "old")):
        found = json.loads(run("diff", old, new, "--format", "json")[1])
        jsonschema.validate(found, SCHEMA)
    assert json.loads(run("diff", "old", "new", "--format", "json")[1])["findings"]["new"][0]["rule"] == "TG045"


def test_one_run_writes_the_text_and_the_json(run, sides):
    status, text, _ = run("diff", "old", "new", "--json", "change.json")

    assert (status, text) == run("diff", "old", "new")[:2]
    assert (sides / "change.json").read_text() == run("diff", "old", "new", "--format", "json")[1]


def test_json_follows_no_link_of_a_repository(run, sides):
    (sides / "link").symlink_to("target")

    expected = (
        "talos-gpu diff: --json must be a file to which no symbolic link leads (got 'link'); link is one: name the file to which it leads\n"
    )
    assert run("diff", "old", "new", "--json", "link") == (2, "", expected)
    assert run("diff", "old", "new", "--json", "nowhere/a") == (
        2,
        "",
        "talos-gpu diff: --json must be a file that can be written (got 'nowhere/a'); no such file or directory\n",
    )


def test_two_runs_are_byte_identical(run, sides):
    assert run("diff", "old", "new") == run("diff", "old", "new")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["", "new"],
            "talos-gpu diff: OLD and NEW must each be a file, a folder, or a ref of git (got ''); is a variable of the shell empty?\n",
        ),
        (["old", "new", "--path", "../other"], "talos-gpu diff: --path must be a path below both sides (got '../other')\n"),
        (
            ["old", "new", "--path", "clusters"],
            "talos-gpu diff: --path must be a path of OLD or of NEW (got 'clusters'); neither side has it\n",
        ),
        (["old", "new", "--path", "/etc"], "talos-gpu diff: --path must be a path below both sides (got '/etc')\n"),
    ],
)
def test_a_wrong_argument_is_one_sentence(run, sides, words, expected):
    assert run("diff", *words) == (2, "", expected)


def test_a_cluster_file_that_nobody_names_is_told_where_it_differs(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, talos in (("old", "1.14.6"), ("new", "1.13.9"), ("same", "1.14.6")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "cluster.yaml").write_text(f"talos: '{talos}'\nnodes: {{gpu: {{card: RTX 4090}}}}\n")
        (tmp_path / side / "pod.yaml").write_text(POD)

    answer = run("diff", "old", "new")[1]
    assert "cluster.yaml differs, and was not read: a cluster file is read by its name: give it as --path\n" in answer
    assert "nothing changes" not in answer
    assert run("diff", "old", "same")[1] == "old -> same: nothing changes for the GPUs, as far as the files were read\n"


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: ./apps, sourceRef: {kind: GitRepository, name: flux-system}}
"""
CHART = "apiVersion: v2\nname: gpu\nversion: 1.0.0\ndependencies: [{name: gpu-operator, version: v26.3.3, repository: 'https://helm.ngc.nvidia.com/nvidia'}]\n"


def test_a_folder_that_nothing_deploys_is_told_where_it_differs(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, number in (("old", 1), ("new", 2), ("same", 1)):
        files = {
            "flux.yaml": FLUX,
            "apps/pod.yaml": POD,
            "charts/gpu/Chart.yaml": CHART,
            "charts/gpu/values.yaml": f"a: {number}\n",
            "charts/gpu/readme.md": f"About {side}",
            "archive/gpu.yaml": f"{POD}# {side}\n",
        }
        for name, text in files.items():
            (tmp_path / side / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / side / name).write_text(text)

    told = "charts/gpu differs, and was not read: not deployed by any object of Flux or Argo CD"
    assert told in run("diff", "old", "new")[1]
    assert run("diff", "old", "same")[1] == "old -> same: nothing changes for the GPUs, as far as the files were read\n"
    (tmp_path / "same" / "charts" / "gpu").rename(tmp_path / "gone")
    assert told.replace("differs", "is gone") in run("diff", "old", "same")[1]
