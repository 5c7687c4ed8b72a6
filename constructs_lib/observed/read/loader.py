"""`Loader`: collects what files and texts hold, and makes the inputs that the rules check of it.

The reader of a format is imported where its first file or document is met: most runs check few formats.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...arguments.errors import wrong
from ...arguments.spelling import did_you_mean
from ...nodes.talos_version import TalosVersion
from ...upstream.charts import CHARTS, chart_name
from ...yaml.located import Document, Map
from ..model import ChartRelease, Inputs, Installer, KubernetesObject, NodeConfig, Read, Skipped, Variant
from ..model.stated_versions import KUBERNETES, StatedVersion
from ..model.stated_versions import agreed as agreed_version
from .builds import OwnParts, each_once, only_suspended, own_parts, pruners, same_again
from .checkout import Checkout
from .clusters import clusters_of, folders_of_clusters
from .files import CHART, KUSTOMIZATIONS, MARKDOWN, MODULES, NOT_DEPLOYED, Files, is_file, is_template
from .helm.installers import installers, may_name_a_chart, unread_creators
from .helm.values_files import ValuesFiles
from .objects import Rendered, deployer_kind, is_deployer, is_object, kubernetes_object, lines, objects_of
from .remarks import broken_texts, failed_builds, repeated_keys, skip_other_tools, watched, with_mentions
from .version_sources import in_arguments, in_comments, in_configs, in_objects, in_text, talos_version, user_talos, user_version, with_weak

if TYPE_CHECKING:
    from ...nodes.gpu_nodes import GpuNodes
    from .kustomize.build import Kustomize

# The files of Terraform and Nix in which node labels are looked up, and the bytes of one. The largest known
# repository has 82 files.
_MOST_FILES, _MOST_BYTES = 300, 100_000
_PROVIDED = "only the objects of the ResourceSet's literal inputs are checked"
_NEITHER = "neither a manifest nor a document of Talos; for chart values, name the chart (--chart gpu-operator@v26.7.0)"
_UNRECOGNIZED = "neither a manifest, values of a known chart, nor a document of Talos"
_BESIDE_NODES = {"talos", "charts", "workloads"}  # a cluster file has one of them beside its `nodes`
CLUSTER_FILE = "a cluster file: name it as a PATH, and it is checked, or describes the nodes of other files"


class Loader:
    """One reading of files and texts, with its results so far."""

    def __init__(self, files: Files, chart: str | None) -> None:
        self.files, self.chart = files, chart
        _check_chart(chart)
        self.rendered = Rendered()
        self.of_talos: list[Document] = []
        self.checkouts: list[Checkout] = []
        self.charts: dict[Path, bool] = {}
        """The charts that wrap others, with whether Flux or Argo CD deploys other parts of their folder."""
        self.others: list[Document] = []
        """Documents of other tools that may name a chart."""
        self.versions: list[StatedVersion] = []
        self.weak_versions: list[StatedVersion] = []
        self.configs: list[NodeConfig] = []
        """The node configurations of Terraform."""
        self.of_terraform: dict[str, set[str]] = {}
        """The names of the clusters in Terraform's configurations, by file."""
        self.included: set[str] = set()
        """The files that Terraform includes in configurations."""
        self.given: list[str] = []
        self.empty: list[str] = []
        self.values = ValuesFiles(files, chart)
        self.unjudged: list[Path] = []
        """The files of folders in which nothing was recognized."""

    @property
    def size(self) -> int:
        """The number of documents and releases so far."""
        made, own = self.rendered, self.values
        parts: tuple[Sized, ...] = (made.documents, made.releases, self.of_talos, self.charts, self.configs, own.found, own.of_chart)
        return sum(map(len, parts))

    def note(self, given: str, size: int) -> None:
        """Note a source of the user, and whether it added nothing to the size before."""
        self.given.append(given)
        if self.size == size:
            self.empty.append(given)

    def take_folder(self, path: Path) -> None:
        """Add the live objects of a folder, and its documents of Talos."""
        from .folder import Folder
        from .talos.documents import is_talos, may_be_of_talos

        folder = Folder(path, self.files)
        self.rendered.add(folder.live())
        self.checkouts.append(folder.checkout)
        self.charts |= dict.fromkeys(folder.charts, folder.is_deployed)
        self.take_terraform([each for each in self.files.infrastructure if each.is_relative_to(path)])
        for each in folder.others:
            is_judged = each in folder.kustomize.reached or self.files.is_used(each)
            if not is_judged and self.values.may_be_in(each):
                is_judged = self.values.take_file(each, is_live=not folder.is_deployed and not folder.is_governed(each.parent))
            text = "" if each in folder.kustomize.held else self.files.text(each)
            self.weak_versions += in_comments(text, self.files.shown(each)) if "renovate:" in text else ()
            if may_be_of_talos(text):
                of_talos = [document for document in self.files.documents(each) if is_talos(document.value)]
                self.of_talos += of_talos
                is_judged = is_judged or bool(of_talos)
            if may_name_a_chart(text) and not is_template(each.name) and each.name != CHART:
                self.others += [document for document in self.files.documents(each) if _is_other(document)]
            if not is_judged and "nodes:" in text and any(map(_is_cluster_file, (one.value for one in self.files.documents(each)))):
                self.files.skip(each, CLUSTER_FILE)
            if not is_judged and each not in self.files.naming_versions and not is_file(each.parent / CHART):
                self.unjudged.append(each)
            if self.files.is_broken(each) and each not in folder.kustomize.reached and folder.leaves_out(each):
                self.files.spare(each)
        for each in folder.settings:
            self.versions += in_text(self.files.text(each), self.files.shown(each))
        for each in folder.naming_versions:
            self.weak_versions += in_text(self.files.text(each, is_yaml=False), self.files.shown(each))

    def take_terraform(self, paths: Sequence[Path]) -> None:
        """Add the inputs of Terraform's modules with these files."""
        if not paths:
            return
        from .terraform.reader import read

        inputs = read(paths, self.files)
        self.rendered.add(inputs.built)
        self.configs += inputs.configs
        self.of_terraform |= inputs.clusters
        self.included |= inputs.merged
        self.follow(inputs.built, Checkout(paths[0].parent, self.files))

    def take_stream(self, documents: Iterable[Document]) -> None:
        """Add documents without a folder, and the objects that they deploy."""
        self.follow(self.take(documents), Checkout(files=self.files))

    def take_file(self, path: Path) -> None:
        """Add the documents of a file, or the build of a kustomization, and the objects that they deploy."""
        if path.name.endswith(MODULES):
            self.take_terraform([each for each in path.parent.iterdir() if each.name.endswith(MODULES)])
            return
        if path.suffix.lower() in MARKDOWN:
            from .markdown import read_page

            documents, commands = read_page(self.files.text(path), self.files.shown(path), self.files)
            self.others += commands
            self.take_stream(documents)
            return
        if path.name == CHART:
            from .helm.wrapper_charts import is_wrapper

            if is_wrapper(path.parent, self.files):
                self.charts[path.parent] = False
                return
        kustomize, documents = None, self.files.documents(path)
        if path.name in KUSTOMIZATIONS and not any(deployer_kind(each.value) == "Kustomization" for each in documents):
            from .kustomize.build import Kustomize

            kustomize = Kustomize(self.files)
            built = kustomize.build(path.parent)
            self.rendered.add(built)
        else:
            built = self.take(documents)
        checkout = Checkout(path.parent, self.files)
        checkout.learn(built.documents)
        self.checkouts.append(checkout)
        self.follow(built, checkout, kustomize)

    def follow(self, built: Rendered, checkout: Checkout, kustomize: Kustomize | None = None) -> None:
        """Add the objects that the deployers among these objects deploy."""
        if any(map(is_deployer, built.documents)):
            from .deployers import Deployers

            self.rendered.add(Deployers(self.files, checkout, kustomize).follow(built))

    def take(self, documents: Iterable[Document]) -> Rendered:
        """Add documents of every kind, and return their objects and releases."""
        built = Rendered()
        for each in documents:
            if _is_talos(each.value):
                self.of_talos.append(each)
            elif self.chart is not None and isinstance(each.value, Map) and not {"apiVersion", "kind"} & each.value.keys():
                self.values.take_named(each, self.chart)
            elif is_object(each.value):
                built.documents += objects_of(each)
            elif not self.values.take(each):
                self.others += [each] if _is_other(each) else []
                self.files.skip(each.place[0], CLUSTER_FILE if _is_cluster_file(each.value) else _NEITHER, each.place[1])
        self.rendered.add(built)
        return built

    def find(self, written: Any, beside: Document, source: Any) -> Path | None:
        """The local path of a path that an object names. A chart that is found is no longer installed by hand."""
        paths = (checkout.find(written, beside, source) for checkout in self.checkouts)
        path = next((each for each in paths if each is not None), None)
        if path is not None:
            self.charts.pop(path, None)
        return path

    def inputs(self, talos: str | TalosVersion | None, kubernetes: str | None, nodes: Sequence[GpuNodes]) -> Inputs:
        """The inputs that were read, each object and release once."""
        documents, rendered = each_once(self.rendered.documents), each_once(self.rendered.releases)
        built = [kubernetes_object(each) for each in documents[0]]
        objects = [each for each in built if each.kind]
        of_unknown_kind = [each for each in built if not each.kind]
        for each in of_unknown_kind:
            self.files.skip(each.file, f"the object's kind is a placeholder: {each.at('kind')}", each.line_of(()))
        self._note_provided_inputs()
        configs = self._node_configs(objects)
        installed = self._installed_by(objects)
        by_hand = self._by_hand([*rendered[0], *installed])
        releases, _ = each_once([*rendered[0], *installed, *by_hand])
        of_talos = {each.place[0] for each in self.of_talos}
        of_clusters = _named_clusters(self.of_talos) | self.of_terraform
        folders = folders_of_clusters(self.rendered.documents, self.files.included_clusters)
        apart = clusters_of(self.rendered, of_clusters, [*built, *releases, *configs], folders.keys())
        variants = dict(self._variants(own_parts(apart.builds, apart.rest, documents, rendered), documents[0], built, installed, by_hand))
        self.files.settle_not_live()
        skip_other_tools(self.files, self.unjudged)
        of_other_tools = self._installers(built, releases)
        skipped = [each for each in with_mentions(self.files) if each.line is not None or each.file not in of_talos]
        is_empty = not (objects or releases or configs)
        return Inputs(
            objects=tuple(objects),
            of_unknown_kind=tuple(of_unknown_kind),
            releases=tuple(releases),
            installers=of_other_tools,
            node_configs=tuple(configs),
            nodes=tuple(nodes),
            **self._versions(talos, kubernetes, nodes, configs, objects),
            clusters=_clusters(of_clusters, folders),
            clusters_of=apart.surely,
            perhaps_of=apart.perhaps,
            has_remote=apart.has_remote,
            variants=variants,
            suspended=only_suspended(self.rendered.applied),
            pruners=pruners(self.rendered.pruned),
            infrastructure=tuple(self._infrastructure()),
            repeated_keys=tuple(repeated_keys(self.files.repeated, self._checked(), {each.place for each in self.of_talos})),
            shared_objects=tuple(self.rendered.shared),
            watched=watched(self.files),
            failed_builds=failed_builds(self.files),
            broken_texts=tuple(broken_texts(skipped)),
            skipped=tuple(skipped),
            unrecognized=tuple(self._unrecognized({each.file for each in skipped})),
            empty=tuple(self.given if is_empty else self.empty),
            comments=self.files.comments,
        )

    def _versions(
        self,
        talos: str | TalosVersion | None,
        kubernetes: str | None,
        nodes: Sequence[GpuNodes],
        configs: Sequence[NodeConfig],
        objects: Sequence[KubernetesObject],
    ) -> dict[str, Any]:
        """The versions of the inputs, those of the user first, with all that state one."""
        given_talos = None if talos is None else user_talos(talos)
        given_kubernetes = None if kubernetes is None else user_version(kubernetes)
        strong = [*in_arguments(given_talos, given_kubernetes, nodes), *in_configs(configs), *self.versions, *in_objects(objects)]
        stated = with_weak(strong, self.weak_versions)
        return {
            "talos_version": given_talos or talos_version(stated),
            "kubernetes_version": agreed_version(KUBERNETES, stated),
            "stated_versions": tuple(dict.fromkeys(stated)),
        }

    def _variants(
        self,
        own: OwnParts,
        documents: Sequence[Document],
        built: Sequence[KubernetesObject],
        installed: Sequence[ChartRelease],
        by_hand: Sequence[ChartRelease],
    ) -> Iterator[tuple[str, Variant]]:
        """The objects and releases of each cluster that gets some with other contents; `built` are the objects of `documents`."""
        known = {id(document): each for document, each in zip(documents, built, strict=True)} if own else {}
        for name, (parts, rendered) in own.items():
            objects = [each for document in parts if (each := known.get(id(document)) or kubernetes_object(document)).kind]
            again = same_again(self._installed_by(objects), installed)
            yield name, Variant(tuple(objects), tuple(each_once([*rendered, *again, *by_hand])[0]))

    def _infrastructure(self) -> Iterator[str]:
        """The texts of the files of Terraform and Nix that are not too many or too large."""
        for each in self.files.infrastructure[:_MOST_FILES]:
            if is_file(each) and each.stat().st_size <= _MOST_BYTES:
                yield self.files.text(each, is_yaml=False)

    def _unrecognized(self, skipped: Container[str]) -> Iterator[Skipped]:
        """The files without anything that is judged, and without another reason."""
        for file in map(self.files.shown, self.unjudged):
            if file not in skipped:
                yield Skipped(file=file, reason=_UNRECOGNIZED)

    def _note_provided_inputs(self) -> None:
        for document in self.rendered.documents:
            if deployer_kind(document.value) == "ResourceSet":
                from .flux.filled_in import has_other_inputs

                if has_other_inputs(document):
                    self.files.skip(document.place[0], _PROVIDED, document.place[1])

    def _node_configs(self, objects: Sequence[KubernetesObject]) -> list[NodeConfig]:
        configs = [*self.configs]
        if own := [each for each in self.of_talos if each.place[0] not in self.included]:
            from .talos.documents import node_configs

            configs += node_configs(own, self.files)
        if any(each.kind.startswith("Talos") for each in objects):
            from .talos.cluster_api_objects import read_cluster_api

            configs += read_cluster_api(objects, self.files)
        return configs

    def _installed_by(self, objects: Sequence[KubernetesObject]) -> list[ChartRelease]:
        """The releases of the HelmReleases among these objects."""
        if not any(each.kind == "HelmRelease" for each in objects):
            return []
        from .flux.releases import helm_releases

        return helm_releases(objects, self.files, self.find)

    def _by_hand(self, others: Sequence[ChartRelease]) -> list[ChartRelease]:
        """The releases of the charts that no object deploys, and of the values that no file names."""
        releases: list[ChartRelease] = []
        for folder, is_deployed in self.charts.items():
            from .helm.wrapper_charts import installed_by_hand, wraps_known

            if not is_deployed:
                releases += installed_by_hand(folder, self.files)
            elif wraps_known(folder, self.files):
                self.files.skip(folder, NOT_DEPLOYED)
        return releases + self.values.releases(each.chart for each in (*others, *releases))

    def _installers(self, objects: Sequence[KubernetesObject], releases: Sequence[ChartRelease]) -> tuple[Installer, ...]:
        others = [Read(body=each.value, **lines(each.value, each.place)) for each in self.others]
        found = installers(objects, others, releases)
        for each in found:
            reason = f"{each.label} may install {', '.join(sorted(each.charts))}: no values are read from it"
            self.files.skip(each.file, reason, each.line_of(()))
        return (*found, *unread_creators(self.files))

    def _checked(self) -> set[object]:
        """The places of objects and releases, for the documents with repeated keys."""
        if not self.files.repeated:
            return set()
        releases = (*self.rendered.releases, *self.values.of_chart)
        values = (each.document.place for each in self.values.found)
        return {each.place for each in self.rendered.documents} | {(each.file, each.line_of(())) for each in releases} | {*values}


