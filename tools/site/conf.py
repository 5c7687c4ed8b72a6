"""The settings of Sphinx for the site.

https://www.sphinx-doc.org/en/master/usage/configuration.html
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

project = "cdk8s-nvidia-talos"
author = "The cdk8s-nvidia-talos maintainers"
project_copyright = "The cdk8s-nvidia-talos maintainers, Apache-2.0"
html_title = project

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4  # the pages link to headings as GitHub does
myst_enable_extensions = ["attrs_block"]  # a heading that is the phrase of a log is smaller
suppress_warnings = ["myst.header"]  # the rules and the symptoms begin at the third level
autodoc_typehints = "none"  # the text of an argument names its type and unit
add_module_names = False
smartquotes = False  # a quotation mark in the text belongs to a value
toc_object_entries = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("diagrams.js", {"type": "module"}), ("copy.js", {"type": "module"}), ("answer.js", {"type": "module"})]
html_show_sphinx = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


class _SearchWithNumbers(SearchEnglish):  # type: ignore[misc, unused-ignore]  # the types of Sphinx are there only where the site is built
    """English, with each number of two digits or more as a word with a letter: Sphinx leaves numbers out, and a symptom often is one (error 803, Xid 79)."""

    js_splitter_code = Path(__file__).with_name("search.js").read_text(encoding="utf-8")

    def split(self, input: str) -> list[str]:  # noqa: A002  # the name in Sphinx
        """The words of a text."""
        return [re.sub(r"^[0-9]{2,}$", r"n\g<0>", word) for word in super().split(input)]


def setup(app: Sphinx) -> None:
    """Read the code in docstrings as Markdown does: between backticks, and indented after a colon."""
    app.connect("autodoc-process-docstring", _read_code, priority=0)
    app.connect("html-page-context", _fold_sidebar, priority=0)  # before the theme, which draws the sidebar
    app.add_search_language(_SearchWithNumbers)


def _fold_sidebar(_app: Sphinx, _page: object, _template: object, context: dict[str, Any], _document: object) -> None:
    """The sidebar of a page has the branch of this page alone: all branches are 500 links, and nine tenths of the time in which a page is written."""
    if "toctree" in context:
        whole = context["toctree"]
        context["toctree"] = lambda **given: whole(**{**given, "collapse": True})


def _read_code(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", lambda found: f"``{' '.join(found[1].split())}``", "\n".join(lines))
    lines[:] = _CODE_BLOCK.sub("::", text).split("\n")


_CODE_BLOCK = re.compile(r"(?<=\w):(?=\n\n {4})")  # the colon before an indented block
