"""The messages in a source of Go: the format strings that calls, fields and constants print, each with its severity."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple


class Said(NamedTuple):
    """A format string, and how the program says it."""

    format: str
    severity: str


_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|`[^`]*`|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|[A-Za-z_]\w*|\d[\w.]*|:=|\n|\S', re.DOTALL)
_CALLS = {
    name: severity
    for severity, names in {
        "error": "Errorf Wrap Wrapf WithMessage WithMessagef Error ErrorS Errorln ErrorDepth Errorw NewStatus runtimeError",
        "fatal": "Fatal Fatalf Fatalln Panic Panicf Exitf Exit",
        "warning": "Warning Warningf Warningln Warn Warnf WarningS",
        "info": "Info Infof InfoS Infoln Infow Notice Logf Printf Println Print",
        "event": "Event Eventf AnnotatedEventf",
        "text": "UpdateState eventSink",
    }.items()
    for name in names.split()
}
"""The functions of fmt, errors, klog, logr, logrus, slog, zap, log, the recorder of events, and the scheduler's and Talos' states."""
_NEW = {"errors", "pkgerrors", "xerrors"}
_NOT_LOGGED = {"fmt": {"Print", "Printf", "Println"}}
_EVENT_MESSAGE = 3
"""The first place of an event's message, behind the object, the type and the reason. The newer recorder has an action before it."""
_FIELDS = {"Message": "status", "Reason": "status", "return": "text", "=": "text", ":=": "text"}
"""What a text is put into: a field of a status, the answer of a method such as Error of an error, or a variable with such a name."""
_CONSTANT = re.compile(r"(?i:err|reason|msg|message)")
_OPEN, _CLOSE = "([{", ")]}"
_GAP = "%v"


class _Call:
    """An open bracket: the function before it, and the argument that is read."""

    def __init__(self, name: str, package: str, field: str) -> None:
        self.name, self.package, self.field = name, package, field
        self.argument = 0
        self.is_said = False


def messages(source: str) -> Iterator[Said]:
    """Every message of a file, in its order."""
    tokens = [token for token in _TOKEN.findall(source) if not token.startswith(("//", "/*"))]
    stack = [_Call("", "", "")]
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token in _OPEN:
            stack.append(_call(tokens, index))
        elif token in _CLOSE and len(stack) > 1:
            stack.pop()
        elif token == ",":
            stack[-1].argument += 1
        elif token[0] in '"`':
            severity = _severity(tokens, index, stack)
            text, index = _expression(tokens, index)
            if severity:
                yield Said(text, severity)
            continue
        index += 1


def _call(tokens: list[str], index: int) -> _Call:
    """The bracket at a place with what stands before it: a function with its package, and the field whose value begins there."""
    if tokens[index] != "(" or not _is_name(_before(tokens, index, 1)):
        return _Call("", "", "")
    name, start = tokens[index - 1], index - 1
    package = ""
    while _before(tokens, start, 1) == "." and _is_name(_before(tokens, start, 2)):
        package = package or tokens[start - 2]
        start -= 2
    before = _before(tokens, start, 1)
    named = _before(tokens, start, 2)
    if before in ("=", ":="):
        return _Call(name, package, before if _CONSTANT.search(named) else "")
    field = before if before == "return" else named if before == ":" else ""
    return _Call(name, package, field)


def _before(tokens: list[str], index: int, steps: int) -> str:
    return tokens[index - steps] if index >= steps else ""


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def _severity(tokens: list[str], index: int, stack: list[_Call]) -> str:
    """How the literal at a place is said; empty where it is no message, as a key of a structured log."""
    before = next((token for token in reversed(tokens[max(0, index - 4) : index]) if token != "\n"), "")
    name = _before(tokens, index, 2)
    if before == ":":
        return _FIELDS.get(name, "")
    if before in ("=", ":="):
        named = name if name != "string" else _before(tokens, index, 3)
        return "status" if _is_name(named) and _CONSTANT.search(named) else ""
    if before not in ("(", ","):
        return ""
    call = stack[-1]
    if call.name == "Sprintf" and call.argument == 0:
        if call.field in _FIELDS:
            return _FIELDS[call.field]
        call = stack[-2]
    return _severity_of(call)


def _severity_of(call: _Call) -> str:
    """How a call says a literal of the argument that is read; of each call the first one is the message."""
    severity = "error" if call.name == "New" and call.package in _NEW else _CALLS.get(call.name, "")
    if severity == "event":
        return severity if call.argument >= _EVENT_MESSAGE else ""
    if not severity or call.is_said or call.name in _NOT_LOGGED.get(call.package, ()):
        return ""
    call.is_said = True
    return severity


def _expression(tokens: list[str], index: int) -> tuple[str, int]:
    """The text of a literal with all that is added to it, where what is no literal is a gap; and the place behind it."""
    text, index = literal(tokens[index]), index + 1
    while index < len(tokens) and tokens[index] == "+":
        index += 1
        while index < len(tokens) and tokens[index] == "\n":
            index += 1
        if index < len(tokens) and tokens[index][0] in '"`':
            text, index = text + literal(tokens[index]), index + 1
            continue
        text, depth = text + _GAP, 0
        while index < len(tokens) and (depth or tokens[index] not in ("+", ",", "\n", *_CLOSE)):
            depth += (tokens[index] in _OPEN) - (tokens[index] in _CLOSE)
            index += 1
    return text, index


def literal(token: str) -> str:
    """The text of a literal of Go or of C."""
    if token[0] == "`":
        return token[1:-1]
    try:
        return str(ast.literal_eval(token))
    except (SyntaxError, ValueError):  # an escape that Python reads otherwise
        return token[1:-1]
