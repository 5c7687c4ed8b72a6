"""`PrivilegedNamespace`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import PRIVILEGED_NAMESPACE
from ..manifests.namespace_object import NamespaceSettings
from ._emit import GpuConstruct
from ._settings import takes


class PrivilegedNamespace(GpuConstruct, NamespaceSettings):
    """A namespace in which Pod Security admits GPU agents.

    Talos enforces the Pod Security level `baseline` in every namespace but kube-system. Device plugins, exporters and
    the operator's operands mount paths of the node, which `baseline` refuses. A workload that only asks for a GPU needs
    no privileged namespace.

    Makes a Namespace with the labels `pod-security.kubernetes.io/enforce`, `audit` and `warn`, each `privileged`.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        name: The namespace's name. Default: the id.
        labels: Further labels. Default: none.

    Raises:
        TypeError, ValueError: `'name' must be the name of a namespace …`; `'labels' must be …` for a label that
            contradicts Pod Security's labels.

    Example:
        >>> app = App()
        >>> PrivilegedNamespace(Chart(app, "gpu"), "nvidia-device-plugin").name
        'nvidia-device-plugin'

    https://docs.siderolabs.com/kubernetes-guides/security/pod-security
    """

    @takes(PRIVILEGED_NAMESPACE)
    def __init__(self, scope: Construct, id: str, settings: NamespaceSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, PRIVILEGED_NAMESPACE)
