"""`--output` of every verb: a file that is read is never replaced."""

from pathlib import Path

import pytest
from command_line import refusal, run  # noqa: F401  # fixtures

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm, namespace: ai}
spec: {containers: [{name: llm, image: "a:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
NODES = 'talos_version: "1.14.0"\n'
SENTENCE = "--output must be another file than the files that are read (got {!r}); it would be replaced"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "pod.yaml").write_text(POD)
    (tmp_path / "nodes.yaml").write_text(NODES)
    (tmp_path / "log.txt").write_text("Failed to initialize NVML\n")
    (tmp_path / "link.yaml").symlink_to("nodes.yaml")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("page", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("page", "t/pod.yaml", "--talos", "1.14.0"), "t/../t/pod.yaml"),
        (("page", "t", "--nodes", "nodes.yaml"), "nodes.yaml"),
        (("page", "t", "--nodes", "nodes.yaml"), "link.yaml"),
        (("images", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("images", "t", "--talos", "1.14.0", "--format", "talos", "--mirror", "nodes.yaml"), "nodes.yaml"),
        (("check", "t", "--talos", "1.14.0"), "t/pod.yaml"),
        (("why", "log.txt"), "log.txt"),
        (("doctor", "t/pod.yaml"), "t/pod.yaml"),
        (("schematic", "--nodes", "nodes.yaml"), "nodes.yaml"),
        (("patch", "--nodes", "nodes.yaml"), "nodes.yaml"),
        (("upgrade", "--nodes", "nodes.yaml", "--to", "1.14.1"), "nodes.yaml"),
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
