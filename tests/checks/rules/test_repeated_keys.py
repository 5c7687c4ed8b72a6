"""A key that stands twice: an error where the tool refuses the document, else a warning."""

import subprocess

import pytest

from conftest import needs
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read, read_text

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  name: b\n"


def findings(inputs):
    """The severity, file, line and message of each repeated key."""
    return [(str(each.severity), each.file, each.line, each.message.split(":")[0]) for each in run_rules(inputs, select=["TG102"])]


@pytest.mark.parametrize(
    "text",
    [
        "machine:\n  type: worker\n  type: worker\n",
        "---\nmachine: {type: worker, type: worker}",
        "# a\nmachine: {type: worker,\n type: worker}",
    ],
)
def test_talos_refuses_a_document_with_a_repeated_key(text):
    [(severity, file, line, message)] = findings(read_text(text, file="a.yaml"))
    last, first = text[: text.rindex("type")].count("\n") + 1, text[: text.index("type")].count("\n") + 1

    assert (severity, file, line, message) == ("error", "a.yaml", last, f"the key 'type' is already set in line {first}")


@pytest.mark.parametrize("head", ["", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"])
def test_kustomize_drops_the_first_value_of_a_repeated_key_in_a_kustomization(tmp_path, head):
    (tmp_path / "a.yaml").write_text(POD.replace("  name: b\n", ""))
    (tmp_path / "kustomization.yaml").write_text(f"{head}resources: [a.yaml]\nresources: [a.yaml]\n")

    for path in (tmp_path, tmp_path / "kustomization.yaml"):
        [(severity, file, line, message)] = findings(read([path]))
        assert (severity, file, line) == ("warning", str(tmp_path / "kustomization.yaml"), head.count("\n") + 2)
        assert message == f"the key 'resources' is already set in line {head.count(chr(10)) + 1}. kustomize drops the first value"


def test_kustomize_builds_a_kustomization_with_a_repeated_key(tmp_path):
    kustomize = needs("KUSTOMIZE", "kustomize (tools/kustomize.sh)")
    (tmp_path / "a.yaml").write_text(POD.replace("  name: b\n", ""))
    (tmp_path / "kustomization.yaml").write_text("resources: [none.yaml]\nresources: [a.yaml]\n")
    run = subprocess.run([kustomize, "build", tmp_path], capture_output=True, check=False)

    assert (run.returncode, b"kind: Pod" in run.stdout) == (0, True)


def test_elsewhere_a_repeated_key_is_a_warning():
    assert findings(read_text(POD)) == [
        (
            "warning",
            "-",
            5,
            "the key 'name' is already set in line 4. Flux' kustomize refuses the document; other tools drop the first value",
        )
    ]
    assert findings(read_text("driver: {}\ndriver: {}\n", chart="gpu-operator"))[0][:3] == ("warning", "-", 2)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      hostIPC: true\n      hostIPC: false\n", 7),
        ("apiVersion: v1\nkind: PodTemplate\ntemplate:\n  spec:\n    hostIPC: true\n    hostIPC: false\n", 6),
        ("apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Pod\n    spec: {}\n    spec: {}\n", 7),
        ("apiVersion: v1\nkind: List\nkind: List\nitems:\n  - {apiVersion: v1, kind: Pod}\n", 3),
    ],
)
def test_a_repeated_key_is_found_in_pod_templates_and_in_the_items_of_a_list(text, line):
    assert [found[:3] for found in findings(read_text(text))] == [("warning", "-", line)]


@pytest.mark.parametrize(
    "text",
    [
        POD.replace("name: b", "namespace: b"),
        "apiVersion: v1\nkind: Pod\nmetadata: &m {name: a}\nspec: {<<: *m, <<: *m, name: b}\n",
        "apiVersion: v1\nkind: Pod\nmetadata:\n{{ if a }}\n  name: a\n{{ else }}\n  name: b\n{{ end }}\n",
        "name: a\nname: b\n",
    ],
)
def test_what_is_no_repeated_key_of_a_checked_document_is_not_found(text):
    assert findings(read_text(text)) == []
