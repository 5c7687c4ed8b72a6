"""The apps of docs/apps.md: short, without a finding of the checks, and counted by their own run."""

import re

import pytest
from apps_page import PAGE, SECTIONS

from conftest import ROOT
from constructs_lib import attach, check
from constructs_lib.testing import synthesize
from strict_schemas import all_faults

each_app = pytest.mark.parametrize("title", SECTIONS)


def test_every_section_of_the_page_is_an_app():
    assert list(SECTIONS) == re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert len(SECTIONS) == 5


def test_the_first_app_is_under_25_lines():
    assert len(next(iter(SECTIONS.values())).lines) < 25


@each_app
def test_an_app_has_no_finding_and_the_page_shows_its_count(title):
    section = SECTIONS[title]
    app, nodes = section.run()
    attach(app)
    objects = synthesize(app)
    yaml = [line for line in app.synth_yaml().splitlines() if line.strip()]

    assert check(objects, nodes=[nodes], talos_version=str(nodes.talos_version)) == []
    counts = f"{len(section.lines)} lines of Python, {len(yaml)} lines of YAML, {len(objects)} objects, 0 findings"
    assert section.output.strip() == counts


@each_app
def test_every_object_of_an_app_is_strictly_valid(title):
    app, nodes = SECTIONS[title].run()

    assert all_faults(synthesize(app), str(nodes.talos_version.minor_version)) == []


def test_the_page_of_the_recipes_links_to_the_apps():
    assert "(apps.md)" in (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
