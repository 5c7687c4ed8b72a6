"""Draw sessions of a terminal into docs/*.svg: the real command runs in a terminal of 100 columns, and its colours and lines become text."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from constructs_lib.arguments import colours  # noqa: E402


class Run(NamedTuple):
    """Letters of one style in a row, from a column on."""

    column: int
    styles: str
    text: str


class Session(NamedTuple):
    """A command with the folder in which it runs, the exit status that it has to have, and the lines of its output that are shown."""

    folder: Path
    command: str
    status: int
    lines: int


SESSIONS = {
    ROOT / "docs" / "terminal-check.svg": Session(ROOT / "docs", "talos-gpu check example.yaml --talos 1.13", 1, 25),
    ROOT / "docs" / "terminal-doctor.svg": Session(
        ROOT / "tests" / "doctor" / "dumps" / "cdi-toolkit-missing", "talos-gpu doctor talos kubernetes", 1, 30
    ),
}

COLUMNS = 100
# The size of a letter, and of its cell: monospace letters are at most 0.61 of their size wide.
_SIZE, _CELL, _LINE, _EDGE, _BAR = 14, 8.5, 20, 16, 28
_BACKGROUND, _BAR_COLOR, _TEXT, _BUTTONS = "#0d1117", "#21262d", "#e6edf3", ("#ff5f57", "#febc2e", "#28c840")
_STYLES = {
    colours.BOLD: 'font-weight="bold"',
    colours.GREY: 'fill="#9198a1"',
    colours.RED: 'fill="#ff7b72"',
    colours.GREEN: 'fill="#56d364"',
    colours.ORANGE: 'fill="#e3b341"',
    colours.TEAL: 'fill="#76e3ea"',
}
_CODE = re.compile(r"38;5;\d+|\d+")
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


def session_picture(session: Session) -> str:
    """The session as an SVG."""
    prompt = f"\x1b[{colours.GREEN}m$\x1b[0m \x1b[1m{session.command}\x1b[0m"
    return picture([prompt, *_shown(output(session), session.lines)], session.command)


def output(session: Session) -> str:
    """What the command writes to a terminal."""
    words = session.command.split()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}", "COLUMNS": f"{COLUMNS}", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "constructs_lib", *words[1:]], cwd=session.folder, env=environment, stdout=theirs, stdin=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        written = b"".join(_chunks(ours))
    os.close(ours)
    if process.returncode != session.status:
        raise ValueError(f"{session.command} ended with the status {process.returncode}, not {session.status}")
    return written.decode().replace("\r\n", "\n")


def _chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # Linux reports the end of a terminal so
            return
        if not chunk:
            return
        yield chunk


def _shown(text: str, most: int) -> list[str]:
    lines = text.rstrip().split("\n")
    return lines if len(lines) <= most else [*lines[:most], f"\x1b[{colours.GREY}m…\x1b[0m"]


def rows(line: str) -> Iterator[list[Run]]:
    """The rows that a line with escapes for colours takes: a terminal goes on in the next row where a row is full."""
    row, column, styles = list[Run](), 0, ""
    for number, part in enumerate(_ESCAPE.split(line)):
        if number % 2:
            styles = "" if part in ("", "0") else " ".join(_STYLES[code] for code in _CODE.findall(part))
            continue
        for letter in part:
            if column == COLUMNS:
                yield row
                row, column = [], 0
            if row and row[-1].styles == styles:
                row[-1] = row[-1]._replace(text=row[-1].text + letter)
            else:
                row.append(Run(column, styles, letter))
            column += 1
    yield row


def picture(lines: list[str], title: str) -> str:
    """Lines with escapes for colours as an SVG."""
    shown = [row for line in lines for row in rows(line)]
    width, height = round(COLUMNS * _CELL) + 2 * _EDGE, _BAR + len(shown) * _LINE + 2 * _EDGE
    font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="{font}" font-size="{_SIZE}">'
    bar = [f'<circle cx="{_EDGE + 4 + 20 * number}" cy="{_BAR // 2 + 2}" r="6" fill="{color}"/>' for number, color in enumerate(_BUTTONS)]
    return (
        "\n".join(
            [
                head,
                f"<title>{escape(title)}</title>",
                f'<rect width="{width}" height="{height}" rx="8" fill="{_BACKGROUND}"/>',
                f'<path d="M0 8a8 8 0 0 1 8-8h{width - 16}a8 8 0 0 1 8 8v{_BAR - 4}h-{width}z" fill="{_BAR_COLOR}"/>',
                *bar,
                *(_drawn(row, _BAR + _EDGE + _LINE * number + _SIZE) for number, row in enumerate(shown) if row),
                "</svg>",
            ]
        )
        + "\n"
    )


def _drawn(row: list[Run], y: int) -> str:
    """A row as text. Each run starts at its cell, so that a letter of another font moves nothing."""
    runs = "".join(
        f'<tspan x="{_EDGE + run.column * _CELL:g}"{" " * bool(run.styles)}{run.styles}>{escape(run.text)}</tspan>' for run in row
    )
    return f'<text y="{y}" fill="{_TEXT}" xml:space="preserve">{runs}</text>'


if __name__ == "__main__":
    for path, session in SESSIONS.items():
        path.write_text(session_picture(session), encoding="utf-8")
