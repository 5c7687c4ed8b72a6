"""Any legal input of any construct gives strictly valid objects without an error of the checks; any other is refused, and the tree stays as it was."""

import inspect
import re
import warnings

import pytest
from cdk8s import App, Chart, Testing
from generated_arguments import LEGAL, wild
from generated_recipes import LEGAL_RECIPES
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from test_settings import CONSTRUCTS

from conftest import drawn
from constructs_lib import ArgumentError, ArgumentTypeError
from constructs_lib.checks.check import check
from constructs_lib.checks.rule import Severity
from strict_schemas import all_faults

# What the library warns of is legal; the warnings are other tests' claims.
pytestmark = pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
# To shrink an example, of which every try builds a tree in jsii's kernel, takes minutes.
phases = (Phase.explicit, Phase.reuse, Phase.generate)
slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
each_construct = pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
each_recipe = pytest.mark.parametrize("recipe", LEGAL_RECIPES, ids=lambda recipe: recipe.__name__)


def classes(arguments):
    nodes = arguments.get("nodes", ())
    return list(nodes) if isinstance(nodes, list | tuple) else [nodes]


def made(construct, chart, arguments):
    """The objects of a chart with one more construct."""
    construct(chart, "it", **arguments)
    return list(Testing.synth(chart))


def problems(manifests, arguments):
    """Faults by the strict schemas, nulls, and errors of the checks."""
    nodes = classes(arguments)
    talos = str(nodes[0].talos_version.minor_version) if nodes else "1.14"
    errors = [str(each) for each in check(manifests, nodes=nodes, talos_version=talos) if each.severity is Severity.ERROR]
    return all_faults(manifests, talos) + errors


def check_legal(construct, arguments):
    """Legal arguments make strictly valid objects."""
    manifests = made(construct, Testing.chart(), arguments)

    assert problems(manifests, arguments) == []


def check_wild(construct, arguments, data):
    """One argument gets a value that hardly any can have."""
    name = data.draw(st.sampled_from([each for each in inspect.signature(construct).parameters if each not in ("scope", "id")]))
    value = data.draw(wild)
    chart = Chart(App(), "chart")
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            accepted = made(construct, chart, {**arguments, name: value})
    except (ArgumentError, ArgumentTypeError) as error:
        event("refused")
        refusal = str(error)
        assert re.fullmatch(r"'[^'\n]+' must be .+ \(got .+\)(; .+)?", refusal, re.DOTALL)
        assert chart.node.children == []
        assert made(construct, chart, arguments) == made(construct, Chart(App(), "chart"), arguments)
    else:
        event("accepted")
        # A key that no known Kubernetes has may be one of a newer release: it is kept, and told.
        is_told = any("of Kubernetes up to" in str(each.message) for each in warned)
        assert is_told or problems(accepted, arguments) == []


def test_every_construct_is_drawn():
    assert {*LEGAL, *LEGAL_RECIPES} == set(CONSTRUCTS)


@each_construct
@settings(max_examples=drawn(15), phases=phases, suppress_health_check=slow)
@given(data=st.data())
def test_legal_arguments_give_valid_objects_without_an_error_of_the_checks(construct, data):
    check_legal(construct, data.draw(LEGAL[construct]))


@each_construct
@settings(max_examples=drawn(12), phases=phases, suppress_health_check=slow)
@given(data=st.data())
def test_an_illegal_argument_is_refused_in_our_form_and_the_tree_stays_as_it_was(construct, data):
    check_wild(construct, data.draw(LEGAL[construct]), data)


# The recipes are many, and share their base class.
@each_recipe
@settings(max_examples=4, phases=phases, suppress_health_check=slow)
@given(data=st.data())
def test_legal_arguments_of_a_recipe_give_valid_objects_without_an_error_of_the_checks(recipe, data):
    check_legal(recipe, data.draw(LEGAL_RECIPES[recipe]))


@each_recipe
@settings(max_examples=4, phases=phases, suppress_health_check=slow)
@given(data=st.data())
def test_an_illegal_argument_of_a_recipe_is_refused_in_our_form_and_the_tree_stays_as_it_was(recipe, data):
    check_wild(recipe, data.draw(LEGAL_RECIPES[recipe]), data)
