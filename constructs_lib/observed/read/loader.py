"""`Loader`: collects what files and texts hold, and makes the inputs that the rules check of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...arguments.errors import warn, wrong
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion, newer_than_tables
from ...upstream.charts import CHARTS, chart_name
from ...yaml.located import Document, Map
from ..model import ChartRelease, Inputs, Read, at, known_str
from ..model.stated_versions import KUBERNETES, StatedVersion
from ..model.stated_versions import agreed as agreed_version
from .argocd import is_application
from .checkout import Checkout
from .deployers import Deployers
from .files import CHART, KUSTOMIZATIONS, Files, is_file, is_template
from .flux.releases import helm_releases, is_kustomization
from .flux.resource_sets import has_other_inputs, is_resource_set
from .flux.substitution import agreed
from .helm.installers import installers, may_name_a_chart
from .helm.wrapper_charts import installed_by_hand, is_wrapper, wraps_known
from .kustomize.build import Kustomize
from .kustomize.rendered import Rendered
from .live_files import NOT_DEPLOYED, Folder
from .markdown import MARKDOWN, read_page
from .objects import is_object, kubernetes_object, lines, objects_of
from .remarks import repeated_keys, with_mentions
from .talos.cluster_api_objects import read_cluster_api
from .talos.documents import LIVE_CONFIG, is_talos, node_configs
from .talos.omni import is_template_document
from .talos.talhelper_configs import is_talconfig
from .version_sources import in_arguments, in_configs, in_objects, in_text, talos_version, user_version, with_weak

# The layout that the documentation of Flux recommends: https://fluxcd.io/flux/guides/repository-structure/
_FOLDER = re.compile(r"(?:.*/)?clusters/([^/]+)(?=/)")


def clusters(of_talos: Iterable[Document], objects: Iterable[Document]) -> tuple[str, ...]:
    """Each cluster with its file or folder, by Talos' names or by the deployers' folders, whichever are more."""
    by_name: dict[str, str] = {}
    for document in of_talos:
        for name in _cluster_names_names(document):
            by_name.setdefault(name, document.place[0])
    by_folder: dict[str, str] = {}
    for document in objects:
        folder = _FOLDER.match(document.place[0]) if "clusters/" in document.place[0] else None
        if folder is not None and (is_kustomization(document.value) or is_application(document.value)):
            by_folder.setdefault(folder[1], folder[0])
    larger = max(by_name, by_folder, key=len)
    return tuple(f"{name} ({place})" for name, place in larger.items())


def _cluster_names_names(document: Document) -> Iterator[str]:
    """The name of the cluster that a document of Talos, talhelper or Omni states."""
    body = document.value
    if is_talconfig(body):
        written = at(body, "clusterName")
    elif is_template_document(body):
        written = at(body, "name") if at(body, "kind") == "Cluster" else None
    else:
        written = at(body, "cluster", "clusterName")
    if name := known_str(written):
        yield name


# Words at the left margin of files of Talos, talhelper, Omni and the Image Factory.
_OF_TALOS = re.compile(
    r"""^(?:[{-]?[ ]{0,2}["']?(?:machine|cluster|customization|clusterName|talosVersion)["']?\s*:
    |[ ]{0,2}["']?apiVersion["']?\s*:\s*["']?v1alpha1\b|[ ]{0,2}["']?kind["']?\s*:\s*["']?(?:Cluster|ControlPlane|Workers|Machine)\b)
    |\bomni\.sidero\.dev""",
    re.MULTILINE | re.VERBOSE,
)
_OPERATION = re.compile(r"""\bpath["']?\s*:\s*["']?/(?:machine|cluster)/""")
# The files of Terraform and Nix in which node labels are looked up, and the bytes of one. The largest known
# repository has 82 files.
_MOST_FILES, _MOST_BYTES = 300, 100_000
_PROVIDED = "only the objects of the ResourceSet's literal inputs are checked"
_NEITHER = "neither a manifest nor a document of Talos; for chart values, name the chart (--chart gpu-operator@v26.7.0)"

_OF_A_CLUSTER_FILE = {"nodes", "charts"}
_CLUSTER_FILE = "a cluster file: talos-gpu synth checks it"


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
        self.given: list[str] = []
        self.empty: list[str] = []

    @property
    def size(self) -> int:
        """The number of documents and releases so far."""
        return len(self.rendered.documents) + len(self.rendered.releases) + len(self.of_talos) + len(self.charts)

    def note(self, given: str, size: int) -> None:
        """Note a source of the user, and whether it added nothing to the size before."""
        self.given.append(given)
        if self.size == size:
            self.empty.append(given)

    def take_folder(self, path: Path) -> None:
        """Add the live objects of a folder, and its documents of Talos."""
        folder = Folder(path, self.files)
        self.rendered.add(folder.live())
        self.checkouts.append(folder.checkout)
        self.charts |= dict.fromkeys(folder.charts, folder.is_deployed)
        for each in folder.others:
            text = "" if each in folder.kustomize.held else self.files.text(each)
            if _may_be_of_talos(text):
                self.of_talos += [document for document in self.files.documents(each) if is_talos(document.value)]
            if may_name_a_chart(text) and not is_template(each.name) and each.name != CHART:
                self.others += [document for document in self.files.documents(each) if _is_other(document)]
        for each in folder.settings:
            self.versions += in_text(self.files.text(each), self.files.shown(each))
        for each in folder.naming_versions:
            self.weak_versions += in_text(self.files.text(each, is_yaml=False), self.files.shown(each))

    def take_stream(self, documents: Iterable[Document]) -> None:
        """Add documents without a folder, and the objects that they deploy."""
        built = self.take(documents)
        self.rendered.add(Deployers(self.files, Kustomize(self.files), Checkout(files=self.files)).follow(built))

    def take_page(self, path: Path) -> None:
        """Add the content of the code blocks of a Markdown page."""
        documents, commands = read_page(self.files.text(path), self.files.shown(path), self.files)
        self.others += commands
        self.take_stream(documents)

    def take_file(self, path: Path) -> None:
        """Add the documents of a file, or the build of a kustomization, and the objects that they deploy."""
        if path.suffix.lower() in MARKDOWN:
            self.take_page(path)
            return
        if path.name == CHART and is_wrapper(path.parent, self.files):
            self.charts[path.parent] = False
            return
        kustomize = Kustomize(self.files)
        documents = self.files.documents(path)
        if path.name in KUSTOMIZATIONS and not any(is_kustomization(each.value) for each in documents if is_object(each.value)):
            built = kustomize.build(path.parent)
            self.rendered.add(built)
        else:
            built = self.take(documents)
        checkout = Checkout(path.parent, self.files)
        checkout.learn(built.documents)
        self.checkouts.append(checkout)
        self.rendered.add(Deployers(self.files, kustomize, checkout).follow(built))

    def take(self, documents: Iterable[Document]) -> Rendered:
        """Add documents of every kind, and return their objects and releases."""
        built = Rendered()
        for each in documents:
            if is_talos(each.value):
                self.of_talos.append(each)
            elif self.chart is not None and isinstance(each.value, Map) and not {"apiVersion", "kind"} & each.value.keys():
                built.releases.append(self.bare(each, self.chart))
            elif is_object(each.value):
                built.documents += objects_of(each)
            else:
                self.others += [each] if _is_other(each) else []
                is_cluster_file = isinstance(each.value, Map) and each.value.keys() >= _OF_A_CLUSTER_FILE
                self.files.skip(each.place[0], _CLUSTER_FILE if is_cluster_file else _NEITHER, each.place[1])
        self.rendered.add(built)
        return built

    def bare(self, document: Document, chart: str) -> ChartRelease:
        """The release of a document with chart values, for the chart that the user named."""
        name, _, version = chart.partition("@")
        return ChartRelease(
            body=document.value,
            chart=chart_name(name),
            name=name,
            namespace=None,
            version=version or None,
            values=document.value,
            **lines(document.value, document.place),
        )

    def find(self, written: Any, beside: Document, source: Any) -> Path | None:
        """The local path of a path that an object names. A chart that is found is no longer installed by hand."""
        paths = (checkout.find(written, beside, source) for checkout in self.checkouts)
        path = next((each for each in paths if each is not None), None)
        if path is not None:
            self.charts.pop(path, None)
        return path

    def of_charts(self) -> list[ChartRelease]:
        """The releases of the charts that no object deploys."""
        releases: list[ChartRelease] = []
        for folder, is_deployed in self.charts.items():
            if not is_deployed:
                releases += installed_by_hand(folder, self.files)
            elif wraps_known(folder, self.files):
                self.files.skip(folder, NOT_DEPLOYED)
        return releases

    def inputs(self, talos: str | TalosVersion | None, kubernetes: str | None, nodes: Sequence[GpuNodes]) -> Inputs:
        """The inputs that were read, each object and release once."""
        documents: dict[object, Document] = {}
        for document in self.rendered.documents:
            identity: object = document.place
            if identity in documents and (names := _loader_names(document)) != _loader_names(documents[identity]):
                identity = (document.place, *names)  # objects that a loader makes from one place
            documents[identity] = agreed(documents[identity], document) if identity in documents else document
        built = [kubernetes_object(each) for each in documents.values()]
        objects = [each for each in built if each.kind]
        of_unknown_kind = [each for each in built if not each.kind]
        for each in of_unknown_kind:
            self.files.skip(each.file, f"the object's kind is a placeholder: {each.at('kind')}", each.line_of(()))
        configs = [*node_configs(self.of_talos, self.files), *read_cluster_api(objects, self.files)]
        given_talos = None if talos is None else _given_talos(talos)
        given_kubernetes = None if kubernetes is None else user_version(kubernetes)
        stated = with_weak(
            [*in_arguments(given_talos, given_kubernetes, nodes), *in_configs(configs), *self.versions, *in_objects(objects)],
            self.weak_versions,
        )
        for document in self.rendered.documents:
            if is_resource_set(document.value) and has_other_inputs(document):
                self.files.skip(document.place[0], _PROVIDED, document.place[1])
        releases = [*self.rendered.releases, *helm_releases(objects, self.files, self.find)]
        releases += self.of_charts()
        others = [Read(body=each.value, **lines(each.value, each.place)) for each in self.others]
        installing = installers([*objects, *of_unknown_kind], others, releases)
        for installer in installing:
            reason = f"{installer.label} may install {', '.join(sorted(installer.charts))}: no values are read from it"
            self.files.skip(installer.file, reason, installer.line_of(()))
        of_talos = {each.place[0] for each in self.of_talos}
        repeated = self.files.repeated
        checked: set[object] = {each.place for each in self.rendered.documents if repeated}
        checked |= {(each.file, each.line_of(())) for each in self.rendered.releases}
        is_empty = not (objects or releases or configs)
        return Inputs(
            objects=tuple(objects),
            of_unknown_kind=tuple(of_unknown_kind),
            releases=tuple({_identity_of_release(each): each for each in releases}.values()),
            installers=installing,
            node_configs=tuple(configs),
            nodes=tuple(nodes),
            talos_version=given_talos or talos_version(stated),
            kubernetes_version=agreed_version(KUBERNETES, stated),
            stated_versions=tuple(dict.fromkeys(stated)),
            clusters=clusters(self.of_talos, self.rendered.documents),
            infrastructure=tuple(
                self.files.text(each, is_yaml=False) for each in self.files.infrastructure[:_MOST_FILES] if _is_small(each)
            ),
            repeated_keys=tuple(repeated_keys(repeated, checked, {each.place for each in self.of_talos})),
            shared_objects=tuple(self.rendered.shared),
            watched=tuple(self.files.watched),
            skipped=tuple(each for each in with_mentions(self.files) if each.line is not None or each.file not in of_talos),
            empty=tuple(self.given if is_empty else self.empty),
            comments=self.files.comments,
        )


def _may_be_of_talos(text: str) -> bool:
    """Whether a file may have documents of Talos. A search for fixed words costs less than a longer pattern."""
    if _OF_TALOS.search(text) or LIVE_CONFIG in text:
        return True
    return ("/machine/" in text or "/cluster/" in text) and _OPERATION.search(text) is not None


def _is_other(document: Document) -> bool:
    body = document.value
    return isinstance(body, Map) and not body.keys() >= _OF_A_CLUSTER_FILE and not is_object(body) and not is_talos(body)


def _is_small(path: Path) -> bool:
    return is_file(path) and path.stat().st_size <= _MOST_BYTES


def _check_chart(chart: str | None) -> None:
    """Refuse a misspelt name.

    A chart whose name is like no known one is another chart, of which only the pods in the values are checked.
    """
    if chart is not None:
        name = chart_name(chart.partition("@")[0])
        hint = did_you_mean(name, CHARTS) if name not in CHARTS else ""
        if hint or not name:
            raise wrong("chart", "a chart's name, such as 'gpu-operator@v26.7.0'", chart, hint)


def _loader_names(each: Document) -> tuple[str | None, ...]:
    names = (("kind",), ("metadata", "namespace"), ("metadata", "name"))
    written = (at(each.value, *path) for path in names)
    return tuple(name if isinstance(name, str | None) else f"{name}" for name in written)


def _given_talos(talos: str | TalosVersion) -> TalosVersion:
    version = TalosVersion.parse("talos", talos)
    if not version.is_known or version.follows_preview:
        warn(f"{newer_than_tables(f'Talos {version}')}: the rules go by the newest Talos that they know")
    return version


def _identity_of_release(each: ChartRelease) -> tuple[object, ...]:
    return each.file, each.line_of(()), f"{each.name}", f"{each.namespace}", f"{each.chart}"
