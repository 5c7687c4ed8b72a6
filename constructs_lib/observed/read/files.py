"""The files of one reading: each file is read and parsed once. An unreadable file is skipped with a reason."""

from __future__ import annotations

import functools
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...arguments.patterns import pattern
from ...upstream.programs.delivery_tools import PROGRAMS, PROJECTS
from ...upstream.talos.installer_images import PUBLISHED_INSTALLER
from ...yaml.located import Document, Map, Place
from ..model import FailedBuild, Skipped, WatchedImage
from . import limits
from .documents import MARKS, documents
from .limits import OUTSIDE, GitRoots

_MARK = "talos-gpu:"
_SILENCED = pattern(r"#\s*talos-gpu:\s*ignore\s+(TG\d+(?:\s*,\s*TG\d+)*)\s*(.*)")
# Renovate's presets for comments, and the regular expressions of users, all read depName or packageName.
_WATCHED = pattern(
    rf"(?:#|//)[ \t]*renovate:[^\n]*?\b(?:depName|packageName)=({re.escape(PUBLISHED_INSTALLER)})(?=[\s,;:]|$)"
    rf"(?:[^\n]*\n[^\n]*({re.escape(PUBLISHED_INSTALLER)}:))?",
    re.MULTILINE,
)


def watched_images(text: str, file: str) -> Iterator[WatchedImage]:
    """The comments about Talos' published installer image. Most files do not name it."""
    if PUBLISHED_INSTALLER not in text:
        return
    for match in _WATCHED.finditer(text):
        place = (file, text.count("\n", 0, match.start()) + 1)
        yield WatchedImage(body={}, file=file, place_at=lambda _, place=place: place, image=match[1], is_tag=bool(match[2]))  # type: ignore[misc]  # mypy infers no type for the default


