"""The JSON Schema of the settings: the same keys as the reader, and the file in docs/ that editors load."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from test_settings_file import WHOLE

from conftest import ROOT
from constructs_lib.checks.settings_file import KEYS, read_settings, schema

SCHEMA = json.loads((ROOT / "docs" / "settings-schema.json").read_text())


def test_the_schema_in_docs_is_that_of_the_keys():
    assert schema() == SCHEMA
    assert list(SCHEMA["properties"]) == list(KEYS)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_key_and_every_part_of_an_ignore_has_a_description():
    parts = [*SCHEMA["properties"].values(), *SCHEMA["properties"]["ignore"]["items"]["properties"].values()]

    assert [part for part in parts if not part.get("description")] == []


@pytest.mark.parametrize("text", [WHOLE, "", "nodes: nodes.yaml", "nodes: {gpu: {talos: '1.13', labels: {a: b}}}"])
def test_the_schema_accepts_what_the_reader_accepts(text):
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(yaml.safe_load(text))

    assert [each.message for each in errors] == []


@pytest.mark.parametrize(
    "text",
    [
        "talos: 1.13",
        "a: 1",
        "ignore: [{rule: TG007}]",
        "ignore: [{rule: TG7, reason: a}]",
        "ignore: [{rule: TG007, reason: a, paths: b}]",
        "labels: {a: true}",
        "labels: {a: []}",
        "roots: [[]]",
        "nodes: {labels: {a: b}}",
        "nodes: {gpu: {talos: '1.13', lables: {a: b}}}",
        "failOn: warnings",
        "[]",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(text):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text), SCHEMA)


def test_the_example_in_docs_is_read_and_has_every_key():
    (text,) = re.findall(r"^```yaml\n(# \.talos-gpu\.yaml\n.*?)^```\n", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE | re.DOTALL)
    settings = read_settings(text, file=".talos-gpu.yaml", folder=Path("/"))

    assert set(settings.lines) == set(KEYS)
    jsonschema.validate(yaml.safe_load(text), SCHEMA)


def test_the_page_describes_every_key():
    table = (ROOT / "docs" / "rules.md").read_text().partition("| key | meaning |")[2].partition("\n\n")[0]

    assert set(re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.strip().splitlines()[1:]))) == set(KEYS)
