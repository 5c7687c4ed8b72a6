import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import yaml

from constructs_lib.checks.rules import RULES
from constructs_lib.symptoms.symptom_table import SYMPTOMS
from public_face import PUBLIC
from tools.site import part_pages
from tools.site.links import broken_links
from tools.site.pages import ROOT, page, sources
from tools.site.playground import playground


def written(tmp_path: Path, text: str) -> str:
    (tmp_path / "page.md").write_text(text)
    return page(tmp_path / "page.md")


def test_every_page_of_docs_is_in_the_sidebar():
    files = sources()
    listed = [line for block in str(files["index.md"]).split("```{toctree}")[1:] for line in block.partition("```")[0].splitlines()]

    assert {path.stem for path in (ROOT / "docs").glob("*.md")} <= set(listed)


def test_every_public_name_has_a_page_and_a_row_in_its_group():
    files = sources()
    groups = "".join(str(content) for name, content in files.items() if name.startswith("api-") and "toctree" in str(content))

    assert {name for name in PUBLIC if f"api-{name}.md" not in files or f"](api-{name}.md)" not in groups} == set()


def test_an_anchor_before_a_heading_becomes_a_target(tmp_path):
    assert written(tmp_path, '### <a id="tg001"></a>A rule\n') == "(tg001)=\n\n### A rule\n"


def test_every_rule_and_every_symptom_has_a_page_and_its_old_anchor_leads_to_the_page():
    files = sources()

    assert {rule for rule in RULES if f"rules-{rule.lower()}.md" not in files} == set()
    assert {symptom.name for symptom in SYMPTOMS if f"symptoms-{symptom.name}.md" not in files} == set()
    assert '- <a id="tg045"></a>[TG045: ' in str(files["rules.md"])
    assert "](rules-tg045.md)\n" in str(files["rules.md"])
    assert "Found:" not in str(files["rules.md"])


def test_the_page_of_a_rule_begins_with_its_symptom_and_ends_before_the_next_rule():
    text = str(sources()["rules-tg041.md"])

    assert '\n# TG041: pod rejected: RuntimeClass "nvidia" not found\n\n[Checks](rules.md)\n' in text
    assert text.startswith('```{index} !single: pod rejected: RuntimeClass "nvidia" not found\n```\n{.phrase}\n# TG041')
    assert "TG042:" not in text


def test_the_page_of_a_rule_has_its_facts_and_headings():
    text = str(sources()["rules-tg045.md"])

    assert (
        "| severity | error |\n| Talos | every Talos |\n| fix | `--fix`: safe |\n| reproduced | [on a control plane](rules.md#reproduced) |\n"
        "| in a terminal | `talos-gpu check --explain TG045` |\n" in text
    )
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Fix", "Fails", "Passes", "Source"]


def test_the_page_of_a_symptom_has_its_facts_and_headings():
    text = str(sources()["symptoms-wrong-kernel-modules.md"])

    assert "| broken step | modules. Without the modules there is no /dev/nvidia0" in text
    assert "| rules that find it in files | [TG" in text
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Log lines", "Fix", "Source"]


def opened(text: str) -> list[dict[str, Any]]:
    """What the links of a page open in the playground."""
    packed = re.findall(r'href="playground/index.html#([\w-]+)">Open in the playground<', text)
    return [json.loads(zlib.decompress(base64.urlsafe_b64decode(each + "=" * (-len(each) % 4)))) for each in packed]


def test_the_links_of_a_rule_open_its_examples_in_the_playground(tmp_path, monkeypatch):
    monkeypatch.setattr(playground, "FOLDER", tmp_path / "files")
    monkeypatch.chdir(tmp_path)
    wrong = []
    for rule in RULES.values():
        links = opened(part_pages.rule_page(rule))
        assert len(links) == 2, rule.id
        for link, example in zip(links, (rule.failing, rule.passing), strict=True):
            report = json.loads(playground.check(json.dumps(link | {"files": dict(link["files"])})))["report"]
            if (rule.id in {each["rule"] for each in report["findings"]}) != (example is rule.failing):
                wrong.append((rule.id, example is rule.failing))
    assert wrong == []


def test_the_link_of_a_symptom_opens_its_first_line_in_the_playground():
    assert opened(str(sources()["symptoms-no-card.md"])) == [{"files": [], "talos": "", "log": "NVRM: No NVIDIA GPU found"}]


def test_the_phrases_of_a_symptom_are_entries_of_the_index():
    text = str(sources()["symptoms-adapter-not-initialized.md"])

    assert "```{index} !single: RmInitAdapter failed\n```\n" in text
    assert "```{index} !single: None of the NVIDIA devices were initialized\n```\n" in text


def test_links_lead_to_the_page_of_a_rule_from_other_pages_and_from_rules():
    files = sources()

    assert "[TG080](rules-tg080.md)" in str(files["symptoms-version-mismatch.md"])
    assert "[TG007](rules-tg007.md)" in str(files["rules.md"])
    assert [name for name, content in files.items() if re.search(r"\]\((rules\.md)?#tg\d", str(content))] == []


def test_links_into_other_folders_lead_to_the_one_folder_of_the_site():
    readme = page(ROOT / "README.md")

    assert "](rules.md#what-is-read)" in readme
    assert "](changelog.md)" in readme
    assert "](NOTICE.txt)" in readme
    assert "](docs/" not in readme


def test_a_link_to_another_site_stays(tmp_path):
    assert written(tmp_path, "[Talos](https://www.talos.dev/a/b.md#c)") == "[Talos](https://www.talos.dev/a/b.md#c)"


def test_a_missing_file_and_a_missing_place_are_broken_links(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html">b</a><a href="#here">here</a><a href="c.html#x">x</a><p id="there"></p>')
    (tmp_path / "c.html").write_text('<p id="y"></p><a href="a.html#there">a</a><a href="https://example.com/none">far</a>')

    assert broken_links(tmp_path) == [
        "a.html: b.html: no such file",
        "a.html: #here: no such place",
        "a.html: c.html#x: no such place",
    ]


def test_the_link_of_values_says_that_they_open_in_a_release():
    text = part_pages.rule_page(RULES["TG010"])

    assert text.count("Open in the playground</a> as a HelmRelease of Flux\n") == 2


def made(**fields: str) -> dict[str, Any]:
    """The cluster file of the form of the playground."""
    content: dict[str, Any] = yaml.safe_load(playground.cluster_file({"talos_version": "1.14.6", "product": "RTX 4090", **fields}))
    return content


def test_the_playground_names_what_installs_charts_only_where_one_is_needed_or_it_is_chosen():
    assert "gitops" not in made()
    assert "gitops" not in made(talos_version="1.1.1.1")
    assert made(operator="true")["gitops"] == "flux"
    assert made(talos_version="1.15.0")["gitops"] == "flux"
    assert made(delivery="ArgoCd")["gitops"] == "argocd"
    assert made(operator="true", delivery="Flux")["gitops"] == "flux"
