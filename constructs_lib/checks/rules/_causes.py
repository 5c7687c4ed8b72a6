"""Causes that make a faulty text right, for every rule that they touch: each makes a correct example of the failing one."""

from __future__ import annotations

import re
from dataclasses import replace

from ...arguments.patterns import pattern
from ..rule import Cause, Example

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


def _with_startup_taint(failing: Example) -> Example:
    return replace(failing, yaml=_TAINT.sub(r"\1node.cilium.io/agent-not-ready", failing.yaml))


def _with_installer(failing: Example) -> Example:
    return replace(failing, yaml=failing.yaml.rstrip("\n") + f"\n{_INSTALLER}")


def _in_clusters(failing: Example) -> Example:
    names = iter(("home", "edge"))

    def reached(match: re.Match[str]) -> str:
        return f"{match[1]}  kubeConfig: {{secretRef: {{name: {next(names)}-kubeconfig}}}}\n"

    return replace(failing, yaml=_RELEASE.sub(reached, failing.yaml))


STARTUP_TAINT = Cause("a taint that a controller takes away once the node is ready", _with_startup_taint)
"""The node has the taint of Cilium in place of its own: nothing has to tolerate that one."""
INSTALLER = Cause("an object of another tool that may install what is missing", _with_installer)
"""Sveltos installs charts, by an object that no rule follows."""
OTHER_CLUSTER = Cause("the two in clusters of their own", _in_clusters)
"""Flux brings each release to a cluster of its own."""
