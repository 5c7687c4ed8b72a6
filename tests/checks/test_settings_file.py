"""The text of a settings file: its values, and the errors with their lines."""

from pathlib import Path

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.settings import Ignore
from constructs_lib.checks.settings_file import read_settings
from constructs_lib.nodes.talos_version import TalosVersion

NAME = ".talos-gpu.yaml"
WHOLE = """\
# The settings of our repository
talos: "1.13.9"
kubernetes: v1.35
roots:
  - clusters/prod/
  - [clusters/dev, ./talos/dev]
ignore:
  - rule: TG007
    path: clusters/prod/**/ollama.yaml
    reason: Terraform sets the label
  - rule: TG041
    reason: kubectl
labels:
  role: gpu
  zone: [a, b]
runtimeClasses: [nvidia]
nodes:
  rtx: {name: rtx}
failOn: warning
"""


def read(text):
    return read_settings(text, file=NAME, folder=Path("/repository"))


def test_every_key_has_its_value_and_its_line():
    settings = read(WHOLE)

    assert (settings.file, settings.folder) == (NAME, Path("/repository"))
    assert (settings.talos, settings.kubernetes, settings.fail_on) == (TalosVersion(13, 9), "1.35", "warning")
    assert settings.roots == (("clusters/prod",), ("clusters/dev", "talos/dev"))
    assert settings.ignore == (
        Ignore(rule="TG007", reason="Terraform sets the label", path="clusters/prod/**/ollama.yaml"),
        Ignore(rule="TG041", reason="kubectl"),
    )
    assert settings.labels == {"role": {"gpu"}, "zone": {"a", "b"}}
    assert settings.runtime_classes == ("nvidia",)
    assert settings.nodes == (GpuNodes(talos_version="1.13.9", name="rtx"),)
    assert settings.lines == {
        "talos": 2,
        "kubernetes": 3,
        "roots": 4,
        "ignore": 7,
        "labels": 13,
        "runtimeClasses": 16,
        "nodes": 17,
        "failOn": 19,
    }
    assert settings.ignore_lines == (8, 11)


def test_nodes_may_be_the_path_of_a_nodes_file_or_one_class():
    assert read("nodes: talos/nodes.yaml").nodes == "talos/nodes.yaml"
    assert read("nodes: {gpu: {talos: '1.14'}}").nodes == (GpuNodes(talos_version="1.14"),)


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}\n", "---\n"])
def test_an_empty_file_changes_nothing(text):
    assert read(text).lines == {}


