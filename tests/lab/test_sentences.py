"""The players speak only sentences of the table: each line and message that a player wrote into a recorded dump is one."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sentence_table
import yaml
from every_state import STATES
from record_dumps import DUMPS, RECORDINGS
from sentence_table import SENTENCES, is_of_a_module, is_said, verdict

from nodes import needs_a_node

LOG_LINES = Path(__file__).resolve().parents[1] / "symptoms/log_lines.tsv"
_DMESG = re.compile(r"^(?:[\d.]+: )?\w+: +\w+: \[\S+Z\]: (.*)$")
_SERVICE = re.compile(r"^[\d.]+ +\S+ +\w+ +\S+ +\S+ ago +(.*)$")
_STATE = re.compile(r"^EVENTS +\[\w+\]: (.*) \(\S+ ago\)$")
_CONTAINER = re.compile(r"^\[pod/[^\]]+\] (.*)$")
SILENT = ("cdi-renamed-resource", "healthy-newest-operator", "two-operator-and-quota")
"""The dumps in which no player speaks: they have only objects, and words of the API server and of the scheduler."""


def test_no_sentence_stands_twice_and_each_has_a_source():
    assert len({each.words for each in SENTENCES}) == len(SENTENCES) >= 90
    assert all(re.fullmatch(r"seen: .+|\S+@v[^:]+:\S+", each.source) for each in SENTENCES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('rpc error: code = Unknown desc = unable to get OCI runtime for sandbox "a": no runtime for "b" is configured', True),
        ('rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "b" is configured', False),
        ("I1122 10:00:00.000000       1 health.go:169] XidCriticalError: Xid=79 on Device=GPU-1; marking device as unhealthy.", True),
        ("failed to create containerd task: something else", False),
        ("docker.io/ollama/ollama:0.12.6: not found", True),
        ("a thing of many words: not found", False),
        ("Error: ", False),
    ],
)
def test_a_sentence_is_one_of_the_table_with_sentences_of_the_table_in_it(text, expected):
    assert is_said(text) is expected


def test_the_sentences_of_go_modules_stand_in_their_files():
    needs_a_node()  # whoever has built its programs has their sources

    verdicts = {each.source: verdict(each, None) for each in SENTENCES if is_of_a_module(each.source)}
    assert len(verdicts) >= 20
    assert {source: found for source, found in verdicts.items() if found != "there"} == {}


def test_the_sentences_that_no_node_and_no_public_log_says_are_as_many_as_the_table_tells():
    texts = [*said_by_nodes(), *(line.split("\t")[1] for line in LOG_LINES.read_text(encoding="utf-8").splitlines())]
    unheard = [each for each in SENTENCES if not is_of_a_module(each.source) and not any(re.search(each.pattern, text) for text in texts)]

    assert f" {len(unheard)} of the {len(SENTENCES)} sentences " in sentence_table.__doc__, "\n".join(each.words for each in unheard)


def said_by_nodes() -> Iterator[str]:
    """What the kubelet, the runtimes and the containers of real nodes have said; the kernel and Talos of their dumps are players."""
    for state in STATES.values():
        for name, text in texts(DUMPS / state.name) if state.form else ():
            if name.endswith((".yaml", ".json")):
                yield from (words for item in items(name, text) for words in said_by_the_kubelet(item))
            else:
                yield from (found[1] for line in text.splitlines() if (found := _CONTAINER.match(line)))


@pytest.mark.parametrize("folder", [DUMPS / name for name in sorted(RECORDINGS)], ids=lambda folder: folder.name)
def test_the_words_of_a_dump_are_sentences_that_a_program_says(folder):
    words = list(spoken(folder))
    assert [each for each in words if not is_said(each)] == []
    assert bool(words) is (folder.name not in SILENT)


def spoken(folder: Path) -> Iterator[str]:
    """What players have said in a dump: the kubelet, the container runtime, programs, Talos and the kernel."""
    for name, text in texts(folder):
        if name.endswith((".yaml", ".json")):
            yield from (words for item in items(name, text) for words in said_by_the_kubelet(item))
        else:
            for line in text.splitlines():
                found = next((match for form in (_DMESG, _SERVICE, _STATE, _CONTAINER) if (match := form.match(line))), None)
                if found:
                    yield found[1]


def items(name: str, text: str) -> Iterator[dict[str, Any]]:
    """The objects in what kubectl has printed."""
    for document in yaml.load_all(text, Loader=yaml.CSafeLoader) if name.endswith(".yaml") else [json.loads(text)]:
        yield from document.get("items", [document]) if isinstance(document, dict) else ()


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """The files of a dump; those of a bundle, and the parts of a pasted stream, by themselves."""
    for file in sorted(each for each in folder.rglob("*") if each.is_file() and each.name != "expected.yaml"):
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                yield from ((name, archive.read(name).decode()) for name in archive.namelist() if not name.endswith(".yaml"))
        elif file.name == "everything.txt":
            for part in file.read_text(encoding="utf-8").split("$ ")[1:]:
                command, _, output = part.partition("\n")
                yield f"{command.partition(' ')[0]}{'.yaml' if command.startswith('kubectl') else '.txt'}", output
        else:
            yield file.name, file.read_text(encoding="utf-8")


def said_by_the_kubelet(item: dict[str, Any]) -> Iterator[str]:
    """The messages of the kubelet in an event, or in the status of a pod."""
    if item.get("kind") == "Event" and item.get("reportingComponent") == "kubelet":
        yield item["message"]
    status = item.get("status", {}) if item.get("kind") == "Pod" else {}
    if status.get("phase") == "Failed":
        yield status["message"]
    for each in (*status.get("initContainerStatuses", ()), *(status.get("containerStatuses") or ())):
        for field in ("state", "lastState"):
            yield from (state["message"] for state in each.get(field, {}).values() if state.get("message"))
