"""Every place that prints the name of an installer image, or a command that installs one: the names are formed in one module, and each place says what the image lacks."""

import ast
import re
from pathlib import Path

from constructs_lib.checks.rules import RULES

PACKAGE = Path(__file__).resolve().parent.parent / "constructs_lib"
_NAME = re.compile(r"(^|[/-])installer(-secureboot)?[/:]|siderolabs/installer|-installer\b")
_COMMAND = re.compile(r"upgrade[^\n]*--image|^--image$|--print installer")

OF_NAMES = {"upstream/talos/installer_images.py"}
"""The module that forms the names."""
QUOTED = {
    "checks/rules/talos/files.py": "an example, made of parts",
    "checks/rules/talos/versions.py": "the words of TG132, and an example, made of parts",
}
"""The modules that quote a name of somebody else's."""
OF_COMMANDS = {
    "checks/formats/page_images.py": "tests/checks/test_cluster_page.py: a step before it lists what the present image has",
    "checks/rules/talos/versions.py": "the command reads the present image by --from",
    "symptoms/driver_symptoms.py": "the command reads the present image by --from",
    "symptoms/node_symptoms.py": "the command reads the present image by --from",
    "symptoms/remedies.py": "the command reads the present image by --from",
    "cli/schematic_command.py": "tests/cli/test_schematic_command.py: a warning beside the name",
    "doctor/node_commands.py": "tests/doctor/test_node_commands.py: the present schematic, or a comment",
    "monitoring/cluster_alerts.py": "the sentence of the runbook: every other extension of the node",
    "talos/config/install_config.py": "the patch of a new node, which has no image yet",
    "talos/upgrade/plan.py": "the command reads the present image by --from",
    "talos/upgrade/words.py": "tests/talos/test_upgrade.py: the reason of the step",
}
"""The modules with commands that install an image, and how each says what the image lacks. A new place needs a line here, and its test."""


def texts(path):
    """The texts of a module that it may print: no docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


def places(pattern):
    examples = [text for rule in RULES.values() for text in (rule.failing.yaml, rule.passing.yaml)]
    return {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for text in texts(path)
        if pattern.search(text) and not any(text in example for example in examples)
    }


def test_one_module_forms_the_names_of_installer_images():
    assert places(_NAME) - OF_NAMES == QUOTED.keys()


def test_every_place_with_a_command_that_installs_an_image_is_known():
    assert places(_COMMAND) == OF_COMMANDS.keys()


def test_a_printed_command_for_a_new_image_reads_the_present_one():
    remedies = [text for name in OF_COMMANDS if name.startswith(("symptoms/", "checks/rules/")) for text in texts(PACKAGE / name)]

    assert [text for text in remedies if "--print installer" in text and "--from " not in text] == []
