"""The Python half of the playground: the command `talos-gpu` over files in the memory of a browser. Each function takes and gives JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from constructs_lib.checks.fixes.fixer import Reading
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.checks.settings import Settings
from constructs_lib.cli.command import _parser, main
from constructs_lib.cli.files import read_inputs
from constructs_lib.cli.settings_flags import apply_settings, classes_with, settings_of
from constructs_lib.observed.read.documents import documents

FOLDER = Path("/files")
_PASTED = "pasted.yaml"


def about() -> str:
    """The newest patch of each Talos minor, the newest release of all, and the names of some cards to choose from."""
    from constructs_lib.upstream.talos import releases as talos_releases

    newest = {minor: release.newest for minor, release in talos_releases.TALOS.items()}
    released = [patch for minor, patch in newest.items() if minor != talos_releases.PREVIEW]
    return json.dumps({"talos": list(newest.values()), "newest": released[-1], "cards": _CARDS})


_CARDS = (
    "RTX 5090",
    "RTX 5070 Ti",
    "RTX 4090",
    "RTX 3090",
    "RTX 2070 Super",
    "GTX 1080 Ti",
    "T4",
    "L4",
    "L40S",
    "A100 SXM4 80GB",
    "H100 NVL",
    "H200 NVL",
    "GB10",
)
"""Suggestions. Any other name is a card too."""


def check(argument: str) -> str:
    """The report of `talos-gpu check` on `files`, with `talos` as the version where one is given."""
    given = json.loads(argument)
    _write(given["files"])
    answer = _run(["check", ".", "--format", "json", *_talos(given)])
    report = json.loads(answer["output"]) if answer["output"].startswith("{") else None
    if report:
        report["skipped"] += [each for each in _broken(given["files"]) if each not in report["skipped"]]
    return json.dumps({"report": report, "notes": answer["notes"]})


def _broken(files: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The places that are not YAML in the files that the reader takes for no manifests, and does not parse."""
    for name, path in _paths(files):
        if path.suffix in (".yaml", ".yml") and "apiVersion" not in files[name]:
            shown = f"{path.relative_to(FOLDER)}"
            for each in documents(files[name], shown)[1]:
                yield {"file": shown, "line": each.line, "reason": each.reason}


def outcomes(argument: str) -> str:
    """For each of the `findings` of a report on `files`: the flags with which `talos-gpu check` fixes it, or the reason for which it is left."""
    from constructs_lib.checks.fixes.fixer import fix_outcomes

    given = json.loads(argument)
    reading, settings = _reading(given)
    known = fix_outcomes(reading, reading({}), [FOLDER], settings)
    found = [next((each for each in known if each.is_of(_finding(row))), None) for row in given["findings"]]
    return json.dumps([{"flags": each.flags if each else "", "reason": each.reason if each else ""} for each in found])


def fix(argument: str) -> str:
    """The files after the safe fixes, or after the fix of one `finding`, which may be an unsafe one; with what was left, and why."""
    from constructs_lib.checks.fixes.fixer import fix_of, fixes

    given = json.loads(argument)
    reading, settings = _reading(given)
    inputs = reading({})
    one = _finding(given["finding"]) if given.get("finding") else None
    result = fixes(reading, inputs, [FOLDER], settings=settings) if one is None else fix_of(one, reading, inputs, [FOLDER], settings)
    if result is None:
        return json.dumps({"files": given["files"], "fixed": 0, "left": []})
    names = {path: name for name, path in _paths(given["files"])}
    files = given["files"] | {names[path]: text for path, text in result.texts.items()}
    left = list(dict.fromkeys(f"{finding.rule} is left at {finding.file}:{finding.line}: {reason}" for finding, reason in result.left))
    if one is None:
        left += [f"{number} {reason}" for number, reason in ((len(result.unsafe), _UNSAFE), (len(result.without_fix), _BY_HAND)) if number]
    return json.dumps({"files": files, "fixed": len(result.made), "left": left})


_UNSAFE = "with a fix that may change more than the finding: the button of the finding applies it"
_BY_HAND = "to fix by hand: the fix is more than one value, one line or one manifest"


def node(argument: str) -> str:
    """The cluster file of a node as the form describes it, and the files that `talos-gpu synth` writes from it; or the error."""
    text = cluster_file(json.loads(argument))
    _write({CLUSTER_FILE: text})
    answer = _run(["synth", CLUSTER_FILE, "--output-folder", "dist"])
    folder = FOLDER / "dist" / "cluster"
    written = {
        f"{path.relative_to(folder)}": path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.*")) if path.name[0] != "."
    }
    lines = [line.removeprefix("talos-gpu synth: ") for line in answer["notes"].splitlines()]
    return json.dumps({"files": {CLUSTER_FILE: text, **written} if written else {}, "error": "\n".join(lines)})


