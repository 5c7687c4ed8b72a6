"""Surrogate pairs of JSON's escapes, which YAML refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.observed.read.kubernetes.yaml_documents import documents
from constructs_lib.yaml.json_escapes import without_pairs

TEXT = "a \U0001f600\n\\ud83d\\ude00 \\\U0001f600 é"


@given(st.text(st.characters(codec="utf-8")))
def test_the_text_of_json_stays_the_same_and_has_no_pair(text):
    plain = without_pairs(json.dumps(text))

    assert json.loads(plain) == text
    assert json.loads(without_pairs(plain)) == text


@pytest.mark.parametrize("text", [r"\ud83d", r"\ude00\ud83d", r"\\ud83d\\ude00", r"é"])
def test_another_escape_stays(text):
    assert without_pairs(text) == text


def test_a_cluster_file_in_json_may_have_any_character():
    content = {"nodes": {"talos_version": "1.14.0"}, "charts": {"a": {"objects": {"o": {"Object": {"kind": TEXT}}}}}}
    file = ClusterFile("fleet.json", json.dumps(content, indent=2))

    assert [description for _, description in file.clusters()] == [content]
    assert file.line(("charts", "a", "objects", "o")) == 8


def test_a_cluster_file_in_yaml_keeps_a_backslash_in_single_quotes():
    ((_, description),) = ClusterFile("fleet.yaml", "nodes: {product: '\\ud83d\\ude00'}\n").clusters()

    assert description["nodes"]["product"] == "\\ud83d\\ude00"


def test_a_manifest_in_json_may_have_any_character():
    found, skipped = documents(json.dumps({"a": TEXT}), "pod.json")

    assert [dict(each.value) for each in found] == [{"a": TEXT}]
    assert list(skipped) == []
