"""A batch of fixes: the files are read once, all fixes of a document are written together, and each edit has an effect
on the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read, at, known_str
from ...observed.model import Path as PathInside
from ...observed.objects.unread_values import why_unread
from ...observed.read.files import absolute
from ...yaml.block import block, flow
from ...yaml.load import YamlError, documents
from ..rule import Action, Edit, Finding, Severity
from .edited_text import change, existing, whole
from .files import contents, why_untouched, why_unwritable
from .pending_changes import BesideError, NotEditedError, OtherValuesError, notation, value_of
from .yaml_places import Draft, Log


def why_without_effect(edits: Iterable[Edit], about: Read, inputs: Inputs) -> str:
    """Why the cluster would not get what the edits set; empty for edits that change it."""
    if not isinstance(about, ChartRelease):
        return ""
    depth = len(about.values_path)
    paths = (edit.path[depth:] for edit in edits if edit.path and edit.path[:depth] == about.values_path)
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
    if edit.action is Action.QUOTE:
        return isinstance(value, str)
    return notation(value) == notation(edit.value)


def _value(about: Read, path: PathInside, inside: PathInside = ()) -> Any:
    """The effective value at a path; `inside` continues the path in a text with YAML."""
    value = at(*whole(about, path))
    return at(value_of(value), *inside) if inside and isinstance(value, str) else value


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


def _with_manifests(text: str, bodies: Sequence[Mapping[str, Any]]) -> str:
    """The text of a file behind added manifests, with the line ends of the text. A pod is refused before its
    RuntimeClass or Namespace is there, so a manifest comes first."""
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


def edited_batch(fixes: Iterable[Fix], texts: Mapping[Path, str], roots: frozenset[Path]) -> Batch:
    """Edit the texts of files in memory.

    Args:
        fixes: The fixes.
        texts: The texts that stand in place of those of files.
        roots: The files and folders that may change, without symbolic links.
    """
    batch = Batch(texts, roots)
    for fix in fixes:
        batch.add(fix)
    batch.write()
    return batch


def why_not_edited(fixes: Iterable[Fix], texts: Mapping[Path, str], roots: frozenset[Path]) -> list[tuple[Fix, str]]:
    """The fixes whose place can't be edited, with the reason. No fix hinders another one."""
    batch = Batch(texts, roots)
    for fix in fixes:
        batch.withdraw(batch.add(fix))
    return batch.left


class Batch:
    """The drafts of the files, and what became of the fixes.

    `names` are the files as reports name them, `late` the fixes that other fixes of the batch hinder, `left` those that
    can't be made, each with the reason. `problem` says why the edited fixes can't be made together.
    """

    def __init__(self, texts: Mapping[Path, str], roots: frozenset[Path]) -> None:
        self.texts, self.roots = dict(texts), roots
        self.names: dict[Path, str] = {}
        self.edited: list[Fix] = []
        self.late: list[tuple[Fix, str]] = []
        self.left: list[tuple[Fix, str]] = []
        self.problem = ""
        self._drafts: dict[Path, tuple[Draft, str] | str] = {}
        self._manifests: dict[Path, list[Mapping[str, Any]]] = {}
        self._files = {file.resolve(): file for file in texts}

    def add(self, fix: Fix) -> Log:
        """Add all edits of a fix, or none; the changes that were made."""
        log: Log = []
        if fix.without_effect:
            self.left.append((fix, fix.without_effect))
            return []
        try:
            for edit in fix.edits:
                path = fix.path if edit.path is None else edit.path
                if edit.action is Action.MANIFEST:
                    self._add_manifest(edit.value, fix.about)
                else:
                    draft, text = self._draft(fix.about.file_of(existing(fix.about, path)) or fix.about.file)
                    change(draft, text, fix.about, path, edit, log)
        except NotEditedError as error:
            (self.late if isinstance(error, BesideError) else self.left).append((fix, str(error)))
            self.withdraw(log)
            return []
        self.edited.append(fix)
        return log

    def _add_manifest(self, body: Mapping[str, Any], about: Read) -> None:
        """Add a manifest to the file of an object, unless another fix adds it."""
        file, (_, text) = absolute(Path(about.file)), self._draft(about.file)
        if reason := _why_no_place(file, text, about):
            raise NotEditedError(f"{reason}: add the manifest {flow(body)}")
        if not any(notation(each) == notation(body) for bodies in self._manifests.values() for each in bodies):
            self._manifests.setdefault(file, []).append(body)

    def withdraw(self, log: Log) -> None:
        """Take the changes of a fix back."""
        for pending, each, is_new in reversed(log):
            if is_new:
                pending.withdraw(each)

    def _draft(self, name: str) -> tuple[Draft, str]:
        """The draft and the text of a file, by the name of the file in reports."""
        if not name.isprintable():  # a line break in a name could begin the diff of another file
            raise NotEditedError("the file's name has unprintable characters")
        file = absolute(Path(name))
        if file not in self._drafts:
            self._drafts[file] = why_unwritable(file, self.roots, self._files) or self._opened(file)
        draft = self._drafts[file]
        if isinstance(draft, str):
            raise NotEditedError(draft)
        self.names[file] = name
        return draft

    def _opened(self, file: Path) -> tuple[Draft, str] | str:
        self._files[file.resolve()] = file
        text = self.texts.get(file) or contents(file)
        return why_untouched(file, text) or (Draft(text), text)

    def write(self) -> None:
        """Write the new texts of the files, or say why they can't be written together."""
        new = {}
        try:
            for file, draft in self._drafts.items():
                if not isinstance(draft, str):
                    new[file] = _with_manifests(draft[0].text(), self._manifests.get(file, ()))
        except OtherValuesError as error:
            self.problem = f"the text can't be edited: {error}"
        else:
            self.texts |= {file: text for file, text in new.items() if text != self._drafts[file][1]}
