"""What the checks read in the benchmarks: the objects of a cluster that grows, and a repository of many files.

The objects are workloads of several kinds with Services and namespaces, now and then a HelmRelease and a node, which is of one of eight pools;
each pool has a device plugin.
"""

from pathlib import Path
from string import Template

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
