"""The search of the site and `talos-gpu why` give the same symptoms for a line, in the same order."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import all_symptoms
from constructs_lib.upstream.kubernetes.api import POD_STATUSES
from tools.site.symptom_table import symptom_table

ROOT = Path(__file__).resolve().parents[2]
WHY = ROOT / "tools" / "site" / "_static" / "why.js"
PROGRAM = """
const { why } = await import("./why.mjs");
const { readFileSync } = await import("node:fs");
const logs = JSON.parse(readFileSync("logs.json", "utf8"));
const table = JSON.parse(readFileSync("symptoms.json", "utf8"));
console.log(JSON.stringify(logs.map((log) => why(table, log).map(({ symptom, strength }) => [symptom.name, strength]))));
"""
SEARCH = LogSearch(all_symptoms())
EXAMPLES = [row.split("\t")[1] for row in (ROOT / "tests/symptoms/log_lines.tsv").read_text(encoding="utf-8").splitlines()[1:]]
PHRASES = [phrase for symptom in all_symptoms() for phrase in symptom.phrases]
HOSTILE = [
    "",
    "  ",
    "\\",
    "__proto__ constructor",
    "İ K \u017f ß é 漢字 \U0001f600",
    "\x1b[31mno runtime\x1b[0m for “nvidia” is configured",
    r"\u001b[1;31mno runtime\u001b[0m for nvidia is\nconfigured",
    "NVRM: Xid (PCI:0000:c1:00.0): 79, pid=1",
    "a\u2028CUDA error 803\x85NVRM: No NVIDIA GPU found\r\nb",
    "GPU",
    "nvidia",
    "CUDA error",
]


def by_command(log):
    if re.sub("^Init:", "", log.strip()).casefold() in {each.casefold() for each in POD_STATUSES}:
        return []
    matches = SEARCH.search(enumerate(log.splitlines(), start=1)) or SEARCH.fragment(log)
    return [[match.symptom.name, match.strength.value] for match in matches]


@pytest.fixture(scope="module")
def by_browser(tmp_path_factory):
    node = os.environ.get("JSII_NODE", "node")
    folder = tmp_path_factory.mktemp("why")
    (folder / "why.mjs").write_bytes(WHY.read_bytes())
    (folder / "symptoms.json").write_text(symptom_table(), encoding="utf-8")
    (folder / "program.mjs").write_text(PROGRAM)

    def answers(logs):
        (folder / "logs.json").write_text(json.dumps(logs))
        return json.loads(subprocess.run([node, "program.mjs"], cwd=folder, check=True, capture_output=True, text=True).stdout)

    return answers


@pytest.mark.parametrize(
    "logs",
    [
        EXAMPLES,
        PHRASES,
        [phrase.replace("…", "what differs 7") for phrase in PHRASES],
        [phrase[: len(phrase) * 2 // 3] for phrase in PHRASES],
        ["\n".join(EXAMPLES[start : start + 7]) for start in range(0, len(EXAMPLES), 7)],
        [*POD_STATUSES, "Init:CrashLoopBackOff", " pending "],
        HOSTILE,
    ],
    ids=["example lines", "phrases", "phrases in lines", "fragments", "logs", "states of pods", "hostile"],
)
def test_a_line_has_the_symptoms_of_the_command_in_its_order(logs, by_browser):
    answers = by_browser(logs)

    assert [(log, mine) for log, mine in zip(logs, answers, strict=True) if mine != by_command(log)] == []


def test_each_symptom_with_example_lines_is_found_by_them(by_browser):
    assert [log for log, answer in zip(EXAMPLES, by_browser(EXAMPLES), strict=True) if not answer] == []
