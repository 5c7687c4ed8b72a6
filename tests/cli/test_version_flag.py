"""`talos-gpu --version`."""

import importlib.metadata
import tomllib

import pytest

from conftest import ROOT
from constructs_lib.cli import main
from constructs_lib.upstream.talos_releases import READ_ON


def printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_version_is_that_of_what_is_installed_with_the_date_of_the_tables(capsys, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", {"cdk8s-nvidia-talos": "9.8.7"}.__getitem__)

    assert printed(capsys) == f"talos-gpu 9.8.7 (tables of {READ_ON})\n"


def test_in_a_source_tree_the_version_is_that_of_its_metadata(capsys, monkeypatch):
    def not_installed(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", not_installed)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert printed(capsys) == f"talos-gpu {version} (tables of {READ_ON})\n"
