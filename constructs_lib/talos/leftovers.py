"""`Leftover`: what has to go in an upgrade, why, and the command that removes it."""

from __future__ import annotations

import re
from typing import NamedTuple

# Kinds that other groups have as well: Kyverno's ClusterPolicy, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}
CHART = "chart"
SETTING = "setting"
# What goes that is no object of Kubernetes.
_BY_HAND = {CHART: "leave out", SETTING: "take out"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


class Leftover(NamedTuple):
    """What has to go, why, and the command that removes it; `UpgradePlan.leftovers` finds them.

    `kind` is that of an object of Kubernetes, or `chart` for a chart that a kustomization or another chart brings, or `setting` for what has
    to go from something that stays: a value of a chart, a field of a node's configuration. Of a setting the name says where it is.

    Example:
        >>> Leftover("RuntimeClass", None, "nvidia", "the operator makes this RuntimeClass and owns it").command
        'kubectl delete runtimeclass nvidia'
    """

    kind: str
    namespace: str | None
    name: str
    reason: str

    @property
    def command(self) -> str:
        """The command that removes it, where no GitOps tool brings it back; a comment where only a person can, or nothing has a name yet."""
        within = f" in {self.namespace}" if self.namespace else ""
        if self.kind in _BY_HAND:
            return _comment(f"{_BY_HAND[self.kind]} the {self.kind} {self.name}{within}")
        if not self.name:
            return _comment(f"a {self.kind} without a name{within}")
        if not all(_NAME.fullmatch(word) for word in (self.kind, self.name, self.namespace or "default")):
            return _comment(f"the {self.kind} {self.name}{within}, whose name something else fills in")
        where = f" --namespace {self.namespace}" if self.namespace else ""
        return f"kubectl delete {_RESOURCES.get(self.kind, self.kind.lower())} {self.name}{where}"


def _comment(text: str) -> str:
    """A comment of a shell's, which ends with its line."""
    return f"# {' '.join(text.split())}"
