"""A printed command is a `Command`: no text of the library makes one from a value by itself."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "constructs_lib"
PROGRAMS = [
    "kubectl",
    "talosctl",
    "omnictl",
    "talhelper",
    "helm",
    "flux",
    "argocd",
    "kustomize",
    "kpt",
    "terraform",
    "docker",
    "crane",
    "skopeo",
    "oras",
    "cosign",
    "talos-gpu",
    "curl",
    "wget",
    "git",
    "python",
    "python3",
    "pip",
    "sh",
    "bash",
    "ssh",
    "sudo",
    "cat",
    "cp",
    "echo",
    "grep",
    "awk",
    "jq",
    "yq",
    "mkdir",
    "mv",
    "printf",
    "rm",
    "sed",
    "tar",
    "touch",
    "xargs",
]
VALUE = "\0"
"""Stands for a value in a text."""
COMMAND = re.compile(
    rf"(?<![\w/.$-])({'|'.join(map(re.escape, PROGRAMS))})(?= +(?!(?:says|prints|failed|of)\b)[\w\"'$@{VALUE}-])(?:(?![.;:,)](?: |$)|[\n`]).)*?{VALUE}"
)
PREFIX = re.compile(r"talos-gpu \w+: ")
"""The beginning of a message."""

OURS = {
    "checks/rules/plugin/options.py": "a line of a log",
    "cli/__init__.py": "the version",
    "cli/command.py": "verbs and flags of the command itself",
    "cli/settings_flags.py": "an id of SARIF",
    "doctor/collect.py": "the script of --collect, of constants of the module that shlex quotes",
    "doctor/doctor_report.py": "a sentence about what was read",
    "doctor/node_commands.py": "a comment, whose name is one of two charts",
}
"""The modules whose values are ours, with the reason."""


def is_ours(value):
    """Whether a value is a constant of a module: its name is in capitals."""
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return bool(name) and name == name.upper()


def texts(tree):
    """The line and the text of everything that puts values into a text: f-strings, `format`, `%` and `+`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "ours" if is_ours(part.value) else VALUE for part in node.values]
            yield node.lineno, "".join(parts)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "format"
            and isinstance(node.func.value, ast.Constant)
        ):
            yield node.lineno, re.sub(r"\{[^{}]*\}", VALUE, str(node.func.value.value))
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mod)
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
        ):
            yield node.lineno, re.sub(r"%[sdr]", VALUE, node.left.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = (
                "".join(text for _, text in texts(each))
                or (each.value if isinstance(each, ast.Constant) else "ours" if is_ours(each) else VALUE)
                for each in (node.left, node.right)
            )
            if isinstance(left, str) and isinstance(right, str):
                yield node.lineno, left + right


def handmade(text):
    """The commands of a module that are put together by hand."""
    return [f"{line}: {found[0]!r}" for line, each in texts(ast.parse(text)) for found in COMMAND.finditer(PREFIX.sub("", each))]


def test_no_text_makes_a_command_of_a_value():
    offenders = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name not in OURS:
            offenders += [f"{name}:{each}" for each in handmade(path.read_text())]

    assert offenders == []


def test_each_exception_is_needed():
    kept = {name for name in OURS if handmade((PACKAGE / name).read_text())}
    assert kept == set(OURS)


@pytest.mark.parametrize(
    "text",
    [
        "f'kubectl delete pod {name}'", "f'Run rm -r {folder}, then'", "f'(in the cluster: kubectl delete runtimeclass {name})'", "'helm template {}'.format(name)",
        "'curl %s' % address", "'kubectl get ' + name", "f'a; talosctl --nodes {node} reboot'", "f'helm template {a.b} | talos-gpu images -'", "f'talos-gpu why - < {line}'",
        "f'# {x}\\nkubectl get pod {name}'", "f'{A}\\nflux reconcile kustomization {each.name}'", "'a' + f'kubectl get {x}'",
    ],
)  # fmt: skip
def test_the_search_finds_each_form(text):
    assert handmade(text)


@pytest.mark.parametrize(
    "text",
    [
        "f'kubectl get nodes --label-columns {COLUMNS}'", "command('kubectl get {name}', name=name)", "f'talos-gpu check: {path} was not read'", "'kubectl get nodes'",
        "f'kubectl was not found. {name} stays'", "f'{name}: kubectl get nodes'",
    ],
)  # fmt: skip
def test_the_search_finds_no_other_text(text):
    assert handmade(text) == []
