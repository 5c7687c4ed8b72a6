"""What the checks cost, in seconds of the processor: reading YAML, and judging it, at 1,000, 4,000 and 16,000 objects.

The objects are those of a cluster that grows: workloads of several kinds with Services and namespaces, now and then a HelmRelease and a node,
which is of one of eight pools; each pool has a device plugin. Each size has a process of its own; cost that grows with the size, and not faster, shows
as the same microseconds an object. Run it from the checkout::

    .venv/bin/python benchmarks/checks.py
"""

import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIZES = (1_000, 4_000, 16_000)
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


def measured(size: int) -> dict[str, float]:
    """The seconds to read and to run_rules, and the number of objects and of findings."""
    from constructs_lib.checks.engine import run_rules
    from constructs_lib.checks.loaders.repository import read_text

    text = manifests(size)
    gc.disable()  # as the command does
    start = time.process_time()
    inputs = read_text(text, talos="1.12")
    read = time.process_time()
    findings = run_rules(inputs)
    done = time.process_time()
    return {"objects": len(inputs.objects), "findings": len(findings), "read": read - start, "run_rules": done - read}


def main() -> None:
    """One line for each size, in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(int(sys.argv[1]))))
        return
    print(f"{'objects':>8} {'findings':>9} {'read':>9} {'run_rules':>9} {'in all':>9} {'an object':>12}")
    for size in SIZES:
        done = subprocess.run([sys.executable, __file__, str(size)], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        total = found["read"] + found["run_rules"]
        each = 1_000_000 * total / found["objects"]
        print(
            f"{found['objects']:>8} {found['findings']:>9} {found['read']:>7.2f} s {found['run_rules']:>7.2f} s {total:>7.2f} s {each:>9.0f} µs"
        )


if __name__ == "__main__":
    main()
