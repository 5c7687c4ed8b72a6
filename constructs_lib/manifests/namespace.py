"""A namespace in which Pod Security lets a GPU agent run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .._names import label_map, namespace_name
from .._validate import named_arguments, wrong
from .objects import MAIN, Manifests, manifest

# Talos enforces `baseline` in every namespace but kube-system, and warns and audits for `restricted` (siderolabs/talos
# pkg/machinery/config/generate/init.go). With `enforce` alone pods start, and every one of them still prints a warning.
POD_SECURITY = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}


@named_arguments()
@dataclass(kw_only=True, eq=False, repr=False)
class NamespaceSettings:
    """The checked arguments of a namespace."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        namespace_name("name", self.name)
        labels = label_map("labels", self.labels)
        for key, value in POD_SECURITY.items():
            if labels.get(key, value) != value:
                raise wrong("labels", f"without another {key} than '{value}'", labels[key], "GPU agents mount paths of the node")
        self.labels = labels


def privileged_namespace(settings: NamespaceSettings) -> Manifests:
    """The Namespace."""
    return {MAIN: manifest("v1", "Namespace", settings.name, labels={**settings.labels, **POD_SECURITY})}
