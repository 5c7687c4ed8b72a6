"""Fixtures for all tests: a chart to build in, snapshots as readable YAML, and what `make test` leaves to `make test-all`."""

import functools
import gc
import importlib.util
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar

import pytest
import yaml
from cdk8s import Chart, Testing
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from constructs_lib import ArgumentError, ArgumentTypeError, GpuNodes, Taint, TimeSlicing

# No test measures time; and in continuous integration, on GitHub or by `.ci/run`, the same examples are tried every time.
_SAME = "CI" in os.environ or "NO_SKIPS" in os.environ
settings.register_profile("counted", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=_SAME)
settings.load_profile("counted")

# No test depends on the width of the terminal, or on the signing key, of whoever runs it.
os.environ.pop("COLUMNS", None)
os.environ |= {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "commit.gpgsign", "GIT_CONFIG_VALUE_0": "false"}
os.environ |= {"GIT_CONFIG_KEY_1": "tag.gpgsign", "GIT_CONFIG_VALUE_1": "false"}

pytest_plugins = ("command_line",)

# Tests read YAML with libyaml, in a tenth of the time; the library has a loader of its own, and takes neither of these names.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
yaml.safe_load = functools.partial(yaml.load, Loader=_LOADER)
yaml.safe_load_all = functools.partial(yaml.load_all, Loader=_LOADER)

ROOT = Path(__file__).resolve().parent.parent

SAMPLE = 10
"""`make test` tries one of so many random cases."""
_few = pytest.StashKey[bool]()
_left_out = pytest.StashKey[int]()
_sampled = False
_Case = TypeVar("_Case")


def pytest_configure(config: pytest.Config) -> None:
    """Whether the thorough tests are left out; the workers of xdist are told by the same option."""
    global _sampled  # noqa: PLW0603  # test modules ask `drawn` while they are imported
    _sampled = config.stash[_few] = config.option.markexpr == "not thorough"
    config.stash[_left_out] = 0
    gc.disable()


