"""Objects of the whole cluster for agents and pods of GPU nodes: a privileged namespace, and NVIDIA's RuntimeClass."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_dns_subdomain, to_labels
from ..arguments.names import namespace_name
from ..upstream.talos.features import CLUSTERS_OWN, EXEMPT_NAMESPACE, PRIVILEGED_LABELS, RUNTIME_CLASS
from .objects import MAIN, Manifests, manifest


def _to_name(value: str | None, argument: str = "") -> str:
    return "" if value is None else namespace_name(argument, value)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class NamespaceSettings:
    """The checked arguments of `PrivilegedNamespace`, which documents each argument."""

    name: str = attrs.field(default=None, converter=_to_name)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)

    def __attrs_post_init__(self) -> None:
        if self.name in CLUSTERS_OWN:
            hint = (
                f"in {EXEMPT_NAMESPACE} Pod Security is off already"
                if self.name == EXEMPT_NAMESPACE
                else "give the agents their own namespace"
            )
            raise wrong("name", "a namespace that not every cluster has", self.name, hint)
        for key, value in PRIVILEGED_LABELS.items():
            if self.labels.get(key, value) != value:
                raise wrong("labels", f"without another {key} than '{value}'", self.labels[key], "GPU agents mount paths of the node")


def privileged_namespace(settings: NamespaceSettings) -> Manifests:
    """The Namespace."""
    return {MAIN: manifest("v1", "Namespace", settings.name, labels={**settings.labels, **PRIVILEGED_LABELS})}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class RuntimeClassSettings:
    """The checked arguments of `NvidiaRuntimeClass`, which documents each argument."""

    name: str = attrs.field(default=RUNTIME_CLASS, converter=to_dns_subdomain)


def runtime_class(settings: RuntimeClassSettings) -> Manifests:
    """The RuntimeClass, with the only handler of NVIDIA's that Talos' toolkit extension registers with containerd."""
    return {MAIN: manifest("node.k8s.io/v1", "RuntimeClass", settings.name, handler=RUNTIME_CLASS)}
