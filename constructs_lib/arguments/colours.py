"""The colours of a terminal. Each has a contrast of about 4 and more on white and on black (WCAG 2.1, 1.4.11 asks for 3): the sixteen
colours of a theme have not, and yellow on white can't be read. They are fixed colours of the palette of 256.

Sources: https://www.w3.org/TR/WCAG21/#non-text-contrast, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html (2026-11-28)
"""

from __future__ import annotations

RED, ORANGE, GREEN, TEAL, GREY = "38;5;196", "38;5;130", "38;5;29", "38;5;30", "38;5;243"
BOLD = "1"


def in_colour(code: str, words: str, *, colour: bool) -> str:
    """The words in a colour of the terminal."""
    return f"\x1b[{code}m{words}\x1b[0m" if colour else words
