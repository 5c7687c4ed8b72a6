"""The places of values: the documents of a line, and literal blocks that can be written back."""

import pytest

from constructs_lib.checks.fixes.yaml_places import ABSENT, Part, block_of, check_changed, is_same, parts, spots

TEXT = "a: 1\n---\nb:\n  c: |\n    d: 2\n    e: 3\n"


def test_a_line_in_a_literal_block_is_in_two_documents():
    assert [part.text for part in parts(TEXT, 6)] == ["---\nb:\n  c: |\n    d: 2\n    e: 3\n", "d: 2\ne: 3\n"]
    assert [part.line for part in parts(TEXT, 6)] == [2, 5]
    assert [part.text for part in parts(TEXT, 1)] == ["a: 1\n"]


def test_a_new_text_of_a_document_is_written_into_the_whole():
    outer, inner = parts(TEXT, 6)

    assert outer.write("---\nz: 1\n") == "a: 1\n---\nz: 1\n"
    assert inner.write("d: 2\ne: 4\nf: 5\n") == TEXT.replace("e: 3\n", "e: 4\n    f: 5\n")


def test_a_script_in_a_literal_block_is_no_document():
    assert len([*parts("a: |\n  if [ x ]; then: {\n  b: [\n", 2)]) == 1


@pytest.mark.parametrize(
    ("block", "is_one"), [("|\n  b\n", True), ("|-\n\n  b\n", True), (">\n  b\n", False), ("|2\n  b\n", False), ("'b'\n", False)]
)
def test_only_a_plain_literal_block_is_written_back(block, is_one):
    part = Part(f"a: {block}", 1, str)
    node = next(spot.node for spot in spots(part) if spot.path == ("a",))

    assert (block_of(part, node) is not None) is is_one


def test_another_change_than_the_asked_one_is_refused():
    check_changed("a: 1\nb: 2\n", "a: 1\nb: 3\n", ("b",), 3)
    check_changed("a: 1\nb: 2\n", "a: 1\n", ("b",), ABSENT)
    for new in ("a: 2\nb: 3\n", "a: 1\nb: '3'\n", "b: 3\na: 1\n", "a: 1\nb: 3\nc: 1\n"):
        with pytest.raises(ValueError, match="other values"):
            check_changed("a: 1\nb: 2\n", new, ("b",), 3)


@pytest.mark.parametrize(
    ("text", "value", "answer"),
    [
        ("1", 1, True),
        ("1", "1", False),
        ("'1'", "1", True),
        ("true", True, True),
        ("1", True, False),
        ("", None, True),
        ("2024-01-01", "2024-01-01", True),
    ],
)
def test_a_scalar_is_the_same_only_with_its_type(text, value, answer):
    node = next(spot.node for spot in spots(Part(f"a: {text}\n", 1, str)) if spot.path == ("a",))

    assert is_same(node, value) is answer
