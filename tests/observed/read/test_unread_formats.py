"""Formats that are not read: named with what reads or renders them."""

import importlib.util

import pytest

from constructs_lib.observed.read.repository import read

NVIDIA = 'x = "nvidia"\n'


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.cue", "cue export --out yaml a.cue"),
        ("a.nix", "nix eval --json --file a.nix"),
        ("a.jsonnet", "jsonnet a.jsonnet"),
        ("app/main.ts", "cdk8s synth"),
        ("infra/deep/main.go", "pulumi up"),
        ("a.tpl", "a format that is not read"),
    ],
)
def test_a_file_that_speaks_of_nvidia_is_named_with_the_command_that_renders_it(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    for each, text in {"app/cdk8s.yaml": "", "infra/Pulumi.yaml": "", "other/main.go": NVIDIA, name: NVIDIA}.items():
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text(text)

    assert [each.file for each in read(["."]).skipped if words in each.reason and each.names_nvidia] == [name]


def test_without_python_hcl2_files_of_talos_are_named_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    (tmp_path / "a.tf").write_text('resource "talos_machine_configuration_apply" "a" {}\n')
    (tmp_path / "b.tf").write_text('resource "aws_vpc" "a" {}\n')

    assert [(each.file, each.reason) for each in read(["."]).skipped] == [
        ("a.tf", "HCL is not read without python-hcl2: pip install python-hcl2")
    ]
