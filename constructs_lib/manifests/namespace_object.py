"""A namespace in which Pod Security admits GPU agents."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_labels
from ..arguments.names import namespace_name
from ..upstream.talos.features import CLUSTERS_OWN, EXEMPT_NAMESPACE, PRIVILEGED_LABELS
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
