"""The flags of the commands in an upgrade plan."""

import ast
import dataclasses
import re

import pytest

from conftest import ROOT
from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch
from constructs_lib.talos.upgrade.step import Tool
from constructs_lib.talos.upgrade.words import WORDS, config_flags

HARDEN = "net.core.bpf_jit_harden"
OTHER = "vm.max_map_count"


@pytest.mark.parametrize(
    ("sysctls", "to", "flags"),
    [
        ({}, "1.12", []),
        ({HARDEN: "1"}, "1.12", []),
        ({HARDEN: "0"}, "1.12", [f"{HARDEN}=0"]),
        ({HARDEN: "0"}, "1.14", []),
        ({OTHER: "1"}, "1.12", [f"{OTHER}=1"]),
        ({OTHER: "1"}, "1.14", [f"{OTHER}=1"]),
    ],
    ids=["none", "as needed", "another value", "no longer needed", "the user's", "the user's on every Talos"],
)
def test_a_sysctl_is_a_flag_unless_the_new_talos_needs_or_replaces_it(sysctls, to, flags):
    patch = MachineConfigPatch(nodes=GpuNodes(talos_version="1.11"), sysctls=sysctls)

    assert config_flags(patch, GpuNodes(talos_version=to)) == [word for flag in flags for word in ("--sysctl", flag)]


def test_no_command_of_a_plan_or_a_runbook_is_made_of_an_f_string_or_of_joined_text():
    made = []
    for path in [*(ROOT / "constructs_lib/talos/upgrade").glob("*.py"), *(ROOT / "constructs_lib/monitoring").glob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in {"command", "Command", "code", "Line"}
                and call.args
            ):
                template = call.args[0]
                # A name is that of a literal above it, or the parameter of `code`; a field is that of a table of literals.
                if not isinstance(template, ast.Constant | ast.Name) and ast.unparse(template) not in TABLES:
                    made.append(f"{path.name}:{call.lineno}")

    assert made == []


TABLES = {"each.template", "hop.tool.search"}
"""The fields of `Line` and `Tool` that hold templates."""


def test_every_word_of_a_table_has_a_value_and_every_value_is_a_word_of_a_table():
    fields = {field.name for field in dataclasses.fields(Tool)} | {"pattern"}
    texts = {
        node.value
        for name in ("tools", "node_steps", "route_steps", "steps")
        for node in ast.walk(ast.parse((ROOT / f"constructs_lib/talos/upgrade/{name}.py").read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {word for text in texts for word in re.findall(r"(?<!\{)\{\*?([a-z_]+)\}(?!\})", text)}
    of_commands = {"end", "lines", "label", "name", "images", "image", "address", "path", "before", "after", "phase"}

    assert named - fields - of_commands <= WORDS.keys()
    assert WORDS.keys() - named == set()
