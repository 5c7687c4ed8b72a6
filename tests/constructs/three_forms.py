"""One cluster in three forms: a cluster file, the app of the file with `attach`, and its YAML as a stranger gives it to `check`."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from constructs_lib import TalosGpuError, TalosGpuWarning, check
from constructs_lib.clusters.app_registry import Registry
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.python_app import app_text
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.constructs import _registry

_RULE = re.compile(r"TG\d{3}")

Said = set[tuple[str, str]]
"""Rules, each with its severity."""


def in_three_forms(text: str, folder: Path) -> tuple[Said, Said, Said]:
    """The errors and warnings about a cluster file, about its app, and about its YAML with the same nodes."""
    ((_, description),) = ClusterFile("cluster.yaml", text).clusters()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = synthesize(description, str)
    assert [str(each) for each in result.errors] == []
    of_the_file = {(rule, "error") for each in result.violations for rule in _RULE.findall(str(each))[:1]}
    of_the_file |= {(rule, "warning") for each in result.warnings for rule in _RULE.findall(str(each))[:1]}
    for path, content in result.files.items():
        if path.startswith("manifests/"):
            file = folder / "tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    findings = check(folder / "tree", nodes=result.nodes)
    of_the_yaml = {(each.rule, str(each.severity)) for each in findings if each.severity != "remark"}
    return of_the_file, _of_the_app(app_text(description), folder), of_the_yaml


def _of_the_app(text: str, folder: Path) -> Said:
    said: Said = set()
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        patched.setattr(_registry, "_places", {})
        patched.setattr(_registry, "_registry", Registry())
        patched.setenv("CDK8S_OUTDIR", str(folder / "app"))
        source: Any = compile(text, "main.py", "exec")
        try:
            exec(source, {"__file__": "main.py"})
        except TalosGpuError as error:
            said |= {(rule, "error") for each in error.errors for rule in _RULE.findall(each)[:1]}
    given = [f"{each.message}" for each in caught if issubclass(each.category, TalosGpuWarning)]
    return said | {(rule, "warning") for each in given for rule in _RULE.findall(each)[:1]}