_VERSION = "a Talos version such as '1.14', from '1.8' on, with or without its patch"
_REASON = "a sentence that says why the rule is silenced"
_BELOW = "a path below the folder of the settings"
_MAPPING = "a mapping in YAML, such as talos: '1.13'"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "a: 1\n",
            ":1",
            "'a' must be a key of the settings; the keys are talos, kubernetes, roots, ignore, labels, runtimeClasses, nodes, failOn",
        ),
        ("talos: '1.13'\nruntimeClass: [a]\n", ":2", "'runtimeClass' must be a key of the settings; did you mean 'runtimeClasses'?"),
        ("\ntalos: 1.13\n", ":2", f"'talos' must be {_VERSION}; quote it: '1.13'"),
        ("talos: new\n", ":1", f"'talos' must be {_VERSION}"),
        ("kubernetes: 1.35\n", ":1", "'kubernetes' must be a Kubernetes version such as '1.35'; put the version in quotes"),
        ("kubernetes: latest\n", ":1", "'kubernetes' must be a Kubernetes version such as '1.35'"),
        ("roots: clusters\n", ":1", "'roots' must be a list of folders"),
        ("roots:\n  - a\n  - /etc\n", ":3", f"'roots[1]' must be {_BELOW}"),
        ("roots:\n  - a\n  - - b\n    - a/../../b\n", ":4", f"'roots[1][1]' must be {_BELOW}"),
        ("roots: [[]]\n", ":1", "'roots[0]' must be a folder, or a list of folders"),
        ("ignore: {rule: TG007}\n", ":1", "'ignore' must be a list of mappings with a rule and a reason"),
        (
            "ignore:\n" + "  - {rule: TG007, reason: it is known}\n" * 1_001,
            ":1",
            "'ignore' must be a list of at most 1000 entries; the list has 1001; silence a folder or a glob",
        ),
        ("ignore:\n  - TG007\n", ":2", "'ignore[0]' must be a mapping with a rule and a reason"),
        ("ignore:\n  - rule: TG007\n    path: a\n", ":2", f"'ignore[0].reason' must be {_REASON}"),
        ("ignore:\n  - rule: TG007\n    reason: true\n", ":3", f"'ignore[0].reason' must be {_REASON}"),
        ("ignore:\n  - rule: TG007\n    reason: '-'\n", ":3", f"'ignore[0].reason' must be {_REASON}"),
        ("ignore:\n  - reason: a\n", ":2", "'ignore[0].rule' must be a rule's id, such as 'TG007'"),
        ("ignore:\n  - reason: a\n    rule: TG7\n", ":3", "'ignore[0].rule' must be a rule's id, such as 'TG007'; did you mean 'TG007'?"),
        ("ignore:\n  - reason: a\n    rule: [TG007]\n", ":3", "'ignore[0].rule' must be a rule's id, such as 'TG007'"),
        (
            "ignore:\n  - reason: a\n    rule: TG007\n    paths: a\n",
            ":4",
            "'ignore[0].paths' must be a key of an ignore; did you mean 'path'?",
        ),
        ("ignore:\n  - reason: a\n    rule: TG007\n    path: ../a\n", ":4", f"'ignore[0].path' must be {_BELOW}"),
        ("ignore:\n  - reason: a\n    rule: TG007\n    path:\n", ":4", f"'ignore[0].path' must be {_BELOW}"),
        ("labels: [a]\n", ":1", "'labels' must be a mapping of label keys to a value or a list of values"),
        (
            "labels:\n  a: b\n  nvidia.com/gpu.present: true\n",
            ":3",
            "'labels[nvidia.com/gpu.present]' must be a label value (at most 63 letters, digits, '-', '_' and '.', as a string); did you mean 'true'?",
        ),
        ("labels:\n  a: []\n", ":2", "'labels[a]' must be a value, or a list of values"),
        ("runtimeClasses: nvidia\n", ":1", "'runtimeClasses' must be a list of names of RuntimeClasses"),
        (
            "runtimeClasses:\n  - NVIDIA\n",
            ":2",
            "'runtimeClasses[0]' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)",
        ),
        ("nodes: 3\n", ":1", "'nodes' must be the path of a cluster file, or the nodes of a cluster file"),
        ("nodes: /etc/passwd\n", ":1", f"'nodes' must be {_BELOW}"),
        ("nodes:\n  gpu:\n    talos: '1.13'\n    cards: none\n", ":4", "'nodes.gpu.cards' must be a whole number of at least 1"),
        ("failOn: warnings\n", ":1", "'failOn' must be one of 'error', 'warning', 'remark', 'never'; did you mean 'warning'?"),
        (
            "talos: '1.13'\nlabels: {}\ntalos: '1.12'\n",
            "",
            f"'settings' must be {_MAPPING}; line 3, column 1: the key 'talos' is in line 1, too",
        ),
        ("- talos\n", "", f"'settings' must be {_MAPPING}"),
        ("talos\n", "", f"'settings' must be {_MAPPING}"),
        ("talos: [\n", "", f"'settings' must be {_MAPPING}; line 2, column 1: did not find expected node content"),
        ("talos: '1.13'\n---\ntalos: '1.12'\n", "", "'settings' must be one document; the file has 2"),
        (
            "{{ talos }}: '1.13'\n",
            "",
            f"'settings' must be {_MAPPING}; line 1, column 2: a key is a list or a mapping",
        ),
    ],
)
def test_a_wrong_value_is_an_error_at_its_line(text, place, message):
    with pytest.raises(ValueError, match="must be") as error:
        read(text)

    assert str(error.value) == f"{NAME}{place}: {message}"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(("text", "problem"), [(BOMB, "more than 100000 values"), ("[" * 100_000, "nested deeper than 100 levels")])
def test_a_bomb_is_refused_before_it_grows(text, problem):
    with pytest.raises(ValueError, match=problem):
        read(text)
