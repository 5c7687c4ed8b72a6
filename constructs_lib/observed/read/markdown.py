"""Markdown pages: the manifests, documents of Talos, Helm commands and labels of Namespaces in the code blocks of a guide.

The blocks of a page are one cluster, as the files of a folder are. Of two objects with one kind, namespace and name, such as the alternatives for
two versions of Talos, only the first is read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile, groupby, takewhile
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ..model import ChartRelease, Unknown, at, literal
from ..model.unknown import GAP
from . import budget
from .files import Files
from .helm.release_values import as_helm_reads, at_path, chart_of, first_map, merged, release_lines
from .kubernetes.located_yaml import Document, Map
from .kubernetes.objects import is_object, objects_of
from .rendered import Rendered
from .talos.documents import is_talos

MARKDOWN = (".md", ".mdx", ".markdown")
LONGEST = 20_000
"""The longest line whose words are read, in characters: the words of a line take the square of the time."""
_YAML = {"yaml", "yml", "json", "json5", "jsonc"}
_SHELLS = {"sh", "bash", "zsh", "shell", "console", "shell-session", "shellsession", "terminal", "", "text", "txt", "plaintext"}
_FENCE = re.compile(
    r"(?P<prefix>(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(?P<marks>`{3,}(?=[^`]*$)|~{3,})[\s{.]*(?P<language>[\w+-]*)(?P<info>.*)"
)
_FILE_NAME = re.compile(r"(?<![\w./-])([\w./-]{1,200}\.(?:ya?ml|json))\b")
_KEYS = re.compile(r"""^["']?(?:apiVersion|machine|cluster|customization|clusterName)["']?[ \t]*:""", re.MULTILINE)
_HERE = re.compile(r"(?<!<)<<(?!<)-?[ \t]*(?P<quote>[\"'\\]?)(?P<word>\w+)[\"']?")
_SUBSTITUTION = re.compile(r"\$\([^()\n]*\)|`[^`\n]*`")
_FILLED_IN = re.compile(rf"\\([$`\\])|\$(\w+)|{_SUBSTITUTION.pattern}")
_TARGET = re.compile(r"(?:>|\btee[ \t](?:-a[ \t])?)[ \t]*([\w./-]+)")
_BEFORE = re.compile(r"sudo|env|-E|[A-Za-z_]\w*=.*", re.DOTALL)
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_FLAGS = re.compile(r"(--[\w-]+|-[a-z])(?:=?(.*))?", re.DOTALL)
_SHORT = {"-n": "--namespace", "-f": "--values"}
_WITHOUT_VALUE = re.compile(
    r"-[gi]|--(?:install|wait|atomic|create-namespace|generate-name|dry-run|debug|devel|force|cleanup-on-fail|skip-crds"
    r"|reuse-values|reset-values|reset-then-reuse-values|dependency-update|no-hooks|take-ownership|overwrite|all|include-crds)(?:=.*)?"
)
_UNREAD = ("--set-json", "--set-file", "--reuse-values", "--reset-then-reuse-values")
_SETS = ("--set", "--set-string", "--set-literal")


class Block(NamedTuple):
    """A fenced code block, without the marks around it. `name` is the file name beside the fence, in the first comment, or in the line above."""

    language: str
    name: str
    text: str
    line: int


class _Command(NamedTuple):
    words: tuple[str, ...]
    line: int
    here: Block | None
    """The here-document of the command's line, with the name of the file that the line writes."""


def read_page(text: str, file: str, files: Files) -> Rendered:
    """The documents and the releases of a page. A document that is neither a manifest nor of Talos may be the values of a chart."""
    files.learn_comments(text, file)
    page = _Page(file, files)
    for block in blocks(text):
        page.add(block)
    releases = list(page.once(page.releases()))
    documents = [each for each in page.documents if each.place not in page.used]
    return Rendered([*page.once(page.objects(documents)), *page.labelled()], releases)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page. A block without an end goes to the end of the page, and a block in an HTML comment is none."""
    fence: re.Match[str] | None = None
    content: list[str] = []
    above, begins, is_comment = "", 0, False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if fence is not None:
            inner = _inner(line, fence)
            if inner is not None and not _ends(inner, fence["marks"]):
                content.append(inner)
                continue
            yield _block(fence, above, content, begins)
            fence, content = None, []
            if inner is not None:
                continue
        is_comment = is_comment or line.lstrip(" \t>").startswith("<!--")
        fence, begins = None if is_comment else _FENCE.match(line), number + 1
        is_comment = is_comment and "-->" not in line
        above = line if line.strip() and fence is None else above
    if fence is not None:
        yield _block(fence, above, content, begins)


def _block(fence: re.Match[str], above: str, content: list[str], begins: int) -> Block:
    first = content[0].strip() if content else ""
    named = (_FILE_NAME.findall(words) for words in (first if first.startswith("#") else "", fence["info"], above))
    return Block(fence["language"].lower(), next((names[-1] for names in named if names), ""), "\n".join([*content, ""]), begins)


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


class _Page:
    """The content of the blocks so far."""

    def __init__(self, file: str, files: Files) -> None:
        self.file, self.files = file, files
        self.documents: list[Document] = []
        self.named: dict[str, Document] = {}
        self.used: set[tuple[str, int]] = set()
        self.commands: list[_Command] = []

    def add(self, block: Block) -> None:
        """Add the documents and the commands of a block."""
        script = list(self.script(block)) if block.language in _SHELLS else []
        written = {each.here.line: each.here for each in script if each.here}
        if block.language in _YAML or (block.language in _SHELLS and not written and _KEYS.search(block.text)):
            self.take(block, is_yaml=block.language in _YAML)
            return
        self.commands += script
        for here in written.values():
            self.take(here, is_yaml=False)

    def take(self, block: Block, *, is_yaml: bool) -> None:
        """Add the documents of a text. Of a text that may be anything, only objects and documents of Talos."""
        if is_yaml or block.name or _KEYS.search(block.text):
            documents = self.files.embedded(block.text, (self.file, block.line))
            known = [each for each in documents if is_object(each.value) or is_talos(each.value)]
            values = first_map(documents)
            if block.name and values and values not in known:
                self.named.setdefault(PurePosixPath(block.name).name, values)
            self.documents += documents if is_yaml else known

    def script(self, block: Block) -> Iterator[_Command]:
        """The commands of Helm and kubectl in a block, and those with a here-document."""
        lines = iter(enumerate(block.text.split("\n"), block.line))
        for number, written in lines:
            begins, line, here = number + 1, re.sub(r"^\s*[$%][ \t]+", "", written), None
            while line.endswith("\\") and (more := next(lines, None)):
                begins, line = more[0] + 1, f"{line[:-1]} {more[1]}"
            if match := _HERE.search(line):
                inner = [each for _, each in takewhile(lambda each, end=match["word"]: each[1].strip() != end, lines)]  # type: ignore[misc]
                text = "\n".join([*inner, ""])
                text = text if match["quote"] else _FILLED_IN.sub(lambda each: each[1] or f"${{{each[2] or 'command'}}}", text)
                line = line[: match.start()] + line[match.end() :]
                here = Block("", target[1] if (target := _TARGET.search(line)) else "", text, begins)
            if len(line) > LONGEST:
                self.files.skip(self.file, f"a command of more than {LONGEST} characters", number)
                line = ":" if here else ""  # a command that does nothing has the here-document
            if here or "helm" in line or "kubectl" in line:
                yield from (_Command(words, number, here) for words in _words(line))

    def releases(self) -> Iterator[tuple[tuple[str, ...], int, ChartRelease]]:
        """The releases of the commands of Helm, each with its identity and its line."""
        for command in self.commands:
            flags, words = _parsed(command.words[1:])
            if (
                PurePosixPath(next(iter(command.words), "")).name != "helm"
                or words[:1] not in (["install"], ["upgrade"], ["template"])
                or not words[1:]
            ):
                continue
            layers = [self.values(command, name) for written in flags.get("--values", ()) for name in written.split(",")]
            for flag in _SETS:
                for written in flags.get(flag, ()):
                    parts = [written] if flag == "--set-literal" else re.findall(r"(?:[^,\\]|\\.)+", written)
                    layers += [_assigned(part, (self.file, command.line), is_text=flag != "--set") for part in parts]
            values, place = merged(layers), (self.file, command.line)
            namespace, version = (next(map(_value, flags.get(flag, ())), None) for flag in ("--namespace", "--version"))
            name = _value(words[1] if words[2:] else PurePosixPath(words[-1]).name)
            release = ChartRelease(
                body=values, chart=chart_of(_value(words[-1])), name=name, namespace=namespace, version=version, values=values,
                complete=None not in layers and not flags.keys() & set(_UNREAD), **release_lines(values, place, values, ()),
            )  # fmt: skip
            yield ("release", f"{namespace}", f"{name}"), command.line, release

    def values(self, command: _Command, name: str) -> Map | None:
        """The values in a file that the page shows, or in the here-document of the command."""
        here = command.here if name == "-" else None
        found = first_map(self.files.embedded(here.text, (self.file, here.line))) if here else self.named.get(PurePosixPath(name).name)
        if found is None:
            self.files.skip(self.file, f"no block of the page is named {name}, so the values in this file are not known", command.line)
        elif found.place not in self.used or self.files.may_spend(budget.GENERATED, (self.file, command.line)):
            self.used.add(found.place)
            return found.value  # type: ignore[no-any-return]
        return None

    def labelled(self) -> Iterator[Document]:
        """The Namespaces that `kubectl label namespace` labels."""
        for command in self.commands:
            words = _parsed(command.words[1:])[1]
            kind, _, name = (
                words[1].partition("/") if PurePosixPath(next(iter(command.words), "")).name == "kubectl" and words[1:] else ("", "", "")
            )
            if words[:1] == ["label"] and kind in ("ns", "namespace", "namespaces"):
                place = (self.file, command.line)
                pairs = {key: _value(value) for key, equals, value in (each.partition("=") for each in words[2:]) if equals}
                labels = Map(pairs, dict.fromkeys(pairs, place))
                for each in [name] if name else [each for each in words[2:] if "=" not in each and not each.endswith("-")]:
                    metadata = Map({"name": _value(each), "labels": labels}, {"name": place, "labels": place})
                    keys = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
                    yield from [Document(Map(keys, dict.fromkeys(keys, place)), place)] if labels else []

    def objects(self, documents: list[Document]) -> Iterator[tuple[tuple[str, ...], int, Document]]:
        """The objects of the documents, each with its identity and its line."""
        for document in documents:
            for each in [document] if is_talos(document.value) else [*objects_of(document)] or [document]:
                kind, namespace, name = (
                    literal(at(each.value, *path)) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name"))
                )
                yield (f"{kind or ''}", f"{namespace or 'default'}", f"{name or ''}"), each.place[1], each

    def once(self, found: Iterator[tuple[tuple[str, ...], int, Any]]) -> Iterator[Any]:
        """The first of each identity. An object without a name is no other one."""
        seen: dict[tuple[str, ...], int] = {}
        for identity, line, each in found:
            if not all(identity) or (first := seen.setdefault(identity, line)) == line:
                yield each
            else:
                what = f"{identity[0]} {identity[-1]}"
                self.files.skip(self.file, f"the page has another {what} in line {first}, and only the first one is checked", line)


def _words(line: str) -> Iterator[tuple[str, ...]]:
    """The words of each command in a line."""
    lexer = shlex.shlex(_SUBSTITUTION.sub("${command}", line), posix=True, punctuation_chars="|&;()")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(takewhile(lambda word: not word.startswith("#"), lexer))
    except ValueError:  # a quotation without an end
        return
    for is_operator, group in groupby(words, lambda word: set(word) <= set("|&;()")):
        if not is_operator:
            yield tuple(dropwhile(_BEFORE.fullmatch, group))


def _parsed(words: tuple[str, ...]) -> tuple[dict[str, list[str]], list[str]]:
    """The values of each flag, and the other words of a command, without redirections."""
    flags: dict[str, list[str]] = {}
    others: list[str] = []
    pending = iter(words)
    for written in pending:
        word = re.sub(r"^-[gi]+(?=[a-z])", "-", written)  # flags without a value, before another flag
        if word != "-" and (match := _FLAGS.fullmatch(word)):
            value = match[2] if match[2] or "=" in word or _WITHOUT_VALUE.fullmatch(word) else next(pending, "")
            flags.setdefault(_SHORT.get(match[1], match[1]), []).append(value)
        elif re.fullmatch(r"\d*[<>]+[^<>]*", word) and not _PLACEHOLDER.fullmatch(word):
            next(pending, None) if word[-1] in "<>" else None
        else:
            others.append(word)
    return flags, others


def _assigned(written: str, place: tuple[str, int], *, is_text: bool) -> Map | None:
    """The values of `a.b=value`. None for a list, which is not read."""
    path, equals, value = written.partition("=")
    if not equals or "{" in written.replace("${", ""):
        return None
    read = _value(re.sub(r"\\(.)", r"\1", value))
    return at_path(path.strip(), read if is_text else as_helm_reads(read), place)


def _value(word: str) -> str | Unknown:
    """The value of a word. Unknown if the shell or the reader of the guide fills it in."""
    return Unknown(word, GAP) if "$" in word or _PLACEHOLDER.search(word) else word
