"""What the checks cost, in seconds of the processor: reading YAML, and judging it.

The objects are those of a cluster that grows: workloads of several kinds with Services and namespaces, now and then a HelmRelease and a node,
which is of one of eight pools; each pool has a device plugin. They are read as one text of 1,000, 4,000 and 16,000 objects, and a repository is
read as a folder of 1,000 files. Each measurement has a process of its own; cost that grows with the size, and not faster, shows as the same
microseconds an object. Run it from the checkout, or beside another checkout::

    .venv/bin/python benchmarks/checks.py
    .venv/bin/python benchmarks/checks.py --against ../before

With `--against` both checkouts take turns, each measurement is the best of three, and the last column is this checkout's time over the other's.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from string import Template
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

SIZES = (1_000, 4_000, 16_000)
FILES = 1_000
TURNS = 3
POOLS = 8
WORKLOADS = ("Deployment", "StatefulSet", "Deployment", "DaemonSet")

_NAMESPACE = Template("""\
---
apiVersion: v1
kind: Namespace
metadata:
  name: team-$number
  labels:
    pod-security.kubernetes.io/enforce: privileged
""")
_WORKLOAD = Template("""\
---
apiVersion: apps/v1
kind: $kind
metadata:
  name: app-$number
  namespace: team-$team
  labels:
    app.kubernetes.io/name: app-$number
spec:
  replicas: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: app-$number
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-$number
    spec:
      runtimeClassName: nvidia
      nodeSelector:
        extensions.talos.dev/nvidia-container-toolkit-lts: 580.95.05-v1.18.0
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
      containers:
        - name: app
          image: vllm/vllm-openai:v0.11.0
          args: ["--model", "openai/gpt-oss-20b"]
          ports:
            - name: http
              containerPort: 8000
          resources:
            limits:
              nvidia.com/gpu: 1
""")
_SERVICE = Template("""\
---
apiVersion: v1
kind: Service
metadata:
  name: app-$number
  namespace: team-$team
spec:
  selector:
    app.kubernetes.io/name: app-$number
  ports:
    - name: http
      port: 8000
""")
_PLUGIN = Template("""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: plugin-$pool
  namespace: kube-system
spec:
  chart:
    spec:
      chart: nvidia-device-plugin
      version: 0.20.0
  values:
    runtimeClassName: nvidia
    nodeSelector:
      pool: gpu-$pool
""")
_RELEASE = Template("""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: chart-$number
  namespace: team-$team
spec:
  chart:
    spec:
      chart: ollama
      version: 1.2.3
  values:
    ollama:
      gpu:
        enabled: true
        type: nvidia
    runtimeClassName: nvidia
""")
_NODE = Template("""\
---
machine:
  nodeLabels:
    pool: gpu-$pool
  nodeTaints:
    pool: gpu-$pool:NoSchedule
  kernel:
    modules:
      - name: nvidia
""")
_APP = {
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


def repository(folder: Path, files: int) -> Path:
    """A repository of so many files: a folder for each app, with three files and a kustomization."""
    for number in range(files // (len(_APP) + 1)):
        app = folder / f"group-{number // 50}" / f"app-{number}"
        app.mkdir(parents=True)
        for name, text in _APP.items():
            (app / name).write_text(text.replace("NUMBER", str(number)))
        (app / "kustomization.yaml").write_text(f"namespace: team-{number}\nresources: [{', '.join(_APP)}]\n")
    return folder


def manifests(size: int) -> str:
    """About so many objects, as YAML: the larger, the more of everything."""
    made = []
    for number in range(size // 2):
        given = {"number": number, "team": number // 20, "pool": number // 50 % POOLS, "kind": WORKLOADS[number % len(WORKLOADS)]}
        made += [_WORKLOAD.substitute(given), _SERVICE.substitute(given)]
        if number % 20 == 0:
            made.append(_NAMESPACE.substitute(number=number // 20))
        if number % 50 == 0:
            made += [_RELEASE.substitute(given), _NODE.substitute(given), *([_PLUGIN.substitute(given)] if number < 50 * POOLS else [])]
    return "".join(made)


def measured(checkout: Path, size: int, folder: Path | None) -> dict[str, Any]:
    """The seconds in which a checkout's library reads and judges a text of so many objects, or a folder."""
    sys.path.insert(0, str(checkout))
    from constructs_lib.checks.engine import run_rules
    from constructs_lib.checks.loaders.repository import read, read_text

    text = manifests(size)
    gc.disable()  # as the command does
    start = time.process_time()
    inputs = read([folder], talos="1.12") if folder else read_text(text, talos="1.12")
    done = time.process_time()
    findings = run_rules(inputs)
    return {"objects": len(inputs.objects), "findings": len(findings), "read": done - start, "judge": time.process_time() - done}


def in_turns(checkouts: list[Path], what: list[str]) -> list[dict[str, Any]]:
    """The best measurement of each checkout; every measurement has a process of its own."""
    best: dict[Path, dict[str, Any]] = {}
    for _ in range(TURNS if len(checkouts) > 1 else 1):
        for checkout in checkouts:
            done = subprocess.run([sys.executable, __file__, "--measure", str(checkout), *what], capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            best[checkout] = min(best.get(checkout, found), found, key=lambda each: each["read"] + each["judge"])
    return list(best.values())


def line(name: str, found: list[dict[str, Any]]) -> str:
    """A measurement, and its ratio to the other checkout's."""
    mine = found[0]
    each = 1_000_000 * (mine["read"] + mine["judge"]) / mine["objects"]
    ratios = "".join(f"{mine[part] / other[part]:>13.2f}" for other in found[1:] for part in ("read", "judge"))
    return f"{name:>16} {mine['objects']:>8} {mine['findings']:>9} {mine['read']:>7.2f} s {mine['judge']:>7.2f} s {each:>9.0f} µs{ratios}"


def main() -> None:
    """One line for each size, and one for the repository."""
    parser = argparse.ArgumentParser(description="what the checks cost")
    parser.add_argument(
        "--against", type=Path, metavar="CHECKOUT", help="another checkout of this repository, measured in turns with this one"
    )
    parser.add_argument("--measure", nargs=2, metavar=("CHECKOUT", "WHAT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        checkout, what = arguments.measure
        size, folder = (int(what), None) if what.isdecimal() else (0, Path(what))
        print(json.dumps(measured(Path(checkout), size, folder)))
        return
    checkouts = [ROOT, *([arguments.against.resolve()] if arguments.against else [])]
    ratios = f"{'read, ratio':>13}{'judge, ratio':>13}" if arguments.against else ""
    print(f"{'':>16} {'objects':>8} {'findings':>9} {'read':>9} {'judge':>9} {'an object':>12}{ratios}")
    for size in SIZES:
        print(line("one text", in_turns(checkouts, [str(size)])))
    with tempfile.TemporaryDirectory() as folder:
        repository(Path(folder), FILES)
        print(line(f"{FILES:,} files", in_turns(checkouts, [folder])))


if __name__ == "__main__":
    main()
