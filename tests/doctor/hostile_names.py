"""Dumps with hostile names, and a shell in which the programs of our commands do nothing, and the program of a hostile name leaves a mark."""

from __future__ import annotations

import dataclasses
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from constructs_lib.doctor.doctor_report import Printed
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Log
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.model.talos_machine import TalosMachine

PROGRAM = "pwned"
ENDINGS = (
    f""";{PROGRAM};$({PROGRAM})`{PROGRAM}`'; {PROGRAM}; '"; {PROGRAM}; "|{PROGRAM}&{PROGRAM} #""",
    f"\n{PROGRAM}\nEOF\n{PROGRAM}\n\r{PROGRAM}\x1b[2J",
)
"""Ends of a name: what a shell obeys on one line, and lines that end a command or a heredoc."""
_OURS = ("kubectl", "talosctl", "talos-gpu", "helm", "grep", "sleep", "curl")
_NAMES = (
    "name",
    "namespace",
    "runtimeClassName",
    "nodeName",
    "deviceClassName",
    "resourceClaimName",
    "image",
    "key",
    "value",
    "generateName",
)
_MAPPINGS = ("labels", "nodeSelector", "matchLabels", "allocatable", "capacity", "limits", "requests", "annotations")
_QUOTED = re.compile(r"\"([^\"\s]+)\"|quota: ([^,:\s]+)|with name (\S+)")


def names_of(dump: Dump) -> list[str]:
    """The names that people chose, in the objects, the messages and the machines of a dump, without those by which our readers know a part."""
    found: dict[str, None] = {}
    for objects in dump.objects.values():
        for each in objects:
            found.update(dict.fromkeys(_names(each.body)))
    for machine in dump.machines:
        found.update(dict.fromkeys(value for value in _strings(machine) if len(value) < 80))
    return [each for each in found if len(each) > 1 and not each.isdecimal()]


def _names(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            if key in _MAPPINGS:
                yield str(name)
                if isinstance(each, str):
                    yield each
            yield from _names(each, str(name))
    elif isinstance(value, list):
        for each in value:
            yield from _names(each, key)
    elif isinstance(value, str) and key in _NAMES:
        yield value
    elif isinstance(value, str) and key in ("message", "note"):
        yield from (each for found in _QUOTED.findall(value) for each in found if each)


def _strings(value: Any) -> Iterator[str]:
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Log)):
        for each in dataclasses.fields(value):
            yield from _strings(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield name
            yield from _strings(each)
    elif isinstance(value, (list, tuple, set)):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, str):
        yield value


def appended(names: Iterable[str], ending: str) -> Callable[[str], str]:
    """A change that gives these names an ending, wherever they stand."""
    pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w-])")
    return lambda text: pattern.sub(lambda found: found[0] + ending, text)


def renamed(dump: Dump, change: Callable[[str], str]) -> Dump:
    """The dump with every string changed."""
    objects = {
        kind: [LiveObject(_changed(each.body, change) | {"kind": kind}, each.source) for each in listed]
        for kind, listed in dump.objects.items()
    }
    machines = [_changed(each, change) for each in dump.machines]
    return dataclasses.replace(dump, objects=objects, machines=machines, system_nodes={change(each) for each in dump.system_nodes})


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, TalosMachine) or (dataclasses.is_dataclass(value) and not isinstance(value, (type, Log))):
        return dataclasses.replace(value, **{each.name: _changed(getattr(value, each.name), change) for each in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        return {change(str(name)): _changed(each, change) for name, each in value.items()}
    if isinstance(value, (list, set, tuple)):
        return type(value)(_changed(each, change) for each in value)
    return change(value) if isinstance(value, str) else value


class Shell:
    """A shell that knows the programs of our commands, and the hostile one."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._mark = folder, folder / "mark"
        for each in _OURS:
            self._program(each, "exit 0")
        self._program(PROGRAM, f": > {self._mark}")
        self._known: dict[str, str] = {}

    def _program(self, name: str, text: str) -> None:
        (self._folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (self._folder / name).chmod(0o755)

    def complaint(self, printed: Printed) -> str:
        """What is wrong with a printed command or advice when its block is pasted into a shell; empty for what is right."""
        script = "\n".join(printed.lines)
        if script not in self._known:
            self._known[script] = self._complaint(script, is_command=not printed.advice)
        return self._known[script]

    def _complaint(self, script: str, *, is_command: bool) -> str:
        if not is_command:
            yaml.safe_load(script)
        done = subprocess.run(
            ["/bin/bash", "-c", script],
            cwd=self._folder,
            env={"PATH": str(self._folder)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if self._mark.exists():
            self._mark.unlink()
            return f"the hostile program ran: {script}"
        is_odd = is_command and ("syntax error" in done.stderr or "unexpected EOF" in done.stderr or "not found" in done.stderr)
        return f"{done.stderr.strip()}: {script}" if is_odd else ""
