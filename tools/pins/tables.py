"""The tables of constructs_lib/upstream: JSON files that are read and written whole, one fact a line."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DEEP, _SHORT = 2, 100


class Table:
    """One table: its facts as they stood, and as they are to be written."""

    def __init__(self, path: Path, facts: dict[str, Any] | None = None) -> None:
        self.path = path
        read = json.loads(path.read_text(encoding="utf-8")) if facts is None and path.exists() else {}
        self.facts: dict[str, Any] = read if facts is None else facts
        self._before = copy.deepcopy(self.facts)

    @property
    def is_renewed(self) -> bool:
        """Whether a fact changed; the date of the table is none."""
        return {**self.facts, "read_on": ""} != {**self._before, "read_on": ""}

    def read(self, date: str) -> None:
        """Note the date on which upstream was read; one before that of the table changes nothing."""
        if self.facts:
            self.facts["read_on"] = max(date, self.facts["read_on"])

    @property
    def text(self) -> str:
        """The table as its file has it."""
        return _written(self.facts, depth=0) + "\n"

    def write(self) -> None:
        """Write the file, where a fact or the date changed."""
        if self.facts != self._before:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(self.text, encoding="utf-8")


def _written(fact: object, depth: int) -> str:
    """A mapping has one entry a line, unless it stands deep and is short."""
    inline = json.dumps(fact, ensure_ascii=False)
    if not isinstance(fact, dict) or not fact or (depth >= _DEEP and len(inline) <= _SHORT):
        return inline
    margin = " " * (depth + 1)
    lines = (f"{margin}{json.dumps(key)}: {_written(value, depth + 1)}" for key, value in fact.items())
    return "{\n" + ",\n".join(lines) + f"\n{margin[1:]}}}"


@dataclass
class Report:
    """What a run found: changes of the tables, pins to move by hand, what a person has to look at, and facts that stay unread."""

    changes: list[str] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
