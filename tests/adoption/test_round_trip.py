"""What `synth` wrote is adopted: the new cluster file gives an equal pod for each workload and device plugin."""

import sys
import warnings

import pytest
import yaml
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from conftest import ROOT, drawn
from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.equivalence import normal_pod
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.manifests.foreign.gpu_requests import POD_TEMPLATES, pod_template
from constructs_lib.observed.read.repository import read_text

FILES = ROOT / "tests" / "clusters" / "files"
sys.path[:0] = [str(ROOT / "tests" / "constructs"), str(ROOT / "tests" / "clusters")]
from generated_arguments import LEGAL  # noqa: E402
from written_arguments import classes_in, file_of  # noqa: E402

import constructs_lib  # noqa: E402


def pods(files):
    """The pods by their kind and name, in normal form."""
    found = (each for name, text in files.items() if name.startswith("manifests/") for each in yaml.safe_load_all(text) if each)
    return {
        (each["kind"], each["metadata"]["name"]): _pod(pod_template(each)["spec"], each["spec"].get("volumeClaimTemplates") or ())
        for each in found
        if each["kind"] in POD_TEMPLATES
    }


def _pod(spec, claims):
    """A pod whose first container has no name: in the file it has that of the workload."""
    first, *others = spec["containers"]
    return normal_pod({**spec, "containers": [{**first, "name": "first"}, *others]}, claims)


def adopted(files, description):
    nodes = description["nodes"]
    talos = (nodes[0] if isinstance(nodes, list) else nodes)["talos_version"]
    texts = [text for name, text in files.items() if name.endswith(".yaml") and not name.endswith("talconfig.yaml")]
    return adopt(read_text("---\n".join(text for text in texts if text.strip())), talos)


CLUSTERS = [path.stem for path in sorted(FILES.glob("*.yaml")) if path.stem != "talconfig"]


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_pods_of_an_adopted_output_are_those_of_the_output(name):
    ((_, description),) = ClusterFile(f"{name}.yaml", (FILES / f"{name}.yaml").read_text()).clusters()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = synthesize(description, lambda file: (FILES / file).read_text()).files
        adoption = adopted(before, description)
    theirs, ours = pods(before), pods(adoption.files)

    assert adoption.parts
    assert "Object" not in {next(iter(part)) for chart in adoption.description["charts"].values() for part in chart["objects"].values()}
    assert {key for key in ours.keys() & theirs.keys() if ours[key] != theirs[key] and key[0] != "DaemonSet"} == set()


@settings(
    max_examples=drawn(30),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_drawn_workload_is_adopted_as_an_equal_pod_or_named(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[constructs_lib.GpuWorkload])
        names = [nodes.name for nodes in classes_in(arguments)]
        assume(len(names) < 2 or (None not in names and len(set(names)) == len(names)))
        description = file_of("GpuWorkload", arguments, namespace="ai")
        result = synthesize(description, lambda _: "", with_checks=False)
        assume(not result.errors and result.files)
        adoption = adopted(result.files, description)
        theirs, ours = pods(result.files), pods(adoption.files)

        assert {key for key in ours.keys() & theirs.keys() if _without_nodes(ours[key]) != _without_nodes(theirs[key])} == set()
        assert ours or adoption.left


def _without_nodes(pod):
    """A pod without what follows from the class of nodes, of which no configuration was read."""
    return {key: value for key, value in pod.items() if key not in ("nodeSelector", "affinity", "tolerations")}
