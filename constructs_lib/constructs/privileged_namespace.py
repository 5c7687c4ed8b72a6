"""`PrivilegedNamespace`."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from .._arguments.keywords import named_arguments
from .._arguments.names import namespace_name
from .._arguments.plain_values import given
from ..manifests.namespace_object import NamespaceSettings, privileged_namespace
from ._emit import GpuConstruct, check_place


@named_arguments()
class PrivilegedNamespace(GpuConstruct):
    """A namespace in which Pod Security lets GPU agents run.

    Talos enforces the Pod Security level `baseline` in every namespace but kube-system. Device plugins, exporters and the operator's
    operands mount paths of the node, which `baseline` refuses; a workload that only asks for a GPU needs none of this.

    Makes a Namespace with `pod-security.kubernetes.io/enforce`, `audit` and `warn`: `privileged`.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        name: The namespace's name. Default: the id.
        labels: Further labels. Default: none.

    Raises:
        TypeError, ValueError: `'name' must be the name of a namespace …`, `'labels' must be …` when one of them contradicts Pod Security.

    Example:
        >>> app = App()
        >>> PrivilegedNamespace(Chart(app, "gpu"), "nvidia-device-plugin").name
        'nvidia-device-plugin'

    https://docs.siderolabs.com/kubernetes-guides/security/pod-security
    """

    name: str
    labels: Mapping[str, str]

    def __init__(self, scope: Construct, id: str, *, name: str | None = None, labels: Mapping[str, str] | None = None) -> None:  # noqa: A002
        check_place(scope, id)
        settings = NamespaceSettings(name=namespace_name("id", id) if name is None else name, labels=given(labels))
        super().__init__(scope, id, settings, privileged_namespace(settings))
