"""Text of strangers in Markdown and in Mermaid."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from constructs_lib.checks.formats.markdown_text import code, label, prose, table, titled_label, unlinked

HOSTILE = st.text(alphabet=st.sampled_from("a1 `|\\<>&\"'#[](){}*_~!-+.\n\r\t\x1b%:;@/=\u202e\u2028é"), max_size=80)


@given(HOSTILE)
def test_a_code_span_ends_where_it_should_and_its_text_stays_in_one_cell(text):
    span = code(text)
    fence = re.match("`+", span)[0]
    inside = span[len(fence) : -len(fence)]

    assert span.endswith(fence)
    assert fence not in re.findall("`+", inside)
    assert not re.search(r"(?<!\\)\|", inside)
    assert len(span.splitlines()) == 1


@given(HOSTILE)
def test_prose_has_no_mark_that_markdown_or_html_obeys(text):
    shown = prose(text)

    assert not re.search(r"(?<!\\)(\\\\)*[`*_{}\[\]|~#!]", shown)
    assert "<" not in shown
    assert len(shown.splitlines()) <= 1


def test_unlinked_prose_has_no_start_of_a_mention_a_reference_or_a_link():
    text = "@everyone a@b.test http://evil.test WWW.evil.test #12 gh-12"
    expected = "@|everyone a@|b.test http:|//evil.test WWW|.evil.test \\#|12 gh-|12"

    assert unlinked(text) == expected.replace("|", "\u200b")


@given(HOSTILE)
@example("1111111111111111-\x1b\x1b\u2028\u2028")
def test_a_label_of_a_diagram_has_no_character_that_mermaid_obeys(text):
    shown = label(text)

    assert shown[0] == shown[-1] == '"'
    for line in shown[1:-1].split("<br>"):
        assert re.fullmatch(r"(#\d+;|[^\W]|[ _/:=,()+\-@%*.?…])*", line)
        assert not re.search(r"\. |^[-*+]", line)


def test_a_label_is_short_and_its_lines_are_below_each_other():
    assert label("a" * 60, "", "b") == f'"{"a" * 55}…<br>b"'
    assert titled_label("<a>", "b", "", "c") == '"<b>#60;a#62;</b><br>b<br>c"'
    assert titled_label("a") == '"<b>a</b>"'


def test_dollar_signs_in_a_label_start_no_formula():
    assert label("$$a$$") == '"#36;#8203;#36;a#36;#8203;#36;"'


def test_a_table_without_rows_is_none():
    assert table(("a", "b"), []) == []
    assert table(("a", "b"), [("1", "2")]) == ["| a | b |", "|---|---|", "| 1 | 2 |"]
