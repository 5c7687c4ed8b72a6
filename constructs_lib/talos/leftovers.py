"""`Leftover`: an object or setting to remove in an upgrade, its reason, and the command that removes it."""

from __future__ import annotations

import re
from typing import NamedTuple

# Other API groups have kinds of the same name: the ClusterPolicy of Kyverno, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}
CHART = "chart"
SETTING = "setting"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


class Leftover(NamedTuple):
    """An object or setting to remove in an upgrade, with its reason and the command that removes it; `UpgradePlan.leftovers` finds them.

    `kind` is the kind of a Kubernetes object; or `chart` for a chart in a kustomization or in another chart; or `setting` for a chart value or
    a field of a node configuration. The name of a setting is its path.

    Example:
        >>> Leftover("RuntimeClass", None, "nvidia", "the operator creates this RuntimeClass and owns it").command
        'kubectl delete runtimeclass nvidia'
    """

    kind: str
    namespace: str | None
    name: str
    reason: str

    @property
    def command(self) -> str:
        """The command that removes the object; a comment for a chart, for a setting, and for an object whose name is not known."""
        within = f" in {self.namespace}" if self.namespace else ""
        if self.kind in (CHART, SETTING):
            return _comment(f"remove the {self.kind} {self.name}{within}")
        if not self.name:
            return _comment(f"a {self.kind} without a name{within}")
        if not all(_NAME.fullmatch(word) for word in (self.kind, self.name, self.namespace or "default")):
            return _comment(f"the {self.kind} {self.name}{within}, whose name another tool fills in")
        where = f" --namespace {self.namespace}" if self.namespace else ""
        return f"kubectl delete {_RESOURCES.get(self.kind, self.kind.lower())} {self.name}{where}"


def _comment(text: str) -> str:
    """A shell comment on one line."""
    return f"# {' '.join(text.split())}"
