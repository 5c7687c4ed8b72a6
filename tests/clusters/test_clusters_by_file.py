"""The clusters of main.py from cluster files: the same files, byte for byte."""

import re
from pathlib import Path

import pytest
from command_line import run  # noqa: F401  # a fixture

from conftest import ROOT
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import synthesize

FILES = Path(__file__).parent / "files"
CLUSTERS = sorted(path.name for path in (ROOT / "dist").iterdir())


def files_of(folder):
    """The files of a cluster but its page."""
    return {
        str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file() and path != folder / "README.md"
    }


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_file_gives_the_bytes_of_the_app(name):
    path = FILES / f"{name}.yaml"
    ((found, description),) = ClusterFile(path.name, path.read_text()).clusters()
    result = synthesize(description, lambda file: (FILES / file).read_text())

    assert found == name
    assert [str(error) for error in (*result.errors, *result.violations)] == []
    assert result.files == files_of(ROOT / "dist" / name)


def common(page):
    """The parts of a page that have no names of the cluster file: the summary, two sections, and what is sent and applied."""
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    return (
        page.partition("```")[0],
        sections["Versions"],
        sections["Checks"].strip(),
        re.findall(r"^   (?:curl -X|kubectl|flux) .*", page, re.MULTILINE),
    )


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_file_gives_the_page_of_the_app_and_its_decisions(run, tmp_path, name):  # noqa: F811
    assert run("synth", FILES / f"{name}.yaml", "--output-folder", tmp_path)[0] == 0
    page, _, decisions = (tmp_path / name / "README.md").read_text().partition("\n## Decisions")
    assert common(page) == common((ROOT / "dist" / name / "README.md").read_text())
    assert "The cluster file leaves these open" in decisions


def rules_of(talos):
    """The rules that warn of a pod without a RuntimeClass."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "ollama"},
        "spec": {"containers": [{"name": "a", "image": "ollama/ollama:0.32.15", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
    }
    parts = {"runtime-class": {"NvidiaRuntimeClass": {}}, "plugin": {"StandaloneDevicePlugin": {}}, "ollama": {"Object": pod}}
    description = {"nodes": {"talos_version": "1.12.6"}, "charts": {"gpu": {"namespace": "gpu", "objects": parts}}, **talos}
    return [str(each.error).partition(" ")[0] for each in synthesize(description, lambda _: "").warnings]


def test_the_rules_know_the_machine_configuration_of_the_file_as_check_of_the_output_does():
    assert "TG040" in rules_of({})
    assert "TG040" not in rules_of({"talos": {"default_runtime": True}})
