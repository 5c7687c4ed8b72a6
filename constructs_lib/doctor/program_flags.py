"""The flags by which kubectl and talosctl reach one cluster, in every command that is run or printed about it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_WORDS = re.compile(r"""'[^']*'|"[^"]*"|(?<!\S)\#.*|(?P<program>(?<![\w./-])(?:kubectl|talosctl)(?=\ ))""", re.VERBOSE)
"""Quoted text and comments, in which no program stands, and the programs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramFlags:
    """The contexts of both programs; where a field is empty, the program takes its current one."""

    context: str = ""
    """The context of kubectl."""
    talosconfig: str = ""
    """The file of talosctl's configuration."""
    talos_context: str = ""
    """The context of talosctl."""

    def of(self, program: str) -> list[str]:
        """The flags of a program, each joined to its value: a value is never read as a flag."""
        if program == "kubectl":
            return [f"--context={self.context}"] if self.context else []
        talosconfig = [f"--talosconfig={self.talosconfig}"] if self.talosconfig else []
        return talosconfig + ([f"--context={self.talos_context}"] if self.talos_context else [])

    def chosen(self, text: str) -> str:
        """The text of a command with the flags behind each of the programs."""
        return "\n".join(_WORDS.sub(self._with_flags, line) for line in text.split("\n"))

    def _with_flags(self, found: re.Match[str]) -> str:
        program = found["program"]
        return " ".join([program, *map(shlex.quote, self.of(program))]) if program else found[0]
