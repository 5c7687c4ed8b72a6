"""Errors and warnings in the notation of YAML, for users of a file: `port: 8000` where Python has `port=8000`, and
`{Persistent: 100Gi}` where Python has `Persistent('100Gi')`."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module

from .errors import NOTHING, Argument, InPython, Phrase, Refusal, Value
from .public_names import public_names

_CODE = r"(?<![\w.'/-])(?:(?P<name>[a-z_]\w*)=(?=['\"\[{(\dA-Z…])|(?=[A-Z]\w+\())"
_LITERAL = r"'[^']*'|\"[^\"]*\"|[\[{(]|[A-Za-z]\w*\(?|\d[\w.]*|…"
_CLOSING = {"[": "]", "{": "}", "(": ")"}
# A text that YAML takes for a text without quotes.
_PLAIN = r"(?!(?:true|false|yes|no|on|off|null|~)\Z)[A-Za-z/…][-\w./…]*|\d+(?:[KMGTPE]i|m)"
_WORDS = {
    r"\b(an?|one|each) GpuNodes\b(?!\()": r"\1 class of nodes",
    r"(?<!')\b(?:the )?GpuNodes\b(?!\()": "the class in 'nodes'",
    r"\ban argument\b": "a key",
    r"\bargument(s?)\b": r"key\1",
    r"(?<!['\w])True\b(?!')": "true",
    r"(?<!['\w])False\b(?!')": "false",
}
_PLACEHOLDER = "__more__"


def words_in_yaml(words: str | Phrase, key_of: Callable[[str], str] = str) -> str:
    """The words of a rule or a hint. `key_of` gives the file's key of an argument."""

    def written(part: Argument | Value | InPython) -> str:
        if isinstance(part, InPython):
            return ""
        return _argument(part, key_of) if isinstance(part, Argument) else _value(part.value)

    phrase = words if isinstance(words, Phrase) else Phrase(words)
    return Phrase(*(_prose(part) if isinstance(part, str) else part for part in phrase.parts)).written(written)


def in_yaml(error: Exception, key_of: Callable[[str], str] = str) -> str:
    """The message of an error about a file."""
    if not isinstance(error, Refusal):
        return _prose(str(error))
    name, bracket, path = error.argument.partition("[")
    got = error.got_in(lambda value: _argument(value, key_of) if isinstance(value, Argument) else _value(value))
    hint = words_in_yaml(error.shown_hint, key_of)
    return f"'{key_of(name)}{bracket}{path}' must be {words_in_yaml(error.rule, key_of)} (got {got})" + (f"; {hint}" if hint else "")


def _argument(argument: Argument, key_of: Callable[[str], str]) -> str:
    key = key_of(argument.name)
    return f"'{key}'" if argument.value is NOTHING else f"{key}: {_flow(argument.value)}"


def _prose(text: str) -> str:
    """The text with YAML in place of the Python in it."""
    parts, at = [], 0
    while found := re.compile(_CODE).search(text, at):
        end = _end(text, found.end())
        code = _of_code(text[found.end() : end])
        parts.append(_plain_words(text[at : found.start()]))
        parts.append(text[found.start() : end] if code is None else f"{found['name']}: {code}" if found["name"] else code)
        at = end
    return "".join([*parts, _plain_words(text[at:])])


def _plain_words(text: str) -> str:
    for pattern, words in _WORDS.items():
        text = re.sub(pattern, words, text)
    return text


def _end(text: str, start: int) -> int:
    """The end of the Python expression that starts there: of a literal, a name, or a bracket with its content."""
    first = re.compile(_LITERAL).match(text, start)
    if first is None:
        return start
    if first[0][-1] not in _CLOSING:
        return first.end()
    open_brackets, at = [first[0][-1]], first.end()
    while open_brackets and at < len(text):
        quoted = re.compile(r"'[^']*'|\"[^\"]*\"").match(text, at)
        if text[at] in _CLOSING:
            open_brackets.append(text[at])
        elif text[at] == _CLOSING[open_brackets[-1]]:
            open_brackets.pop()
        at = quoted.end() if quoted else at + 1
    return at


def _of_code(code: str) -> str | None:
    """The YAML of a Python expression; None for one that YAML has no notation for."""
    try:
        tree = ast.parse(re.sub(r"…(?=[,\])}=]|\Z)", _PLACEHOLDER, code), mode="eval").body
        return _of_node(tree)
    except (SyntaxError, ValueError):
        return None


def _of_node(node: ast.expr) -> str:
    if isinstance(node, ast.Dict):
        return _mapping({_of_node(key): _of_node(value) for key, value in zip(node.keys, node.values, strict=True) if key is not None})
    if isinstance(node, ast.Set):
        return f"{{{', '.join(map(_of_node, node.elts))}}}"
    if isinstance(node, ast.List | ast.Tuple):
        return f"[{', '.join(map(_of_node, node.elts))}]"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _mapping({node.func.id: _arguments(node.func.id, node)})
    if isinstance(node, ast.Name):
        return "…" if node.id == _PLACEHOLDER else node.id
    return _flow(ast.literal_eval(node))


def _arguments(name: str, call: ast.Call) -> str:
    given = [_of_node(each) for each in call.args]
    if given == ["…"] or (len(given) == 1 and not call.keywords):
        return given[0]
    names = list(inspect.signature(getattr(import_module(public_names("constructs_lib")[name]), name)).parameters) if given else []
    named = dict(zip(names, given, strict=False)) | {str(each.arg): _of_node(each.value) for each in call.keywords}
    return _mapping(named)


def _mapping(fields: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in fields.items())}}}"


def _value(value: object) -> str:
    """A refused or meant value: a text in quotes, so that its end shows."""
    return repr(str(value)) if isinstance(value, str) else _flow(value)


def _flow(value: object) -> str:
    """A value as YAML in one line."""
    if isinstance(value, Mapping):
        return _mapping({_flow(key): _flow(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, str):
        return str(value) if re.fullmatch(_PLAIN, value) else repr(str(value))
    text = repr(value)
    return text if isinstance(value, int | float) else _of_code(text) or text
