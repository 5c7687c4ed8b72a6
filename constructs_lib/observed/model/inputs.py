"""The inputs of all rules: what the files of one cluster hold. Rules never see a file format."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...nodes.talos_version import TalosVersion
from ...upstream.charts import Chart
from ...upstream.talos.generations import Generation
from ...yaml.unknown import Unknown, equals
from .file_remarks import BrokenText, FailedBuild, RepeatedKey, SharedObject, WatchedImage
from .input_kinds import ChartRelease, Installer, KubernetesObject, NodeConfig, PartKey, Skipped
from .stated_versions import OLD_TALOS, TALOS, Origin, StatedVersion, supporting

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes


class Variant(NamedTuple):
    """The objects and releases of one cluster."""

    objects: tuple[KubernetesObject, ...]
    releases: tuple[ChartRelease, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs:
    """The inputs of one cluster.

    `talos_version` is the user's version, or the version that the inputs agree about. `nodes` are the node classes that
    the user described.
    """

    objects: tuple[KubernetesObject, ...] = ()
    of_unknown_kind: tuple[KubernetesObject, ...] = ()
    """The objects of unknown kind. Each may be of any kind that its text can become."""
    unlisted: frozenset[str] = frozenset()
    """The kinds of a live cluster whose objects were not all listed. Each may have further objects, of any name."""
    releases: tuple[ChartRelease, ...] = ()
    installers: tuple[Installer, ...] = ()
    """What names a known chart in another form than that of a release: the chart may be installed, and its values are
    not known."""
    node_configs: tuple[NodeConfig, ...] = ()
    nodes: tuple[GpuNodes, ...] = ()
    other_nodes: tuple[GpuNodes, ...] = ()
    """The described classes whose GPUs another app advertises: here only their labels are known to be set."""
    talos_version: TalosVersion | None = None
    kubernetes_version: str | None = None
    stated_versions: tuple[StatedVersion, ...] = ()
    """The versions of Talos and Kubernetes that the user and the files state."""
    clusters: tuple[str, ...] = ()
    """The clusters that the files name, each with a file or a folder."""
    clusters_of: Mapping[PartKey, frozenset[str]] = field(default_factory=dict)
    """The clusters that surely get a part; empty if the files are of one cluster. A part that is missing here may be of
    any cluster."""
    perhaps_of: Mapping[PartKey, frozenset[str]] = field(default_factory=dict)
    """The clusters that get a part as the names of folders and Secrets tell, which may be names of one cluster."""
    has_remote: bool = False
    """Whether deployers name a cluster beside their own: that two names mean one cluster is then unlikely."""
    variants: Mapping[str, Variant] = field(default_factory=dict)
    """The objects and releases as a cluster gets them, for each cluster that gets some with other contents than another
    cluster. Among those of the whole, what differs is unknown."""
    suspended: Mapping[PartKey, str] = field(default_factory=dict)
    """The parts that only suspended Kustomizations of Flux apply, each with the label of one."""
    pruners: Mapping[PartKey, str] = field(default_factory=dict)
    """The label of a deployer that deletes a part which leaves its files, empty where none of its deployers does. A part
    without a deployer is missing."""
    infrastructure: tuple[str, ...] = ()
    """The texts of the files of Terraform, Terragrunt and Nix: only the node labels that they name are looked up there.
    """
    outside_labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The labels of nodes that are set outside of the files, with their values, as the settings name them."""
    outside_runtime_classes: frozenset[str] = frozenset()
    """The RuntimeClasses that are created outside of the files, as the settings name them."""
    repeated_keys: tuple[RepeatedKey, ...] = ()
    shared_objects: tuple[SharedObject, ...] = ()
    watched: tuple[WatchedImage, ...] = ()
    """The images that Renovate watches by comments."""
    skipped: tuple[Skipped, ...] = ()
    unrecognized: tuple[Skipped, ...] = ()
    """The files of folders that have nothing a rule judges, such as the settings of other programs."""
    empty: tuple[str, ...] = ()
    """The files and folders that the user named and in which nothing was checked."""
    comments: Mapping[str, Mapping[int, Mapping[str, str]]] = field(default_factory=dict)
    """The reasons in comments that silence rules: by file, line and rule, as `silence.comments` reads them."""
    failed_builds: tuple[FailedBuild, ...] = ()
    broken_texts: tuple[BrokenText, ...] = ()
    here: str = "in these files"
    """The words of reports for everything that was read: "nothing in these files sets the label", or "nothing that was
    read" of a live cluster.
    """
    answers: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False)
    """The answers to questions about these inputs. What `dataclasses.replace` makes of them has none yet."""

    @property
    def all_nodes(self) -> tuple[GpuNodes, ...]:
        """The described classes, with those whose GPUs another app advertises."""
        return (*self.nodes, *self.other_nodes)

    @property
    def generation(self) -> Generation | None:
        """The generation of the Talos version. None if the version is not known."""
        return self.talos_version.generation if self.talos_version else None

    @functools.cached_property
    def weak_talos(self) -> StatedVersion | None:
        """The statement of the Talos version if only variables state the version, and no two files state the same
        patch. None otherwise.
        """
        stated = supporting(TALOS, str(self.talos_version), self.stated_versions) if self.talos_version else []
        files = {(each.version, each.file) for each in stated}
        is_confirmed = len({version for version, _ in files}) < len(files)
        is_weak = not is_confirmed and all(each.origin is Origin.VARIABLE for each in stated)
        return stated[0] if stated and is_weak else None

    @functools.cached_property
    def old_talos(self) -> str | None:
        """The first stated version of Talos if every stated one is older than all that the rules know."""
        stated = [each for each in self.stated_versions if each.subject in (TALOS, OLD_TALOS)]
        return stated[0].version if stated and all(each.subject == OLD_TALOS for each in stated) else None

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
        """Whether an object that is not among the objects may be of one of these kinds: its kind is unknown, or was not
        listed.
        """
        if self.unlisted and not self.unlisted.isdisjoint(kinds):
            return True
        return any(not equals(each.at("kind"), kind).is_no for each in self.of_unknown_kind for kind in kinds)

    def of_chart(self, *charts: Chart) -> list[ChartRelease]:
        """The releases of these charts."""
        return [each for each in self.releases if each.known_chart in charts]

    def may_install(self, *charts: Chart) -> bool:
        """Whether an installer, a release of an unknown chart, or an object of unknown kind may install one of these
        charts."""
        names = {name for chart in charts for name in (chart.name, *chart.aliases)}
        unread = [each.chart for each in self.releases if isinstance(each.chart, Unknown)]
        named = any(each.charts & names for each in self.installers)
        return named or self.may_hide(*RELEASE_KINDS, *_DEPLOYERS) or any(not equals(each, name).is_no for each in unread for name in names)


RELEASE_KINDS = ("HelmRelease", "Application", "HelmChart")
"""The kinds that install a chart, as far as they are known by name."""
_DEPLOYERS = ("ApplicationSet", "Kustomization", "ResourceSet")
"""The kinds that deploy an object which installs a chart."""

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
