"""Correct pods that the examples of rules start from."""

from __future__ import annotations

RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
"""

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
