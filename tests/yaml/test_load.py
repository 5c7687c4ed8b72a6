"""The one loader: types as Kubernetes', limits, and what is no YAML."""

import json
import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.yaml.load import LARGEST, complaint, documents, handwritten, loaded, located, without_pairs
from constructs_lib.yaml.located import DEEPEST
from constructs_lib.yaml.splice import compose


def read(value):
    """What a plain scalar of YAML is read as."""
    (found,) = documents(f"value: {value}\n")
    return found["value"]


def same(found, expected):
    """Equal and of one type: 1 is not True, nor 1.0."""
    return (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    "written",
    ["2024-01-01", "2024-01-01T00:00:00Z", "2024-1-1 1:1:1", "22:22", "1:20:30", "190:20:30.15", "1.2.3", "v1", "1e", "e3", "0o8", "0x", "0b2",
     ".", "+", "y", "n", "Y", "N", "nvidia.com/gpu", "1Gi", "500m", "12h", "=", "=~"],
)  # fmt: skip
def test_stays_a_string(written):
    assert same(read(written), written)


@pytest.mark.parametrize(
    ("written", "number"),
    [("0", 0), ("-1", -1), ("+1", 1), ("0644", 420), ("0o644", 420), ("010", 8), ("00", 0), ("0x1F", 31), ("0b11", 3), ("1_000", 1000),
     ("9007199254740991", 2**53 - 1)],
)  # fmt: skip
def test_is_a_whole_number(written, number):
    assert same(read(written), number)


@pytest.mark.parametrize(
    ("written", "number"),
    [("1e3", 1000.0), ("1E3", 1000.0), ("1e-3", 0.001), ("1.5e3", 1500.0), ("1.5e+3", 1500.0), ("12e03", 12000.0), (".5", 0.5), ("-.5", -0.5),
     ("5.", 5.0), ("1.0", 1.0), ("08", 8.0), ("-09", -9.0), ("019", 19.0), ("08.5", 8.5)],
)  # fmt: skip
def test_is_a_fraction(written, number):
    # Digits that are no octal number too, as go-yaml reads them.
    assert same(read(written), number)


@pytest.mark.parametrize("written", ["yes", "Yes", "YES", "on", "true", "True", "TRUE"])
def test_is_true_as_in_yaml_1_1(written):
    assert read(written) is True


@pytest.mark.parametrize("written", ["no", "No", "NO", "off", "false", "False", "FALSE"])
def test_is_false_as_in_yaml_1_1(written):
    assert read(written) is False


@pytest.mark.parametrize("written", ["", "~", "null", "Null", "NULL"])
def test_is_nothing(written):
    assert read(written) is None


@pytest.mark.parametrize("written", ["0644", "22:22", "yes", "null", "1e3", "2024-01-01", ""])
def test_quotes_make_a_string_of_anything(written):
    assert same(read(f'"{written}"'), written)
    assert same(read(f"'{written}'"), written)


def test_an_equals_sign_is_a_word_as_in_the_enums_of_crds():
    assert list(documents("enum: [=, =~, '!=']\n=: a\n")) == [{"enum": ["=", "=~", "!="], "=": "a"}]


def test_a_tag_of_the_users_own_wins():
    assert same(read("!!str 0644"), "0644")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("---\n", []),
        ("# only a comment\n", []),
        ("---\n---\na: 1\n---\n# nothing\n---\nnull\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("a: 1\n...\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("{}\n---\na: 1\n", [{}, {"a": 1}]),
    ],
)
def test_documents_come_in_order_and_empty_ones_are_left_out(text, expected):
    assert list(documents(text)) == expected


def test_anchors_and_merge_keys_are_followed():
    (found,) = documents("base: &base {a: 1}\nalias: *base\nmerged: {<<: *base, b: 2}\n")

    assert found == {"base": {"a": 1}, "alias": {"a": 1}, "merged": {"a": 1, "b": 2}}


def test_a_block_keeps_its_lines():
    (found,) = documents("script: |\n  a: 22:22\n  b\n")

    assert found == {"script": "a: 22:22\nb\n"}


@pytest.mark.parametrize("dash", ["", "  "], ids=["kubectl", "talosctl"])
def test_what_a_printer_of_kubernetes_or_talos_writes_is_read(dash):
    text = f"""\
kind: Pod
metadata:
  creationTimestamp: "2026-11-20T10:00:00Z"
  updated: 2026-11-22T09:58:07Z
spec:
  containers:
  {dash}- args:
    {dash}- --port=8080
    {dash}command: []
  volumes: null
message: '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.
  preemption: no'
"""

    assert list(documents(text)) == [
        {
            "kind": "Pod",
            "metadata": {"creationTimestamp": "2026-11-20T10:00:00Z", "updated": "2026-11-22T09:58:07Z"},
            "spec": {"containers": [{"args": ["--port=8080"], "command": []}], "volumes": None},
            "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: no",
        }
    ]


def test_a_tag_that_runs_python_is_refused():
    with pytest.raises(yaml.YAMLError, match="could not determine a constructor"):
        list(documents("a: !!python/object/apply:os.getcwd []\n"))


def test_pyyaml_itself_is_left_as_it_was():
    assert yaml.safe_load("22:22") == 1342
    assert str(yaml.safe_load("2024-01-01").year) == "2024"


@pytest.mark.parametrize("opening", ["[", "- ", "? ", "{a: "])
@pytest.mark.parametrize("read", [documents, handwritten, lambda text: located(text, "a.yaml"), compose])
def test_nesting_without_end_is_a_yaml_error(opening, read):
    with pytest.raises(yaml.YAMLError, match="nested deeper than 100 levels"):
        read(opening * 100_000)


