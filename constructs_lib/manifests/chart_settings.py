"""What the checked arguments of every chart that we install have in common: where it comes from, its name, and its namespace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._arguments.errors import wrong, wrong_kind
from .._arguments.names import dns_label, namespace_name
from .._arguments.plain_values import flag, instance, plain_mapping, text
from ..nodes.gpu_nodes import GpuNodes
from .helm_release import HelmRelease
from .namespace_object import CLUSTERS_OWN, NamespaceSettings, privileged_namespace
from .objects import MAIN, Manifest, plain

# Helm's own limit, as what it makes is named after the release.
_LONGEST_RELEASE_NAME = 53


@dataclass(kw_only=True, eq=False, repr=False)
class ChartSettings:
    """The arguments of a construct that installs a chart; the construct documents each."""

    nodes: GpuNodes | Iterable[GpuNodes]
    version: str | None = None
    namespace: str
    create_namespace: bool = True
    release_name: str
    repository: str
    chart: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def _check_chart(self) -> None:
        namespace_name("namespace", self.namespace)
        dns_label("release_name", self.release_name, _LONGEST_RELEASE_NAME)
        flag("create_namespace", self.create_namespace)
        if self.create_namespace and self.namespace in CLUSTERS_OWN:
            raise wrong("create_namespace", f"False for {self.namespace}", True, "the cluster has that namespace by itself")
        text("chart", self.chart)
        rule = "the address of a Helm repository ('https://…'), or of a registry ('oci://…')"
        if not text("repository", self.repository, rule).startswith(("https://", "http://", "oci://")):
            raise wrong("repository", rule, self.repository)
        object.__setattr__(self, "values", plain(plain_mapping("values", self.values, "a mapping of the chart's values")))

    @property
    def classes(self) -> tuple[GpuNodes, ...]:
        """The classes of nodes."""
        return tuple(self.nodes) if isinstance(self.nodes, Iterable) else (self.nodes,)

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """What tolerates the taints of every class, each once."""
        return united(nodes.tolerations for nodes in self.classes)

    @property
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's laid on last."""
        raise NotImplementedError

    @property
    def namespace_object(self) -> Manifest | None:
        """The privileged namespace, where it is made here."""
        return privileged_namespace(NamespaceSettings(name=self.namespace))[MAIN] if self.create_namespace else None

    @property
    def release(self) -> HelmRelease:
        """What a delivery installs."""
        return HelmRelease(
            name=self.release_name,
            namespace=self.namespace,
            repository=self.repository,
            chart=self.chart,
            version=str(self.version),
            values=self.chart_values,
        )


def node_classes(nodes: object, without: str) -> tuple[GpuNodes, ...]:
    """One class of nodes, or several; `without` says why not none."""
    rule = "a GpuNodes, or a list of them"
    if not isinstance(nodes, GpuNodes | Iterable) or isinstance(nodes, str | Mapping):
        raise wrong_kind("nodes", rule, nodes)
    classes = (nodes,) if isinstance(nodes, GpuNodes) else tuple(instance("nodes", each, GpuNodes, rule) for each in nodes)
    if not classes:
        raise wrong("nodes", rule, nodes, without)
    return classes


def united(lists: Iterable[list[dict[str, str]]]) -> list[dict[str, str]]:
    """The items of all lists, each once."""
    found: list[dict[str, str]] = []
    for items in lists:
        found += [item for item in items if item not in found]
    return found
