"""The places of values: the documents of a line, and literal blocks that can be written back."""

import pytest

from constructs_lib.checks.fixes.pending_changes import NotEditedError
from constructs_lib.checks.fixes.yaml_places import Draft, Part, block_of, is_same

TEXT = "a: 1\n---\nb:\n  c: |\n    d: 2\n    e: 3\n"


def test_a_line_in_a_literal_block_is_in_two_documents():
    draft = Draft(TEXT)

    assert [part.text for part in draft.parts_at(6)] == ["---\nb:\n  c: |\n    d: 2\n    e: 3\n", "d: 2\ne: 3\n"]
    assert [part.line for part in draft.parts_at(6)] == [2, 5]
    assert [part.text for part in draft.parts_at(1)] == ["a: 1\n"]
    assert (draft.parts_at(0), draft.parts_at(7)) == ([], [])


def test_a_document_is_composed_once():
    draft = Draft(TEXT)

    assert draft.parts_at(5)[0] is draft.parts_at(3)[0]
    assert draft.parts_at(5)[1] is draft.parts_at(6)[1]


def test_a_script_in_a_literal_block_is_no_document():
    assert len(Draft("a: |\n  if [ x ]; then: {\n  b: [\n").parts_at(2)) == 1


def test_a_line_with_very_many_values_is_not_searched():
    (part,) = Draft(f"a: [{'1, ' * 1001}]\nb: 1\n").parts_at(1)

    with pytest.raises(NotEditedError, match="more than 1000 values: write each value on a line of its own"):
        part.spots_at(1)
    assert [spot.path for spot in part.spots_at(2)] == [("b",)]


@pytest.mark.parametrize(
    ("block", "is_one"), [("|\n  b\n", True), ("|-\n\n  b\n", True), (">\n  b\n", False), ("|2\n  b\n", False), ("'b'\n", False)]
)
def test_only_a_plain_literal_block_is_written_back(block, is_one):
    part = Part(f"a: {block}", 1)
    node = part.of_paths["a",].node

    assert (block_of(part, node) is not None) is is_one


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
    node = Part(f"a: {text}\n", 1).of_paths["a",].node

    assert is_same(node, value) is answer
