"""What writes the files that the GPU operator's pods wait for, read off a container's command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.gpu_operator_chart import TOOLKIT_READY
from ..model import at, known_text
from ..model.unknown import GAP

# What makes a file, and does not only wait for one, as the operator's own pods do for the marker.
_WRITES = r"\b(touch|tee|ensure|mv|cp|install)\b|>(?!\s*(/dev/null|&))"


def writes_marker(container: Mapping[str, Any]) -> bool:
    """Whether a container makes `toolkit-ready`."""
    commands = [command for command in re.split(r"&&|\|\|?|;|\n", script_of(container)) if TOOLKIT_READY in command]
    said = script_of(container)
    # A loop names the files in one command and makes them in another.
    return any(re.search(_WRITES, said if re.match(r"\s*(do\s+)?for\b", command) else command) for command in commands)


def may_run_command(container: Mapping[str, Any], command: str) -> bool:
    """Whether a container runs a command, or may: by what can't be read at all."""
    return any(text == GAP or command in text for text in strings([at(container, "command"), at(container, "args")]))


def script_of(container: Mapping[str, Any]) -> str:
    """What a container runs, as one text."""
    return " ".join(strings([at(container, "command"), at(container, "args")])).replace("\\\n", " ")


def strings(value: Any) -> Iterator[str]:
    """Every text in a value; of an unknown one what is known of it."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
    elif text := known_text(value):
        yield text
