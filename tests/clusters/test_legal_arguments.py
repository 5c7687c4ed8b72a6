"""Every construct with every argument that the tests of the constructs draw: the file gives the objects of the app, or the same refusal."""

import json
import sys
import warnings
from pathlib import Path

import pytest
from cdk8s import App, Chart, Yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conftest import ROOT, drawn
from constructs_lib.clusters.argument_types import arguments_of
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.composer import Composer
from constructs_lib.clusters.description import Description, file_form
from constructs_lib.clusters.file_values import _converters
from constructs_lib.clusters.part_table import BESIDE_A_WORKLOAD, PART_NAMES, part_of
from constructs_lib.constructs._emit import GpuConstruct
from constructs_lib.recipes import OpenWebUI
from constructs_lib.yaml.npm_bytes import stream
from public_face import every_public

sys.path[:0] = [str(ROOT / "tests" / "constructs"), str(Path(__file__).parent)]
from generated_arguments import LEGAL as LEGAL_CONSTRUCTS  # noqa: E402
from generated_recipes import LEGAL_RECIPES  # noqa: E402
from recipe_cases import RECIPES  # noqa: E402
from written_arguments import classes_in, file_of  # noqa: E402

# The servers of OpenWebUI are other objects of a file.
LEGAL = {construct: strategy for construct, strategy in {**LEGAL_CONSTRUCTS, **LEGAL_RECIPES}.items() if construct is not OpenWebUI}
CONSTRUCTS = {name: public for name, public in every_public().items() if isinstance(public, type) and issubclass(public, GpuConstruct)}


def composed(description):
    """The composer of a description that was written as YAML and read again."""
    content = description.content if isinstance(description, Description) else file_form(description)
    text = json.dumps(content, ensure_ascii=False)  # JSON is YAML, and quotes every string
    ((_, read),) = ClusterFile("cluster.yaml", text).clusters()
    composer = Composer(read)
    composer.compose()
    return composer


def outcome(make):
    try:
        return make()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def from_file(description):
    composer = composed(description)
    if composer.errors:
        error = composer.errors[0].error
        return f"{type(error).__name__}: {error}"
    return stream([manifest for _, manifest in composer.charts["chart"].objects])


def from_app(construct, arguments, namespace):
    chart = Chart(App(), "chart", **({"namespace": namespace} if namespace else {}))
    construct(chart, "made", **arguments)
    return Yaml.stringify(*chart.to_json())


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=drawn(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), namespace=st.sampled_from([None, "ai"]))
def test_a_file_gives_the_objects_of_the_app(construct, data, namespace):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct])
        # Several classes need names, by which a file refers to them.
        names = [nodes.name for nodes in classes_in(arguments)]
        assume(len(names) < 2 or (None not in names and len(set(names)) == len(names)))
        assert from_file(file_of(construct.__name__, arguments, namespace=namespace)) == outcome(
            lambda: from_app(construct, arguments, namespace)
        )


def test_every_construct_and_every_function_beside_a_workload_is_a_part_and_no_other():
    assert {*PART_NAMES} == {*CONSTRUCTS, *BESIDE_A_WORKLOAD}
    assert all(part_of(name).name == name for name in PART_NAMES)
    assert {*RECIPES} <= {*PART_NAMES}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_has_the_arguments_of_its_part(name):
    assert part_of(name).settings in CONSTRUCTS[name].__mro__


# Values of YAML that hardly any argument can have.
WILD = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    " ",
    "x" * 300,
    "Ä b",
    "${HOST}",
    "1Gi",
    [],
    {},
    [None],
    [[]],
    {"a": None},
    {"a": {"b": 1}},
    ["a"],
    "ReadWriteMany",
    {"limits": 1},
)


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=drawn(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), value=st.sampled_from(WILD))
def test_a_value_that_an_argument_can_t_have_is_refused_in_the_words_of_the_app(construct, data, value):
    part = part_of(construct.__name__)
    name = data.draw(st.sampled_from([each for each in arguments_of(part.settings) if each != "nodes"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct].filter(lambda given: len(classes_in(given)) < 2))
        expected = outcome(lambda: from_app(construct, {**arguments, name: value}, "ai"))
        description = file_of(construct.__name__, arguments, namespace="ai")
        description["charts"]["chart"]["objects"]["made"][construct.__name__][name] = value
        found = from_file(description)
    if name in _converters(part.settings):  # a file has its own words for the notation of a value
        assert found.startswith("apiVersion") == expected.startswith("apiVersion")
    else:
        assert found.partition(" (got ")[0] == expected.partition(" (got ")[0]
