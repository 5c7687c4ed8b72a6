"""The wheel and the sdist: what is in them, and that a consumer's app, which has `imports` of its own, synthesizes with it."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from conftest import needs

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
    assert wheel.name.startswith("cdk8s_nvidia_talos-0.1.0-py3-none-any")


def test_the_wheel_holds_the_package_typed_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "constructs_lib").rglob("*.py")}
    tables = {str(path.relative_to(ROOT)) for path in (ROOT / "constructs_lib" / "upstream").rglob("*.json")}

    assert tops == {"constructs_lib", "cdk8s_nvidia_talos-0.1.0.dist-info"}
    assert {name for name in names if name.startswith("constructs_lib/")} == modules | tables | {"constructs_lib/py.typed"}
    assert {"LICENSE", "NOTICE"} == {name.rpartition("/")[2] for name in names if "/licenses/" in name}


def test_the_sdist_holds_no_test_because_the_tests_need_the_checkout(sdist):
    made = {"PKG-INFO", "setup.cfg", "cdk8s_nvidia_talos.egg-info"}
    own = {"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md", "MANIFEST.in", "pyproject.toml", "setup.py", "constructs_lib"}

    assert {path.name for path in sdist.iterdir()} == made | own


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(sdist, wheel, tmp_path):
    again = built("wheel", sdist, tmp_path / "again")

    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_a_consumer_s_app_with_imports_of_its_own_synthesizes_in_an_empty_environment(wheel, tmp_path):
    needs("PACKAGE_INDEX", "a package index to install the wheel's dependencies from")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    # The lock gives the versions, the wheel's metadata the names: what it forgot to ask for would be missing.
    lock = tmp_path / "constraints.txt"
    pins = (line.partition(" ")[0] for line in (ROOT / "requirements" / "synth.txt").read_text().splitlines() if "==" in line)
    lock.write_text("\n".join(pins))
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--constraint", lock, str(wheel)], check=True)
    (tmp_path / "imports").mkdir()
    (tmp_path / "imports" / "__init__.py").write_text('SIZE = "100Gi"\n')
    (tmp_path / "main.py").write_text(APP)
    subprocess.run([python, "main.py"], cwd=tmp_path, check=True)

    operator = list(yaml.safe_load_all((tmp_path / "dist" / "operator.k8s.yaml").read_text()))
    workload = list(yaml.safe_load_all((tmp_path / "dist" / "ai.k8s.yaml").read_text()))
    assert [made["kind"] for made in operator] == ["Namespace", "HelmRepository", "HelmRelease"]
    assert [made["kind"] for made in workload] == ["PersistentVolumeClaim", "Deployment"]
