"""The Markdown copies of the site's pages, and llms.txt."""

import re

import pytest

from public_face import PUBLIC
from tools.site.markdown_copies import markdown_copies, plain_markdown
from tools.site.pages import sources


@pytest.fixture(scope="module")
def copies():
    return dict(markdown_copies(sources()))


def test_every_page_has_a_copy_without_directives(copies):
    assert {name for name in sources() if name.endswith(".md")} == copies.keys() - {"llms.txt"}
    assert [name for name, text in copies.items() if re.search(r"^```\{|^\{\.phrase\}|^\([\w-]+\)=", text, re.MULTILINE)] == []
    assert [name for name, text in copies.items() if not text.startswith("# ")] == []


def test_every_link_of_a_copy_to_another_copy_leads_to_a_file(copies):
    links = {(name, link) for name, text in copies.items() for link in re.findall(r"\]\(([\w-]+\.md)(?:#[^)]*)?\)", text)}

    assert {(name, link) for name, link in links if link not in copies} == set()


def test_llms_txt_lists_every_page_once_and_what_may_be_skipped_last(copies):
    """https://llmstxt.org: a title, a summary, sections of links with notes; a section Optional may be skipped."""
    text = copies["llms.txt"]
    links = re.findall(r"^- \[.*?(?<!\\)\]\(([^)]+)\)(?:: .+)?$", text, re.MULTILINE)
    needed, optional = text.split("\n## Optional\n")

    assert text.startswith("# cdk8s-nvidia-talos\n\n> ")
    assert sorted(links) == sorted(copies.keys() - {"llms.txt"})
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[0] == "Start"
    assert "\n- [Checks](rules.md)\n" in needed.partition("\n## Reference\n")[2].partition("\n## ")[0]
    assert len(needed.splitlines()) < 80
    assert "(rules-tg001.md)\n" in optional
    assert "\n- [Commands](commands.md): `talos-gpu` has a command for each task.\n" in needed
    assert [line for line in needed.splitlines() if line.startswith("- ") and len(line) > 300] == []


def test_the_copy_of_a_public_name_has_its_signature_and_its_docstring(copies):
    assert "```python\nTaint(key" in copies["api-Taint.md"]
    assert [name for name in PUBLIC if len(copies[f"api-{name}.md"].splitlines()) < 3] == []


def test_a_diagram_stays_a_diagram():
    assert (
        plain_markdown("(a)=\n\n# A\n\n```{code-block} text\n:class: mermaid\nflowchart LR\n```\n")
        == "# A\n\n```mermaid\nflowchart LR\n```\n"
    )
