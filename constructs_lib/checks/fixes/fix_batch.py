"""A batch of fixes: the files are read once, all fixes of a document are written together, and each edit has an effect on the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read, at, known_str
from ...observed.model import Path as PathInside
from ...observed.objects.unread_values import why_unread
from ...observed.read.files import absolute
from ...yaml.block import block, flow
from ...yaml.load import YamlError, documents
from ..rule import Action, Edit, Finding, Severity
from .edited_text import change, existing
from .files import contents, why_untouched, why_unwritable
from .pending_changes import BesideError, Change, NotEditedError, OtherValuesError, notation, value_of
from .yaml_places import Draft, Log


def why_without_effect(edits: Iterable[Edit], about: Read, inputs: Inputs) -> str:
    """Why the cluster would not get what the edits set; empty for edits that change it."""
    if not isinstance(about, ChartRelease):
        return ""
    paths = (_below_values(about, edit.path or ()) for edit in edits)
    return next((reason for path in paths if path and (reason := why_unread(about, path, inputs))), "")


def is_in_effect(edit: Edit, about: Read, after: Inputs) -> bool:
    """Whether the cluster gets what an edit sets: asked of what the loaders read after the edit, in place of what they
    had read before."""
    if edit.action is Action.MANIFEST:
        return any(_contains(each.body, edit.value) for each in after.objects)
    path = edit.path or ()
    if edit.action is Action.REMOVE and path and not edit.inside and isinstance(path[-1], int):
        number = len(_value(about, path[:-1]))
        return any(len(_value(each, path[:-1]) or ()) < number for each in _alike(about, after))
    return any(_is_made(edit, _value(each, path, edit.inside)) for each in _alike(about, after))


def _is_made(edit: Edit, value: Any) -> bool:
    if edit.action is Action.REMOVE:
        return value is None
    if edit.action is Action.APPEND:
        return isinstance(value, list) and {*map(notation, edit.value)} <= {*map(notation, value)}
    return notation(value) == notation(edit.value)


def _value(about: Read, path: PathInside, inside: PathInside = ()) -> Any:
    """The effective value at a path; `inside` continues the path in a text with YAML."""
    below = _below_values(about, path)
    value = at(about.values, *below) if below and isinstance(about, ChartRelease) else about.at(*path)
    return at(value_of(value), *inside) if inside and isinstance(value, str) else value


def _below_values(about: Read, path: PathInside) -> PathInside:
    if not isinstance(about, ChartRelease) or path[: len(about.values_path)] != about.values_path:
        return ()
    return path[len(about.values_path) :]


def _alike(about: Read, inputs: Inputs) -> Iterable[Read]:
    """The objects, releases and nodes of the same kind, file and name in the inputs that were read anew."""
    everything: tuple[Read, ...] = (*inputs.objects, *inputs.of_unknown_kind, *inputs.releases, *inputs.node_configs)
    return (each for each in everything if _identity(each) == _identity(about))


def _identity(about: Read) -> tuple[object, ...]:
    if isinstance(about, KubernetesObject):
        return "object", about.file, about.kind, f"{about.namespace}", f"{about.name}"
    if isinstance(about, ChartRelease):
        return "release", about.file, f"{about.namespace}", f"{about.name}", f"{about.chart}"
    return "node", about.file, about.scope if isinstance(about, NodeConfig) else "", about.label


def _contains(body: Any, other: Any) -> bool:
    """Whether a mapping has all fields of another one."""
    if isinstance(other, Mapping):
        return isinstance(body, Mapping) and all(key in body and _contains(body[key], value) for key, value in other.items())
    return notation(body) == notation(other)


_SUFFIXES = (".yaml", ".yml")
_KUSTOMIZE = ("kustomize.config.k8s.io/",)


class AddedManifests:
    """The manifests that are added, by file. A pod is refused before its RuntimeClass or Namespace is there, so a
    manifest comes first."""

    def __init__(self) -> None:
        self._of_files: dict[Path, list[Mapping[str, Any]]] = {}

    def add(self, body: Mapping[str, Any], file: Path, text: str, about: Read) -> None:
        """Add a manifest to a file of manifests, unless another fix adds it."""
        if reason := _why_no_place(file, text, about):
            raise NotEditedError(f"{reason}: add the manifest {flow(body)}")
        if not any(notation(each) == notation(body) for bodies in self._of_files.values() for each in bodies):
            self._of_files.setdefault(file, []).append(body)

    def with_manifests(self, file: Path, text: str) -> str:
        """The text of a file with its manifests, and with the line ends of the text."""
        bodies = self._of_files.get(file, ())
        if not bodies:
            return text
        end = "\r\n" if "\r\n" in text else "\n"
        added = f"---{end}".join("".join(f"{line}{end}" for line in block(body)) for body in bodies)
        return f"---{end}{added}{text}" if text.startswith("---") else f"{added}---{end}{text}"


def _why_no_place(file: Path, text: str, about: Read) -> str:
    """Why a file is no place for another manifest; empty for a file of manifests."""
    if file.suffix not in _SUFFIXES or not known_str(about.at("kind")) or text.startswith("%"):
        return "the file holds no manifests"
    try:
        bodies = list(documents(text))
    except YamlError:
        return "the file is no plain YAML"
    versions = [known_str(each.get("apiVersion")) if isinstance(each, Mapping) else None for each in bodies]
    if not all(version and not version.startswith(_KUSTOMIZE) for version in versions):
        return "the file holds no manifests"
    return ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Fix:
    """A finding with its edits."""

    finding: Finding
    edits: tuple[Edit, ...]
    about: Read
    path: PathInside
    without_effect: str = ""
    """Why the cluster would not get what the edits set; empty for edits that change it."""

    @property
    def is_safe(self) -> bool:
        """Whether the fix is safe: of an error, with a certain value, and without another effect."""
        return self.finding.severity is Severity.ERROR and all(edit.is_safe for edit in self.edits)


@dataclass(kw_only=True, eq=False)
class EditedBatch:
    """The result of a batch: the new texts of the files, and what became of the fixes."""

    texts: dict[Path, str] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    """The files as reports name them."""
    edited: list[Fix] = field(default_factory=list)
    late: list[tuple[Fix, str]] = field(default_factory=list)
    """The fixes that other fixes of the batch hinder, with the reason."""
    left: list[tuple[Fix, str]] = field(default_factory=list)
    """The fixes that can't be made, with the reason."""


