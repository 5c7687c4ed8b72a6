"""Helpers of rules: a check of one node, the places of edits, and correct releases, pods and nodes that examples start
from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...observed.model import ChartRelease, Inputs, NodeConfig, Path, Read, at, equals, known_items, known_str
from ...observed.pods.workloads import Workload
from ...upstream.talos.features import EXEMPT_NAMESPACE
from ..rule import Check, Edit, Example, Part, Violation, set_to

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
    _, path = version_part(about)
    return set_to(version, path, safe=False) if path else ()


def version_part(about: Read) -> Part:
    """The version of a chart where its release names it; else the release."""
    written = about.version if isinstance(about, ChartRelease) else None
    return about, next((each for each in _VERSIONS if isinstance(written, str) and equals(about.at(*each), written).is_yes), ())


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


def plain_release(chart: str, version: str) -> str:
    """A HelmRelease that does not name the source of its chart; the values follow."""
    return chart_release(chart, version).replace(", sourceRef: {kind: HelmRepository, name: nvidia}", "").removesuffix("  values:\n")


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


def daemon_set(name: str, container: str, *, namespace: str = EXEMPT_NAMESPACE, labels: str = "", spec: str = "") -> str:
    """A DaemonSet with its containers; `spec` are further lines of the pod spec. Default of `labels`: the name."""
    labels = labels or f"{{app: {name}}}"
    return f"""\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  selector: {{matchLabels: {labels}}}
  template:
    metadata: {{labels: {labels}}}
    spec:
{spec}      containers:
{container}"""


NAMED = "      runtimeClassName: nvidia\n"
"""The line of a DaemonSet's pod spec."""

_LABELS: Mapping[str | None, Path] = {None: ("machine", "nodeLabels"), "KubeNodeConfig": ("labels",)}


def once(check: Check) -> Check:
    """A check that reports a violation of a patch once, though the patch reaches many nodes."""

    @functools.wraps(check)
    def checked(inputs: Inputs) -> Iterator[Violation]:
        reported = set()
        for found in check(inputs):
            about = found.about
            line = about.line_of(found.path)
            key = (about.file_of(found.path) or about.file, about.label if line is None else line, found.message)
            if key not in reported:
                reported.add(key)
                yield found

    return checked


def each_node(check: Callable[[NodeConfig, Inputs], Iterator[Violation]]) -> Check:
    """The check of all node configurations by a check of one; it reports a violation of a patch once."""
    return once(functools.wraps(check)(lambda inputs: (found for config in inputs.node_configs for found in check(config, inputs))))


def declared_labels(config: NodeConfig) -> Iterator[tuple[Path, str, Any]]:
    """The labels with a known key that Talos keeps on a node. A mapping in place of a value is Talos' `$patch:
    delete`."""
    for path, labels in values_at(config, _LABELS):
        for key, value in known_items(labels):
            if isinstance(key, str) and not isinstance(value, Mapping):
                yield path, key, value


def values_at(config: NodeConfig, places: Mapping[str | None, Path]) -> Iterator[tuple[Path, Any]]:
    """The value at the place of each kind of document, with its path."""
    for index, document in config.documents:
        path = places.get(known_str(at(document, "kind")) if "kind" in document else None)
        if path is not None:
            yield ("documents", index, *path), at(document, *path)


def talconfig(node: str, talos: str = "v1.13.9") -> str:
    """A talhelper cluster with one worker; `node` holds further lines of the worker."""
    return f"""\
clusterName: home
talosVersion: {talos}
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
{node}"""


def schematic(*extensions: str) -> str:
    """The schematic of a talhelper node with these extensions."""
    names = "".join(f"            - siderolabs/{name}\n" for name in extensions)
    return f"""\
    schematic:
      customization:
        systemExtensions:
          officialExtensions:
{names}"""


MODULES = "    kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]\n"
WORKER = """\
machine:
  type: worker
  token: abcdef.0123456789abcdef
  ca: {crt: LS0tLS1CRUdJTg==}
  network: {hostname: gpu-1}
  kernel:
    modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
"""
OPEN = ("nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production")
