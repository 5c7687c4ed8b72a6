"""The inputs of all rules: what the files of one cluster hold. Rules never see a file format."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import Generation, TalosVersion
from ...upstream.charts import Chart
from .input_kinds import ChartRelease, KubernetesObject, NodeConfig, RepeatedKey, SharedObject, Skipped, WatchedImage
from .stated_versions import TALOS, Origin, StatedVersion, supporting
from .unknown import Unknown, equals


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs:
    """The inputs of one cluster.

    `talos_version` is the user's version, or the version that the inputs agree about. `nodes` are the node classes that the user described.
    """

    objects: tuple[KubernetesObject, ...] = ()
    of_unknown_kind: tuple[KubernetesObject, ...] = ()
    """The objects of unknown kind. Each may be of any kind that its text can become."""
    unlisted: frozenset[str] = frozenset()
    """The kinds of a live cluster that were not listed whole: objects of these kinds may exist."""
    releases: tuple[ChartRelease, ...] = ()
    node_configs: tuple[NodeConfig, ...] = ()
    nodes: tuple[GpuNodes, ...] = ()
    talos_version: TalosVersion | None = None
    kubernetes_version: str | None = None
    stated_versions: tuple[StatedVersion, ...] = ()
    """The versions of Talos and Kubernetes that the user and the files state."""
    clusters: tuple[str, ...] = ()
    """The clusters that the files name, each with a file or a folder."""
    infrastructure: tuple[str, ...] = ()
    """The texts of the files of Terraform, Terragrunt and Nix: only the node labels that they name are looked up there."""
    outside_labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The labels of nodes that are set outside of the files, with their values, as the settings name them."""
    outside_runtime_classes: frozenset[str] = frozenset()
    """The RuntimeClasses that are created outside of the files, as the settings name them."""
    repeated_keys: tuple[RepeatedKey, ...] = ()
    shared_objects: tuple[SharedObject, ...] = ()
    watched: tuple[WatchedImage, ...] = ()
    """The images that Renovate watches by comments."""
    skipped: tuple[Skipped, ...] = ()
    empty: tuple[str, ...] = ()
    """The files and folders that the user named and in which nothing was checked."""
    comments: Mapping[str, Mapping[int, Mapping[str, str]]] = field(default_factory=dict)
    """The reasons in comments that silence rules: by file, line and rule, as `silence.comments` reads them."""
    answers: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @property
    def generation(self) -> Generation | None:
        """The generation of the Talos version. None if the version is not known."""
        return self.talos_version.generation if self.talos_version else None

    @functools.cached_property
    def weak_talos(self) -> StatedVersion | None:
        """The statement of the Talos version if only variables state the version, and no two files state the same patch. None otherwise."""
        stated = supporting(TALOS, str(self.talos_version), self.stated_versions) if self.talos_version else []
        files = {(each.version, each.file) for each in stated}
        is_confirmed = len({version for version, _ in files}) < len(files)
        is_weak = not is_confirmed and all(each.origin is Origin.VARIABLE for each in stated)
        return stated[0] if stated and is_weak else None

    @functools.cached_property
    def _by_kind(self) -> Mapping[str, list[KubernetesObject]]:
        objects: dict[str, list[KubernetesObject]] = {}
        for each in self.objects:
            objects.setdefault(each.kind, []).append(each)
        return objects

    def of_kind(self, *kinds: str) -> list[KubernetesObject]:
        """The objects of these kinds."""
        return [each for kind in kinds for each in self._by_kind.get(kind, ())]

    def may_hide(self, *kinds: str) -> bool:
        """Whether an object that was not listed, or one of unknown kind, may be of one of these kinds."""
        return (bool(self.unlisted) and not self.unlisted.isdisjoint(kinds)) or any(
            not equals(each.at("kind"), kind).is_no for each in self.of_unknown_kind for kind in kinds
        )

    def of_chart(self, *charts: Chart) -> list[ChartRelease]:
        """The releases of these charts."""
        return [each for each in self.releases if each.known_chart in charts]

    def may_install(self, *charts: Chart) -> bool:
        """Whether a release of an unknown chart, or an object of unknown kind, may install one of these charts."""
        names = {name for chart in charts for name in (chart.name, *chart.aliases)}
        unread = [each.chart for each in self.releases if isinstance(each.chart, Unknown)]
        return self.may_hide(*_INSTALLERS) or any(not equals(each, name).is_no for each in unread for name in names)


_INSTALLERS = ("HelmRelease", "Application", "ApplicationSet", "Kustomization", "ResourceSet", "HelmChart")
"""The kinds that install a chart, or deploy an object that installs one."""

_Fact = TypeVar("_Fact")


def question(ask: Callable[[Inputs], _Fact]) -> Callable[[Inputs], _Fact]:
    """Caches a function of `Inputs`: it is computed once for each `Inputs`, for all rules."""

    @functools.wraps(ask)
    def cached(inputs: Inputs) -> _Fact:
        answers = inputs.answers
        if ask not in answers:
            answers[ask] = ask(inputs)
        answer: _Fact = answers[ask]
        return answer

    return cached