def silenced_rules(text: str) -> dict[int, dict[str, str]]:
    """The comments of a text that silence rules: line, rule and reason; the reason may be empty."""
    if _MARK not in text:
        return {}
    matches = ((number, _SILENCED.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {number: {rule.strip(): match[2].strip() for rule in match[1].split(",")} for number, match in matches if match}


KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
SETTINGS = (".env", "installer-image.txt")
READ = (".yaml", ".yml", ".json", *SETTINGS)
UNREAD = (
    ".tf", ".tofu", ".tfvars", ".hcl", ".nix", ".j2", ".jinja2", ".tpl", ".tmpl", ".tftpl", ".gotmpl", ".mk",
    ".cue", ".jsonnet", ".libsonnet", ".pkl", ".k",
)  # fmt: skip
"""The formats of manifests and machine configurations that are not read."""
# Files that may name a version beside much else: of Make, Terraform, and of templates of clusters.
_NAMING_VERSIONS = (".mk", ".tf", ".tfvars", "Makefile", "cluster.yaml", "nodes.yaml")
MODULES = (".tf", ".tofu")
"""The files of Terraform's and OpenTofu's modules."""
INFRASTRUCTURE = (*MODULES, ".tfvars", ".hcl", ".nix")
"""The formats of tools that make nodes. They are not read as manifests."""
TEMPLATES = (".j2", ".jinja", ".jinja2", ".tmpl", ".tpl")
_TEMPLATED = tuple(f".{form}{suffix}" for form in ("yaml", "yml") for suffix in TEMPLATES)

# Handwritten files are smaller, and the parser needs about a second for five megabytes.
LARGEST = 20_000_000
_LARGE = 1_000_000
# Folders without manifests, or with manifests of third parties.
_PASSED_BY = {"node_modules", "vendor", "venv", "__pycache__", "site-packages", "target"}
# Names of what is no longer, or not yet, in a cluster. An app may be named `attic` or `mail-archiver`.
_OLD = r".*deprecated|.*[._-](old|bak|disabled|unused)$|[._-]*(old|disabled|unused)[._-]"
_OLD_FILE = pattern(_OLD, re.IGNORECASE)
_OLD_FOLDER = pattern(
    rf"{_OLD}|[._-]*(archived?|refs?|reference|examples?|samples?|backups?|bak|old|disabled|unused|inactive|obsolete|retired)$|[._-]+attic$",
    re.IGNORECASE,
)
_OF_A_CHART = {"templates", "charts", "crds"}
NOT_LIVE = "not live, according to the name"
UNKNOWN_PART = ", and what it installs or configures is not known"
CHART = "Chart.yaml"
MARKDOWN = (".md", ".mdx", ".markdown")
NOT_DEPLOYED = "not deployed by any object of Flux or Argo CD"
LEFT_OUT = "not included in any kustomization"
OF_A_CHART = "a Helm chart: only its releases and its rendered manifests are checked"


class Files:
    """The texts and documents of files, by absolute path. Reports show the paths as the user gave them."""

    def __init__(self, paths: Iterable[Path] = (), given: Mapping[Path, str] | None = None) -> None:
        self._given = given or {}
        """Texts in place of those of files, by absolute path."""
        self._paths = [(normal(absolute(each)), each) for each in paths]
        self.skipped: dict[Skipped, None] = {}
        self.unread: list[Path] = []
        """The files of formats that are not read."""
        self.infrastructure: list[Path] = []
        self._projects: list[Path] = []
        """The folders of projects whose programs make manifests."""
        self.repeated: list[Document] = []
        self.watched: list[WatchedImage] = []
        self.failed_builds: list[FailedBuild] = []
        self.built_by_flux: set[Path] = set()
        """The kustomizations at the path of a Flux Kustomization."""
        self.built_strictly: set[Path] = set()
        """The kustomizations that kustomize itself reads: bases, and sources of Argo CD."""
        self.has_left_out = False
        """Whether a part was left out because all files together generate more than one check reads."""
        self._not_live: dict[Path, None] = {}
        self.installed_charts: dict[Path, None] = {}
        """The folders of the charts in the repository that Flux or Argo CD installs."""
        self.included_clusters: set[str] = set()
        """The names of folders as those of clusters whose kustomizations are parts of others'."""
        self._broken: set[str] = set()
        self._steps = 0
        self.comments: dict[str, Mapping[int, Mapping[str, str]]] = {}
        self.of_terraform: set[Path] = set()
        """The files that a function of Terraform reads."""
        self._texts: dict[Path, str] = {}
        self._documents: dict[Path, list[Document]] = {}
        self._folders: dict[Path, tuple[list[Path], list[Path]]] = {}
        self.naming_versions: dict[Path, None] = {}
        """The files in the searched folders that may name a version of Talos or Kubernetes beside much else."""

    @property
    def given_folders(self) -> list[Path]:
        """The absolute paths that the user gave."""
        return [path for path, _ in self._paths]

    @functools.cached_property
    def _boundary(self) -> GitRoots:
        """The folders that the reading may enter."""
        return GitRoots(path for path, _ in self._paths)

    def skip(self, file: Path | str, reason: str, line: int | None = None, **more: Any) -> None:
        """Record a skipped file or document, with the other fields of `Skipped`. The same entry is recorded once."""
        name = self.shown(file) if isinstance(file, Path) else file
        self.skipped[Skipped(file=name, reason=reason, line=line, **more)] = None

    def may_spend(self, steps: int, place: Place | Path) -> bool:
        """Whether the reading may do this many more steps. If not, the file is skipped, at the place that asks for
        them."""
        if self._steps + steps <= limits.MOST:
            self._steps += steps
            return True
        self.has_left_out = True
        file, line = (place, None) if isinstance(place, Path) else place
        self.skip(file, "what all files generate together is more than one check reads, and the rest is left out", line)
        return False

    def shown(self, path: Path) -> str:
        """The path as reports show it: it begins with the path that the user gave."""
        for folder, written in self._paths:
            if path.is_relative_to(folder):
                return str(written / path.relative_to(folder))
        return str(path) if not self._paths or self._paths[0][1].is_absolute() else os.path.relpath(path)

    def excludes(self, path: Path, written: str | None = None, place: Place = ("", 0)) -> bool:
        """Whether a path is outside of the repository. Such a path is skipped, at the place where it is written."""
        if not self._boundary.excludes(normal(absolute(path))):
            return False
        if written is None:
            self.skip(path, OUTSIDE)
        else:
            self.skip(place[0], f"'{written}' is {OUTSIDE}", place[1], is_reference=True)
        return True

    def text(self, path: Path, *, is_yaml: bool = True) -> str:
        """The text of a file. Empty for an unreadable file, which is skipped if `is_yaml`."""
        path = absolute(path)
        if path not in self._texts:
            try:
                self._texts[path] = "" if self.excludes(path) else self._given[path] if path in self._given else _text(path)
            except (OSError, ValueError) as error:
                self._texts[path] = ""
                if is_yaml:
                    self.skip(path, getattr(error, "strerror", None) or str(error), is_reference=isinstance(error, OSError), is_unread=True)
        return self._texts[path]

    def holds(self, path: Path) -> bool:
        """Whether a path is inside of the repository."""
        return not self._boundary.excludes(normal(absolute(path)))

    def beginning(self, path: Path, most: int) -> str:
        """The first characters of a file of any kind. Empty for an unreadable file, which is not skipped."""
        if path in self._texts:
            return self._texts[path][:most]
        try:
            status = path.stat()
            if not self.holds(path) or not stat.S_ISREG(status.st_mode):
                return ""
            with path.open("rb") as file:
                return file.read(min(most, status.st_size)).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def documents(self, path: Path) -> list[Document]:
        """The documents of a file. Invalid YAML and encrypted documents are left out."""
        path = absolute(path)
        if path not in self._documents:
            text = self.text(path)
            self._documents[path] = self.parse(text, self.shown(path))
            if len(text) > _LARGE:
                del self._texts[path]  # the few questions about the text of a large file read the file again
        return self._documents[path]

    def read_below(self, folder: Path) -> set[Path]:
        """The files that were read: those below a folder, or the file itself."""
        return {path for path in (*self._texts, *self._documents) if path.is_relative_to(folder)}

    def is_used(self, path: Path) -> bool:
        """Whether a reader asked for the documents of a file, given by its absolute path, or Terraform for its text."""
        return path in self._documents or path in self.of_terraform

    def is_broken(self, path: Path) -> bool:
        """Whether a document of a file that was read is no YAML."""
        return bool(self._broken) and self.shown(path) in self._broken

    def spare(self, path: Path) -> None:
        """Note that no tool reads a broken file: it is only skipped."""
        name = self.shown(path)
        self.skipped = {replace(each, is_broken=False) if each.file == name else each: None for each in self.skipped}

    def parse(self, text: str, file: str) -> list[Document]:
        """The documents in the whole text of a file."""
        self.learn_comments(text, file)
        return self.embedded(text, (file, 1), template=is_template(file))

    def learn_comments(self, text: str, file: str) -> None:
        """Note the comments of a file that silence rules, and those for Renovate."""
        self.watched += watched_images(text, file)
        if reasons := silenced_rules(text):
            self.comments[file] = reasons

    def embedded(self, text: str, place: Place, *, template: bool = False) -> list[Document]:
        """The documents in a text that begins at this line of this file."""
        parsed, skipped = documents(text, *place, template=template)
        self.skipped.update(dict.fromkeys(skipped))
        self._broken.update(each.file for each in skipped if each.is_broken)
        # The branches of a template's condition may set the same key.
        self.repeated += [each for each in parsed if each.repeated and not template and not MARKS.search(text)]
        readable = []
        for each in parsed:
            if isinstance(each.value, Map) and isinstance(each.value.get("sops"), Map):
                self.skip(place[0], "encrypted with SOPS", each.place[1])
            elif not each.aliased or self.may_spend(limits.ALIASED * each.aliased, each.place):
                readable.append(each)
        return readable

    def inside(self, folder: Path) -> tuple[list[Path], list[Path]]:
        """The subfolders and files of a folder that are to be read. The inner folders of Helm charts are skipped."""
        if folder not in self._folders:
            try:
                entries = [] if self.excludes(folder) else sorted(os.scandir(folder), key=lambda each: each.name)
                folders = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
            except OSError as error:
                self.skip(folder, error.strerror or str(error))
                entries, folders = [], []
            is_chart = any(each.name == CHART for each in entries)
            if any(each.name in PROJECTS for each in entries):
                self._projects.append(folder)
            if any(map(folder.is_relative_to, self._projects)):
                self.unread += [folder / each.name for each in entries if each.name.endswith(PROGRAMS) and not each.name.startswith(".")]
            self._folders[folder] = (
                [folder / name for name in folders if self._may_be_entered(folder / name, in_chart=is_chart)],
                [folder / each.name for each in entries if each.name not in folders and self._may_be_read(folder / each.name)],
            )
            versions = (folder / each.name for each in entries if each.name.endswith(_NAMING_VERSIONS) and not each.name.startswith("."))
            self.naming_versions.update(dict.fromkeys(versions))
        return self._folders[folder]

    def below(self, folder: Path, *, is_deployed: bool = False) -> Iterator[tuple[Path, list[Path]]]:
        """The folder and every folder below it, each with its files that are to be read. What is not live by its name is
        skipped, unless the whole folder is deployed."""
        pending = [folder]
        while pending:
            path = pending.pop()
            folders, files = self.inside(path)
            pending += [each for each in reversed(folders) if is_deployed or not self._is_old(each, _OLD_FOLDER.match(each.name))]
            yield path, [each for each in files if is_deployed or not self._is_old(each, _OLD_FILE.match(each.stem))]

    def _is_old(self, path: Path, name: object) -> bool:
        if name is not None:
            self.skip(path, NOT_LIVE)
            self._not_live[absolute(path)] = None
        return name is not None

    def settle_not_live(self) -> None:
        """Take back that a file, or a folder, is not live where a reader was sent to it: only the rest is not."""
        read = self._texts.keys() | self._documents.keys()
        folders = {folder for path in read for folder in path.parents} if self._not_live else set()
        for path in [each for each in self._not_live if each in read or each in folders]:
            self.skipped.pop(Skipped(file=self.shown(path), reason=NOT_LIVE), None)
            for _, files in self.below(path, is_deployed=True) if path in folders else ():
                for each in files:
                    if absolute(each) not in read:
                        self.skip(each, NOT_LIVE)

    def _may_be_entered(self, folder: Path, *, in_chart: bool) -> bool:
        if folder.name in _PASSED_BY:
            return False
        if in_chart and folder.name in _OF_A_CHART and not self._holds_applications(folder):
            self.skip(folder.parent, OF_A_CHART)
            return False
        return not folder.name.startswith(".") or _OLD_FOLDER.match(folder.name) is not None

    def _holds_applications(self, folder: Path) -> bool:
        """Whether the templates of a chart contain Applications of Argo CD."""
        return folder.name == "templates" and any("kind: Application" in self.text(path) for path in self.inside(folder)[1])

    def _may_be_read(self, file: Path) -> bool:
        name = file.name
        if name.startswith("."):
            return False
        if not (name.endswith(READ) or name in KUSTOMIZATIONS or is_template(name)):
            if name.endswith(INFRASTRUCTURE):
                self.infrastructure.append(file)
            if name.endswith(UNREAD):
                self.unread.append(file)
            return False
        return True


def is_template(name: str) -> bool:
    """Whether the file name is that of a YAML template."""
    return name.endswith(_TEMPLATED)


def kustomization_of(folder: Path) -> Path | None:
    """The kustomization file of a folder; None if there is none."""
    return next((folder / name for name in KUSTOMIZATIONS if is_file(folder / name)), None)


def is_file(path: Path) -> bool:
    """Whether the file exists. False for an invalid name."""
    return os.path.isfile(path)  # noqa: PTH113  # Path's own raises for a name that is too long


def is_folder(path: Path) -> bool:
    """Whether the folder exists. False for an invalid name."""
    return os.path.isdir(path)  # noqa: PTH112  # as in `is_file`


def exists(path: Path) -> bool:
    """Whether a file or a folder of this name exists. False for an invalid name."""
    return os.path.exists(path)  # noqa: PTH110  # as in `is_file`


def normal(path: Path) -> Path:
    """The normalized path, without `..` in its middle: one file has one name."""
    return Path(os.path.normpath(path))


def absolute(path: Path) -> Path:
    """The normalized absolute path."""
    return path if path.is_absolute() else normal(Path.cwd() / path)


def _text(path: Path) -> str:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("no file that has a text")
    if status.st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST // 1_000_000} MB")
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if b"\0" in content:
        raise ValueError("binary")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("no text in UTF-8") from None
