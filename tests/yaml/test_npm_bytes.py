"""The printer writes the bytes that cdk8s writes: random values, and texts that YAML could read as another value."""

import json
import math

import pytest
from cdk8s import Yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.yaml import npm_bytes as npm_yaml

ODD = (
    "", "yes", "Off", "1e3", "0x1f", "012", "08", "0o17", "1_000", "1.0", ".5", ".", "-", "+", "-1", "null", "~", "2026-11-22", "2026-1-2 3:4:5", "12:30:00", "1:30.5",
    "${HOST}", "{{ .Values.host }}", "a: b", "a:b", "a:", ":a", " x ", "x ", "#", "a #b", "a#b", "=", "<<", "é\n", "%a", "---", "...", "- a", "-a", "? a", "?a", "'",
    '"', "it's", 'say "a"', "'\"", "\t", "a\tb", "a\t", "\na", "a\n", "a\nb", "a\nb\n", "a\n\n", "a\n \n", "a \nb", " a\nb", "\n a", "a\n b\n\n\n", "\n\n", "\n", " \n",
    "a\r\nb", "\x00", "\x07\x1b\x0b", "\x7f", "\x85", "a\u2028b", "\u2029---", "\U0001f600", "a" * 50 + "\n\n b \nc\x00\n", "a\n---\nb", "%\n%", "a\n\tb", "x" * 1030, "é" * 520,
    "a, b", "[a]", "{a}", "a]", "*a", "&a", "!a", "|", ">", "@a", "`a", "y", "N", ".inf", "-.INF", ".NaN", "0b1", "-0b_", "+12e03", "1e", "e3", "nil", "True", "TRUE", "tRUE",
)  # fmt: skip
texts = st.text(max_size=12) | st.text(st.sampled_from("ab \n\t'\"\\:#-%.~01ey\x00\x1b\u2028é"), max_size=60) | st.sampled_from(ODD)
plain_texts = texts.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: number != 0 or math.copysign(1, number) > 0
)
# jsii's kernel takes a mapping with `$jsii` for a reference, and JavaScript `__proto__` for the object's class.
keys = plain_texts.filter(lambda key: "$jsii" not in key and key != "__proto__")
values = st.recursive(
    plain_texts | numbers | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=drawn(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.dictionaries(keys, values, max_size=4), max_size=3))
def test_random_documents_have_the_bytes_of_cdk8s(documents):
    written = json.loads(json.dumps(documents))

    assert npm_yaml.stream(written) == Yaml.stringify(*written)


def test_an_odd_text_has_the_bytes_of_cdk8s_as_a_key_a_value_and_an_item():
    documents = {text: {text: text, "inner": {text: [text, {text: text}, [text, [text]]]}} for text in ODD}

    assert [text for text, document in documents.items() if npm_yaml.stream([document]) != Yaml.stringify(document)] == []


@pytest.mark.parametrize(
    "number", [0, -1, 0.1, 1.0, 1e16, 1e21, 123456789012345680000.0, 1e-6, 1e-7, 1.5e-7, 2**53 + 1, 10**25, -2.5e30, 5e-324]
)
def test_a_number_is_written_as_javascript_writes_it(number):
    assert npm_yaml.stream([{"a": number}]) == Yaml.stringify({"a": number})


def test_keys_that_are_array_indexes_come_first():
    document = {"b": 1, "10": 2, "9": 3, "01": 4, "4294967295": 5, "4294967294": 6}

    assert npm_yaml.stream([document]) == Yaml.stringify(document)
