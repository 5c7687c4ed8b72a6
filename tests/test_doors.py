"""The doors of the house: imports go down, and only the constructs know cdk8s."""

import ast
import functools
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "constructs_lib"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
ROOMS = (
    "upstream",
    "arguments",
    "yaml",
    "nodes",
    "monitoring",
    "manifests",
    "observed",
    "symptoms",
    "checks",
    "talos",
    "changes",
    "forges",
    "doctor",
    "recipes",
    "clusters",
    "adoption",
    "constructs",
    "cli",
)
"""From the ground floor up: a room imports those before it and itself."""

OBSERVED = ("model", "read")
"""The same inside `observed`: a format is read into the model, and everything else there is a question of the model."""

THIRD_PARTY = {
    "arguments": {"attrs"},
    "yaml": {"yaml"},
    "observed": {"hcl2", "lark"},
    "clusters": {"attrs"},
    "manifests": {"attrs"},
    "monitoring": {"attrs"},
    "nodes": {"attrs"},
    "recipes": {"attrs"},
    "talos": {"attrs"},
    "constructs": {"attrs", "cdk8s", "constructs", "jsii"},
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


NAMES = {name_of(path) for path in MODULES}


@functools.cache
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


def seen(paths, wrong):
    """The modules with what is wrong about each."""
    return {name_of(path): found for path in paths if (found := wrong(path))}


def test_imports_go_down():
    def above(path):
        here = ROOMS.index(room_of(name_of(path)))
        return sorted(module for module in imported(path)[1] if ROOMS.index(room_of(module)) > here)

    assert seen(MODULES, above) == {}


def test_a_model_knows_no_reader_and_a_reader_asks_no_question():
    """Inside `observed` imports go down too; what one reader and the questions share is in the model."""
    places = {
        module: OBSERVED.index(part) if (part := module.split(".")[1:2] and module.split(".")[1]) in OBSERVED else len(OBSERVED)
        for module in NAMES
    }
    offenders = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        if room_of(name_of(path)) == "observed"
        for module in imported(path)[1]
        if room_of(module) == "observed" and places.get(module, 0) > places[name_of(path)] and module != "observed"
    ]

    assert offenders == []


def test_a_rule_sees_no_file_format():
    """What a rule would ask of a reader, a question asks for it."""
    offenders = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        if name_of(path).startswith("checks.rules")
        for module in imported(path)[1]
        if module.startswith("observed.read")
    ]

    assert offenders == []


def test_a_room_knows_the_standard_library_and_few_others():
    def unknown(path):
        return sorted(imported(path)[0] - sys.stdlib_module_names - THIRD_PARTY.get(room_of(name_of(path)), set()))

    assert seen(MODULES, unknown) == {}


def test_every_room_is_named_in_its_place():
    assert {room_of(name) for name in NAMES} == set(ROOMS)


def test_a_module_is_a_page_that_one_can_hold_in_ones_head():
    assert seen(MODULES, lambda path: max(0, len(path.read_text().splitlines()) - 400)) == {}


def test_no_modules_import_each_other():
    """In a circle no module can be read, tested or moved by itself; imports for types and late imports count too."""
    paths = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    below = {name: {other for other in imported(path)[1] if other in paths} - {name} for name, path in paths.items()}
    while leaves := [name for name, others in below.items() if not others & below.keys()]:
        for name in leaves:
            del below[name]

    # What is left is in a circle, or imports one.
    assert {name: sorted(others & below.keys()) for name, others in below.items()} == {}