def test_a_hundred_levels_are_read():
    assert len(list(documents("[" * 100 + "]" * 100))) == 1


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, "1." + "0" * 5000, "-" + "1" * 1000])
def test_a_number_of_thousands_of_digits_is_text(digits):
    assert list(documents(f"a: {digits}")) == [{"a": digits}]


@pytest.mark.parametrize("written", ["!!int abc", "!!float abc"])
def test_a_number_that_is_none_is_a_yaml_error(written):
    with pytest.raises(yaml.YAMLError, match="the value is no"):
        list(documents(f"a: {written}"))


WRONG_TAGS = [
    "!!int ''",
    "!!int x",
    "!!int []",
    "!!int '0x'",
    "!!int '1:2:'",
    "!!float _",
    "!!bool x",
    "!!bool {}",
    "!!timestamp x",
    "!!timestamp 2024-13-45",
]


@pytest.mark.parametrize("value", WRONG_TAGS)
def test_a_tag_before_another_kind_of_value_is_a_yaml_error(value):
    with pytest.raises(yaml.YAMLError):
        list(documents(f"a: {value}"))


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10))


@pytest.mark.parametrize("text", ["", "a: 1", "[" * DEEPEST + "]" * DEEPEST, "a: &a {b: 1}\nc: *a\n---\n- d"])
def test_what_somebody_writes_is_within_the_limits(text):
    assert handwritten(text) is not None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, f"nested deeper than {DEEPEST} levels"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"nested deeper than {DEEPEST} levels"),
        ("- " * (DEEPEST + 1) + "a", f"nested deeper than {DEEPEST} levels"),
        ("[{a: " * 60 + "1" + "}]" * 60, f"nested deeper than {DEEPEST} levels"),
        (LAUGHS, f"the aliases expand to more than {LARGEST} values"),
        ("a: *b", "an alias has no anchor before it"),
        ("&a [*a]", "an alias has no anchor before it"),
        ("- a\n" * (LARGEST + 1), f"more than {LARGEST} values"),
    ],
)  # fmt: skip
def test_what_a_composer_would_not_survive_is_an_error(text, problem):
    with pytest.raises(yaml.MarkedYAMLError) as error:
        handwritten(text)
    assert error.value.problem == problem


def test_a_key_that_stands_twice_is_refused_with_both_lines():
    with pytest.raises(yaml.YAMLError) as error:
        handwritten("a: 1\nb:\n  c: 1\n  c: 2\n")
    assert complaint(error.value) == "line 4, column 3: the key 'c' is in line 3, too"


def test_a_placeholder_is_a_text_where_no_other_tool_fills_it_in():
    assert [each.value for each in loaded("a: ${VAR}\n")] == [{"a": "${VAR}"}]


@pytest.mark.parametrize("text", ["? [a]\n: b", "{a: 1}: b"])
def test_a_key_that_is_no_scalar_is_a_yaml_error(text):
    with pytest.raises(yaml.YAMLError, match="a key is a list or a mapping"):
        loaded(text)


def test_only_a_mapping_is_merged():
    with pytest.raises(yaml.YAMLError, match="only mappings are merged"):
        loaded("a: {<<: 1}")


TEXT = "a \U0001f600\n\\ud83d\\ude00 \\\U0001f600 é"


@given(st.text(st.characters(codec="utf-8")))
def test_the_text_of_json_stays_the_same_and_has_no_pair(text):
    plain = without_pairs(json.dumps(text))

    assert json.loads(plain) == text
    assert json.loads(without_pairs(plain)) == text


@pytest.mark.parametrize("text", [r"\ud83d", r"\ude00\ud83d", r"\\ud83d\\ude00", r"é"])
def test_another_escape_stays(text):
    assert without_pairs(text) == text


def test_a_cluster_file_in_json_may_have_any_character():
    content = {"nodes": {"gpu": {"talos": "1.14.0"}}, "charts": {"a": {"objects": {"o": {"Object": {"kind": TEXT}}}}}}
    file = ClusterFile("fleet.json", json.dumps(content, indent=2))

    assert [description["charts"] for _, description in file.clusters()] == [content["charts"]]
    assert file.line(("charts", "a", "objects", "o")) == 10


def test_a_cluster_file_in_yaml_keeps_a_backslash_in_single_quotes():
    ((_, description),) = ClusterFile("fleet.yaml", "nodes: {gpu: {talos: 1.14.0, card: '\\ud83d\\ude00'}}\n").clusters()

    assert description["nodes"][0]["product"] == "\\ud83d\\ude00"


def test_a_manifest_in_json_may_have_any_character():
    (found,) = located(json.dumps({"a": TEXT}), "pod.json")

    assert dict(found.value) == {"a": TEXT}


def test_the_nodes_of_an_edit_are_the_same_without_libyaml():
    """As in a browser, where PyYAML is pure Python."""
    text = "a: &x [1]\nb: *x\n"
    code = (
        "import sys; sys.modules['yaml._yaml'] = None\n"
        "from constructs_lib.yaml.splice import compose\n"
        f"print([(value.start_mark.line, value.start_mark.column) for _, value in compose({text!r}).value])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert (
        done.stdout == f"{[(value.start_mark.line, value.start_mark.column) for _, value in compose(text).value]}\n" == "[(0, 3), (1, 3)]\n"
    )
