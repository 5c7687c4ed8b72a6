"""The text of Python means the values that it was written from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.clusters.python_text import Call, Code, Names, written

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    ["a" * 130, "'" * 3, '"' * 3, "\\", "it's", 'a "b"', "a\nb\n", "{x}", "%s", "\x7f", "\u2028", "\U0001f600" * 20]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=30,
)


@settings(max_examples=drawn(200))
@given(values)
def test_a_value_means_itself(value):
    assert eval(written(value)) == value


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("My.name", "my_name"),
        ("class", "class_2"),
        ("7b", "workload_7b"),
        ("Ä", "workload"),
        ("match", "match_2"),
        ("list", "list_2"),
        ("app", "app_2"),
    ],
)
def test_a_name_is_an_identifier_that_nothing_else_has(words, name):
    assert Names(["app"]).new(words, "workload") == Code(name)


def test_no_two_names_are_equal():
    names = Names([])

    assert [names.new(words, "x").text for words in ("a-b", "a.b", "a_b", "a-b-2")] == ["a_b", "a_b_2", "a_b_3", "a_b_2_2"]


def test_a_long_call_has_one_argument_a_line():
    short, long = Call("f", ("a",), {"b": Code("c")}), Call("f", ("a" * 100,), {"b": {"c": [1]}})

    assert written(short) == "f('a', b=c)"
    assert written(long) == f"f(\n    {'a' * 100!r},\n    b={{'c': [1]}},\n)"
