"""docs/testing.md: its app and its tests, in the folder of a consumer who has installed the wheel, under the real pytest and syrupy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_wheel import ROOT, built, source  # noqa: F401  # `source` is a fixture

pytestmark = pytest.mark.thorough

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
APP, TESTS = re.findall(r"^```py\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
WARNINGS, CLASSES = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TRAP = "from cdk8s import Testing\n"


class Consumer:
    """A folder with the page's two files. The wheel is installed beside it, and nothing of the checkout can be imported."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder, self._site = folder, site
        folder.mkdir()
        self.write("gpus.py", APP)
        self.write("test_gpus.py", TESTS)
        self.write("pyproject.toml", WARNINGS)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def pytest(self, *arguments: str) -> tuple[int, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = {**inherited, "PYTHONPATH": str(self._site)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


@pytest.fixture(scope="module")
def site(source, tmp_path_factory):  # noqa: F811  # the fixture
    wheel, folder = built("wheel", source, tmp_path_factory.mktemp("wheel")), tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--no-deps",
        "--no-index",
        "--target",
        str(folder),
        str(wheel),
    ]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def reviewed(site, tmp_path_factory):
    """The consumer after `pytest --snapshot-update`."""
    consumer = Consumer(tmp_path_factory.mktemp("consumer") / "app", site)
    consumer.write(
        "test_where.py", f"import constructs_lib\n\n\ndef test_where():\n    assert constructs_lib.__file__.startswith({str(site)!r})\n"
    )
    assert consumer.pytest("--snapshot-update")[0] == 0
    return consumer


def test_the_page_s_suite_passes_with_the_wheel(reviewed):
    status, printed = reviewed.pytest()

    assert (status, printed.splitlines()[-1].partition(" in ")[0]) == (0, "4 passed"), printed
    assert "1 snapshot passed" in printed


def test_the_snapshot_outlives_a_new_image_and_nothing_else(reviewed):
    reviewed.write("gpus.py", APP.replace("0.32.15", "0.33.0"))
    newer = reviewed.pytest()
    reviewed.write("gpus.py", APP.replace("100Gi", "200Gi"))
    larger = reviewed.pytest()
    reviewed.write("gpus.py", APP)

    assert newer[0] == 0, newer[1]
    assert larger[0] == 1
    assert "FAILED test_gpus.py::test_the_manifests_are_those_that_were_reviewed" in larger[1]


def test_an_error_of_the_checks_is_in_pytest_s_summary(reviewed):
    fifth = '    GpuWorkload(ai, "batch", nodes=NODES, image="app:1", replicas=4)\n\n\nif __name__'
    reviewed.write("gpus.py", APP.replace("    attach(app)\n", "").replace("\n\nif __name__", fifth))
    status, printed = reviewed.pytest("-k", "checks")
    reviewed.write("gpus.py", APP)

    assert status == 1
    assert "FAILED test_gpus.py::test_the_checks_find_no_error - AssertionError: 1 finding:" in printed
    assert re.search(r"^E +TG096 error \[Deployment default/\w+\] .*; fix: ", printed, re.MULTILINE)
    # The traceback ends in the consumer's own line, and shows none of the helper's.
    assert "constructs_lib/" not in printed


def test_the_trap_is_what_the_page_says_and_both_ways_out_work(reviewed):
    reviewed.write("test_trap.py", f"{TRAP}\n\ndef test_chart():\n    assert Testing.chart()\n")
    trapped = reviewed.pytest("test_trap.py")
    reviewed.write("pyproject.toml", CLASSES)
    set_in_pyproject = reviewed.pytest("test_trap.py")
    reviewed.write("pyproject.toml", WARNINGS)
    reviewed.write("test_trap.py", "import cdk8s\n\n\ndef test_chart():\n    assert cdk8s.Testing.chart()\n")
    imported_whole = reviewed.pytest("test_trap.py")
    (reviewed.folder / "test_trap.py").unlink()

    (shown,) = re.findall(r"^```text\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)
    assert trapped[0] == 2
    assert shown.partition("'Testing'")[0].replace("test_gpus", "test_trap") in trapped[1]
    assert "'Testing' object has no attribute '__jsii_ref__'" in trapped[1]
    assert "'Testing' object has no attribute '__jsii_ref__'" in shown
    assert (set_in_pyproject[0], imported_whole[0]) == (0, 0)


def test_a_warning_of_ours_fails_a_test_by_the_page_s_setting(reviewed):
    warning = "import warnings\nfrom constructs_lib import TalosGpuWarning\n\n\ndef test_warned():\n    warnings.warn(TalosGpuWarning('a'), stacklevel=1)\n"
    reviewed.write("test_warned.py", warning)
    status, printed = reviewed.pytest("test_warned.py")
    (reviewed.folder / "test_warned.py").unlink()

    assert (status, "TalosGpuWarning: a" in printed) == (1, True), printed
