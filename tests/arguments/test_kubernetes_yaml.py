import pytest
import yaml

from constructs_lib.yaml.kubernetes_yaml import documents, repeated_key


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


def test_a_tag_that_runs_python_is_refused():
    with pytest.raises(yaml.YAMLError, match="could not determine a constructor"):
        list(documents("a: !!python/object/apply:os.getcwd []\n"))


def test_pyyaml_itself_is_left_as_it_was():
    assert yaml.safe_load("22:22") == 1342
    assert str(yaml.safe_load("2024-01-01").year) == "2024"


@pytest.mark.parametrize("opening", ["[", "- ", "? ", "{a: "])
@pytest.mark.parametrize("read", [lambda text: list(documents(text)), repeated_key])
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
