"""The Python half of the playground: the command `talos-gpu` over files in the memory of a browser. Each function takes and gives JSON."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path, PurePosixPath

import yaml

from constructs_lib.checks.fixes.fixability import SAFE, flags_of_fix
from constructs_lib.checks.rules import RULES
from constructs_lib.cli.command import main

FOLDER = Path("/files")
_PASTED = "pasted.yaml"


def about() -> str:
    """The newest patch of each Talos minor, the newest release of all, and the names of some cards to choose from."""
    from constructs_lib.upstream import talos_releases

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
    """The report of `talos-gpu check` on `files`, with `talos` as the version where one is given. `fixable` are the rules with a safe fix."""
    given = json.loads(argument)
    _write(given["files"])
    answer = _run(["check", ".", "--format", "json", *_talos(given)])
    report = json.loads(answer["output"]) if answer["output"].startswith("{") else None
    rules = {each["rule"] for each in report["findings"]} if report else set()
    return json.dumps({"report": report, "notes": answer["notes"], "fixable": sorted(each for each in rules if _is_fixable(each))})


def fix(argument: str) -> str:
    """The files after the safe fixes, of one rule if `rule` is given."""
    given = json.loads(argument)
    _write(given["files"])
    rule = ["--select", given["rule"]] if given.get("rule") else []
    answer = _run(["check", ".", "--fix", *rule, *_talos(given)])
    return json.dumps({"files": _read(given["files"]), "notes": answer["notes"]})


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
    from constructs_lib.checks.symptoms.log_search import LogSearch
    from constructs_lib.checks.symptoms.symptom_table import all_symptoms

    log = json.loads(argument)["log"]
    search = LogSearch(all_symptoms())
    matches = (search.search(enumerate(log.splitlines(), start=1)) or search.fragment(log))[:_MOST_SYMPTOMS]
    return json.dumps({"symptoms": [{**asdict(match.symptom), "line": match.line, "text": match.text} for match in matches]})


_MOST_SYMPTOMS = 5

CLUSTER_FILE = "cluster.yaml"


def cluster_file(form: Mapping[str, str]) -> str:
    """The cluster file for the fields of the form. A field that is empty is left out: the default of the library holds."""
    fields = {name: value.strip() for name, value in form.items() if value.strip()}
    nodes: dict[str, object] = {name: fields[name] for name in _OF_NODES if name in fields}
    if "gpus_per_node" in fields:
        nodes["gpus_per_node"] = _number(fields["gpus_per_node"])
    if "taint" in fields:
        nodes["taints"] = [fields["taint"]]
    if "replicas" in fields:
        nodes["sharing"] = {"time_slicing": {"replicas": _number(fields["replicas"])}}
    stack: dict[str, object] = {"delivery": {fields.get("delivery", "Flux"): {}}} | ({"operator": True} if "operator" in fields else {})
    objects = {"gpu": {"GpuStack": stack}, "smoke-test": {"CudaSmokeTest": {"namespace": "default"}}}
    return yaml.safe_dump({"nodes": nodes, "charts": {"gpu": {"objects": objects}}, "talos": {}}, sort_keys=False)


_OF_NODES = ("talos_version", "product", "kernel_modules", "driver_track")


def _number(text: str) -> int | str:
    """The number that a field holds. Other text stays, so that the error names it."""
    return int(text) if text.isascii() and text.isdecimal() else text


def _talos(given: Mapping[str, str]) -> list[str]:
    return ["--talos", given["talos"]] if given.get("talos") else []


@functools.cache
def _is_fixable(rule: str) -> bool:
    return rule in RULES and flags_of_fix(RULES[rule]) == SAFE


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


def _read(files: Iterable[str]) -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in _paths(files)}


def _paths(names: Iterable[str]) -> Iterable[tuple[str, Path]]:
    """Each name with its path in the folder: a name from outside can't lead out of it."""
    for name in names:
        parts = [part for part in PurePosixPath(name.replace("\\", "/").replace("\0", "")).parts if part not in ("/", "..", ".")]
        yield name, FOLDER.joinpath(*(parts or [_PASTED]))
