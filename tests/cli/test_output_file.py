"""`--output` of every verb: a file that is read is never replaced."""

import os
from pathlib import Path

import pytest
from command_line import refusal, run  # noqa: F401  # fixtures

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm, namespace: ai}
spec: {containers: [{name: llm, image: "a:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
NODES = "{talos: 1.14.0, nodes: {gpu: {}}}\n"
SENTENCE = "--output must be another file than the files that are read (got {!r}); it would be replaced"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "pod.yaml").write_text(POD)
    (tmp_path / "nodes.yaml").write_text(NODES)
    (tmp_path / "log.txt").write_text("Failed to initialize NVML\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("page", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("page", "t/pod.yaml", "--talos", "1.14.0"), "t/../t/pod.yaml"),
        (("page", "t", "nodes.yaml"), "nodes.yaml"),
        (("images", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("images", "t", "--talos", "1.14.0", "--format", "talos", "--mirror", "nodes.yaml"), "nodes.yaml"),
        (("check", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("why", "log.txt"), "log.txt"),
        (("doctor", "t/pod.yaml"), "t/pod.yaml"),
        (("schematic", "nodes.yaml"), "nodes.yaml"),
        (("patch", "nodes.yaml"), "nodes.yaml"),
        (("upgrade", "nodes.yaml", "--to", "1.14.1"), "nodes.yaml"),
    ],
)
def test_an_output_that_is_an_input_is_refused_and_stays(refusal, folder, arguments, output):  # noqa: F811
    before = (folder / output).read_text()

    assert refusal(*arguments, "--output", output) == SENTENCE.format(output)
    assert (folder / output).read_text() == before


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("page", "t", "--talos", "1.14.0"), "t/README.md"),
        (("check", "t", "--talos", "1.14.0", "--format", "sarif"), "t/checks.sarif"),
        (("check", "t", "--talos", "1.14.0", "--format", "json"), "t/checks.json"),
        (("images", "t", "--talos", "1.14.0", "--format", "json"), "t/images.json"),
        (("images", "t", "--talos", "1.14.0", "--format", "talos", "--mirror", "mirror.yaml"), "t/mirrors.yaml"),
    ],
)
def test_the_output_of_an_earlier_run_in_the_folder_is_replaced(run, folder, arguments, output):  # noqa: F811
    (folder / "mirror.yaml").write_text("docker.io: registry.home.arpa/hub\n")
    first = run(*arguments, "--output", output)
    written = Path(output).read_text()

    assert run(*arguments, "--output", output)[0] == first[0] < 2
    assert Path(output).read_text() == written


LINKS = {
    "README.md": "OUTSIDE/file",  # a file elsewhere
    "new.md": "OUTSIDE/new",  # a file that is not there yet
    "near.md": "nodes.yaml",  # a file of the same repository
    "hook.md": ".git/hooks/pre-commit",
    "out/page.md": "",  # below a folder that is a link
}


@pytest.mark.parametrize(
    "verb",
    [
        ("page", "t", "--talos", "1.14.0"), ("check", "t", "--talos", "1.14.0"), ("images", "t", "--talos", "1.14.0"), ("why", "log.txt"),
        ("doctor", "t/pod.yaml"), ("schematic", "--talos", "1.14.0"), ("patch", "--talos", "1.14.0"), ("matrix",), ("models",),
        ("upgrade", "--talos", "1.14.0", "--to", "1.14.1"),
    ],
    ids=lambda each: each[0],
)  # fmt: skip
def test_no_verb_follows_a_link_of_the_repository(run, folder, tmp_path_factory, verb):  # noqa: F811
    outside = tmp_path_factory.mktemp("outside")
    (folder / ".git" / "hooks").mkdir(parents=True)
    for each in (outside / "file", folder / ".git" / "hooks" / "pre-commit"):
        each.write_text("kept\n")
    (folder / "out").symlink_to(outside)
    for name, target in LINKS.items():
        if target:
            (folder / name).symlink_to(target.replace("OUTSIDE", str(outside)))

    def contents():
        return {each: each.read_bytes() for root in (folder, outside) for each in root.rglob("*") if each.is_file()}

    before = contents()
    for name in LINKS:
        status, out, err = run(*verb, "--output", name)
        assert (status, out) == (2, ""), name
        assert f"--output must be a file to which no symbolic link leads (got '{name}'); " in err, name

    assert contents() == before


def test_the_systems_own_links_are_followed(run, folder):  # noqa: F811
    read, write = os.pipe()
    assert run("schematic", "--talos", "1.14.0", "--output", f"/dev/fd/{write}")[0] == 0
    os.close(write)
    with os.fdopen(read) as answer:
        assert "customization" in answer.read()


def test_a_folder_of_the_working_folder_may_be_a_link_to_another_one_there(run, folder):  # noqa: F811
    (folder / "pages").symlink_to("t")
    assert run("page", "t", "--talos", "1.14.0", "--output", "pages/README.md")[0] < 2
    assert (folder / "t" / "README.md").is_file()
