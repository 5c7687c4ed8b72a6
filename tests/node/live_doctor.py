"""`talos-gpu doctor --live` on a real node: kubectl is the real one in the cluster's network, and talosctl answers from the node's files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from node_scene import NodeScene
from talos_of_node import stand_in

from conftest import ROOT


def doctor(scene: NodeScene, *words: str) -> dict[str, Any]:
    """The report on the running cluster, and in `text` what the command printed on standard error."""
    with tempfile.TemporaryDirectory(prefix="talos-gpu-live-") as temporary:
        folder = Path(temporary)
        stand_in(scene, folder)
        kubectl = folder / "kubectl"
        kubectl.write_text(f'#!/bin/sh\nexec {shlex.join(scene.cluster.kubectl_command)} "$@"\n')
        kubectl.chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        line = [sys.executable, "-m", "constructs_lib", "doctor", "--live", "--format", "json", *words]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report | {"text": done.stderr}


def causes(report: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The names of the causes with their subjects, in the order of the report."""
    return [(each["name"], each["subjects"]) for each in report["causes"]]
