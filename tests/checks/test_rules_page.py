"""docs/rules.md: every rule with its symptom and its examples, and every known failure mode with its rule, or with the reason for none."""

import re
import runpy

import pytest
import yaml

from conftest import ROOT
from constructs_lib.checks.rule import Rule
from constructs_lib.checks.rules import RULES

DOCS = runpy.run_path(str(ROOT / "tools" / "docs.py"))
PAGE = (ROOT / "docs" / "rules.md").read_text()
HEADINGS = re.findall(r"^### <a id=\"(tg\d{3})\"></a>(TG\d{3}): (.+)$", PAGE, re.MULTILINE)


def section(name):
    """What stands under a heading of the second level."""
    return re.split(r"^## ", PAGE.split(f"\n## {name}\n")[1], flags=re.MULTILINE)[0]


def table(text):
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in re.findall(r"^\|(.+)\|$", text, re.MULTILINE)[2:]]


def test_every_rule_has_a_heading_in_order_with_an_anchor():
    assert [(anchor, name) for anchor, name, _ in HEADINGS] == [(name.lower(), name) for name in sorted(RULES)]


def missing(rule: Rule) -> list[str]:
    """What the page does not say of a rule."""
    written = DOCS["_rule"](rule)
    plain = written.replace("\\", "")
    parts = {"claim": rule.claim, "fix": rule.fix, "failing": rule.failing.yaml.strip(), "passing": rule.passing.yaml.strip()}
    said = {
        "whole": written in PAGE,
        "symptom": plain.splitlines()[0].endswith(f"{rule.id}: {rule.symptom}".replace("\\", "")),
        "severity": f"({rule.severity}; " in written,
        **{name: text.replace("\\", "") in plain for name, text in parts.items()},
    }
    return [name for name, is_said in said.items() if not is_said]


def test_a_rule_is_headed_by_its_symptom_and_says_all_of_itself():
    assert {rule.id: parts for rule in RULES.values() if (parts := missing(rule))} == {}


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("https://example.com/a", "<https://example.com/a>"),
        ("NVIDIA/gpu-operator#1687", "[NVIDIA/gpu-operator#1687](https://github.com/NVIDIA/gpu-operator/issues/1687)"),
        ("siderolabs/talos pkg/a.go", "[siderolabs/talos pkg/a.go](https://github.com/siderolabs/talos/blob/HEAD/pkg/a.go)"),
    ],
)
def test_a_source_is_a_link(source, link):
    assert DOCS["source_link"](source) == link


def test_words_are_not_taken_for_markdown():
    assert DOCS["_plain"]("extensions.talos.dev/* of <name>, a_b {c}") == r"extensions.talos.dev/\* of \<name>, a_b {c}"


def test_the_rules_between_the_marks_are_written_anew():
    page = "# A\n<!-- rules -->\nwhat stood here\n<!-- end -->\nrest\n"
    made = DOCS["fresh"](page)

    assert made.startswith('# A\n<!-- rules -->\n### <a id="tg')
    assert made.endswith("<!-- end -->\nrest\n")
    assert "what stood here" not in made
    assert DOCS["fresh"](made) == made


def test_every_link_to_a_rule_leads_to_one():
    assert set(re.findall(r"\(#(tg\d+)\)", PAGE)) <= {anchor for anchor, _, _ in HEADINGS}
    assert set(re.findall(r"\bTG\d{3}\b", PAGE)) <= set(RULES)


def test_every_link_within_the_page_leads_to_a_heading():
    chapters, sections = (
        {re.sub(r"[^a-z -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(rf"^{level} (.+)$", PAGE, re.MULTILINE)}
        for level in ("##", "###")
    )
    linked = set(re.findall(r"\(#([a-z-]+)\)", PAGE))

    assert chapters - {"checks"} <= linked <= chapters | sections


def test_every_failure_mode_has_a_rule_or_a_reason():
    rows = table(section("Failure modes"))

    assert len(rows) >= 35
    for what, why, rule in rows:
        assert what
        assert why
        assert re.fullmatch(r"\[TG\d{3}\]\(#tg\d{3}\)(, \[TG\d{3}\]\(#tg\d{3}\))*|none: .+", rule), rule


def test_the_page_points_at_nothing_that_a_reader_does_not_have():
    assert "../" not in PAGE
    assert [path for path in re.findall(r"\]\(([\w/.-]+)\)", PAGE) if not (ROOT / "docs" / path).exists()] == []


def test_the_hook_runs_the_command_on_the_whole_repository():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    assert (hook["id"], hook["entry"], hook["args"], hook["pass_filenames"]) == (
        "talos-gpu-check",
        "python -I -m constructs_lib check",
        ["."],
        False,
    )
    assert f"- id: {hook['id']}" in PAGE
