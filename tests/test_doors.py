"""The doors of the house: imports go down, and only the constructs know cdk8s."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "constructs_lib"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
ROOMS = (
    "upstream",
    "_arguments",
    "nodes",
    "monitoring",
    "manifests",
    "checks",
    "talos",
    "doctor",
    "recipes",
    "clusters",
    "adoption",
    "constructs",
    "cli",
)
"""From the ground floor up: a room imports those before it and itself."""

CHECKS = ("model", "loaders", "facts", "rules")
"""The same inside `checks`: a format is loaded into the model, facts are asked of it, rules ask for facts."""

THIRD_PARTY = {
    "_arguments": {"attrs", "yaml"},
    "checks": {"yaml"},
    "clusters": {"attrs", "yaml"},
    "cli": {"yaml"},
    "manifests": {"attrs", "yaml"},
    "monitoring": {"attrs"},
    "nodes": {"attrs", "yaml"},
    "recipes": {"attrs"},
    "talos": {"attrs", "yaml"},
    "doctor": {"yaml"},
    "constructs": {"attrs", "cdk8s", "constructs", "jsii", "yaml"},
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


NAMES = {name_of(path) for path in MODULES}


def imported(path: Path) -> tuple[set[str], set[str]]:
    """What a module imports, at any level: packages of others, and our own modules."""
    others, ours = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            others |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            others.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            parts = path.relative_to(PACKAGE).parts[: -node.level]
            base = ".".join([*parts, *([node.module] if node.module else [])])
            # `from ..upstream import versions` names a module, `from ..nodes.taints import Taint` something in one.
            ours |= {full if (full := f"{base}.{alias.name}".lstrip(".")) in NAMES else base for alias in node.names}
    return others, ours


def room_of(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_down(path):
    here = ROOMS.index(room_of(name_of(path)))

    assert {module for module in imported(path)[1] if ROOMS.index(room_of(module)) > here} == set()


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).split(".")[0] == "checks"], ids=name_of)
def test_rules_see_facts_and_the_model_and_never_a_file_format(path):
    here = next((index for index, part in enumerate(CHECKS) if name_of(path).split(".")[1:2] == [part]), len(CHECKS))
    above = {f"checks.{part}" for part in CHECKS[here + 1 :]}
    # A rule sees no format: what it asks of a loader, a fact asks for it.
    beyond = {"observed.read"} if here == CHECKS.index("rules") else set()

    assert {module for module in imported(path)[1] if module.startswith(tuple(above | beyond))} == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_room_knows_the_standard_library_and_few_others(path):
    import sys

    others = {name for name in imported(path)[0] if name not in sys.stdlib_module_names}

    assert others <= THIRD_PARTY.get(room_of(name_of(path)), set())


def test_every_room_is_named_in_its_place():
    assert {room_of(name) for name in NAMES} == set(ROOMS)


def test_no_two_modules_have_one_name():
    names = [path.stem for path in MODULES if path.stem != "__init__"]

    assert sorted(name for name in set(names) if names.count(name) > 1) == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_a_page_that_one_can_hold_in_ones_head(path):
    assert len(path.read_text().splitlines()) <= 400
