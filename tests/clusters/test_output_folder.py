"""The output folder of `talos-gpu synth`: the folders of other cluster files, symbolic links, and files that somebody has edited."""

import hashlib
import json
import os
import subprocess

import pytest
from command_line import run  # noqa: F401  # a fixture

from constructs_lib.clusters.output_folder import RECORD, OutputFolder

FILE = """\
name: home
nodes: {gpu: {talos: "1.14"}}
charts:
  gpu: {namespace: kube-system, objects: {runtime-class: {NvidiaRuntimeClass: {}}}}
"""
FLEET = FILE.removeprefix("name: home\n") + "delivery: {flux: {repository: oci://ghcr.io/acme/clusters}}\nclusters:\n"
AI = "  ai: {namespace: ai, create_namespace: true, objects: {config: {Object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}}}\n"


def contents(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def synth(run, tmp_path, monkeypatch):  # noqa: F811
    """The exit status and the messages of the command for a file with this text, in a folder with this path."""
    monkeypatch.chdir(tmp_path)

    def call(text, path="home.yaml", *flags):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        status, _, messages = run("synth", "--no-page", path, "--no-check", *flags)
        return status, messages

    return call


def test_the_cluster_of_another_file_is_refused_and_nothing_changes(synth, tmp_path):
    assert synth(FILE + AI, "a/home.yaml") == (0, "")
    before = contents(tmp_path / "dist")
    status, messages = synth(FILE, "b/home.yaml")

    assert status == 2
    assert messages.startswith(
        "talos-gpu synth: 'output_folder' must be a folder without clusters of these names from another cluster file (got 'dist/home'); "
        "'a/home.yaml' has written it: choose another folder or another name; where the cluster file was renamed: sed -i.bak "
    )
    assert contents(tmp_path / "dist") == before


def test_the_fleet_folder_of_another_file_is_refused(synth, tmp_path):
    assert synth(FLEET + "  berlin: {}\n", "a.yaml") == (0, "")
    status, messages = synth(FLEET + "  paris: {}\n", "b.yaml")

    assert status == 2
    assert "(got 'dist/fleet'); 'a.yaml' has written it" in messages
    assert (tmp_path / "dist/fleet/flux/berlin.yaml").exists()
    assert not (tmp_path / "dist/paris").exists()


def test_the_cluster_of_another_file_is_not_unchanged_though_it_is_the_same(synth):
    synth(FILE + AI, "a/home.yaml")
    status, messages = synth(FILE + AI, "b/home.yaml", "--changed")

    assert status == 2
    assert "'a/home.yaml' has written it" in messages
    assert synth(FILE + AI, "a/home.yaml", "--changed") == (0, "")


def test_the_command_of_the_hint_gives_the_folder_to_a_renamed_file(synth, tmp_path):
    synth(FILE + AI, "old.yaml")
    _, messages = synth(FILE + AI, "new.yaml")
    subprocess.run(["sh", "-c", messages[messages.index("sed -i") :]], cwd=tmp_path, check=True)

    assert synth(FILE + AI, "new.yaml") == (0, "")
    assert json.loads((tmp_path / "dist/home" / RECORD).read_text())["source"] == "../new.yaml"


def test_a_record_without_a_source_is_taken(synth, tmp_path):
    synth(FILE + AI, "a.yaml")
    record = tmp_path / "dist/home" / RECORD
    content = json.loads(record.read_text())
    del content["source"]
    record.write_text(json.dumps(content))

    assert synth(FILE.replace("{NvidiaRuntimeClass: {}}", "{NvidiaRuntimeClass: {name: other}}") + AI, "b.yaml") == (0, "")


def test_the_record_is_the_same_in_each_copy_of_a_repository(synth, tmp_path, monkeypatch):
    records = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        synth(FILE, f"{folder}/home.yaml", "--output-folder", f"{folder}/dist")
        records.append((tmp_path / folder / "dist/home" / RECORD).read_text())

    assert records[0] == records[1]


@pytest.mark.parametrize("name", ["prod.eu.yaml", "prod.us.yml"])
def test_a_file_name_with_a_further_dot_is_no_name_of_a_cluster(synth, tmp_path, name):
    status, messages = synth(FILE.removeprefix("name: home\n"), name)

    assert status == 2
    assert f"(got '{name.rpartition('.')[0]}')" in messages
    assert synth(FILE.removeprefix("name: home\n"), "prod-eu.yml") == (0, "")
    assert (tmp_path / "dist/prod-eu").is_dir()


def test_another_order_of_environment_variables_is_a_change(synth, tmp_path):
    text = FILE + AI.replace("{config: {Object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}}", "{pod: {Ollama: {env: ENV}}}")
    synth(text.replace("ENV", "{FIRST: a, SECOND: b}"))
    synth(text.replace("ENV", "{SECOND: b, FIRST: a}"), "home.yaml", "--changed")

    written = (tmp_path / "dist/home/manifests/ai.k8s.yaml").read_text()
    assert written.index("name: SECOND") < written.index("name: FIRST")


def test_another_order_of_objects_is_a_change(synth, tmp_path):
    first, second = "a: {NvidiaRuntimeClass: {}}", "b: {NvidiaRuntimeClass: {name: other}}"
    text = FILE.replace("runtime-class: {NvidiaRuntimeClass: {}}", "OBJECTS")
    synth(text.replace("OBJECTS", f"{first}, {second}"))
    synth(text.replace("OBJECTS", f"{second}, {first}"), "home.yaml", "--changed")

    written = (tmp_path / "dist/home/manifests/gpu.k8s.yaml").read_text()
    assert written.index("name: other") < written.index("name: nvidia")


def test_keys_that_have_no_order_hide_no_error_of_the_file(synth):
    status, messages = synth(FILE + AI.replace("metadata: {name: c}", "metadata: {name: c}, data: {1: a, b: c}"))

    assert status == 2
    assert messages.startswith("talos-gpu synth: home.yaml:5: charts.ai.objects.config: ")
    assert messages.endswith("the key 1 is not a string\n")


@pytest.mark.parametrize("flags", [(), ("--print",)])
def test_a_value_that_contains_itself_is_refused_at_its_line(synth, flags):
    status, messages = synth(FILE + AI.replace("metadata: {name: c}", "metadata: {name: c}, data: &data {a: *data}"), "home.yaml", *flags)

    assert status == 2
    assert messages.startswith("talos-gpu synth: home.yaml:5: an alias has no anchor before it")


def test_a_talconfig_that_cannot_be_read_is_an_error_at_its_own_line(synth):
    status, messages = synth(
        FILE.replace(' {gpu: {talos: "1.14"}}', "\n  gpu:\n    talos: 1.14.0\n    talconfig: {file: missing.yaml, hostnames: [a]}")
    )

    assert status == 2
    assert messages.startswith("talos-gpu synth: home.yaml:5: nodes.gpu: 'file' must be a file that can be read (got 'missing.yaml')")


@pytest.mark.parametrize("place", ["home", "home/manifests", "home/manifests/ai.k8s.yaml", f"home/{RECORD}"])
@pytest.mark.parametrize("text", [FILE + AI, FILE], ids=["written", "deleted"])
def test_a_symbolic_link_below_the_output_folder_is_refused(synth, tmp_path, place, text):
    synth(FILE + AI)
    (tmp_path / "dist" / place).rename(tmp_path / "outside")
    (tmp_path / "dist" / place).symlink_to(tmp_path / "outside")
    before = contents(tmp_path / "outside") or (tmp_path / "outside").read_text()
    status, messages = synth(text.replace("{NvidiaRuntimeClass: {}}", "{NvidiaRuntimeClass: {name: other}}"))

    assert status == 2
    assert f"'output_folder' must be a folder without symbolic links below it (got 'dist/{place}')" in messages
    assert (contents(tmp_path / "outside") or (tmp_path / "outside").read_text()) == before


def test_a_symbolic_link_that_comes_between_is_refused_before_the_first_file_is_moved(tmp_path):
    output = OutputFolder(str(tmp_path / "dist"))
    (tmp_path / "outside").mkdir()
    with output.staging() as staging:
        for cluster in ("a", "b"):
            output.stage(staging, cluster, "", {"manifests/x.yaml": "x"})
        (tmp_path / "dist" / "b").symlink_to(tmp_path / "outside")
        with pytest.raises(ValueError, match="without symbolic links"):
            output.take(staging)

    assert contents(tmp_path / "outside") == {}
    assert not (tmp_path / "dist" / "a").exists()


def test_a_link_is_never_unchanged(synth, tmp_path):
    synth(FILE)
    (tmp_path / "dist/home").rename(tmp_path / "outside")
    (tmp_path / "dist/home").symlink_to(tmp_path / "outside")

    assert synth(FILE, "home.yaml", "--changed")[0] == 2


def test_the_output_folder_itself_may_be_a_symbolic_link(synth, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "dist").symlink_to(tmp_path / "elsewhere")

    assert synth(FILE) == (0, "")
    assert synth(FILE) == (0, "")


def test_an_output_folder_that_leads_out_of_the_working_folder_is_refused(synth, tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (tmp_path / "dist").symlink_to(outside)
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "far").symlink_to(outside)
    for flags, link in (
        ((), "dist"),
        (("--output-folder", "dist/deep"), "dist"),
        (("--output-folder", tmp_path / "near/far"), tmp_path / "near/far"),
    ):
        status, messages = synth(FILE, "home.yaml", *flags)
        assert (status, f"; {link} is a symbolic link: name the folder to which it leads\n" in messages) == (2, True), messages
    assert list(outside.iterdir()) == []
    assert synth(FILE, "home.yaml", "--output-folder", outside) == (0, "")


HASH = hashlib.sha256(b"mine\n").hexdigest()


@pytest.mark.parametrize(
    "names",
    [
        {"": ""}, {".": ""}, {"gone.yaml": ""}, {"mine.yaml": "x"}, {"mine.yaml": 5}, {"mine.yaml": None}, {"../../mine.yaml": HASH}, {"./mine.yaml": HASH},
        {"a/../mine.yaml": HASH}, {"TMP/mine.yaml": HASH}, {"a\0b": HASH}, {"x" * 300: HASH}, {RECORD: HASH}, {"folder": ""}, {"pipe": ""}, {"\ud800": HASH},
        {"folder/": HASH}, {"*": HASH}, {"~": HASH},
    ],
    ids=lambda names: ascii(names)[:40],
)  # fmt: skip
def test_a_forged_record_deletes_nothing_that_it_does_not_prove_to_be_ours(synth, tmp_path, names):
    home = tmp_path / "dist" / "home"
    (home / "folder").mkdir(parents=True)
    os.mkfifo(home / "pipe")
    for path in (tmp_path / "mine.yaml", home / "mine.yaml"):
        path.write_text("mine\n")
    files = {name.replace("TMP", str(tmp_path)): digest for name, digest in names.items()}
    (home / RECORD).write_text(json.dumps({"described": "x", "source": "../home.yaml", "files": files}))
    status, messages = synth(FILE)

    assert (status, messages) == (0, "")
    assert [path.read_text() for path in (tmp_path / "mine.yaml", home / "mine.yaml")] == ["mine\n"] * 2
    assert (home / "folder").is_dir()
    assert (home / "pipe").is_fifo()
    assert json.loads((home / RECORD).read_text())["files"].keys() == {"manifests/gpu.k8s.yaml"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "{",
        "[]",
        "null",
        '{"files": []}',
        '{"files": {"a": {}}, "described": 1}',
        "\ud800",
        '{"described": "x", "files": {"a": 1e999}}',
    ],
)
def test_a_record_that_is_none_is_no_record(synth, tmp_path, text):
    home = tmp_path / "dist" / "home"
    home.mkdir(parents=True)
    (home / RECORD).write_bytes(text.encode("utf-8", "surrogatepass"))

    assert synth(FILE) == (0, "")


