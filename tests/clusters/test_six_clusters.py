"""The six clusters of main.py from cluster files: the same files, byte for byte."""

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


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_file_gives_the_page_of_the_app(run, tmp_path, name):  # noqa: F811
    assert run("synth", FILES / f"{name}.yaml", "--page", "--output-folder", tmp_path)[0] == 0
    assert (tmp_path / name / "README.md").read_text() == (ROOT / "dist" / name / "README.md").read_text()
