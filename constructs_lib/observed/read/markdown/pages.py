"""Markdown pages: the manifests, documents of Talos, Helm commands and labels of Namespaces in the code blocks of a guide.

The blocks of a page are one cluster, as the files of a folder are. Of two objects with one kind, namespace and name, such as the alternatives for
two versions of Talos, only the first is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath

from ...model import ChartRelease, at, literal
from .. import growth
from ..built import Built
from ..files import Files
from ..helm.release_values import first_map
from ..kubernetes.located_yaml import Document, Map, Place
from ..kubernetes.objects import is_object, objects_of
from ..talos.documents import is_talos
from .blocks import Block, blocks
from .helm_commands import helm_release
from .kubectl_labels import labelled_namespaces
from .shell_commands import SHELLS, Command, commands

_YAML = {"yaml", "yml", "json", "json5", "jsonc"}
_UNLABELLED = {"", "text", "txt", "plaintext"}
_KEYS = re.compile(r"""^["']?(?:apiVersion|machine|cluster|customization|clusterName)["']?[ \t]*:""", re.MULTILINE)
_ANOTHER = "the page has another {name} in line {line}, and only the first one is checked"


def read_page(text: str, file: str, files: Files) -> Built:
    """The documents and the releases of a page. A document that is neither a manifest nor of Talos may be the values of a chart."""
    page = _Page(file, files)
    files.learn_comments(text, file)
    for block in blocks(text, page.skip):
        page.add(block)
    releases = list(page.releases())
    documents = page.first(each for each in page.documents if each.place not in page.used)
    return Built([*documents, *page.labelled()], releases)


class _Page:
    """The content of the blocks so far."""

    def __init__(self, file: str, files: Files) -> None:
        self.file, self.files = file, files
        self.documents: list[Document] = []
        self.named: dict[str, tuple[Document, int]] = {}
        """The values in the files that the page shows, each with the number of its characters."""
        self.used: set[Place] = set()
        self.uses: set[Place] = set()
        self.commands: list[Command] = []

    def skip(self, reason: str, line: int) -> None:
        """Record a part of the page that is not read."""
        self.files.skip(self.file, reason, line)

    def add(self, block: Block) -> None:
        """Add the documents and the commands of a block."""
        script = list(commands(block.text, block.line, self.skip)) if block.language in SHELLS | _UNLABELLED else []
        written = {each.document.line: each.document for each in script if each.document}
        if block.language in _YAML:
            self.take(block.text, block.line, block.name)
        elif block.language in _UNLABELLED and not written and _KEYS.search(block.text):
            self.take(block.text, block.line, block.name, only_known=True)
        else:
            self.commands += script
            for document in written.values():
                self.take(document.text, document.line, document.name, only_known=True)

    def take(self, text: str, line: int, name: str, *, only_known: bool = False) -> None:
        """Add the documents of a text. With `only_known`, only objects and documents of Talos: the text may be anything else."""
        known = _KEYS.search(text) is not None
        if only_known and not known and not name:
            return
        documents = self.files.embedded(text, (self.file, line))
        values = first_map(documents)
        if name and values and not _is_known(values):
            self.named.setdefault(PurePosixPath(name).name, (values, len(text)))
        self.documents += [each for each in documents if not only_known or _is_known(each)]

    def releases(self) -> Iterator[ChartRelease]:
        """The releases of the commands. Of two commands for one release, the first is read."""
        seen: dict[tuple[str, str], int] = {}
        for command in self.commands:
            release = helm_release(command.words, (self.file, command.line), partial(self.values, command))
            if release is None:
                continue
            identity = (f"{release.namespace}", f"{release.name}")
            if (line := seen.setdefault(identity, command.line)) != command.line:
                self.skip(_ANOTHER.format(name=f"release {release.name}", line=line), command.line)
            else:
                yield release

    def labelled(self) -> Iterator[Document]:
        """The Namespaces that commands label."""
        for command in self.commands:
            yield from labelled_namespaces(command.words, (self.file, command.line))

    def values(self, command: Command, name: str) -> Map | None:
        """The values in a file that the page shows, or in the here-document of the command."""
        document = command.document if name == "-" else None
        if document is not None and not self._may_use((self.file, document.line), len(document.text), command):
            return None
        if document is not None:
            values = first_map(self.files.embedded(document.text, (self.file, document.line)))
        else:
            values, size = self.named.get(PurePosixPath(name).name, (None, 0))
            if values is not None and not self._may_use(values.place, size, command):
                return None
        if values is None:
            self.skip(f"no block of the page is named {name}, so the values in this file are not known", command.line)
            return None
        self.used.add(values.place)
        return values.value if isinstance(values.value, Map) else None

    def _may_use(self, place: Place, size: int, command: Command) -> bool:
        """Whether a command may have the values at a place. Each use after the first one counts."""
        is_first = place not in self.uses
        self.uses.add(place)
        return is_first or self.files.may_grow(growth.SHOWN_AGAIN, size, (self.file, command.line))

    def first(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents without further objects of the same name."""
        seen: dict[tuple[str, ...], int] = {}
        for document in documents:
            for each in [document] if is_talos(document.value) else [*objects_of(document)] or [document]:
                identity = _identity(each)
                if not all(identity) or (line := seen.setdefault(identity, each.place[1])) == each.place[1]:
                    yield each
                else:
                    self.skip(_ANOTHER.format(name=f"{identity[0]} {identity[-1]}", line=line), each.place[1])


def _is_known(document: Document) -> bool:
    return is_object(document.value) or is_talos(document.value)


def _identity(document: Document) -> tuple[str, ...]:
    """Kind, namespace and name. A document without a name is no other one."""
    kind, namespace, name = (literal(at(document.value, *path)) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name")))
    return (f"{kind or ''}", f"{namespace or 'default'}", f"{name or ''}")
