"""docs/terminal-*.svg: sessions of the real command as pictures."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytest.importorskip("pty", reason="a terminal for a program is a part of Linux and macOS")
sys.path.insert(0, f"{ROOT}")

from tools import terminal_picture  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def lines(svg):
    return ["".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("path", terminal_picture.SESSIONS, ids=lambda path: path.stem)
def test_a_picture_in_the_docs_is_what_the_command_prints_today(path):
    assert path.read_text(encoding="utf-8") == terminal_picture.session_picture(terminal_picture.SESSIONS[path])


@pytest.mark.parametrize("path", terminal_picture.SESSIONS, ids=lambda path: path.stem)
def test_the_lines_of_a_picture_fit_into_the_terminal_and_are_text_without_a_script(path):
    svg = path.read_text(encoding="utf-8")
    kinds = {element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()}

    assert kinds == {"svg", "title", "rect", "path", "circle", "text", "tspan"}
    assert max(map(len, lines(svg))) <= terminal_picture.COLUMNS
    assert "\x1b" not in svg


@pytest.mark.parametrize("path", terminal_picture.SESSIONS, ids=lambda path: path.stem)
def test_a_page_of_the_docs_shows_the_picture(path):
    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"]({path.name})" in page.read_text()]


def test_a_line_longer_than_the_terminal_goes_on_in_the_next_row_in_its_style():
    one, two = terminal_picture.rows(f"\x1b[38;5;196m{'a' * 90}\x1b[0m{'b' * 20}")

    assert [(run.column, len(run.text), "ff7b72" in run.styles) for run in one] == [(0, 90, True), (90, 10, False)]
    assert [(run.column, run.text) for run in two] == [(0, "b" * 10)]


def test_more_lines_than_are_shown_end_in_an_ellipsis():
    session = next(iter(terminal_picture.SESSIONS.values()))._replace(lines=3)

    shown = lines(terminal_picture.session_picture(session))
    assert shown[0] == f"$ {session.command}"
    assert shown[-1] == "…"
    assert len(shown) <= 5


def test_text_of_the_command_never_becomes_a_part_of_the_picture():
    assert lines(terminal_picture.picture(["<script>alert(1)</script> & more"], "<title>")) == ["<script>alert(1)</script> & more"]


def test_a_command_that_ends_otherwise_than_expected_is_an_error():
    session = next(iter(terminal_picture.SESSIONS.values()))._replace(status=0)

    with pytest.raises(ValueError, match="ended with the status 1, not 0"):
        terminal_picture.output(session)
