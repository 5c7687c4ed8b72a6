"""Text of strangers: what a terminal, a log or a workflow would obey is written as an escape."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.arguments.printable import json_parts, json_text, printable

HOSTILE = "a\r\n\x1b[2J\x9b\x7f\u202e\u2066\u2028\u2029\u200f\U000e0041\udcff\0z"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", r"a\nb"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b2J", r"\x9b2J"),
        ("abc\u202etxt.exe", r"abc\u202etxt.exe"),
        ("\u2066a\u2069", r"\u2066a\u2069"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\U000e0041", r"\U000e0041"),
        ("\udcff.yaml", r"\udcff.yaml"),
        ("::error::x", r"\x3a:error::x"),
        ("  ::error::x", r"  \x3a:error::x"),
        ("a::error::x", "a::error::x"),
        ("a ##[error]x", r"a \x23#[error]x"),
        ("##vso[task.setvariable]x", r"\x23#vso[task.setvariable]x"),
        ("Pod gpu/olläma 日本 😀 #1 ##", "Pod gpu/olläma 日本 😀 #1 ##"),
    ],
)
def test_what_would_be_obeyed_is_an_escape(text, expected):
    assert printable(text) == expected


@given(st.text(st.characters()))
def test_no_control_character_and_no_half_of_a_pair_is_left(text):
    shown = printable(text)

    assert not [character for character in shown if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")]
    assert shown.encode().decode() == shown


def test_json_has_its_own_escapes_and_the_same_text():
    written = json_text([HOSTILE.replace("\udcff", "")])

    assert json.loads(written) == [HOSTILE.replace("\udcff", "")]
    assert printable(written.replace("\n", "")) == written.replace("\n", "")


def test_half_of_a_pair_is_written_so_that_every_reader_of_json_takes_it():
    written = json_text({"file": "a\udcff\ud83d.yaml"})

    assert written.encode()
    assert json.loads(written) == {"file": "a\\udcff\\ud83d.yaml"}
    assert r'"a\\udcff' in written


@given(st.lists(st.recursive(st.none() | st.text() | st.just("[]"), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))))
def test_json_in_parts_is_the_json_of_the_whole(items):
    before = {"a": ["[]", []], "b": {"c": 1}}

    assert "".join(json_parts({**before, "runs": [{"results": []}]}, items)) == json_text({**before, "runs": [{"results": items}]})
    assert "".join(json_parts({**before, "findings": []}, items)) == json_text({**before, "findings": items})


def test_json_in_parts_has_a_part_for_each_item():
    assert len(list(json_parts({"a": []}, range(100)))) == 102
