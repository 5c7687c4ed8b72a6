"""What the checks cost: bounds that are generous, in the processor's own time, so that what runs beside them is not what is measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCHMARK = ROOT / "benchmarks" / "checks.py"

IN_A_NEW_PYTHON = """
import sys, time
start = time.process_time()
from constructs_lib.checks.engine import judge
from constructs_lib.checks.reading.repository import read
imported = time.process_time()
inputs = read([sys.argv[1]], talos="1.13")
judge(inputs)
print(imported - start, time.process_time() - imported, len(inputs.objects))
"""
FILES = {
    "deployment.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app-NUMBER}
spec:
  selector: {matchLabels: {app: app-NUMBER}}
  template:
    metadata: {labels: {app: app-NUMBER}}
    spec:
      containers:
        - {name: app, image: vllm/vllm-openai:v0.11.0, resources: {limits: {nvidia.com/gpu: 1}}}
""",
    "service.yaml": """\
apiVersion: v1
kind: Service
metadata: {name: app-NUMBER}
spec: {selector: {app: app-NUMBER}, ports: [{name: http, port: 8000}]}
""",
    "helm-release.yaml": """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: chart-NUMBER}
spec:
  chart: {spec: {chart: ollama, version: 1.2.3}}
  values: {replicaCount: 1, image: {tag: latest}, resources: {limits: {memory: 1Gi}}}
""",
}


def measured(size, times=3):
    """What the benchmark measures, the least of several: seconds to read and to judge, and how many objects there were."""
    runs = [subprocess.run([sys.executable, BENCHMARK, str(size)], capture_output=True, text=True, check=True) for _ in range(times)]
    return min((json.loads(each.stdout) for each in runs), key=lambda each: each["read"] + each["judge"])


@pytest.fixture(scope="module")
def thousand():
    return measured(1_000)


def test_a_thousand_objects_take_less_than_a_second(thousand):
    assert thousand["objects"] >= 1_000
    assert thousand["findings"] > 0
    assert thousand["read"] + thousand["judge"] < 1.0


@pytest.fixture(scope="module")
def eight_thousand():
    return measured(8_000, times=1)


@pytest.mark.parametrize("part", ["read", "judge"])
def test_eight_times_the_objects_take_about_eight_times_as_long(thousand, eight_thousand, part):
    more = eight_thousand

    assert more["objects"] >= 8_000
    assert more[part] / more["objects"] < 2 * thousand[part] / thousand["objects"]


def test_a_repository_of_two_thousand_files_takes_a_few_seconds(tmp_path):
    for number in range(500):
        app = tmp_path / f"group-{number // 50}" / f"app-{number}"
        app.mkdir(parents=True)
        for name, text in FILES.items():
            (app / name).write_text(text.replace("NUMBER", str(number)))
        (app / "kustomization.yaml").write_text(f"namespace: team-{number}\nresources: [{', '.join(FILES)}]\n")
    done = subprocess.run([sys.executable, "-c", IN_A_NEW_PYTHON, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    imported, taken, objects = map(float, done.stdout.split())

    assert objects == 1_500
    assert taken < 5.0
    assert imported < 0.5
