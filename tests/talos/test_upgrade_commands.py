"""The flags of the commands in an upgrade plan."""

import ast

import pytest

from conftest import ROOT
from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch
from constructs_lib.talos.upgrade_commands import config_flags

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
    for path in [*(ROOT / "constructs_lib" / "talos").glob("upgrade_*.py"), *(ROOT / "constructs_lib" / "monitoring").glob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in {"command", "Command", "code"}
                and call.args
            ):
                template = call.args[0]
                # A name is that of a literal above it, or the parameter of `code`.
                if not isinstance(template, ast.Constant | ast.Name):
                    made.append(f"{path.name}:{call.lineno}")

    assert made == []
