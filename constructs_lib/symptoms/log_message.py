"""The message of a line of a log, without what the logger adds; and the file of a source that the line names."""

from __future__ import annotations

import re

from ..arguments.patterns import pattern

_PLACE = pattern(r"\b([\w-]+\.go):\d+\]?:? ?")
_PLACE_WITHIN = 200
_CONTROLLER = pattern(r"\b[a-z0-9]+\.([A-Z]\w+)Controller\b")
"""A controller of Talos, whose file has its name."""
_HUMP = pattern(r"(?<=[a-z])(?=[A-Z])")
_FIELD = pattern(
    r"""\b(?!(?:err|error|msg|message|reason)\b)\w+=(?:"[^"]*"|[^\s,}]+)   # a field of a structured log
    |[{,]\ ?\\*"(?!(?:err|error|msg|message|reason)\b)\w+\\*":\ ?(?:\\*"[^"]*"|[^\s,}]+)   # the same in JSON
    |\b(?:err|error|msg|message|reason)(?:=|\\*":)   # the name of one that has a message""",
    re.VERBOSE,
)
_TALOS = "[talos] "
_DRIVER = pattern(r"\bNVRM: *(?:GPU\d+ )?(?:\w+: *)?")
"""The driver's kernel modules print the number of the GPU and the name of the function before a message."""
_CLI = pattern(r"\bnvidia-container-cli: (?:\w+ error: )?")
"""nvidia-container-cli prints the step that failed before the message, and other programs print theirs before both."""
_POD = pattern(r"^\[pod/\S+\] ")
_CONTROLLER_ERROR = '"error": '
_EXPLANATION = r"\n\n"


def message_of(line: str) -> tuple[str, str]:
    """The message, and the name of the file that says it; empty where the line names none.

    klog, zap and logrus print the file before the message. A line of a controller of Talos has its message in the field `error`. What follows
    an empty line in one record explains the message. The kernel modules and nvidia-container-cli print their own name before theirs.
    """
    if driver := _DRIVER.search(line):
        return line[driver.end() :], ""
    place, controller = _PLACE.search(line, 0, _PLACE_WITHIN), _CONTROLLER.search(line)
    text = _POD.sub("", _CLI.sub("", line[place.end() if place else 0 :])).rpartition(_TALOS)[2].partition(_EXPLANATION)[0]
    if place or controller is None:
        return _FIELD.sub(" ", text), place[1] if place else ""
    return _FIELD.sub(" ", text.rpartition(_CONTROLLER_ERROR)[2]), f"{_HUMP.sub('_', controller[1]).lower()}.go"
