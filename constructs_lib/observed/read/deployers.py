"""The objects that Flux and Argo CD deploy: a deployer is followed to its folder, if the folder is in the checkout."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import Any

from ...arguments.patterns import pattern
from ...yaml.located import Document, Map, place_of
from ..model import SharedObject, at, equals, is_given, known_str, mappings, source_of, text_of
from . import argocd as argo
from . import limits
from .checkout import Checkout
from .clusters import HOME, folder_of_cluster, selected_clusters, target_cluster
from .files import CHART, Files, is_file, is_folder, kustomization_of, normal
from .flux.filled_in import resources, substituted, variables_of
from .helm.release_values import within
from .helm.wrapper_charts import wrapped
from .kustomize.build import Kustomize
from .kustomize.fields import METADATA_ANNOTATIONS, METADATA_LABELS, with_pairs
from .kustomize.finished import finished
from .kustomize.generators import texts
from .kustomize.patches import patched
from .kustomize.transformers import defaulted, namespaced, with_images
from .objects import Rendered, deployer_kind, is_deployer, kubernetes_object, lines

_MOST = 100_000
_LONGEST_PATTERNS = 1000


class Deployers:
    """Follows deployers to their objects. Each deployer is followed once, so that a cycle ends."""

    def __init__(self, files: Files, checkout: Checkout, kustomize: Kustomize | None = None, owners: Owners | None = None) -> None:
        self.files, self.checkout, self.kustomize = files, checkout, kustomize or Kustomize(files)
        self.has_folders = False
        self._followed: set[str] = set()
        self._owners = owners or Owners()

    def follow(self, built: Rendered, cluster: str = "") -> Rendered:
        """The objects that the deployers of a cluster deploy, directly and through further deployers."""
        result = Rendered()
        pending: list[tuple[Rendered, object, str, str]] = [(built, None, cluster or HOME, "")]
        while pending:
            applied, parent, around, selected = pending.pop()
            for each in filter(is_deployer, applied.documents):
                folder = folder_of_cluster(each.place[0])[0]
                cluster = around if folder in self.files.included_clusters else folder or around
                key = repr((cluster, each.place, at(each.value, "metadata"), at(each.value, "spec")))
                if key in self._followed:
                    continue
                self._followed.add(key)
                if len(result.documents) > _MOST:
                    self.files.skip(each.place[0], f"more than {_MOST} objects are deployed, so this object is not followed", each.place[1])
                    continue
                objects = self._of(each)
                target = target_cluster(each.value, cluster, selected)
                label = kubernetes_object(each).label
                objects.settle(target, label if is_suspended(each) else "", label if _prunes(each) else "")
                self._hold(each, objects)
                result.add(objects)
                result.shared += self._owners.shared(objects.documents, each, parent)
                pending.append((objects, key, target, selected_clusters(each.value)))
        return result

    def _hold(self, deployer: Document, built: Rendered) -> None:
        """Note what does not reach the cluster, because the build that holds its deployer fails."""
        for failure in self.files.failed_builds:
            if deployer.place in failure.held:
                failure.held.update(each.place for each in built.documents)
                failure.held.update((each.file, each.line_of(()) or 0) for each in built.releases)

    def _of(self, each: Document) -> Rendered:
        match deployer_kind(each.value):
            case "Kustomization":
                return self._kustomization(each)
            case "Application":
                return self._application(each)
            case "ResourceSet":
                return Rendered(_with_common_metadata(resources(each, self.files), each))
        return Rendered(list(argo.applications(each, self.checkout.root(each), self.files)))

    def _kustomization(self, each: Document) -> Rendered:
        folder = self.checkout.find(at(each.value, "spec", "path"), each, at(each.value, "spec", "sourceRef", "name"))
        if folder is None or not is_folder(folder):
            return Rendered()
        self.has_folders = True
        read = self.kustomize.read
        built = self._folder(folder)
        for component in texts(at(each.value, "spec", "components")):
            path = normal(folder / component)
            if not self.files.excludes(path, component, place_of(each.value, ("spec", "components"), each.place)):
                built = self.kustomize.component(path, built)
        documents = built.documents
        for index, patch in mappings(at(each.value, "spec", "patches")):
            text, place = source_of(at(patch, "patch")), place_of(each.value, ("spec", "patches", index, "patch"), each.place)
            if text is not None:
                if not self.files.may_spend((self.kustomize.read - read) + len(text) * len(documents), place):
                    break
                documents = patched(documents, self.files.embedded(text, within(text, place)), at(patch, "target"), self.files, place)
        namespace, releases = at(each.value, "spec", "targetNamespace"), built.releases
        if is_given(namespace):
            documents = namespaced(documents, namespace, place_of(each.value, ("spec", "targetNamespace"), each.place))
            releases = [replace(release, namespace=namespace) for release in releases]
        documents = with_images(_with_common_metadata(documents, each), at(each.value, "spec", "images"))
        built = finished(replace(built, documents=documents, releases=releases))
        return replace(built, documents=substituted(built.documents, variables_of(each, self.files)))

    def _folder(self, folder: Path) -> Rendered:
        """The objects that Flux reads from a folder: its kustomization, or all manifests and kustomizations below
        it."""
        built, pending = Rendered(), [folder]
        while pending:
            path = pending.pop()
            if file := kustomization_of(path):
                (self.files.built_by_flux if path == folder else self.files.built_strictly).add(file)
                built.add(self.kustomize.base(path))
                continue
            folders, files = self.files.inside(path)
            pending += folders
            if not self.files.may_spend(limits.SEARCHED * (1 + len(files)), path):
                break
            for file in files:
                if file.suffix in (".yaml", ".yml"):
                    built.documents += self.kustomize.manifests(file)
        return built

    def _application(self, each: Document) -> Rendered:
        built = Rendered([namespace] if (namespace := argo.created_namespace(each)) else [])
        for path, source in argo.sources(each):
            built.add(self._source(each, path, source))
        return built

    def _source(self, each: Document, path: tuple[str | int, ...], source: Map) -> Rendered:
        def find(written: Any) -> Path | None:
            return self.checkout.find(written, each)

        chart = text_of(at(source, "chart"))
        if chart is not None and is_given(chart):
            return Rendered(releases=[argo.release(each, path, source, chart, find, self.files)])
        written = known_str(at(source, "path"))
        folder = self.checkout.find(written, each, at(source, "repoURL")) if written else None
        if folder is None or not is_folder(folder):
            return Rendered()
        self.has_folders = True
        if is_file(folder / CHART):
            return self._chart(each, path, source, folder)
        built = self._built(each, folder, source)
        namespace = argo.namespace(each)
        if namespace is None:
            return built
        releases = [replace(release, namespace=release.namespace or namespace) for release in built.releases]
        return Rendered(defaulted(built.documents, namespace, place_of(each.value, ("spec", "destination"), each.place)), releases)

    def _built(self, each: Document, folder: Path, source: Map) -> Rendered:
        if path := kustomization_of(folder):
            self.files.built_strictly.add(path)
            built = self.kustomize.base(folder)
            settings = at(source, "kustomize")
            return finished(self.kustomize.over(built, Document(settings, each.place), folder) if isinstance(settings, Map) else built)
        built, recurse = Rendered(), at(source, "directory", "recurse") is True
        include, exclude = at(source, "directory", "include"), at(source, "directory", "exclude")
        if any(isinstance(patterns, str) and len(patterns) > _LONGEST_PATTERNS for patterns in (include, exclude)):
            self.files.skip(
                each.place[0], f"the Application's patterns of files are longer than {_LONGEST_PATTERNS} characters", each.place[1]
            )
            return built
        for below, files in self.files.below(folder, is_deployed=True) if recurse else [(folder, self.files.inside(folder)[1])]:
            if not self.files.may_spend(limits.SEARCHED * (1 + len(files)), each.place):
                break
            for file in files:
                name = str(file.relative_to(folder))
                if (not isinstance(include, str) or _is_among(name, include)) and not (
                    isinstance(exclude, str) and _is_among(name, exclude)
                ):
                    built.documents += self.kustomize.manifests(below / file.name)
        return built

    def _chart(self, each: Document, path: tuple[str | int, ...], source: Map, folder: Path) -> Rendered:
        """The releases of a chart in the repository, one for each dependency, and the Applications in its templates."""
        whole = argo.release(each, path, source, "", lambda written: self.checkout.find(written, each), self.files, folder)
        self.kustomize.reached.add(folder / CHART)
        self.files.installed_charts[folder] = None
        built = Rendered(releases=wrapped(folder, whole, self.files))
        for templates in self.files.inside(folder)[0]:
            if templates.name == "templates":
                built.documents += [one for file in self.files.inside(templates)[1] for one in self.kustomize.manifests(file)]
        return built


def _with_common_metadata(documents: Iterable[Document], deployer: Document) -> list[Document]:
    """The objects with the labels and annotations in `commonMetadata` of their deployer."""
    result = list(documents)
    for key, fields in (("labels", METADATA_LABELS), ("annotations", METADATA_ANNOTATIONS)):
        pairs = at(deployer.value, "spec", "commonMetadata", key)
        result = with_pairs(result, pairs, fields) if isinstance(pairs, Map) else result
    return result


def _is_among(name: str, patterns: str) -> bool:
    return any(fnmatch(name, each.strip()) for each in patterns.strip("{}").split(","))


_KINDS = ("RuntimeClass", "HelmRelease", "DaemonSet", "ConfigMap", "ClusterPolicy")
_OF_GPUS = pattern(r"nvidia|gpu|dcgm")


class Owners:
    """The first deployer of each object, by the deployer's own parent: two parents may be of two clusters."""

    def __init__(self) -> None:
        self._first: dict[object, Document] = {}

    def shared(self, objects: Iterable[Document], deployer: Document, parent: object) -> list[SharedObject]:
        """The objects that another deployer with the same parent applies, too.

        Deployers at the top are of one cluster in one folder.
        """
        if not _applies_here(deployer):
            return []
        scope = (parent or PurePath(deployer.place[0]).parent, repr(at(deployer.value, "spec", "destination")))
        result = []
        for each in objects:
            if known_str(at(each.value, "kind")) in _KINDS and _is_of_gpus(each):
                name = tuple(repr(at(each.value, *path)) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name")))
                first = self._first.setdefault((scope, name), deployer)
                if _name(first) != _name(deployer):
                    names = (_name(first), _name(deployer))
                    result.append(SharedObject(body=each.value, deployers=names, **lines(each.value, each.place)))
        return result


def is_suspended(deployer: Document) -> bool:
    """Whether Flux does not apply a Kustomization until somebody resumes it. Its objects stay as they are in the cluster.

    https://fluxcd.io/flux/components/kustomize/kustomizations/#suspend (2026-11-28)
    """
    return deployer_kind(deployer.value) == "Kustomization" and equals(at(deployer.value, "spec", "suspend"), True).is_yes


def _prunes(deployer: Document) -> bool:
    """Whether a deployer deletes an object from the cluster that leaves its files, or may. A ResourceSet always does.

    https://fluxcd.io/flux/components/kustomize/kustomizations/#prune,
    https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automatic-pruning (2026-11-28)
    """
    kind, spec = deployer_kind(deployer.value), at(deployer.value, "spec")
    if kind == "Kustomization":
        return not equals(at(spec, "prune"), True).is_no
    return kind == "ResourceSet" or not equals(at(spec, "syncPolicy", "automated", "prune"), True).is_no


def _applies_here(deployer: Document) -> bool:
    """Whether a deployer applies its objects itself, and to the cluster that its parent is applied to."""
    spec, kind = at(deployer.value, "spec"), deployer_kind(deployer.value)
    if kind == "Kustomization":
        return equals(at(spec, "suspend"), True).is_no and not is_given(at(spec, "kubeConfig"))
    return kind != "ApplicationSet"


def _is_of_gpus(each: Document) -> bool:
    name = at(each.value, "metadata", "name")
    return isinstance(name, str) and _OF_GPUS.search(name) is not None


def _name(deployer: Document) -> str:
    return f"{at(deployer.value, 'kind')} {at(deployer.value, 'metadata', 'name')}"
