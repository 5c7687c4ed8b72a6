"""What `synth` wrote is adopted: the new cluster file gives the same objects."""

import sys
import warnings
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from conftest import ROOT
from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.explanations import differences
from constructs_lib.adoption.normal_form import normal
from constructs_lib.adoption.plain_objects import identity_of
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.observed.read.repository import read

FILES = ROOT / "tests" / "clusters" / "files"
sys.path[:0] = [str(ROOT / "tests" / "constructs"), str(ROOT / "tests" / "clusters")]
from generated_arguments import LEGAL  # noqa: E402
from written_arguments import classes_in, file_of  # noqa: E402


def synthesized(text):
    """The files of the cluster in a cluster file."""
    ((_, description),) = ClusterFile("cluster.yaml", text).clusters()
    result = synthesize(description, lambda name: (FILES / name).read_text())
    assert [str(error.error) for error in result.errors] == []
    return result.files


def objects_of(files):
    """The objects in normal form, by file and identity."""
    return {
        (name, identity_of(body)): normal(body)
        for name, text in files.items()
        if name.startswith("manifests/")
        for body in yaml.safe_load_all(text)
        if body
    }


def talos_of(text):
    nodes = yaml.safe_load(text)["nodes"]
    return (nodes[0] if isinstance(nodes, list) else nodes)["talos_version"]


def adopted(files, folder, talos):
    """The adoption of the files in a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return adopt(read([folder]), talos)


CLUSTERS = [path.stem for path in sorted(FILES.glob("*.yaml")) if path.stem != "talconfig"]


@pytest.mark.parametrize("name", CLUSTERS)
def test_adopting_what_synth_wrote_gives_back_an_equal_output(name, tmp_path):
    text = (FILES / f"{name}.yaml").read_text()
    before = synthesized(text)
    adoption = adopted(before, tmp_path, talos_of(text))

    assert [each for each in adoption.left if "Secret" not in each[0]] == []
    assert objects_of(synthesized(adoption.text)) == objects_of(before)


@pytest.mark.parametrize("name", CLUSTERS)
def test_an_equal_output_has_no_change_to_name(name, tmp_path):
    text = (FILES / f"{name}.yaml").read_text()
    adoption = adopted(synthesized(text), tmp_path, talos_of(text))

    assert [each.text for each in differences(adoption) if each.is_change] == []


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate], derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_adopting_a_drawn_cluster_gives_back_its_objects(construct, data, tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct])
        names = [nodes.name for nodes in classes_in(arguments)]
        assume(len(names) < 2 or (None not in names and len(set(names)) == len(names)))
        description = file_of(construct.__name__, arguments, namespace="ai")
        result = synthesize(description, lambda _: "")
        assume(not result.errors and result.files)
        nodes = description["nodes"]
        talos = (nodes[0] if isinstance(nodes, list) else nodes)["talos_version"]
        before = {name: text for name, text in result.files.items() if name.startswith("manifests/")}
        assume(all(text.strip() for text in before.values()))
        adoption = adopted(before, Path(tmp_path_factory.mktemp("tree")), talos)
        left = {each[0] for each in adoption.left}
        known = {
            identity_of(body)
            for text in before.values()
            for body in yaml.safe_load_all(text)
            if body and f"{body['kind']} " in "".join(left)
        }
        expected = {key: body for key, body in objects_of(before).items() if key[1] not in known}

        assert objects_of(synthesized(adoption.text)) == expected
