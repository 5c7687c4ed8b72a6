"""The text of Python is the text that `ruff format` leaves, and means the values that it was written from."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.clusters.python_text import Call, Code, Names, block, is_block, written

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    ["a" * 130, "'" * 3, '"' * 3, "\\", "it's", 'a "b"', "e\u0301" * 65, "漢" * 40, "{x}", "%s", "\x7f", "\u2028", "\U0001f600" * 20]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=30,
)
calls = st.recursive(
    values,
    lambda inner: st.builds(Call, st.just("made"), st.lists(inner, max_size=3).map(tuple), st.dictionaries(st.sampled_from("abc"), inner)),
    max_leaves=6,
)


@settings(max_examples=drawn(200))
@given(values)
def test_a_value_means_itself(value):
    assert eval(written(value)) == value


def test_a_statement_is_as_ruff_leaves_it():
    lines = []

    @settings(max_examples=drawn(300))
    @given(calls, st.integers(1, 80))
    def draw(value, width):
        lines.append(written(Call("made", (value,), {"more": value}), before=f"{'x' * width} = ") + "\n")
        lines.append(written(Call("made", (value,))) + "\n")

    draw()
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "140", "-"]

    assert (
        subprocess.run(ruff, input="".join(lines), capture_output=True, text=True, check=True).stdout.splitlines()
        == "".join(lines).splitlines()
    )


@given(st.text(st.sampled_from("ab \n\\\"'\t{é"), max_size=40))
def test_a_text_in_triple_quotes_means_itself(text):
    if is_block(text):
        names = {}
        exec(block("TEXT", text), names)

        assert names["TEXT"] == text


@pytest.mark.parametrize("text", ["a\nb", "a \nb\nc", "a\n\tb\nc", 'a\nb\nc"', 'a\n"""\nc', "a\r\nb\nc"])
def test_a_text_that_triple_quotes_would_hide_or_change_stays_on_its_line(text):
    assert not is_block(text)


def test_a_text_of_several_lines_stands_line_by_line():
    assert block("TEXT", "a\n  b\\\n") == 'TEXT = """\\\na\n  b\\\\\n"""'


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
    assert Names(["app"]).new(words, "workload") == name


def test_no_two_names_are_equal():
    names = Names([])

    assert [names.new(words, "x") for words in ("a-b", "a.b", "a_b", "a-b-2")] == ["a_b", "a_b_2", "a_b_3", "a_b_2_2"]


def test_a_call_has_its_arguments_on_one_line_of_its_own_where_they_fit():
    short, long = Call("f", ("a" * 120,), {"b": Code("c")}), Call("f", ("a" * 134,), {"b": Code("c")})

    assert written(short, before="x = ") == f'x = f("{"a" * 120}", b=c)'
    assert written(short, before="x" * 10 + " = ") == f'{"x" * 10} = f(\n    "{"a" * 120}", b=c\n)'
    assert written(long) == f'f(\n    "{"a" * 134}",\n    b=c,\n)'
