"""Texts that a search from every position would take without end: work is counted in calls and in the positions of a search."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.documents import documents, plain_yaml
from constructs_lib.observed.read.flux.filled_in import _EXPRESSION
from constructs_lib.observed.read.helm.release_values import as_helm_reads
from constructs_lib.observed.read.kustomize.patches import labels_fit
from constructs_lib.observed.read.kustomize.transformers import replaced
from counting import calls

# Each of these took minutes or longer.


def test_expressions_that_never_end_are_none():
    assert _EXPRESSION.sub("x", "<<" * 500_000) == "<<" * 500_000
    assert _EXPRESSION.sub("x", "<< a >> << << b >>") == "x << x"
    assert Unknown("<<" * 500_000).known == "\0"


def test_templates_of_lines_alone_are_read():
    text, _ = plain_yaml("a:\n" + "{{ x }}\n" * 200_000)
    assert text.startswith("a: '{{ x }}'\n\n")


def test_a_long_field_path_leads_nowhere():
    [document] = documents("{apiVersion: v1, kind: Pod, metadata: {name: a}}", "a.yaml")[0]
    for path in ("[." * 200_000, "a." * 200_000 + "!", "a" * 200_000 + "."):
        replacement = {"source": None, "targets": [{"select": {}, "fieldPaths": [path], "options": {"create": True}}]}
        assert calls(lambda each=replacement: replaced([document], each, ("a.yaml", 1))) < 1000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("," * 300_000, False),
        ("in" * 300_000 + "\n x", False),
        ("a in (" + "b," * 300_000, False),
        ("(" * 300_000, False),
        (" " * 300_000 + "?", False),
    ],
)
def test_a_long_selector_is_read_in_few_calls(selector, fits):
    [document] = documents("metadata: {labels: {a: b}}", "a.yaml")[0]
    answers = []

    assert calls(lambda: answers.append(labels_fit({"labelSelector": selector}, document))) < 5 * len(selector)
    assert answers == [fits]


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("a=b,c in (d, e),!f", True),
        ("a=b, c notin (d,e)", False),
        ("a in (b), a!=c", True),
        ("a,c==e", False),
        ("a=b,", False),
        ("!a", False),
        ("a in b", False),
        ("a=b c", False),
    ],
)
def test_the_terms_of_a_selector_are_separated_outside_of_its_parentheses(selector, fits):
    [document] = documents("metadata: {labels: {a: b, c: d}}", "a.yaml")[0]
    assert labels_fit({"labelSelector": selector}, document) is fits


def test_a_number_of_thousands_of_digits_in_a_parameter_is_text():
    assert as_helm_reads("9" * 5000) == "9" * 5000
    assert as_helm_reads("12") == 12
