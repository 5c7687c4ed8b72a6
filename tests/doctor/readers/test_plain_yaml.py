"""YAML in the shape of kubectl, read line by line."""

import contextlib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.doctor.readers import plain_yaml
from constructs_lib.doctor.readers.plain_yaml import UnreadableError, load

TEXT = st.characters(exclude_characters="\x85\u2028\u2029", codec="utf-8")
"""Without the breaks that PyYAML itself reads differently than it writes."""

WORDS = st.text(TEXT, max_size=120) | st.sampled_from(
    ["true", "null", "1", "1.5", "-", "a: b", "a #b", "12:30", "on", "line\nline\n", "x" * 90 + " y" * 30]
)
VALUES = st.recursive(
    WORDS | st.booleans() | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(TEXT, max_size=20), inner, max_size=4),
    max_leaves=20,
)


class Talosctl(yaml.SafeDumper):
    """The layout of talosctl: the items of a list are deeper than their key. SafeDumper has that of kubectl."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)


@settings(max_examples=drawn(300))
@given(VALUES.filter(lambda value: isinstance(value, dict | list)), st.sampled_from([Talosctl, yaml.SafeDumper]))
def test_what_a_printer_writes_is_read_as_it_was(value, dumper):
    assert load(yaml.dump({"items": value}, Dumper=dumper, default_flow_style=False, allow_unicode=True)) == {"items": value}


@given(st.text())
def test_a_text_is_read_or_unreadable(text):
    with contextlib.suppress(UnreadableError):
        load(text)


def test_the_text_of_kubectl_needs_no_pyyaml(monkeypatch):
    monkeypatch.setattr(plain_yaml, "_load_any", pytest.fail)

    assert load(
        'apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app.kubernetes.io/name: x\n  creationTimestamp: "2026-11-20T10:00:00Z"\n'
        "spec:\n  containers:\n  - args:\n    - --port=8080\n    command: []\n    ports:\n    - containerPort: 8080\n  volumes: null\n  hostNetwork: true\n"
    ) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"app.kubernetes.io/name": "x"}, "creationTimestamp": "2026-11-20T10:00:00Z"},
        "spec": {
            "containers": [{"args": ["--port=8080"], "command": [], "ports": [{"containerPort": 8080}]}],
            "volumes": None,
            "hostNetwork": True,
        },
    }


def test_a_message_over_several_lines_is_one_text():
    assert load("message: '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.\n  preemption: no'\nreason: Unschedulable\n") == {
        "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: no",
        "reason": "Unschedulable",
    }


def test_a_date_is_a_text():
    assert load("created: 2026-11-20T10:00:00Z\nflow: {at: 2026-11-20}\n") == {
        "created": "2026-11-20T10:00:00Z",
        "flow": {"at": "2026-11-20"},
    }


def test_aliases_are_refused():
    with pytest.raises(UnreadableError, match="an alias of YAML"):
        load("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n")


@pytest.mark.parametrize("text", ["[" * 200_000, "{a: " * 100_000, "- " * 100_000, "\n".join(" " * n + "a:" for n in range(5000))])
def test_deep_nesting_is_unreadable(text):
    with pytest.raises(UnreadableError):
        load(text)
