"""The sections of docstrings, at every indentation."""

import textwrap

import pytest

from constructs_lib.arguments.docstrings import argument_lines, argument_sentences, documented, summary

TEXT = """\
A workload
on GPUs.

Its ports: none.

Args:
    image: The image. Default:
        none: an argument that must be given.
    gpus: The number.

Raises:
    ValueError: Always.
"""
INDENTED = textwrap.indent(TEXT, "    ")


@pytest.mark.parametrize("text", [TEXT, INDENTED, INDENTED.strip()], ids=["cleaned", "of a class", "stripped"])
def test_each_argument_has_its_sentences_on_one_line(text):
    assert argument_sentences(text) == {"image": "The image. Default: none: an argument that must be given.", "gpus": "The number."}
    assert summary(text) == "A workload on GPUs."


@pytest.mark.parametrize("text", [None, "", "A value.", "Args: none."])
def test_a_docstring_without_the_section_has_no_argument(text):
    assert argument_sentences(text) == {}


def test_a_section_that_ends_the_docstring_is_whole():
    assert argument_sentences("A value.\n\nArgs:\n    size: The size.") == {"size": "The size."}


def test_other_docstrings_say_what_a_docstring_does_not_say_of_its_arguments():
    lines = argument_lines(INDENTED)
    without_image = INDENTED.replace(lines["image"], "")

    assert documented(INDENTED, ["image", "gpus"]) == INDENTED
    assert documented(INDENTED, ["gpus"]) == without_image
    assert documented(without_image, ["image", "gpus", "size"], None, INDENTED.replace("The number", "Another number")) == INDENTED
