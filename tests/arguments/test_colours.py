"""The colours of a terminal, on white and on black."""

import pytest

from constructs_lib.arguments import colours

STEPS = (0, 95, 135, 175, 215, 255)


def light(code):
    """The relative luminance of a colour of the palette of 256, as WCAG computes it."""
    number = int(code.removeprefix("38;5;"))
    levels = (8 + 10 * (number - 232),) * 3 if number >= 232 else [STEPS[(number - 16) // step % 6] for step in (36, 6, 1)]
    red, green, blue = (level / 255 / 12.92 if level / 255 <= 0.04045 else ((level / 255 + 0.055) / 1.055) ** 2.4 for level in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("code", [colours.RED, colours.ORANGE, colours.GREEN, colours.TEAL, colours.GREY])
def test_a_colour_can_be_read_on_white_and_on_black(code):
    assert 1.05 / (light(code) + 0.05) >= 3.9
    assert (light(code) + 0.05) / 0.05 >= 3.9


def test_words_have_a_colour_only_where_it_is_wanted():
    assert colours.in_colour(colours.RED, "error", colour=True) == "\x1b[38;5;196merror\x1b[0m"
    assert colours.in_colour(colours.RED, "error", colour=False) == "error"
