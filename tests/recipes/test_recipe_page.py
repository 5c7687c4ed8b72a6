"""The page of the recipes has a section for each recipe of the face."""

import re

import pytest
from cdk8s import App, Chart
from recipe_cases import ARGUMENTS, RECIPES

from conftest import ROOT
from constructs_lib import GpuNodes

PAGE = (ROOT / "docs" / "recipes.md").read_text()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_a_section_with_its_level_of_pod_security_and_what_goes_wrong_by_hand(name):
    made = RECIPES[name](Chart(App(), "ai"), "recipe", nodes=GpuNodes(talos_version="1.13"), **ARGUMENTS[name])
    section = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)

    assert section, f"docs/recipes.md has no section for {name}"
    assert f"- Pod Security: `{made.pod_security}`" in section[1]
    assert "- By hand: " in section[1]
    assert f"{name}(chart, " in section[1]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_in_the_contents_and_in_the_table(name):
    assert PAGE.count(f"[{name}](#{name.lower()})") == 2