def _is_talos(body: Any) -> bool:
    """Whether a document is of Talos. An object with metadata is none."""
    if isinstance(body, Map) and "metadata" in body and is_object(body):
        return False
    from .talos.documents import is_talos

    return is_talos(body)


def _is_other(document: Document) -> bool:
    body = document.value
    return isinstance(body, Map) and not _is_cluster_file(body) and not is_object(body) and not _is_talos(body)


def _is_cluster_file(body: Any) -> bool:
    return isinstance(body, Map) and isinstance(body.get("nodes"), Map) and not _BESIDE_NODES.isdisjoint(body.keys())


def _named_clusters(of_talos: Iterable[Document]) -> dict[str, set[str]]:
    """The names of clusters in Talos' documents, by file."""
    names: dict[str, set[str]] = {}
    for document in of_talos:
        from .talos.documents import cluster_name

        if name := cluster_name(document.value):
            names.setdefault(document.place[0], set()).add(name)
    return names


def _clusters(of_talos: Mapping[str, set[str]], by_folder: Mapping[str, str]) -> tuple[str, ...]:
    """Each cluster with its file or folder, by Talos' names or by the deployers' folders, whichever are more."""
    by_name: dict[str, str] = {}
    for file, names in of_talos.items():
        for name in sorted(names):
            by_name.setdefault(name, file)
    larger = max(by_name, by_folder, key=len)
    return tuple(f"{name} ({place})" for name, place in larger.items())


def _check_chart(chart: str | None) -> None:
    """Refuse a misspelt name.

    A chart whose name is like no known one is another chart, of which only the pods in the values are checked.
    """
    if chart is not None:
        name = chart_name(chart.partition("@")[0])
        hint = did_you_mean(name, CHARTS) if name not in CHARTS else ""
        if hint or not name:
            raise wrong("chart", "a chart's name, such as 'gpu-operator@v26.7.0'", chart, hint)
