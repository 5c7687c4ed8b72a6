import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.yaml.block import Verbatim, block, flow, word
from constructs_lib.yaml.load import documents

SCALARS = st.text(max_size=8) | st.text("ab:#-'\"{}[],&*!|>%@`\n\t 01e.", max_size=8) | st.booleans() | st.integers(-99, 99)
KEYS = st.text(min_size=1, max_size=5) | st.sampled_from(["on", "1", "a/b", "null"])
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=9)


def text(value, **habits):
    return "\n".join(block(value, **habits)) + "\n"


@given(value=st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), step=st.integers(1, 4), dash=st.integers(0, 4))
def test_whatever_is_written_in_blocks_is_read_again(value, step, dash):
    assert yaml.load(text(value, step=step, dash=dash), Loader=yaml.SafeLoader) == value  # not libyaml, which the library reads with
    assert list(documents(text(value, step=step, dash=dash))) == [value]


@given(VALUES)
def test_whatever_is_written_on_one_line_is_read_again(value):
    assert yaml.load(f"[{flow(value)}]", Loader=yaml.SafeLoader) == [value]  # likewise
    assert list(documents(f"a: {{b: {flow(value)}}}")) == [{"a": {"b": value}}]
    assert "\n" not in flow(value)


def test_a_block_is_indented_by_the_habits_of_its_author():
    value = {"a": {"b": [{"c": 1, "d": {"e": [2]}}, [3, 4], "t: u\nv"]}}

    assert text(value) == "a:\n  b:\n    - c: 1\n      d:\n        e:\n          - 2\n    - - 3\n      - 4\n    - |-\n      t: u\n      v\n"
    assert text(value, step=4, dash=0) == (
        "a:\n    b:\n    - c: 1\n      d:\n          e:\n          - 2\n    - - 3\n      - 4\n    - |-\n      t: u\n      v\n"
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\nb\n", "x: |\n  a\n  b\n"),
        ("a\n\n b", "x: |-\n  a\n\n   b\n"),
        ("a\n", "x: |\n  a\n"),
        ("a\n\n", 'x: "a\\n\\n"\n'),
        ("a\n ", 'x: "a\\n "\n'),
        (" a\nb", 'x: " a\\nb"\n'),
        ("\na", 'x: "\\na"\n'),
        ("a\tb\nc", 'x: "a\\tb\\nc"\n'),
        ("a", "x: a\n"),
        ("", 'x: ""\n'),
        ({}, "x: {}\n"),
        ([], "x: []\n"),
        (True, "x: true\n"),
        ("true", 'x: "true"\n'),
        ("é", 'x: "é"\n'),
    ],
)
def test_text_is_a_literal_block_where_one_can_hold_it(value, written):
    assert text({"x": value}) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("siderolabs/zfs", "siderolabs/zfs"),
        ("a,b", '"a,b"'),
        ("a b", '"a b"'),
        ("ai:NoSchedule", '"ai:NoSchedule"'),
        ("no", '"no"'),
        (["a", {"b": []}], "[a, {b: []}]"),
        (False, "false"),
        ("a\nb", '"a\\nb"'),
    ],
)
def test_one_line_has_quotes_where_a_flow_needs_them(value, written):
    assert flow(value) == written


def test_what_was_no_string_is_written_as_it_was_found():
    assert text({"a": Verbatim("0x1f")}) == "a: 0x1f\n"
    assert flow([Verbatim("1_000")]) == "[1_000]"
    assert word(Verbatim("true")) == "true"


def test_a_word_is_on_one_line():
    assert word("a\nb") == '"a\\nb"'
    assert word("é\x85\x7f\u2028") == '"é\\U00000085\\U0000007f\\U00002028"'
