"""The settings of Sphinx for the site.

https://www.sphinx-doc.org/en/master/usage/configuration.html
"""

import re

from sphinx.application import Sphinx

project = "cdk8s-nvidia-talos"
author = "The cdk8s-nvidia-talos maintainers"
project_copyright = "The cdk8s-nvidia-talos maintainers, Apache-2.0"
html_title = project

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4  # the pages link to headings as GitHub does
suppress_warnings = ["myst.header"]  # the rules and the symptoms begin at the third level
autodoc_typehints = "none"  # the text of an argument names its type and unit
add_module_names = False
smartquotes = False  # a quotation mark in the text belongs to a value
toc_object_entries = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("diagrams.js", {"type": "module"})]
html_show_sphinx = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Sphinx) -> None:
    """Read the code in docstrings as Markdown does: between backticks, and indented after a colon."""
    app.connect("autodoc-process-docstring", _read_code, priority=0)


def _read_code(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", lambda found: f"``{' '.join(found[1].split())}``", "\n".join(lines))
    lines[:] = _CODE_BLOCK.sub("::", text).split("\n")


_CODE_BLOCK = re.compile(r"(?<=\w):(?=\n\n {4})")  # the colon before an indented block
