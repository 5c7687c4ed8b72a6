"""Commands of containers that write the marker files of the GPU operator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.gpu_operator_chart import TOOLKIT_READY
from ..model import at, known_text
from ..model.unknown import GAP

# A variable of the shell in a marker file's name, in a path of its folder, or as the command itself.
# The rest of a path has a bound, so that the search takes linear time in a file of strangers.
_VARIABLE_PATH = r"\$\{?\w+\}?-ready|nvidia/validations/?\S{0,200}\$|(?:^|[;&|]|\bexec|\bsource|\s\.)\s*[\w/.-]*\$\{?\w"
# Commands that create a file; the operator's own pods only wait for the marker file.
_WRITES = r"\b(touch|tee|ensure|mv|cp|install)\b|>(?!\s*(/dev/null|&))"


def writes_marker(container: Mapping[str, Any]) -> bool:
    """Whether a container creates `toolkit-ready`."""
    script = script_of(container)
    if TOOLKIT_READY not in script:
        return False
    commands = [command for command in re.split(r"&&|\|\|?|;|\n", script) if TOOLKIT_READY in command]
    # A loop names the files in one command and creates them in another.
    return any(re.search(_WRITES, script if re.match(r"\s*(do\s+)?for\b", command) else command) for command in commands)


def may_write_marker(container: Mapping[str, Any]) -> bool:
    """Whether a container creates `toolkit-ready`, or may: a part of its script is a variable of the shell or of another tool."""
    script = script_of(container)
    return TOOLKIT_READY in script or GAP in script or re.search(_VARIABLE_PATH, script) is not None


def may_run_command(container: Mapping[str, Any], command: str) -> bool:
    """Whether a container runs a command, or may: its command can't be read."""
    return any(text == GAP or command in text for text in strings([at(container, "command"), at(container, "args")]))


def script_of(container: Mapping[str, Any]) -> str:
    """The command and the arguments of a container, as one text."""
    return " ".join(strings([at(container, "command"), at(container, "args")])).replace("\\\n", " ")


def strings(value: Any) -> Iterator[str]:
    """Every text in a value; of an unknown text the known parts."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
    elif text := known_text(value):
        yield text
