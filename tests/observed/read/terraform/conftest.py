"""A folder of Terraform, and what is read from it."""

import importlib.util
from textwrap import dedent

import pytest

from constructs_lib.observed.read.repository import read


@pytest.fixture
def reading(tmp_path, monkeypatch):
    """The inputs in files of Terraform; `text` is that of main.tf."""
    if importlib.util.find_spec("hcl2") is None:
        pytest.skip("python-hcl2 is not installed: this test needs the extra [terraform] of requirements/dev.txt")
    monkeypatch.chdir(tmp_path)

    def read_all(text="", **files):
        for name, content in {"main.tf": text, **files.pop("files", {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(content), encoding="utf-8")
        return read(["."], **files)

    return read_all


@pytest.fixture
def value(reading):
    """The value of an expression, as the manifest of an object has it under `data`."""

    def of(expression, more="", **files):
        text = f'resource "kubernetes_manifest" "a" {{\n  manifest = {{ apiVersion = "v1", kind = "ConfigMap", data = {expression} }}\n}}\n'
        return reading(text + dedent(more), **files).objects[0].body["data"]

    return of
