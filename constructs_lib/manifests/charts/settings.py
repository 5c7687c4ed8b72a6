"""The common arguments of the constructs that install a chart: nodes, chart, release, namespace and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, to_chart_values, to_flag, to_namespace
from ...arguments.names import dns_label
from ...arguments.plain_values import instance, ordered, text
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.talos.features import CLUSTERS_OWN
from ..cluster_objects import NamespaceSettings, privileged_namespace
from ..objects import MAIN, Manifest, merged, plain
from .helm_release import OCI, HelmRelease

# Helm's own limit, because Helm names its Secrets after the release.
_LONGEST_RELEASE_NAME = 53


def to_node_classes(value: GpuNodes | Iterable[GpuNodes], argument: str = "") -> tuple[GpuNodes, ...]:
    """One class of nodes or several, as a tuple."""
    rule = "a GpuNodes, or a list of them"
    given = (value,) if isinstance(value, GpuNodes) else ordered(argument, value, rule)
    classes = tuple(instance(argument, each, GpuNodes, rule) for each in given)
    if not classes:
        raise wrong(argument, rule, value, "give at least one class of GPU nodes")
    return classes


def to_separate_classes(value: GpuNodes | Iterable[GpuNodes], argument: str = "") -> tuple[GpuNodes, ...]:
    """One class of nodes or several, of which no two can mean the same node."""
    classes = to_node_classes(value, argument)
    for ours, theirs in combinations(classes, 2):
        if ours.may_overlap(theirs):
            hint = "a node is of one class: give each class its own 'name', or different 'labels'"
            raise wrong(argument, "classes that share no node", [ours, theirs], hint)
    return classes


def to_release_name(value: str, argument: str = "") -> str:
    """The name of a Helm release."""
    return dns_label(argument, value, _LONGEST_RELEASE_NAME)


def to_repository(value: str, argument: str = "") -> str:
    """The address of a Helm repository, or of a registry."""
    rule = "the address of a Helm repository ('https://…'), or of a registry ('oci://…')"
    if not text(argument, value, rule).startswith(("https://", "http://", "oci://")):
        raise wrong(argument, rule, value)
    return value


def to_chart(value: str, argument: str = "") -> str:
    """The name, the path or the address of a chart. The version is an argument of its own."""
    chart = text(argument, value)
    if chart.startswith("-"):
        raise wrong(argument, "the name, the path or the address of a chart", chart, "Helm would read it as a flag")
    if re.search(r"\s", chart):
        raise wrong(argument, "the name, the path or the address of a chart, without white space", chart)
    if chart.startswith(OCI):
        rule = "an address such as 'oci://registry.example.com/charts/name'"
        registry, _, name = chart.removeprefix(OCI).rstrip("/").rpartition("/")
        if not registry or not name:
            raise wrong(argument, rule, chart)
        if re.search(r"[:@]", name):
            hint = f"give the version in 'version', and the address as '{OCI}{registry}/{re.split('[:@]', name)[0]}'"
            raise wrong(argument, rule, chart, hint)
    return chart


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class ChartSettings:
    """The checked arguments of a construct that installs a chart; the construct documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(converter=to_node_classes)
    version: str
    namespace: str = attrs.field(converter=to_namespace)
    create_namespace: bool = attrs.field(default=True, converter=to_flag)
    release_name: str = attrs.field(converter=to_release_name)
    repository: str = attrs.field(converter=to_repository)
    chart: str = attrs.field(converter=to_chart)
    values: Mapping[str, Any] = attrs.field(default=None, converter=to_chart_values)

    def _check_chart(self) -> None:
        if self.create_namespace and self.namespace in CLUSTERS_OWN:
            raise wrong("create_namespace", f"False for {self.namespace}", True, "every cluster has that namespace")

    @property
    def given_values(self) -> dict[str, Any]:
        """A copy of the user's values as JSON data."""
        values: dict[str, Any] = plain(self.values)
        return values

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """The tolerations of every class, each once."""
        return united(nodes.tolerations for nodes in self.nodes)

    @property
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's values merged last."""
        return merged(self._derived(), self.values)

    def _derived(self) -> dict[str, Any]:
        """The values that follow from the nodes and the arguments."""
        raise NotImplementedError

    @property
    def namespace_object(self) -> Manifest | None:
        """The privileged namespace, if the construct makes it."""
        return privileged_namespace(NamespaceSettings(name=self.namespace))[MAIN] if self.create_namespace else None

    @property
    def release(self) -> HelmRelease:
        """The release that a delivery installs. A chart that is given by its address brings its own registry."""
        address = self.chart.rstrip("/") if self.chart.startswith(OCI) else ""
        repository, _, name = address.rpartition("/")
        return HelmRelease(
            name=self.release_name,
            namespace=self.namespace,
            repository=repository if address else self.repository,
            chart=name if address else self.chart,
            version=self.version,
            values=self.chart_values,
        )


def united(lists: Iterable[list[dict[str, str]]]) -> list[dict[str, str]]:
    """The items of all lists, each once."""
    union: list[dict[str, str]] = []
    for items in lists:
        union += [item for item in items if item not in union]
    return union
