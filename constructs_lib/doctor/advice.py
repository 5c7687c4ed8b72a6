"""`Advice`: a fix that no command makes. It is never in the block that is pasted into a shell."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.commands import Command
from ..arguments.printable import printable


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence, and the YAML that it is about. Every value of the YAML that is not ours is quoted by `quoted`."""

    text: str
    yaml: str = ""

    def __str__(self) -> str:
        return f"{self.text}:\n{self.yaml}" if self.yaml else self.text


Fix = Command | Advice


def quoted(value: object) -> str:
    """A value as a string of YAML in single quotes, in which neither YAML nor a shell obeys anything."""
    text = printable(f"{value}").replace("'", "''")
    return f"'{text}'"
