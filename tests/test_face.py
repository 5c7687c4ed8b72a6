"""The public face: what it names, and what naming it costs."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import constructs_lib
import constructs_lib.recipes
from constructs_lib.arguments.public_names import PACKAGES, public_names
from public_face import PUBLIC

ROOT = Path(__file__).resolve().parent.parent


def in_a_new_python(code: str) -> dict:
    """Run code that leaves its answer in `answer`, in a Python that has loaded nothing yet."""
    script = f"{code}\nimport json; print(json.dumps(answer))"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_public_name_exists_and_the_stub_is_sorted(package):
    face = import_module(package)
    stub = (ROOT / package.replace(".", "/") / "__init__.pyi").read_text().splitlines()

    assert dir(face) == face.__all__ == sorted(public_names(package))
    assert [name for name in public_names(package) if not hasattr(face, name)] == []
    assert stub == sorted(stub)
    assert [line for line in stub if line.split()[-1] not in public_names(package) or line.split()[-3] != line.split()[-1]] == []


def test_a_name_is_public_in_one_package():
    assert sum(len(public_names(package)) for package in PACKAGES) == len(PUBLIC)


def test_the_first_face_has_some_fifty_names():
    assert len(public_names("constructs_lib")) <= 64


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'constructs_lib' has no attribute 'GpuNode'"):
        _ = constructs_lib.GpuNode
    with pytest.raises(AttributeError, match=r"module 'constructs_lib\.recipes' has no attribute 'Olama'"):
        _ = constructs_lib.recipes.Olama


@pytest.mark.parametrize(
    "names",
    [
        "",
        "GpuNodes, Taint, TimeSlicing, gpu_pod",
        "Flux, ArgoCd, HelmTemplate",
        "Persistent",
        "check, Finding, Severity",
    ],
)
def test_what_needs_no_cdk8s_loads_no_jsii(names):
    code = f"import sys\nimport constructs_lib\n{f'from constructs_lib import {names}' if names else ''}\n"
    loaded = in_a_new_python(f"{code}answer = [name for name in ('jsii', 'cdk8s', 'constructs', 'yaml') if name in sys.modules]")

    assert set(loaded) <= {"yaml"}


def test_naming_a_construct_loads_neither_cdk8s_plus_nor_imports():
    code = "import sys\nfrom constructs_lib import StandaloneDevicePlugin, NvidiaGpuOperator, GpuAlerts, GpuWorkload, request_gpus\n"
    loaded = in_a_new_python(f"{code}answer = [name for name in sys.modules if name.startswith(('cdk8s_plus', 'imports'))]")

    assert loaded == []


def test_the_helpers_for_tests_are_loaded_by_their_own_name_alone_and_load_no_test_runner_and_no_cdk8s():
    faces = f"import sys\nfrom constructs_lib import {', '.join(public_names('constructs_lib'))}\nimport constructs_lib.cli\n"
    assert in_a_new_python(f"{faces}answer = 'constructs_lib.testing' in sys.modules") is False

    loaded = in_a_new_python("import sys\nimport constructs_lib.testing\nanswer = [name.partition('.')[0] for name in sys.modules]")
    assert {"pytest", "_pytest", "syrupy", "unittest", "jsii", "cdk8s", "constructs"}.isdisjoint(loaded)


def loaded_by(code: str, before: str = "") -> list[str]:
    """The modules that code loads in a new Python, beyond those that `before` has loaded. Our folders are no modules of their own."""
    ours = "{name for name, module in sys.modules.items() if name.startswith('constructs_lib.') and hasattr(module, '__path__')}"
    return in_a_new_python(f"{before}\nimport sys\nbefore = set(sys.modules)\n{code}\nanswer = sorted(set(sys.modules) - before - {ours})")


# What `import dataclasses, enum, decimal` loads by itself, and the slowest modules of the standard library, which nothing of ours wants at import.
SLOW = {"yaml", "difflib", "asyncio", "email", "http", "urllib.request", "subprocess", "unittest", "logging", "ssl", "socket"}


@pytest.mark.parametrize(
    ("code", "ours", "others"),
    [
        ("import constructs_lib", 2, 30),
        ("from constructs_lib import GpuNodes, Taint, gpu_pod", 31, 72),
        ("import constructs_lib.manifests.workload.objects", 37, 70),
        ("from constructs_lib.talos import Schematic, MachineConfigPatch, UpgradePlan", 65, 80),
        ("from constructs_lib.monitoring import gpu_dashboard, MetricsSource", 24, 78),
        ("from constructs_lib.monitoring import AlertRules, AlertThresholds, MetricsSource", 29, 78),
        ("from constructs_lib.monitoring import Counter, Metric, default_counters", 18, 74),
        ("import constructs_lib.manifests.exporter.objects", 46, 70),
        ("import constructs_lib.cli.command", 10, 40),
    ],
)
def test_the_pure_rooms_load_few_modules_and_none_that_is_slow(code, ours, others):
    loaded = loaded_by(code)
    mine = [name for name in loaded if name.startswith("constructs_lib")]

    assert SLOW.isdisjoint(loaded)
    assert len(mine) <= ours
    assert len(loaded) - len(mine) <= others


@pytest.mark.parametrize(
    ("arguments", "ours", "others"),
    [
        (["--version"], 15, 64),
        (["matrix"], 28, 74),
        (["models", "--card", "RTX 4090"], 48, 97),
        (["schematic", "--talos", "1.13"], 49, 97),
        (["why", "NVRM: GPU0 RmInitAdapter"], 52, 74),
        (["check", "docs/example.yaml"], 208, 116),
        (["--help"], 75, 100),
    ],
)
def test_a_run_of_the_command_loads_the_modules_of_the_given_verb_alone(arguments, ours, others):
    silent = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):"
    loaded = loaded_by(f"{silent}\n    import constructs_lib.cli.command as command; command.main({arguments!r})")
    mine = [name for name in loaded if name.startswith("constructs_lib")]

    assert SLOW.isdisjoint(loaded) or arguments[0] == "check"
    assert "attr" not in loaded or arguments[0] in ("schematic", "models", "--help"), "only described nodes need attrs"
    assert len(mine) <= ours
    assert len(loaded) - len(mine) <= others


@pytest.mark.parametrize(
    "name",
    ["NvidiaRuntimeClass", "StandaloneDevicePlugin", "GpuWorkload", "NvidiaGpuOperator", "DcgmExporter", "GpuDashboard", "GpuAlerts"],
)
def test_naming_a_construct_loads_after_cdk8s_little_more_than_its_own_rooms(name):
    loaded = loaded_by(f"from constructs_lib import {name}", before="import cdk8s")

    # The runbooks of the alerts quote the words of their commands.
    assert {each for each in loaded if not each.startswith("constructs_lib")} <= {"shlex"}
    assert len(loaded) <= 95


def test_the_docstrings_examples_run():
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "tests/doctests.py"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert "examples passed" in done.stdout
