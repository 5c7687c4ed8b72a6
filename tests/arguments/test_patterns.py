"""Patterns that are compiled at their first use."""

import re
import sys

from conftest import ROOT
from constructs_lib.arguments.patterns import _Pattern, pattern


def test_a_pattern_is_compiled_at_its_first_use_and_keeps_the_method():
    digits = pattern(r"\d+", re.ASCII)
    assert "search" not in vars(digits)

    assert digits.search("gpu-12")[0] == "12"
    assert vars(digits)["search"] is digits.search


def test_every_pattern_of_the_house_is_a_regular_expression():
    named = [path for path in (ROOT / "constructs_lib").rglob("*.py") if "import pattern\n" in path.read_text(encoding="utf-8")]
    for path in named:
        __import__(".".join(path.relative_to(ROOT).with_suffix("").parts))
    found = [value for name, module in list(sys.modules.items()) if name.startswith("constructs_lib.") for value in vars(module).values()]
    lazy = [each for each in found if isinstance(each, _Pattern)]

    assert len(lazy) > len(named) > 10
    assert all(each.pattern for each in lazy)
