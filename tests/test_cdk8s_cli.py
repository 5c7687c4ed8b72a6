"""The real `cdk8s synth`, in a copy of the checkout."""

import os
import shutil
import subprocess
from pathlib import Path

from conftest import needs
from test_clusters import ROOT, read


def test_cdk8s_synth_writes_the_same_files_byte_for_byte(tmp_path):
    cli = needs("CDK8S_CLI", "the cdk8s CLI")
    for name in ("cdk8s.yaml", "main.py"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("constructs_lib", "imports"):
        shutil.copytree(ROOT / name, tmp_path / name)
    # cdk8s.yaml runs the app with the checkout's own Python.
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    node = str(Path(os.environ.get("JSII_NODE", "node")).resolve().parent)
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{node}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        [cli, "synth", "--check-upgrade=false"], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "dist") == read(ROOT / "dist")
