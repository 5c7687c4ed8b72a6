"""docs/new-node.md: its commands of this library run on the cluster file of the page, and each way has five commands."""

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


def test_with_talosctl_the_configuration_gets_the_installer_with_the_driver_and_the_modules(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("home.yaml").write_text(re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1])
    written = {}
    for line in WAYS["talosctl"].splitlines():
        command, _, file = line.partition(" > ")
        if file:
            written[file] = run(*shlex.split(command)[1:])[1]
        elif command.startswith("talosctl machineconfig patch "):
            patches = re.findall(r"--patch @(\S+)", command)

    assert patches == list(written)
    assert "machine:\n  install:\n    image: factory.talos.dev/metal-installer/" in written["install.yaml"]
    assert "name: nvidia_uvm" in written["gpu.yaml"]


@pytest.mark.parametrize("command", [["schematic", "--print", "install-config"], ["patch"]])
def test_the_style_that_the_page_names_gives_both_files_fields_on_talos_1_14(command, run):
    status, out, _ = run(*command, "--talos", "1.14.6", "--style", "fields")

    assert (status, "--style fields" in PAGE) == (0, True)
    assert "\nmachine:\n" in out
    assert "\nkind:" not in out


def test_the_section_of_terraform_leads_to_its_resources():
    (link,) = set(re.findall(r"\(talos\.md#([^)]+)\)", PAGE.partition("## Terraform and OpenTofu")[2]))
    page = (Path(__file__).resolve().parents[2] / "docs/talos.md").read_text()
    section = page.partition("\n## Terraform and OpenTofu\n")[2].partition("\n## ")[0]

    assert link == "terraform-and-opentofu"
    assert 'resource "talos_machine_configuration_apply" "gpu"' in section
    assert "docstring" not in PAGE


@pytest.mark.parametrize("way", WAYS)
def test_the_commands_of_this_library_run(way, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("home.yaml").write_text(re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1])
    Path("talconfig.yaml").write_text(TALCONFIG)
    lines = [re.split(r" [>|] ", line)[0] for line in WAYS[way].splitlines() if line.startswith("talos-gpu ")]

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
