"""The limits of handwritten YAML: depth, and the values behind aliases."""

import pytest
import yaml

from constructs_lib.yaml.limits import DEEPEST, LARGEST, check_limits

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10))


@pytest.mark.parametrize("text", ["", "a: 1", "[" * DEEPEST + "]" * DEEPEST, "a: &a {b: 1}\nc: *a\n---\n- d", "&a [*a]"])
def test_what_somebody_writes_is_within_the_limits(text):
    assert check_limits(text) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, f"nested deeper than {DEEPEST} levels"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"nested deeper than {DEEPEST} levels"),
        ("- " * (DEEPEST + 1) + "a", f"nested deeper than {DEEPEST} levels"),
        ("[{a: " * 60 + "1" + "}]" * 60, f"nested deeper than {DEEPEST} levels"),
        (LAUGHS, f"more than {LARGEST} values"),
        ("a: *b", "an alias has no anchor"),
        ("- a\n" * (LARGEST + 1), f"more than {LARGEST} values"),
    ],
)  # fmt: skip
def test_what_a_composer_would_not_survive_is_an_error(text, problem):
    with pytest.raises(yaml.MarkedYAMLError) as error:
        check_limits(text)
    assert error.value.problem == problem
