"""The real `cdk8s synth`: in a copy of the checkout, and with the app in TypeScript of docs/fleet.md."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from conftest import needs
from test_clusters import ROOT, read


def test_cdk8s_synth_writes_the_same_files_byte_for_byte(tmp_path):
    cli = needs("CDK8S_CLI", "the cdk8s CLI")
    for name in ("cdk8s.yaml", "main.py"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("constructs_lib", "imports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))  # other tests write there
    # cdk8s.yaml runs the app with the checkout's own Python.
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")

    synth(cli, tmp_path)

    assert read(tmp_path / "dist") == read(ROOT / "dist")


def test_the_app_in_typescript_of_the_page_includes_the_clusters_that_synth_has_written(tmp_path):
    cli = needs("CDK8S_CLI", "the cdk8s CLI")
    section = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8").partition("## cdk8s in TypeScript")[2]
    app = re.findall(r"^```typescript\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[0]
    first, then = re.findall(r"^```bash\n(.*) && (.*)\n```", section, re.MULTILINE)[0]
    shutil.copy(ROOT / "docs" / "fleet.yaml", tmp_path)
    (tmp_path / "node_modules").symlink_to(Path(cli).parent.parent)
    # Without its types and imports, which Node alone does not read, an app in TypeScript is one in JavaScript.
    (tmp_path / "main.js").write_text(re.sub(r"import (.*) from '(.*)'", r"const \1 = require('\2')", app))
    (tmp_path / "cdk8s.yaml").write_text("language: typescript\napp: node main.js\n")

    words = shlex.split(first)
    assert (words[0], then) == ("talos-gpu", "cdk8s synth")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "constructs_lib", *words[1:]], cwd=tmp_path, env=env, check=True, capture_output=True)
    written = [each for name in ("gpu", "ai") for each in documents(tmp_path / "clusters" / "paris" / "manifests" / f"{name}.k8s.yaml")]
    synth(cli, tmp_path)

    assert documents(tmp_path / "dist" / "gpu.k8s.yaml") == written


def documents(path: Path) -> list[object]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def synth(cli: str, folder: Path) -> None:
    """Run the real `cdk8s synth` in a folder."""
    node = str(Path(os.environ.get("JSII_NODE", "node")).resolve().parent)
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{node}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [cli, "synth", "--check-upgrade=false"], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
