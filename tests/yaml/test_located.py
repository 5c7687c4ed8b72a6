import json
import tracemalloc

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.documents import documents
from constructs_lib.yaml.load import documents as plain_documents
from constructs_lib.yaml.located import REPLACES, Map, place_of, steps_of, traced
from unknowns import plain

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4), max_leaves=20
)


def read(text, **rest):
    """The values of the documents of a text, which is read without a fault."""
    found, skipped = documents(text, "a.yaml", **rest)
    assert skipped == []
    return [each.value for each in found]


def one(text, **rest):
    (value,) = read(text, **rest)
    return value


def reasons(text):
    return [(each.line, each.reason) for each in documents(text, "a.yaml")[1]]


def line(text, *path):
    (document,) = documents(text, "a.yaml")[0]
    return place_of(document.value, path, document.place)[1]


@given(values)
def test_values_are_what_kubernetes_reads(value):
    # Of what something else fills in, the text.
    text = yaml.safe_dump({"value": value}, allow_unicode=True)
    assert plain(one(text)["value"]) == json.loads(json.dumps(next(plain_documents(text))["value"]))


@given(values)
def test_json_is_yaml(value):
    assert json.loads(json.dumps(plain(one(json.dumps({"value": value}))["value"]))) == json.loads(json.dumps(value))


def assert_read_or_told(text):
    """Each document, and each that is none, at a line of the text."""
    for template in (False, True):
        found, skipped = documents(text, "a.yaml", template=template)
        lines = [*(each.place[1] for each in found), *(each.line for each in skipped)]
        assert all(1 <= line <= len(text.splitlines()) + 1 for line in lines)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_no_text_is_a_crash(text):
    assert_read_or_told(text)


@given(st.text("{}[]:-,&*!|>%#?'\"\n $@`ab1~<", max_size=60))
def test_no_text_of_yamls_own_marks_is_a_crash(text):
    assert_read_or_told(text)


