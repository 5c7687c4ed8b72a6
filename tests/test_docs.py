"""The pages of docs/: each shows what its examples print today."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from constructs_lib.symptoms.link import Link

ROOT = Path(__file__).resolve().parent.parent
fresh = runpy.run_path(str(ROOT / "tools" / "docs.py"))["fresh"]
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_shows_what_its_examples_print(path):
    assert fresh(path.read_text()) == path.read_text()


def test_a_page_that_is_not_fresh_is_found():
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n"

    assert fresh(page) == page.replace("2", "1")


def test_what_is_to_be_rendered_stands_between_two_comments():
    page = "```python\nprint('| a |')\n```\n\n<!-- printed -->\n| b |\n<!-- end -->\n\n```python\nprint(1)\n```\n\n```text\n2\n```\n"

    assert fresh(page) == page.replace("| b |", "| a |").replace("2", "1")


def test_an_example_that_shows_nothing_of_what_it_prints_is_an_error():
    with pytest.raises(ValueError, match="no block below it shows that"):
        fresh("```python\nprint(1)\n```\n\nText.\n")


def test_a_command_of_an_example_has_to_succeed():
    with pytest.raises(ValueError, match=r"an example fails: talos-gpu patch --talos 1\.7"):
        fresh("```sh\ntalos-gpu patch --talos 1.7\n```\n")


def test_a_command_with_a_pipe_is_for_the_reader():
    page = "```sh\ntalos-gpu schematic --talos 1.13.9 | curl --data-binary @- https://factory.talos.dev/schematics\n```\n"

    assert fresh(page) == page


def test_the_check_is_quiet_when_all_is_fresh():
    done = subprocess.run([sys.executable, "tools/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_faults_of_each_link_of_the_doctor_stand_on_its_page():
    page = (ROOT / "docs" / "doctor.md").read_text()

    for link in Link:
        assert f'### <a id="{link}"></a>{link}\n' in page
        table = page.partition(f"<!-- faults {link} -->\n")[2].partition("<!-- end -->")[0]
        assert table.startswith("| fault | first line of the report |\n")


def test_an_alert_points_to_a_link_of_the_doctors_chain():
    anchors = re.findall(r"\(doctor\.md#(\w+)\)", (ROOT / "docs" / "alerts.md").read_text())

    assert len(anchors) == 12
    assert {*anchors} <= {str(link) for link in Link}
