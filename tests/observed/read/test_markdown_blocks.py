"""The fenced code blocks of a page, by the rules of CommonMark: https://spec.commonmark.org/0.31.2/#fenced-code-blocks (2026-11-22)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.observed.read.markdown.blocks import Block, blocks


def texts(page):
    return [each.text for each in blocks(page)]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_a_block_has_its_language_its_text_and_the_line_of_its_beginning(fence):
    assert list(blocks(f"# Title\n\n{fence}YAML linenums\na: 1\n\nb: 2\n{fence}\nend\n")) == [Block("yaml", "", "a: 1\n\nb: 2\n", 4)]


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("````yaml\n```\na: 1\n```\n````", "```\na: 1\n```\n"),
        ("~~~yaml\n```\na: 1\n~~~", "```\na: 1\n"),
        ("```yaml\na: |\n    ```\n```", "a: |\n    ```\n"),
        ("```yaml\na: 1\n``` yaml\n```", "a: 1\n``` yaml\n"),
        ("```yaml\na: 1\n`````", "a: 1\n"),
    ],
    ids=["shorter", "other", "indented", "with words", "longer"],
)
def test_only_an_equal_or_longer_fence_of_the_same_marks_ends_a_block(inner, text):
    assert texts(f"{inner}\nafter\n") == [text]


@pytest.mark.parametrize(
    "page",
    [
        "1. First\n\n   ```yaml\n   a:\n     b: 1\n   ```\n",
        "- ```yaml\n  a:\n    b: 1\n  ```\n",
        "10. > ```yaml\n    > a:\n    >   b: 1\n    > ```\n",
        "> ```yaml\n>a:\n>   b: 1\n> ```\n",
        "\t```yaml\n\ta:\n\t  b: 1\n\t```\n",
        "```yaml\r\na:\r\n  b: 1\r\n```\r\n",
    ],
    ids=["list", "item", "quotation in a list", "quotation", "tab", "CRLF"],
)
def test_a_block_loses_what_stands_around_it(page):
    assert texts(page) == ["a:\n  b: 1\n"]


def test_a_block_ends_with_its_quotation_and_a_new_one_may_begin_there():
    assert texts("> ```yaml\n> a: 1\n```yaml\nb: 2\n```\n") == ["a: 1\n", "b: 2\n"]


def test_a_block_without_an_end_goes_to_the_end_of_the_page():
    assert texts("```yaml\na: 1\nb: 2") == ["a: 1\nb: 2\n"]


def test_a_block_in_an_html_comment_is_none():
    assert texts("<!--\n```yaml\na: 1\n```\n-->\n<!-- note -->\n```yaml\nb: 2\n```\n") == ["b: 2\n"]


def test_an_html_comment_begins_with_its_line():
    skipped = []
    found = list(
        blocks("End it with `<!--`.\n```yaml\na: 1\n```\n> <!-- note -->\n```yaml\nb: 2\n```\n", lambda *given: skipped.append(given))
    )
    assert ([each.text for each in found], skipped) == (["a: 1\n", "b: 2\n"], [])


def test_an_html_comment_without_an_end_is_named_and_the_blocks_above_it_are_read():
    skipped = []
    found = list(blocks("```yaml\na: 1\n```\n\n  <!-- open\n```yaml\nb: 2\n```\n", lambda *given: skipped.append(given)))
    assert [each.text for each in found] == ["a: 1\n"]
    assert skipped == [("an HTML comment without an end, so the rest of the page is not read", 5)]


def test_code_in_a_line_is_no_block():
    assert texts("```a``` and ```b\nc\n") == []


@pytest.mark.parametrize(
    "page",
    [
        '```yaml title="gpu/values.yaml"\na: 1\n```\n',
        "```yaml\n# gpu/values.yaml\na: 1\n```\n",
        "Not `other.yaml`, but `gpu/values.yaml`:\n\n```yaml\na: 1\n```\n",
    ],
    ids=["beside the fence", "first comment", "line above"],
)
def test_a_block_has_the_file_name_that_the_page_gives(page):
    assert [each.name for each in blocks(page)] == ["gpu/values.yaml"]


@given(st.text(alphabet="`~> \t-1.\na:\r<!", max_size=200))
def test_every_text_is_a_page_and_every_block_lies_within(page):
    for each in blocks(page):
        assert 1 < each.line <= page.count("\n") + 2
