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
    listed = {name: [f"{each}.md" for each in names] for name, names in GUIDES.items()}
    listed["Example clusters"] = [name for name in pages if name.startswith("example-")]
    listed["Reference"] = [name for name in pages if name.startswith("api-")]
    listed["Rules"] = [name for name in pages if name.startswith("rules-")]
    listed["Symptoms"] = [name for name in pages if name.startswith("symptoms-")]
    named = {name for names in listed.values() for name in names}
    for title, names in {**listed, "Further pages": [name for name in pages if name not in named]}.items():
        yield f"\n## {title}\n\n" + "".join(f"- [{_heading(pages[name])}]({name})\n" for name in names)


def _heading(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").replace("[", r"\[").replace("]", r"\]")
