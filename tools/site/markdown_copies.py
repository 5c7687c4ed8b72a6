"""The pages of the site as Markdown, for programs that read text, and llms.txt, which lists them (https://llmstxt.org)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from .pages import GUIDES, public_value

_DIRECTIVE = re.compile(r"^```\{(?:index|toctree)\}.*?^```\n", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"^(?:\{\.phrase\}|\([\w-]+\)=)\n+", re.MULTILINE)
_DIAGRAM = re.compile(r"^```\{code-block\} text\n:class: mermaid\n", re.MULTILINE)
_OF_PYTHON = re.compile(r"^```\{eval-rst\}\n.. \w+:: [\w.]+\.(?P<name>\w+)\n.*?^```\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MANY = ("api-", "example-", "rules-", "symptoms-")
"""The names of the pages of which there is one for each name, cluster, rule or symptom."""
_SUMMARY = "Constructs of cdk8s and the command talos-gpu for NVIDIA GPUs on Talos Linux: manifests, machine configuration, checks, and causes of log lines."


def markdown_copies(sources: Mapping[str, str | bytes]) -> Iterator[tuple[str, str]]:
    """The name and the text of each Markdown file, and of llms.txt."""
    pages = {name: plain_markdown(content) for name, content in sources.items() if isinstance(content, str) and name.endswith(".md")}
    yield from pages.items()
    yield "llms.txt", f"# cdk8s-nvidia-talos\n\n> {_SUMMARY}\n{''.join(_sections(pages))}"


def write_markdown_copies(sources: Mapping[str, str | bytes], site: Path) -> None:
    """Write each file beside the page of the same name."""
    for name, text in markdown_copies(sources):
        (site / name).write_text(text, encoding="utf-8")


def plain_markdown(text: str) -> str:
    """A page without the directives of Sphinx."""
    text = _OF_PYTHON.sub(lambda found: _of_name(found["name"]), _DIRECTIVE.sub("", text))
    return _DIAGRAM.sub("```mermaid\n", _MARKS.sub("", text)).strip() + "\n"


def _of_name(name: str) -> str:
    value = public_value(name)
    try:
        signature = f"```python\n{name}{inspect.signature(value)}\n```\n\n"
    except (TypeError, ValueError):  # a value that can't be called
        signature = ""
    return f"{signature}{inspect.getdoc(value) or ''}\n"


def _sections(pages: Mapping[str, str]) -> Iterator[str]:
    """The guides with their first sentence. What an agent may skip, one page for each rule, symptom and name, is in the last section, as the format has it."""
    guides = {title: [f"{each}.md" for each in names] for title, names in GUIDES.items()}
    optional = [name for name in pages if name.startswith(_MANY)]
    named = {*optional, *(name for names in guides.values() for name in names)}
    guides["Further pages"] = [name for name in pages if name not in named]
    for title, names in {**guides, "Optional": optional}.items():
        notes = [f": {note}" if title != "Optional" and (note := _first_sentence(pages[name])) else "" for name in names]
        yield f"\n## {title}\n\n" + "".join(f"- [{_heading(pages[name])}]({name}){note}\n" for name, note in zip(names, notes, strict=True))


def _first_sentence(text: str) -> str:
    """The first sentence of a page; nothing where the page begins with a table, a list or code."""
    paragraph = next(iter(text.split("\n\n")[1:]), "")
    sentence = re.split(r"(?<=[.?])\s", _LINK.sub(r"\1", " ".join(paragraph.split())))[0]
    return sentence if re.match(r"[A-Z`]", sentence) and sentence.endswith(".") else ""


def _heading(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").replace("[", r"\[").replace("]", r"\]")