LINES = """\
apiVersion: v1
metadata:
  name: x
  labels: {a: b,
    c: d}
spec:
- one
-
  two: 2
  three:
    - 3
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), 1),
        (("apiVersion",), 1),
        (("metadata", "name"), 3),
        (("metadata", "labels", "a"), 4),
        (("metadata", "labels", "c"), 5),
        (("spec",), 6),
        (("spec", 0), 7),
        (("spec", 1), 9),
        (("spec", 1, "two"), 9),
        (("spec", 1, "three", 0), 11),
        (("spec", -1, "three", 0), 11),
    ],
)
def test_every_value_knows_its_line(path, expected):
    assert line(LINES, *path) == expected


@pytest.mark.parametrize(
    ("path", "expected"), [(("metadata", "annotations", "x"), 2), (("spec", 7), 6), (("spec", "x"), 6), (("status",), 1)]
)
def test_a_value_that_is_not_there_has_the_line_of_what_is_around_it(path, expected):
    assert line(LINES, *path) == expected


def test_lines_go_on_in_the_next_document():
    found, _ = documents("# a\n\na: 1\n---\n\nb: 2\n--- \nc: 3\n", "a.yaml")
    assert [(each.value, each.place) for each in found] == [({"a": 1}, ("a.yaml", 3)), ({"b": 2}, ("a.yaml", 6)), ({"c": 3}, ("a.yaml", 8))]


@pytest.mark.parametrize("text", ["", "\n", "---\n", "---\n---\n", "# only this\n", "---\n# and this\n---\n"])
def test_nothing_is_no_document(text):
    assert [each for each in read(text) if each is not None] == []


@pytest.mark.parametrize(
    "written",
    ["${TAG}", "a${TAG}b", "${TAG:=1}", "'{{ x }}'", "{{ x }}", "{{ x | default 1 }}", '{{ include "a" (dict "b" 1) }}', "'{% if x %}1'", "'#{ x }#'",
     "ENC[AES256_GCM,data:x]", "op://vault/item", "'<path:secret#key>'", "'x {{ y'", "!vault secret", "!Ref x"],
)  # fmt: skip
def test_what_others_fill_in_is_unknown(written):
    value = one(f"value: {written}")["value"]
    assert isinstance(value, Unknown)


@pytest.mark.parametrize("written", ["TAG", "$(TAG)", "$TAG", "{a: b}", "'{ {x} }'", "#x", "ENC", "'%'", "!!str x"])
def test_what_nobody_fills_in_is_known(written):
    assert not isinstance(one(f"value: {written}")["value"], Unknown)


def test_an_unknown_keeps_its_text():
    assert plain(one("a: {{ .Values.tag }}\nb: x:${TAG}")) == {"a": "{{ .Values.tag }}", "b": "x:${TAG}"}


def test_a_template_in_flow_style_is_unknown():
    value = one("a: [{{ b }}, 1]\nc: {d: {{ e }}}")
    assert plain(value) == {"a": ["{{ b }}", 1], "c": {"d": "{{ e }}"}}
    assert isinstance(value["a"][0], Unknown)
    assert isinstance(value["c"]["d"], Unknown)


def test_flow_style_with_a_comma_too_many_is_read():
    assert one("{a: [1, 2,], b: {c: d,},}") == {"a": [1, 2], "b": {"c": "d"}}


def test_a_fault_is_said_with_its_line_and_the_other_documents_are_read():
    text = "a: 1\n---\nb: 2\nc: [\n---\nd: 4\n"
    assert [each.value for each in documents(text, "a.yaml")[0]] == [{"a": 1}, {"d": 4}]
    assert reasons(text) == [(5, "not YAML: did not find expected node content")]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a: 1\n\tb: 2", 2, "not YAML: found a tab character that violates indentation"),
        ("a: b: c", 1, "not YAML: mapping values are not allowed in this context"),
        ("x: 1\na: *b", 2, "not YAML: an alias has no anchor before it"),
        ("a: &a [*a]", 1, "not YAML: an alias has no anchor before it"),
        ("a: {{ x }}-y\n- b", 2, "a template that is not YAML before it is rendered: did not find expected key"),
    ],
)
def test_what_is_no_yaml_is_skipped(text, line, reason):
    assert reasons(text) == [(line, reason)]


@pytest.mark.parametrize("opening", ["[", "- ", "? ", "{a: "])
@pytest.mark.parametrize("depth", [200, 100_000])
def test_what_is_nested_without_end_is_skipped_at_once(opening, depth):
    # libyaml's composer takes the interpreter with it.
    found, skipped = documents(opening * depth, "a.yaml")
    assert found == []
    assert len(skipped) == 1


def test_nested_as_deep_as_anything_is_read():
    assert one("[" * 99 + "]" * 99) is not None


def test_aliases_are_read():
    assert one("a: &x {b: 1}\nc: *x\nd: &y z\ne: *y") == {"a": {"b": 1}, "c": {"b": 1}, "d": "z", "e": "z"}


def test_aliases_that_grow_without_end_are_skipped():
    text = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    assert reasons(text)[0][1] == "not YAML: the aliases expand to more than 2000000 values"


def test_merged_keys_give_way_to_written_ones():
    value = one("base: &base {a: 1, b: 2}\nmore: &more {c: 3, a: 9}\nx:\n  b: 4\n  <<: *base\ny:\n  <<: [*base, *more]\n  d: 5\n")
    assert value["x"] == {"a": 1, "b": 4}
    assert value["y"] == {"a": 1, "b": 2, "c": 3, "d": 5}


def test_a_merged_key_has_its_own_line():
    assert line("base: &base\n  a: 1\nx:\n  <<: *base\n", "x", "a") == 2


@pytest.mark.parametrize(
    ("written", "key"), [("1", "1"), ("true", "true"), ("yes", "true"), ("~", "null"), ("1.5", "1.5"), ("'1'", "1"), ("a b", "a b")]
)
def test_keys_are_strings_as_in_json(written, key):
    assert one(f"{written}: x") == {key: "x"}


def test_a_key_that_is_no_scalar_is_left_out():
    assert one("? [a]\n: b\nc: d") == {"c": "d"}


def test_the_last_of_equal_keys_counts():
    assert one("a: 1\nb: 2\na: 3") == {"a": 3, "b": 2}
    assert line("a: 1\nb: 2\na: 3", "a") == 3


def test_a_mapping_that_a_program_made_has_no_places():
    assert place_of({"a": Map({"b": 1})}, ("a", "b"), ("f", 7)) == ("f", 7)


@pytest.mark.parametrize("text", ["\x00", "a: \x01", "\ud800"])
def test_characters_that_no_yaml_has_are_skipped(text):
    found, skipped = documents(text, "a.yaml")
    assert found == []
    assert skipped[0].reason.startswith("not YAML: ")


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, "1." + "0" * 5000, "1e999", "!!int abc"])
def test_a_number_without_end_is_text(digits):
    assert one(f"replicas: {digits}") == {"replicas": digits.removeprefix("!!int ")}


def test_a_pod_takes_little_memory():
    def size(pods):
        text = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec: {containers: [{name: c, image: a}]}\n" * pods
        documents(text, "a.yaml")
        tracemalloc.start()
        found, _ = documents(text, "a.yaml")
        current, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(found) == pods
        return current

    assert (size(1000) - size(200)) / 800 < 1800


def test_a_place_remembers_the_places_by_which_a_value_came_the_nearest_first():
    base, patch, overlay = ("base.yaml", 3), ("patch.yaml", 5), ("overlay.yaml", 7)
    place = traced(overlay, traced(patch, base))

    assert place == overlay
    assert steps_of(place) == ((REPLACES, patch), (REPLACES, base))
    assert traced(base, ("", 0)) is traced(base, base) is base
    assert steps_of(base) == steps_of((None, None)) == ()


def test_a_place_remembers_few_places_of_many():
    place = ("0.yaml", 1)
    for number in range(1, 1_000):
        place = traced((f"{number}.yaml", 1), place)

    assert [where for _, where in steps_of(place)] == [(f"{number}.yaml", 1) for number in range(998, 988, -1)]