def test_each_edited_file_is_named_when_it_is_kept_or_replaced(synth, tmp_path):
    synth(FILE + AI)
    ai, gpu = (tmp_path / f"dist/home/manifests/{name}.k8s.yaml" for name in ("ai", "gpu"))
    for each in (ai, gpu):
        each.write_text("edited\n")
    status, messages = synth(FILE)

    assert (status, messages.splitlines()) == (
        0,
        [
            "talos-gpu synth: dist/home/manifests/gpu.k8s.yaml is replaced: somebody has edited it, and the edits are lost",
            "talos-gpu synth: dist/home/manifests/ai.k8s.yaml is kept: the cluster file and the flags no longer ask for it, but somebody has edited it",
        ],
    )
    assert ai.read_text() == "edited\n"
    assert gpu.read_text() != "edited\n"
    assert synth(FILE) == (0, "")


def test_a_deleted_file_is_written_again_without_a_word(synth, tmp_path):
    synth(FILE + AI)
    (tmp_path / "dist/home/manifests/gpu.k8s.yaml").unlink()
    (tmp_path / "dist/home/manifests/ai.k8s.yaml").unlink()

    assert synth(FILE) == (0, "")


def test_a_talconfig_outside_of_the_folder_is_not_read(synth, tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "talconfig.yaml"
    outside.write_text("clusterName: secret\nnodes: []\n")
    (tmp_path / "link.yaml").symlink_to(outside)
    (tmp_path / "folder").symlink_to(outside.parent)
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("w") as large:
        large.truncate(20_000_001)
    refused = {
        "link.yaml": "a symbolic link leads out of the folder", "folder/talconfig.yaml": "a symbolic link leads out of the folder",
        "zero": "a symbolic link leads out of the folder", "pipe": "it is no file", ".": "it is no file", "large": "it is larger than 20 MB",
        "../talconfig.yaml": "'file' must be the path of a file in the folder of the cluster file", "/etc/passwd": "'file' must be the path of a file in the folder",
    }  # fmt: skip
    for name, sentence in refused.items():
        for flags in ((), ("--changed",), ("--print",)):
            status, messages = synth(
                FILE.replace('{talos: "1.14"}', f"{{talos: 1.14.0, talconfig: {{file: {name}, hostnames: [a]}}}}"), "home.yaml", *flags
            )
            assert (status, sentence in messages) == (2, True), (name, flags, messages)
