"""Markdown pages: the manifests and documents of Talos in the code blocks and here-documents of a guide.

The blocks of a page are one cluster, as the files of a folder are. Of two objects with one kind, namespace and name,
such as the alternatives for two versions of Talos, only the first is read. A chart that a command of Helm names may
be installed, and its values are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from ...arguments.patterns import pattern
from ...yaml.located import Document, Map, Seq
from ...yaml.unknown import GAP
from ..model import Unknown, at, literal
from .files import Files
from .objects import is_object, objects_of
from .talos.documents import is_talos

_YAML = {"yaml", "yml", "json", "json5", "jsonc"}
_SHELLS = {"sh", "bash", "zsh", "shell", "console", "shell-session", "shellsession", "terminal", "", "text", "txt", "plaintext"}
_FENCE = pattern(
    r"(?P<prefix>(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(?P<marks>`{3,}(?=[^`]*$)|~{3,})[\s{.]*(?P<language>[\w+-]*)(?P<info>.*)"
)
_KEYS = pattern(r"""^["']?(?:apiVersion|machine|cluster|customization|clusterName)["']?[ \t]*:""", re.MULTILINE)
_HERE = pattern(r"(?<!<)<<(?!<)-?[ \t]*(?P<quote>[\"'\\]?)(?P<word>\w+)[\"']?")
_FILLED_IN = pattern(r"\\([$`\\])|\$(\w+)|\$\([^()\n]*\)|`[^`\n]*`")
_HELM = pattern(r"\bhelm[ \t][^\n]*(?:\\\n[^\n]*)*")
_INSTALLS = pattern(r"\b(?:install|upgrade|template)\b")


_LABEL = pattern(r"\bkubectl[ \t](?:[^\n;&|#]{0,200}?[ \t])?label[ \t]+(?:--\S+[ \t]+)*(?:namespaces?|ns)\b[ \t/]([^\n;&|#]*)")


class Block(NamedTuple):
    """A fenced code block, without the marks around it."""

    language: str
    text: str
    line: int


def read_page(text: str, file: str, files: Files) -> tuple[list[Document], list[Document]]:
    """The documents of a page, and a document for each command of Helm that may install a chart.

    A document that is neither a manifest nor of Talos may be the values of a chart.
    """
    files.learn_comments(text, file)
    documents: list[Document] = []
    commands: list[Document] = []
    labelled: list[Document] = []
    for block in blocks(text):
        heres = list(_here_documents(block)) if block.language in _SHELLS else []
        if block.language in _YAML:
            documents += files.embedded(block.text, (file, block.line))
        elif block.language in _SHELLS:
            for each in heres or [block]:
                parsed = files.embedded(each.text, (file, each.line)) if _KEYS.search(each.text) else []
                documents += [one for one in parsed if is_object(one.value) or is_talos(one.value)]
            commands += _of_helm(block, file)
            labelled += _labelled(block, file)
    return [*_once(documents, file, files), *labelled], commands


def _of_helm(block: Block, file: str) -> Iterator[Document]:
    for match in _HELM.finditer(block.text):
        if _INSTALLS.search(match[0]):
            place = (file, block.line + block.text.count("\n", 0, match.start()))
            words = Seq(re.findall(r"[^\s'\"]+", match[0]))
            yield Document(Map({"chart": words, "repository": match[0]}, {"chart": place, "repository": place}), place)


def _labelled(block: Block, file: str) -> Iterator[Document]:
    """The Namespaces that `kubectl label namespace` labels."""
    for match in _LABEL.finditer(block.text.replace("\\\n", "  ")):
        place = (file, block.line + block.text.replace("\\\n", "  ").count("\n", 0, match.start()))
        words = [Unknown(each, GAP) if "$" in each or "<" in each else each for each in match[1].replace("'", "").replace('"', "").split()]
        pairs = {
            key: Unknown(value, GAP) if "$" in value else value
            for key, equals, value in (f"{each}".partition("=") for each in words)
            if equals
        }
        for name in [each for each in words if "=" not in f"{each}" and not f"{each}".startswith("-")]:
            metadata = Map({"name": name, "labels": Map(pairs, dict.fromkeys(pairs, place))}, {"name": place, "labels": place})
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
            yield from [Document(Map(body, dict.fromkeys(body, place)), place)] if pairs else []


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page.

    A block without an end goes to the end of the page, and a block in an HTML comment is none.
    """
    fence: re.Match[str] | None = None
    content: list[str] = []
    begins, is_comment = 0, False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if fence is not None:
            inner = _inner(line, fence)
            if inner is not None and not _ends(inner, fence["marks"]):
                content.append(inner)
                continue
            yield _block(fence, content, begins)
            fence, content = None, []
            if inner is not None:
                continue
        is_comment = is_comment or line.lstrip(" \t>").startswith("<!--")
        fence, begins = None if is_comment else _FENCE.match(line), number + 1
        is_comment = is_comment and "-->" not in line
    if fence is not None:
        yield _block(fence, content, begins)


def _block(fence: re.Match[str], content: list[str], begins: int) -> Block:
    return Block(fence["language"].lower(), "\n".join([*content, ""]), begins)


def _inner(line: str, fence: re.Match[str]) -> str | None:
    """The line without the indentation of the fence. None if the quotation around the fence ends before the line."""
    for _ in range(fence["prefix"].count(">")):
        _, mark, line = line.partition(">") if line.lstrip(" \t").startswith(">") else ("", "", line)
        if not mark:
            return None
    width = len(fence["prefix"].rpartition(">")[2])
    return line[min(width, len(line) - len(line.lstrip(" \t"))) :]


def _ends(line: str, marks: str) -> bool:
    return not line.startswith(("    ", "\t")) and line.strip().startswith(marks) and not line.strip().strip(marks[0])


def _here_documents(block: Block) -> Iterator[Block]:
    """The here-documents of a script. What the shell puts into one becomes a placeholder."""
    lines = iter(enumerate(block.text.split("\n"), block.line))
    for number, line in lines:
        if match := _HERE.search(line):
            inner = [each for _, each in takewhile(lambda each, end=match["word"]: each[1].strip() != end, lines)]  # type: ignore[misc]
            text = "\n".join([*inner, ""])
            filled_in = _FILLED_IN.sub(lambda each: each[1] or f"${{{each[2] or 'command'}}}", text)
            yield Block("", text if match["quote"] else filled_in, number + 1)


def _once(documents: Iterable[Document], file: str, files: Files) -> Iterator[Document]:
    """The documents without further objects of the same kind, namespace and name."""
    seen: dict[tuple[str, ...], int] = {}
    for document in documents:
        for each in [document] if is_talos(document.value) else [*objects_of(document)] or [document]:
            kind, namespace, name = (
                literal(at(each.value, *path)) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name"))
            )
            line = each.place[1]
            first = seen.setdefault((f"{kind}", f"{namespace or 'default'}", f"{name}"), line) if kind and name else line
            if first == line:
                yield each
            else:
                files.skip(file, f"the page has another {kind} {name} in line {first}, and only the first one is checked", line)
