"""The messages in a source of C: the format strings that NVIDIA's container library and kernel modules print, each with its severity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .go_messages import Said, literal

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|[A-Za-z_]\w*|\d[\w.]*|\S', re.DOTALL)
_CALLS = {
    name: severity
    for severity, names in {
        "error": "error_set error_setx error_set_dl error_set_elf error_set_nvml error_set_rpc log_err log_errf err errx warn warnx nvErrorLog_va",
        "warning": "log_warn log_warnf",
        "info": "log_info log_infof",
        "": "NV_PRINTF NV_PRINTF_EX nv_printf NV_DEV_PRINTF",
    }.items()
    for name in names.split()
}
"""The functions of libnvidia-container and of the kernel modules. Those without a severity name a level, which says it."""
_LEVELS = {"LEVEL_FATAL": "fatal", "LEVEL_ERROR": "error", "NV_DBG_ERRORS": "error"}
"""The levels that the modules print unless a parameter asks for more."""
_MODULE = re.compile(r"^NVRM: *(?:%s: *)?")
"""The name of the module and of a function, which stand before other messages, too."""
_GAP = "%s"


def messages(source: str) -> Iterator[Said]:
    """Every message of a file, in its order."""
    tokens = [token for token in _TOKEN.findall(source) if not token.startswith(("//", "/*"))]
    for index, (name, bracket) in enumerate(pairwise(tokens)):
        if name in _CALLS and bracket == "(":
            arguments = list(_arguments(tokens, index + 2))
            severity = _CALLS[name] or next((_LEVELS[token] for token in arguments if token in _LEVELS), "")
            text = _text(arguments)
            if severity and text:
                yield Said(_MODULE.sub("", text), severity)


def _arguments(tokens: list[str], index: int) -> Iterator[str]:
    """The tokens of a call up to its last bracket."""
    depth = 1
    while index < len(tokens):
        depth += (tokens[index] == "(") - (tokens[index] == ")")
        if depth == 0:
            return
        yield tokens[index]
        index += 1


def _text(arguments: list[str]) -> str:
    """The first literal with those beside it; a constant between them, such as PRIu64, is a gap."""
    start = next((index for index, token in enumerate(arguments) if token[0] == '"'), len(arguments))
    text = ""
    for token in arguments[start:]:
        if token[0] == '"':
            text += literal(token)
        elif token[0].isalpha() or token[0] == "_":
            text += _GAP
        else:
            break
    return text