def drawn(cases: int) -> int:
    """How many of so many random cases a test tries: each, and where the thorough tests are left out a tenth."""
    return max(cases // SAMPLE, 2) if _sampled else cases


def sampled(cases: Iterable[_Case], start: int = 0) -> Iterator[_Case]:
    """The cases of a long list that a test tries: each, and where the thorough tests are left out a tenth from the one with this number on."""
    return itertools.islice(cases, start % SAMPLE, None, SAMPLE) if _sampled else iter(cases)


def pytest_collection_finish() -> None:
    """What was collected stays until the end, so the garbage collector has not looked at it, and never does."""
    gc.enable()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a control plane of its own is thorough, and so is what needs a real node and its programs."""
    for item in items:
        if {"lab", "outcomes"} & {*getattr(item, "fixturenames", ())} or item.path.is_relative_to(ROOT / "tests/node"):
            item.add_marker(pytest.mark.thorough)


def pytest_deselected(items: list[pytest.Item]) -> None:
    if items:
        items[0].config.stash[_left_out] += sum(each.get_closest_marker("thorough") is not None for each in items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[_left_out]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker of xdist has collected everything, and left out the same."""
    node.config.stash[_left_out] = max(node.config.stash[_left_out], getattr(node, "workeroutput", {}).get("left_out", 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash[_few]:
        terminalreporter.write_line(
            f"{config.stash[_left_out]} thorough tests are left out; `make test-all` runs them, and all random cases"
        )


GENERATIONS = ("1.12", "1.13", "1.14")
"""One Talos of each kind that is released: the last legacy one, and both that speak CDI."""


class _PlainDumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def dumped(manifests: list[dict[str, Any]]) -> str:
    """Manifests as the YAML that people read."""
    return yaml.dump_all(manifests, Dumper=_PlainDumper, sort_keys=False, width=140)


class YamlSnapshot(SingleFileSnapshotExtension):
    """One readable YAML file for each snapshot."""

    _write_mode = WriteMode.TEXT
    file_extension = "yaml"

    def serialize(self, data: Any, **_: Any) -> str:
        return dumped(list(data))


@pytest.fixture
def snapshot_yaml(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(YamlSnapshot)


@pytest.fixture
def chart() -> Chart:
    return Testing.chart()


def synth(chart: Chart) -> list[dict[str, Any]]:
    """What a chart emits."""
    return list(Testing.synth(chart))


def one(manifests: list[dict[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    """The only object of a kind, or the one of a name."""
    found = [made for made in manifests if made["kind"] == kind and name in (None, made["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} objects of kind {kind} named {name}"
    return found[0]


def env_of(container: dict[str, Any]) -> dict[str, Any]:
    """A container's variables by name."""
    return {variable["name"]: variable.get("value", variable.get("valueFrom")) for variable in container.get("env", [])}


_TWINS: dict[type[Exception], type[Exception]] = {ValueError: ArgumentError, TypeError: ArgumentTypeError}


def message(call: Callable[[], object], error: type[Exception] = ValueError) -> str:
    """The whole message with which a call is refused."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) in (error, _TWINS.get(error))
    return str(caught.value)


@pytest.fixture
def legacy() -> GpuNodes:
    return GpuNodes(talos_version="1.12")


@pytest.fixture
def cdi() -> GpuNodes:
    return GpuNodes(talos_version="1.14")


@pytest.fixture
def seed_002() -> GpuNodes:
    """The nodes of the second seed: a taint of their own, five pods a card."""
    return GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5), memory_per_gpu="16Gi")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """With NO_SKIPS, as continuous integration has it, a part that is missing is a failure."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which NO_SKIPS forbids: {report.longrepr}"
    return report


def needs(variable: str, what: str) -> str:
    """The value of an environment variable that names a real part, or a skip that says which is missing."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: this test needs {what}")
    return value


SHORT_LIVED = {**os.environ, "GOGC": "off", "GOMAXPROCS": "1"}
"""The environment of a Go program that ends at once: most of its time goes to the collection of garbage and to threads."""


def environment(python: str | Path, folder: Path, *packages: str | Path) -> Path:
    """The interpreter of a new environment with these packages. Our pip installs them: a copy of pip, and bytecode of all, take longer than a test."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    made = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", made, "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "--only-binary", ":all:", *packages], check=True)
    return made


def reference(name: str) -> Path:
    """A file of REFERENCE, or a skip: `tools/reference.py` leaves out what upstream does not publish in this form."""
    path = Path(needs("REFERENCE", "the folder with upstream's values and rendered charts (tools/reference.py)")) / name
    if not path.is_file():
        pytest.skip(f"REFERENCE has no {name}: this test compares with this file")
    return path


class RecordedHelm:
    """A Helm that answers with a chart's recorded rendering, without hooks as `--no-hooks` asks, and keeps the values that it got."""

    def __init__(self, folder: Path, rendered: Path) -> None:
        self._values, answer = folder / "values.yaml", folder / "rendered.yaml"
        objects = [made for made in yaml.safe_load_all(rendered.read_text(encoding="utf-8")) if made]
        answer.write_text(
            dumped([made for made in objects if "helm.sh/hook" not in made["metadata"].get("annotations", {})]), encoding="utf-8"
        )
        self.path = folder / "helm"
        self.path.write_text(f"#!/bin/sh\ncat > '{self._values}'\nexec cat '{answer}'\n", encoding="utf-8")
        self.path.chmod(0o755)

    @property
    def values(self) -> Any:
        """The values of the last call."""
        return yaml.safe_load(self._values.read_text(encoding="utf-8"))


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """The inputs in files of the working folder, by their names."""
    from constructs_lib.observed.read.repository import read

    monkeypatch.chdir(tmp_path)

    def written(files, *, talos="1.13", **given):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return read(["."], talos=talos, **given)

    return written


@pytest.fixture
def terraform(tmp_path, monkeypatch):
    """The inputs in files of Terraform; `text` is that of main.tf."""
    from constructs_lib.observed.read.repository import read

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
def terraform_value(terraform):
    """The value of an expression, as the manifest of an object has it under `data`."""

    def of(expression, more="", **files):
        text = f'resource "kubernetes_manifest" "a" {{\n  manifest = {{ apiVersion = "v1", kind = "ConfigMap", data = {expression} }}\n}}\n'
        return terraform(text + dedent(more), **files).objects[0].body["data"]

    return of
