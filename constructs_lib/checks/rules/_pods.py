"""The place of a pod's option for an edit, and correct pods that the examples of rules start from."""

from __future__ import annotations

from ...observed.model import ChartRelease, Path
from ...observed.pods.workloads import Workload
from ._charts import RUNTIME_CLASS

ONE_GPU = "      resources: {limits: {nvidia.com/gpu: 1}}\n"
TWO_GPUS = "      resources: {limits: {nvidia.com/gpu: 2}}\n"

_POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: ollama}
spec:
  runtimeClassName: nvidia
  containers:
    - name: ollama
      image: ollama/ollama:0.32.15
"""


def option_path(workload: Workload, key: str) -> Path:
    """The path at which an option of a pod is set: below `pod` for a controller of bjw-s' common library, else in the
    pod spec."""
    is_controller = isinstance(workload.about, ChartRelease) and workload.path[-2:-1] == ("controllers",)
    return (*workload.path, "pod", key) if is_controller else (*workload.path, key)


def pod(container: str = "      resources: {limits: {nvidia.com/gpu: 1}}\n", spec: str = "") -> str:
    """A GPU pod with its RuntimeClass; `container` and `spec` are further lines of the container and the pod spec."""
    return RUNTIME_CLASS + _POD + container + spec


def in_deployment(spec: str, container: str = "          resources: {limits: {nvidia.com/gpu: 1}}\n") -> str:
    """A Deployment of a GPU pod; `spec` are further lines of the Deployment's spec."""
    return (
        RUNTIME_CLASS
        + f"""\
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: ollama, namespace: ollama}}
spec:
{spec}  selector: {{matchLabels: {{app: ollama}}}}
  template:
    metadata: {{labels: {{app: ollama}}}}
    spec:
      runtimeClassName: nvidia
      containers:
        - name: ollama
          image: ollama/ollama:0.32.15
{container}"""
    )
