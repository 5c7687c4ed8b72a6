"""docs/new-node.md: its commands of this library run on the nodes file of the page, and each way has five commands."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import TALCONFIG

PAGE = (Path(__file__).resolve().parents[2] / "docs/new-node.md").read_text()
WAYS = dict(re.findall(r"^## ([^\n]+)\n.*?^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_has_four_ways_of_five_commands():
    assert list(WAYS) == ["talosctl", "Omni", "talhelper", "Terraform and OpenTofu"]
    assert {len(commands.splitlines()) for commands in WAYS.values()} == {5}


@pytest.mark.parametrize("way", WAYS)
def test_the_commands_of_this_library_run(way, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("nodes.yaml").write_text(re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1])
    Path("talconfig.yaml").write_text(TALCONFIG)
    lines = [line.partition(" > ")[0] for line in WAYS[way].splitlines() if line.startswith("talos-gpu ")]

    assert lines
    for line in lines:
        status, out, err = run(*shlex.split(line)[1:])
        assert (status, err) == (0, ""), line
        assert out


def test_the_way_of_omni_has_the_patch_in_the_template_that_it_synchronizes():
    # A synchronization deletes the resources of `omnictl apply`.
    assert "omnictl cluster template sync" in WAYS["Omni"]
    assert " --template > gpu.yaml" in WAYS["Omni"]
    assert "omnictl apply" not in WAYS["Omni"]
