"""`Command`: a shell command for people to paste. The text around the values is ours; each value is quoted here, and
nowhere else."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from .printable import printable

_FIELD = re.compile(r"\{(?P<all>\*?)(?P<name>[a-z_]+)\}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Command:
    """One or more lines for a shell. `str()` gives the text; `command()` makes a `Command` from a template of ours and
    values of anybody."""

    text: str
    remark: str = ""
    """The comment behind the last line."""

    def __str__(self) -> str:
        return self.text + self._comment

    def then(self, other: Command) -> Command:
        """Both commands: the other one runs only if this one succeeds."""
        return Command(f"{self.text} &&{self._comment}\n{other.text}", other.remark)

    def followed_by(self, other: Command) -> Command:
        """Both commands, a line or more each: the other one runs in any case."""
        return Command(f"{self}\n{other.text}", other.remark)

    def piped_to(self, other: Command) -> Command:
        """Both commands in a pipe."""
        return Command(f"{self.text} | {other.text}", other.remark)

    def explained(self, remark: str) -> Command:
        """The command with a comment behind its last line."""
        return Command(self.text, remark)

    def commented(self) -> Command:
        """The command as comments, for people to run later."""
        return Command("\n".join(f"# {line}" for line in str(self).split("\n")))

    @property
    def _comment(self) -> str:
        return f"   # {printable(self.remark)}" if self.remark else ""


def command(template: str, /, **values: object) -> Command:
    """The command with each `{field}` of the template as one quoted word, and each `{*field}` as the quoted words of a
    list.

    A value that could not be a name (it has a control character, or stands alone and begins with a hyphen, which the
    program would read as a flag) is not printed: the field's name in capitals stands there. The words of a list are
    flags and values of ours, and may be flags.

    Args:
        template: A literal of ours; a test refuses f-strings here. No field stands inside quotes.
        **values: What each field stands for.
    """
    for quoted in _QUOTED.findall(_FIELD.sub("\0", template)):
        if "\0" in quoted:
            raise ValueError(f"a field inside quotes would be quoted twice: {template}")
    if surplus := values.keys() - {found["name"] for found in _FIELD.finditer(template)}:
        raise ValueError(f"no field of {template!r} is named {', '.join(sorted(surplus))}")

    def word(found: re.Match[str]) -> str:
        name, value = found["name"], values[found["name"]]
        if found["all"]:
            return shlex.join(printable(f"{each}") for each in value)  # type: ignore[attr-defined]  # a list, as the field says
        text = f"{value}"
        is_alone = found.start() == 0 or template[found.start() - 1].isspace()
        if not text or printable(text) != text or (is_alone and text.startswith("-")):
            return name.upper()
        return shlex.quote(text)

    return Command(_FIELD.sub(word, template))


def comment(text: str) -> Command:
    """A comment line: a step that no command can do."""
    return Command(f"# {printable(text)}")