def edited_batch(fixes: Iterable[Fix], texts: Mapping[Path, str], roots: frozenset[Path]) -> EditedBatch:
    """Edit the texts of files in memory.

    Args:
        fixes: The fixes.
        texts: The texts that stand in place of those of files.
        roots: The files and folders that may change, without symbolic links.
    """
    wanted, refused = [*fixes], list[tuple[Fix, str]]()
    while True:
        batch = _Batch(texts, roots)
        for fix in wanted:
            batch.add(fix)
        try:
            batch.write()
        except OtherValuesError as error:
            bad = {id(fix) for each in error.changes for fix in batch.owners[each]}
            refused += [(fix, f"the text can't be edited: {error}") for fix in wanted if id(fix) in bad]
            wanted = [fix for fix in wanted if id(fix) not in bad]
            continue
        batch.result.left += refused
        return batch.result


def why_not_edited(fixes: Iterable[Fix], texts: Mapping[Path, str], roots: frozenset[Path]) -> list[tuple[Fix, str]]:
    """The fixes whose place can't be edited, with the reason. No fix hinders another one."""
    batch = _Batch(texts, roots)
    for fix in fixes:
        batch.withdraw(batch.add(fix))
    return batch.result.left


class _Batch:
    """The drafts of the files."""

    def __init__(self, texts: Mapping[Path, str], roots: frozenset[Path]) -> None:
        self.texts, self.roots = texts, roots
        self.result = EditedBatch()
        self.owners: dict[Change, list[Fix]] = {}
        self._drafts: dict[Path, tuple[Draft, str] | str] = {}
        self._manifests = AddedManifests()
        self._files = {file.resolve(): file for file in texts}

    def add(self, fix: Fix) -> Log:
        """Add all edits of a fix, or none; the changes that were made."""
        log: Log = []
        if fix.without_effect:
            self.result.left.append((fix, fix.without_effect))
            return []
        try:
            for edit in fix.edits:
                path = fix.path if edit.path is None else edit.path
                if edit.action is Action.MANIFEST:
                    file, (_, text) = absolute(Path(fix.about.file)), self._draft(fix.about.file)
                    self._manifests.add(edit.value, file, text, fix.about)
                else:
                    draft, text = self._draft(fix.about.file_of(existing(fix.about, path)) or fix.about.file)
                    change(draft, text, fix.about, path, edit, log)
        except NotEditedError as error:
            (self.result.late if isinstance(error, BesideError) else self.result.left).append((fix, str(error)))
            self.withdraw(log)
            return []
        for _, each, _ in log:
            self.owners.setdefault(each, []).append(fix)
        self.result.edited.append(fix)
        return log

    def withdraw(self, log: Log) -> None:
        """Take the changes of a fix back."""
        for pending, each, is_new in reversed(log):
            if is_new:
                pending.withdraw(each)

    def _draft(self, name: str) -> tuple[Draft, str]:
        """The draft and the text of a file, by the name of the file in reports."""
        if not name.isprintable():  # a line break in a name could begin the diff of another file
            raise NotEditedError("the file's name has characters that can't be printed")
        file = absolute(Path(name))
        if file not in self._drafts:
            self._drafts[file] = why_unwritable(file, self.roots, self._files) or self._opened(file)
        draft = self._drafts[file]
        if isinstance(draft, str):
            raise NotEditedError(draft)
        self.result.names[file] = name
        return draft

    def _opened(self, file: Path) -> tuple[Draft, str] | str:
        self._files[file.resolve()] = file
        text = self.texts.get(file) or contents(file)
        return why_untouched(file, text) or (Draft(text), text)

    def write(self) -> None:
        """Write the new texts of the files."""
        drafts = [(file, *draft) for file, draft in self._drafts.items() if not isinstance(draft, str)]
        texts = {file: self._manifests.with_manifests(file, draft.text()) for file, draft, _ in drafts}
        self.result.texts = {**self.texts, **{file: texts[file] for file, _, text in drafts if texts[file] != text}}
