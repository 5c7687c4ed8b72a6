"""Which room may import what: design in a test."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "constructs_lib"
MODULES = sorted(PACKAGE.rglob("*.py"))
# The rooms that know jsii. Every other one is pure: it never starts Node.
JSII_ROOMS = {
    "_chart",
    "_emit",
    "_neighbours",
    "_request",
    "checks.attach",
    "claim",
    "dashboard",
    "dcgm_exporter",
    "device_plugin",
    "dra_driver",
    "gpu_alerts",
    "gpu_operator",
    "namespace",
    "node_feature_discovery",
    "runtime_class",
    "validation_bridge",
    "workload",
}
# The rooms that somebody uses through a shell.
COMMANDS = {"cli", "_cli_check", "_cli_nodes", "_cli_progress", "_cli_talos", "__main__"}
_THIRD_PARTY = {"cdk8s", "constructs", "jsii", "cdk8s_plus_28", "imports", "yaml"}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imported(path: Path) -> set[str]:
    """What a module imports at any level: third-party by its name, our own by its path inside the package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            parts = path.relative_to(PACKAGE).parts[: -node.level]
            base = ".".join([*parts, *([node.module] if node.module else [])])
            # `from .. import versions` names a module, `from ..nodes import GpuNodes` something in one.
            found |= {f".{base}"} if node.module else {f".{'.'.join([*parts, alias.name])}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", [path for path in MODULES if module_name(path) not in JSII_ROOMS | {"__init__"}], ids=module_name)
def test_a_pure_room_imports_the_standard_library_pyyaml_and_pure_rooms(path):
    assert imported(path) & _THIRD_PARTY <= {"yaml"}
    assert {name for name in imported(path) if name.lstrip(".") in JSII_ROOMS and name.startswith(".")} == set()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_nothing_imports_the_app_s_imports_or_cdk8s_plus(path):
    assert imported(path) & {"imports", "cdk8s_plus_28"} == set()


@pytest.mark.parametrize("path", [path for path in MODULES if module_name(path).startswith("manifests.")], ids=module_name)
def test_a_builder_imports_downward_only(path):
    above = {name for name in imported(path) if name.startswith(".")} - {f".{module_name(each)}" for each in MODULES}
    upper = {".delivery", *(f".{room}" for room in JSII_ROOMS)}

    assert above == set()
    assert imported(path) & upper == set()


@pytest.mark.parametrize("path", [path for path in MODULES if module_name(path).startswith("talos.")], ids=module_name)
def test_the_os_layer_knows_no_manifest_and_no_command(path):
    assert [name for name in imported(path) if name.startswith((".manifests", ".delivery", *(f".{each}" for each in COMMANDS)))] == []


@pytest.mark.parametrize("path", [path for path in MODULES if module_name(path) not in COMMANDS], ids=module_name)
def test_nothing_imports_a_command(path):
    assert imported(path) & {f".{each}" for each in COMMANDS} == set()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_is_a_page_that_one_can_hold_in_ones_head(path):
    assert len(path.read_text().splitlines()) <= 400
