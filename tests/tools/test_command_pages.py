"""docs/commands.md and the manual: every command and flag of the parser."""

import re
import shutil
import subprocess

import pytest

from conftest import ROOT
from constructs_lib.cli.command import _parser
from tools.command_pages import commands_markdown, manual


def test_the_page_and_the_manual_have_each_flag_of_each_command():
    page, roff = commands_markdown(), manual().replace("\\-", "-")

    for verb, parser in _parser().verbs.items():
        section = page.partition(f"`talos-gpu {verb}`\n")[2].partition("\n### ")[0]
        part = roff.partition(f'.SS "talos-gpu {verb}"\n')[2].partition("\n.SS ")[0]
        flags = [flag for flag in parser.flags if flag != "--help"]
        assert [flag for flag in flags if f"{flag}" not in section or flag not in part] == []


def test_the_pages_are_those_of_the_parser_today():
    shown = (ROOT / "docs/commands.md").read_text(encoding="utf-8")

    assert shown.partition("<!-- commands -->\n")[2] == f"{commands_markdown()}<!-- end -->\n"
    assert (ROOT / "docs/talos-gpu.1").read_text(encoding="utf-8") == manual()


def test_a_table_of_the_page_has_two_cells_in_each_row():
    rows = [line for line in commands_markdown().splitlines() if line.startswith("|")]

    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}


def test_man_reads_the_manual():
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "docs/talos-gpu.1"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (made.returncode, made.stderr) == (0, "")
    assert "RTX 4090" in made.stdout
