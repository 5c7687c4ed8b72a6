"""The live files of a folder: those that a kustomization, Flux or Argo CD reaches. Without any of these, all files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ...arguments.patterns import pattern
from ...yaml.located import Document, Place
from ..model import at, literal
from .checkout import Checkout
from .clusters import folder_of_cluster
from .deployers import Deployers, Owners
from .files import CHART, KUSTOMIZATIONS, LEFT_OUT, NOT_DEPLOYED, OF_A_CHART, SETTINGS, Files, is_template, normal
from .helm.wrapper_charts import is_wrapper, local_dependencies
from .kustomize.build import Kustomize
from .kustomize.generators import texts
from .kustomize.refused import is_component, kustomization
from .objects import Rendered, is_deployer, objects_of
from .talos.documents import may_be_of_talos

_DEPLOYER = pattern(r"kustomize\.toolkit\.fluxcd\.io/|fluxcd\.controlplane\.io/|argoproj\.io/")
# Talos' documents have an API version without a group, and schemas have a property of this name. Neither matches.
_OBJECT = pattern(
    r"""^(?:[ \t{-]*|[ \t]*\{[^\n]*,[ \t]*)["']?apiVersion["']?[ \t]*:[ \t]*["']?(?!v1(?:alpha|beta)\d\b)[\w$]""", re.MULTILINE
)
_KIND = pattern(r"""\bkind["']?[ \t]*:[ \t]*["']?[A-Z$]""")


class Folder:
    """A folder: its kustomizations, its other YAML files, its files with variables, and the files of other formats that
    may name a version."""

    def __init__(self, folder: Path, files: Files) -> None:
        self.files, self.kustomize = files, Kustomize(files)
        self.checkout = Checkout(folder, files)
        self.is_deployed = False
        self.kustomizations: dict[Path, Path] = {}
        self.others: list[Path] = []
        self.settings: list[Path] = []
        self.charts: list[Path] = []
        self.folder = folder
        for _, names in files.below(folder):
            for path in names:
                if path.name in KUSTOMIZATIONS:
                    self.kustomizations.setdefault(path.parent, path)
                elif path.name.endswith(SETTINGS):
                    self.settings.append(path)
                else:
                    self.others.append(path)
        self.naming_versions = [path for path in files.naming_versions if path.is_relative_to(folder)]

    def live(self) -> Rendered:
        """The objects of the folder that reach a cluster. Other manifests are skipped."""
        manifests = [path for path in self.others if not is_template(path.name) and self._is_manifest(path)]
        deploying = [path for path in manifests if _DEPLOYER.search(self.files.text(path))]
        self.checkout.learn(each for path in deploying for each in self._objects(path))
        entries = {path: self.kustomize.build(path) for path in self._tops()}
        entries |= {path: Rendered(self._objects(path)) for path in deploying if not self.is_governed(path.parent)}
        result = self._followed(entries)
        if not self.is_deployed:  # a deployer may be applied by hand, as the first Application of a cluster is
            by_hand = {path: Rendered(self._objects(path)) for path in deploying if path not in self.kustomize.reached}
            result = self._followed(entries | by_hand)
            entries |= by_hand if self.is_deployed else {}
        self._add_entries(result, entries)
        templates = {path.parent for path in entries if path.parent.name == "templates"}  # one chart, installed together
        for path in manifests:
            if path in self.kustomize.reached or path in entries:
                continue
            if self.is_governed(path.parent):
                self.files.skip(path, LEFT_OUT)
            elif self.is_deployed and path.parent not in templates:
                self.files.skip(path, NOT_DEPLOYED)
            else:
                result.documents += self.kustomize.manifests(path)
        self._find_charts()
        return result

    def _find_charts(self) -> None:
        """Find the charts that no kustomization, and no Application of Argo CD, installs. A chart without dependencies
        is skipped."""
        charts = [path.parent for path in self.others if path.name == CHART and path not in self.kustomize.reached]
        free = [folder for folder in charts if not self.is_governed(folder)]
        inner = {path for folder in charts for path in local_dependencies(folder, self.files) if path != folder}
        for folder in free:
            if is_wrapper(folder, self.files):
                self.charts += [folder] if folder not in inner else []
            elif not self.is_deployed:
                self.files.skip(folder, OF_A_CHART)

    def _followed(self, entries: dict[Path, Rendered]) -> Rendered:
        """The objects that the entries deploy. A deployer that another one deploys is followed only as the other one
        patches it."""
        results, owners = [], Owners()
        for path, built in entries.items():
            deployed = Deployers(self.files, self.checkout, self.kustomize, owners)
            cluster = folder_of_cluster(self.files.shown(path / "file"))[0]
            results.append((deployed.follow(built, cluster), {each.place for each in built.documents if is_deployer(each)}))
            self.is_deployed = self.is_deployed or deployed.has_folders
        result, known = Rendered(), set[Place]()
        for build, deployers in sorted(results, key=lambda each: -len(each[0].documents)):
            if not deployers <= known:
                result.add(build)
                known |= {each.place for each in build.documents}
            else:
                result.add_clusters(build)
        return result

    def _add_entries(self, result: Rendered, entries: dict[Path, Rendered]) -> None:
        """Add the objects that are applied by hand. In a folder that is deployed, only its deployers are."""
        root = self.files.shown(self.folder)
        known = {(each.place, literal(at(each.value, "kind"))) for each in result.documents}
        releases = {(each.file, each.line_of(())) for each in result.releases}
        for path, built in entries.items():
            if self.is_deployed and not any(is_deployer(each) for each in built.documents):
                if any((each.place, literal(at(each.value, "kind"))) not in known for each in built.documents):
                    self.files.skip(path, NOT_DEPLOYED)
                continue
            objects = [each for each in built.documents if (each.place, literal(at(each.value, "kind"))) not in known]
            further = [each for each in built.releases if (each.file, each.line_of(())) not in releases]
            is_by_hand = path in self.kustomizations and not self.is_deployed
            result.add(Rendered(objects, further))
            if is_by_hand:
                result.builds[(root + str(path)[len(str(self.folder)) :]).removeprefix("./")] = [*objects, *further]

    def _tops(self) -> list[Path]:
        """The top kustomizations: no other one names them, and no folder above has a kustomization, except one that
        they name."""
        named = {path: set(self._named_by(path)) for path in self.kustomizations}
        for folder, others in named.items():
            if own := folder_of_cluster(self.files.shown(folder / "file"))[0]:
                included = {folder_of_cluster(self.files.shown(each / "file"))[0] for each in others}
                self.files.included_clusters.update(included - {own})
        referred = set().union(*named.values()) if named else set()
        tops = []
        for folder, path in self.kustomizations.items():
            document = kustomization(path, self.files)
            above = [each for each in folder.parents if each in self.kustomizations]
            if folder in referred or (document and is_component(document.value)) or (above and not named[folder] & set(above)):
                continue
            tops.append(folder)
        return [*tops, *_cycles(named, tops)]

    def _named_by(self, folder: Path) -> Iterable[Path]:
        document = kustomization(self.kustomizations[folder], self.files)
        for key in ("resources", "bases", "components"):
            for written in texts(at(document.value, key)) if document else []:
                yield normal(folder / written)

    def leaves_out(self, path: Path) -> bool:
        """Whether a file that was not reached is not deployed: a kustomization of its folder leaves it out, or nothing
        names it in a folder that is deployed. A file below neither may be of Talos. A file with a deployer is live without a
        name, as `live` takes it.
        """
        text = self.files.text(path)
        is_left = self.is_deployed and self._is_manifest(path) and not _DEPLOYER.search(text) and not may_be_of_talos(text)
        return self.is_governed(path.parent) or is_left

    def is_governed(self, folder: Path) -> bool:
        """Whether a kustomization in the folder, or above it, decides which files of the folder are deployed."""
        return any(each in self.kustomizations for each in (folder, *folder.parents))

    def _is_manifest(self, path: Path) -> bool:
        text = self.files.text(path)
        return _OBJECT.search(text) is not None and _KIND.search(text) is not None

    def _objects(self, path: Path) -> list[Document]:
        return [each for document in self.files.documents(path) for each in objects_of(document)]


def _cycles(named: Mapping[Path, set[Path]], tops: Iterable[Path]) -> Iterator[Path]:
    """A kustomization of each cycle that no top kustomization reaches: without it nobody would see the cycle."""
    reached = _reached(named, tops)
    for folder in named:
        if folder not in reached and folder in (below := _reached(named, named[folder])):
            yield folder
            reached |= below


def _reached(named: Mapping[Path, set[Path]], folders: Iterable[Path]) -> set[Path]:
    reached, pending = set[Path](), [*folders]
    while pending:
        folder = pending.pop()
        if folder not in reached:
            reached.add(folder)
            pending += named.get(folder, ())
    return reached
