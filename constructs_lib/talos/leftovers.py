"""`Leftover`: an object or setting to remove or change in an upgrade, its reason, and the command or comment that says how."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..arguments.commands import command
from ..upstream.talos.features import LEGACY_ROOT

# Other API groups have kinds of the same name: the ClusterPolicy of Kyverno, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}
CHART = "chart"
SETTING = "setting"
POD_SPEC = "pod spec"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


class Leftover(NamedTuple):
    """An object or setting to remove or change in an upgrade, with its reason; `UpgradePlan.leftovers` finds them.

    `kind` is the kind of a Kubernetes object to delete; or `chart` for a chart in a kustomization or in another chart; or `setting` for a chart
    value or a field of a node configuration; or `pod spec` for an object that stays and whose pods name the old library path. The name of a
    setting is its path, and the name of a pod spec is the kind and name of its object.

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
        """The command that deletes the object; a comment for a chart, a setting, a pod spec, and an object whose name is not known."""
        within = f" in {self.namespace}" if self.namespace else ""
        if self.kind in (CHART, SETTING):
            return _comment(f"remove the {self.kind} {self.name}{within}")
        if self.kind == POD_SPEC:
            return _comment(f"remove {LEGACY_ROOT} from the {self.kind} of the {self.name}{within}")
        if not self.name:
            return _comment(f"a {self.kind} without a name{within}")
        if not all(_NAME.fullmatch(word) for word in (self.kind, self.name, self.namespace or "default")):
            return _comment(f"the {self.kind} {self.name}{within}, whose name another tool fills in")
        resource = _RESOURCES.get(self.kind, self.kind.lower())
        if not self.namespace:
            return str(command("kubectl delete {kind} {name}", kind=resource, name=self.name))
        return str(command("kubectl delete {kind} {name} --namespace {namespace}", kind=resource, name=self.name, namespace=self.namespace))


def _comment(text: str) -> str:
    """A shell comment on one line."""
    return f"# {' '.join(text.split())}"