def why(argument: str) -> str:
    """The symptoms that `log` shows, the best first, as `talos-gpu why` finds them."""
    from constructs_lib.symptoms.log_search import LogSearch
    from constructs_lib.symptoms.symptom_table import all_symptoms

    log = json.loads(argument)["log"]
    search = LogSearch(all_symptoms())
    matches = (search.search(enumerate(log.splitlines(), start=1)) or search.fragment(log))[:_MOST_SYMPTOMS]
    return json.dumps({"symptoms": [{**asdict(match.symptom), "line": match.line, "text": match.text} for match in matches]})


_MOST_SYMPTOMS = 5

CLUSTER_FILE = "cluster.yaml"


def cluster_file(form: Mapping[str, str]) -> str:
    """The cluster file for the fields of the form. A field that is empty is left out: the default of the library holds."""
    fields = {name: value.strip() for name, value in form.items() if value.strip()}
    nodes: dict[str, object] = {word: fields[name] for word, name in _OF_NODES.items() if name in fields}
    if "gpus_per_node" in fields:
        nodes["cards"] = _number(fields["gpus_per_node"])
    if "taint" in fields:
        nodes["taints"] = [fields["taint"]]
    if "replicas" in fields:
        nodes["sharing"] = {"time_slicing": _number(fields["replicas"])}
    stack = {"stack": "operator"} if "operator" in fields else {}
    workloads = {"smoke-test": {"recipe": "CudaSmokeTest", "namespace": "default"}}
    talos = {"talos": fields["talos_version"]} if "talos_version" in fields else {}
    gitops = {"gitops": fields.get("delivery", "Flux").lower()} if "delivery" in fields or _needs_chart(fields) else {}
    return yaml.safe_dump({**talos, "nodes": {"gpu": nodes}, **stack, **gitops, "workloads": workloads}, sort_keys=False)


def _needs_chart(fields: Mapping[str, str]) -> bool:
    """Whether the stack is a Helm chart: the GPU operator, chosen or the only route of this Talos."""
    from constructs_lib.nodes.talos_version import TalosVersion

    try:
        return "operator" in fields or not TalosVersion.parse("talos", fields.get("talos_version")).needs.by_class
    except (TypeError, ValueError):
        return False  # synth names the error


_OF_NODES = {"card": "product", "kernel_modules": "kernel_modules", "driver_track": "driver_track"}


def _number(text: str) -> int | str:
    """The number that a field holds. Other text stays, so that the error names it."""
    return int(text) if text.isascii() and text.isdecimal() else text


def _talos(given: Mapping[str, str]) -> list[str]:
    return ["--talos", given["talos"]] if given.get("talos") else []


def _reading(given: Mapping[str, Any]) -> tuple[Reading, Settings | None]:
    """What reads the files with texts in place of their own, as `talos-gpu check` does, and the settings among the files."""
    _write(given["files"])
    os.chdir(FOLDER)
    options = _parser(["check"]).parse_args(["check", ".", *_talos(given)])
    settings = settings_of(options)
    subjects = apply_settings(options, settings)
    nodes = classes_with(options, settings)
    return lambda texts: read_inputs(["."], options, settings=settings, subjects=subjects, nodes=nodes, texts=texts), settings


def _finding(row: Mapping[str, Any]) -> Finding:
    given = {key: value for key, value in row.items() if key != "related"}
    return Finding(**{**given, "severity": Severity(row["severity"])})


def _run(arguments: list[str]) -> dict[str, str]:
    output, notes = io.StringIO(), io.StringIO()
    os.chdir(FOLDER)
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(notes):
        main(arguments)
    return {"output": output.getvalue(), "notes": notes.getvalue()}


def _write(files: Mapping[str, str]) -> None:
    """The folder with these files and no others."""
    os.chdir(FOLDER.parent)  # a folder that is the current one can't be removed
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    FOLDER.mkdir()
    for name, path in _paths(files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], encoding="utf-8", newline="")


def _paths(names: Iterable[str]) -> Iterable[tuple[str, Path]]:
    """Each name with its path in the folder: a name from outside can't lead out of it."""
    for name in names:
        parts = [part for part in PurePosixPath(name.replace("\\", "/").replace("\0", "")).parts if part not in ("/", "..", ".")]
        yield name, FOLDER.joinpath(*(parts or [_PASTED]))
