"""Each fact of upstream's stands once, with its source and the date on which it was read there."""

import ast
import functools
import json
import re
from datetime import UTC, date, datetime

import pytest

from conftest import ROOT

PACKAGE = ROOT / "constructs_lib"
UPSTREAM = sorted((PACKAGE / "upstream").rglob("*.py"))
SOURCE = re.compile(r"^Source: .+\s\((\d{4}-\d{2}-\d{2})\)$", re.MULTILINE | re.DOTALL)
# What holds words and values and is no fact of upstream's.
TOOLS = {"choice.py", "version.py", "chart.py", "minors.py", "__init__.py"}


def facts(path):
    """The public constants and enumerations of a module, each with the docstring behind or in it. Constants without a blank line between
    them share the docstring behind the last one."""
    text = path.read_text()
    body, lines = ast.parse(text).body, text.splitlines()
    names = []
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign):
            names += [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
        elif isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == "Choice" for base in node.bases):
            yield node.name, ast.get_docstring(node) or ""
        if isinstance(after, ast.Assign | ast.AnnAssign) and "" not in lines[node.end_lineno : after.lineno - 1]:
            continue
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
        yield from ((name, after.value.value if is_text else "") for name in names if not name.startswith("_") and name != "TYPE_CHECKING")
        names = []


FACTS = [(f"{path.stem}.{name}", text) for path in UPSTREAM if path.name not in TOOLS for name, text in facts(path)]


def test_a_fact_has_a_source_and_the_date_on_which_it_was_read():
    found = {name: SOURCE.search(text.strip()) for name, text in FACTS}
    today = datetime.now(tz=UTC).date()

    assert [name for name, source in found.items() if source is None] == []  # no line 'Source: … (YYYY-MM-DD)'
    assert [name for name, source in found.items() if date.fromisoformat(source[1]) > today] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "upstream").rglob("*.json")), ids=lambda path: path.stem)
def test_a_table_has_a_source_and_the_date_on_which_it_was_read(path):
    table = json.loads(path.read_text())

    assert table["source"]
    assert date.fromisoformat(table["read_on"]) <= datetime.now(tz=UTC).date()


def test_there_are_facts():
    assert len(FACTS) > 100


def test_a_fact_without_a_source_would_be_found(tmp_path):
    module = tmp_path / "facts.py"
    module.write_text('NRI = 14\n\nNAME = \'a\'\n"""A name.\n\nSource: a page (2026-11-20)\n"""\n')

    assert [name for name, text in facts(module) if not SOURCE.search(text.strip())] == ["NRI"]


@functools.cache
def code_of(path):
    """A module's code without its docstrings, comments and the YAML of its examples."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Rule", "Example"):
            node.keywords = [
                each for each in node.keywords if each.arg not in ("failing", "passing", "yaml", "symptom", "source", "claim", "fix")
            ]
    return ast.unparse(ast.fix_missing_locations(tree))


# What was said in several places once, and the one module that says it now.
ONCE = {
    r"'/usr/local/glibc'": "upstream/talos/features.py",
    r"'/driver-root'": "upstream/charts/device_plugin_chart.py",
    r"'/run/nvidia/validations'": "upstream/charts/gpu_operator_chart.py",
    r"'/run/nvidia/driver'": "upstream/charts/gpu_operator_chart.py",
    r"'gdrdrv'": "upstream/talos/features.py",
    r"'nvidia-gdrdrv-device'": "upstream/talos/extension_names.py",
    r"'talos-gpu/gpu-memory'": "nodes/__init__.py",
    r"'nvidia.com/mig-'": "upstream/nvidia/gpu_resources.py",
    r"'nvidia.com/gpu'(?!, 'operator')": "upstream/nvidia/gpu_resources.py",
    r"'nvidia.com/gpu.present'": "upstream/nvidia/gpu_resources.py",
    r"'nvidia.com/device-plugin.config'": "upstream/nvidia/gpu_resources.py",
    r"deploy\.operator-validator'|operator-validator'": "upstream/charts/gpu_operator_chart.py",
    r"def is_gpu\(": "upstream/nvidia/gpu_resources.py",
    r"'net.core.bpf_jit_harden'": "upstream/talos/features.py",
    r"'kube-system'": "upstream/talos/features.py",
    r"'/etc/cri/conf.d/20-customization.part'": "upstream/talos/features.py",
    r"'extensions.talos.dev/'": "upstream/talos/extension_names.py",
    r"'feature.node.kubernetes.io/'": "upstream/charts/nfd_chart.py",
    r"'pod-security.kubernetes.io/enforce'": "upstream/kubernetes/api.py",
    r"'/var/lib/kubelet/device-plugins'": "upstream/charts/device_plugin_chart.py",
}


@pytest.mark.parametrize(("pattern", "home"), ONCE.items())
def test_a_fact_is_said_in_one_place(pattern, home):
    said = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if re.search(pattern, code_of(path))}

    assert said == {home}


def test_no_minor_of_talos_is_compared_with_a_number_outside_of_upstream():
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path not in UPSTREAM and re.search(r"\bminor(_version)?\b\s*(==|!=|<=?|>=?)\s*['\d]", code_of(path))
    }

    assert found == set()
