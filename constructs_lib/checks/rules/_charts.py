"""The version of a release, and Helm releases and node configurations that the examples of rules about charts share."""

from __future__ import annotations

from ...observed.model import ChartRelease, Path, Read, equals
from ..rule import Edit, Example, set_to

RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
"""
OPERATOR = """\
driver: {enabled: false}
toolkit: {enabled: false}
migManager: {enabled: false}
hostPaths: {driverInstallDir: /usr/local}
"""
"""The values of the GPU operator from Talos 1.13 on."""

DEFAULT_RUNTIME = """\
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
"""


_VERSIONS: tuple[Path, ...] = (("spec", "chart", "spec", "version"), ("spec", "source", "targetRevision"), ("version",))
"""The paths of a chart's version in a HelmRelease, an Application, and a chart of kustomize."""


def version_edits(about: Read, version: str) -> tuple[Edit, ...]:
    """The edit that sets the version of a release, if the release itself names the version."""
    written = about.version if isinstance(about, ChartRelease) else None
    path = next((each for each in _VERSIONS if isinstance(written, str) and equals(about.at(*each), written).is_yes), None)
    return set_to(version, path, safe=False) if path else ()


def chart_release(chart: str, version: str, *, name: str = "", pinned: bool = True) -> str:
    """A HelmRelease up to `values:`; the values follow, indented by four."""
    pin = f", version: {version}" if pinned else ""
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name or chart}, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: {chart}{pin}, sourceRef: {{kind: HelmRepository, name: nvidia}}}}}}
  values:
"""


def operator_release(version: str = "v26.7.0", *, pinned: bool = True) -> str:
    """A release of the GPU operator for Talos 1.13; further values follow."""
    values = "".join(f"    {line}\n" for line in OPERATOR.splitlines())
    return chart_release("gpu-operator", version, pinned=pinned) + values


def operator_values(values: str, *, talos: str = "1.13", version: str = "v26.7.0") -> Example:
    """The values of the GPU operator in a file of their own."""
    return Example(values, talos=talos, chart=f"gpu-operator@{version}")


def plugin_release(*, nodes: str = "{kubernetes.io/hostname: gpu-1}", name: str = "") -> str:
    """A release of the device plugin with a nodeSelector and its RuntimeClass; further values follow."""
    return f"""\
{RUNTIME_CLASS}---
{chart_release("nvidia-device-plugin", "0.20.0", name=name)}    runtimeClassName: nvidia
    affinity: null
    nodeSelector: {nodes}
"""


def dra_release(version: str = "0.4.1") -> str:
    """A release of the DRA driver on one node; further values follow."""
    return (
        chart_release("dra-driver-nvidia-gpu", version)
        + "    kubeletPlugin: {nodeSelector: {kubernetes.io/hostname: gpu-1}, affinity: null}\n"
    )


def node_config(machine: str = "") -> str:
    """The whole Talos configuration of a GPU node."""
    return f"""\
version: v1alpha1
machine:
  type: worker
  token: abcdef.0123456789abcdef
  ca: {{crt: Y2VydGlmaWNhdGU=}}
  network: {{hostname: gpu-1}}
  nodeLabels: {{nvidia.com/gpu.present: "true"}}
  install: {{image: factory.talos.dev/metal-installer/{"0123456789abcdef" * 4}:v1.13.9}}
  kernel: {{modules: [{{name: nvidia}}, {{name: nvidia_uvm}}, {{name: nvidia_drm}}, {{name: nvidia_modeset}}]}}
{machine}cluster: {{}}
"""
