"""Causes that make a faulty text right, for every rule that they touch: each gives `also_passing` from the failing example."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...arguments.patterns import pattern
from ..rule import Example

STARTUP_TAINT = "a taint that a controller takes away once the node is ready"
INSTALLER = "an object of another tool that may install what is missing"
OTHER_CLUSTER = "the two in clusters of their own"

_TAINT = pattern(r"(nodeTaints: \{|registerWithTaints: \[\{key: )[\w./-]+")
_INSTALLER = """\
---
apiVersion: config.projectsveltos.io/v1beta1
kind: ClusterProfile
metadata: {name: gpu}
spec:
  helmCharts:
    - {chartName: nvidia/gpu-operator, repositoryURL: https://helm.ngc.nvidia.com/nvidia}
    - {chartName: nfd/node-feature-discovery, repositoryURL: https://kubernetes-sigs.github.io/node-feature-discovery/charts}
    - {chartName: nvidia/dra-driver-nvidia-gpu, repositoryURL: https://helm.ngc.nvidia.com/nvidia}
"""
_RELEASE = pattern(r"(kind: HelmRelease\nmetadata: .*\nspec:\n)")


def startup_taint(failing: Example) -> Mapping[str, Example]:
    """The node has the taint of Cilium in place of its own: nothing has to tolerate that one."""
    return {STARTUP_TAINT: replace(failing, yaml=_TAINT.sub(r"\1node.cilium.io/agent-not-ready", failing.yaml))}


def installer(failing: Example) -> Mapping[str, Example]:
    """Sveltos installs charts, by an object that no rule follows."""
    return {INSTALLER: replace(failing, yaml=failing.yaml.rstrip("\n") + f"\n{_INSTALLER}")}


def other_cluster(failing: Example) -> Mapping[str, Example]:
    """Flux brings each release to a cluster of its own."""
    names = iter(("home", "edge"))

    def reached(match: re.Match[str]) -> str:
        return f"{match[1]}  kubeConfig: {{secretRef: {{name: {next(names)}-kubeconfig}}}}\n"

    return {OTHER_CLUSTER: replace(failing, yaml=_RELEASE.sub(reached, failing.yaml))}
