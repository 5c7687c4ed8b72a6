"""The settings file: the check and the JSON Schema of each key, and the text read into `Settings`. An error names the
line."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments.errors import Refusal, in_file, wrong, wrong_kind
from ..arguments.names import dns_subdomain, label_key, label_value
from ..arguments.patterns import pattern
from ..arguments.plain_values import instance, mapping, text
from ..arguments.spelling import did_you_mean
from ..nodes.file_classes import CLASS_KEYS
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import nodes_of_file
from ..nodes.talos_version import TalosVersion
from ..observed.model import Path as KeyPath
from ..observed.read.version_sources import plain_version
from ..yaml.load import YamlError, complaint, handwritten
from ..yaml.located import Document, place_of
from .engine import is_reason, known
from .rule import FAIL_ON
from .rules import RULES
from .settings import MOST_IGNORES, MOST_ROOTS, Ignore, Settings

Json = Mapping[str, Any]


class Key(NamedTuple):
    """A key of the settings. `attribute` is its name in `Settings`, and `read` checks a value, given with the name of
    the key."""

    attribute: str
    read: Callable[[str, Any], Any]
    schema: Json


def check_keys(given: Mapping[str, Any], keys: Mapping[str, object], owner: str, before: str = "") -> None:
    """Refuse a key that is not one of these. `before` is the beginning of the argument's name."""
    for name in given:
        if name not in keys:
            hint = did_you_mean(name, keys) or f"the keys are {', '.join(keys)}"
            raise wrong(f"{before}{name}", f"a key of {owner}", "", hint)


def _kubernetes(argument: str, value: Any) -> str:
    rule = "a Kubernetes version such as '1.35'"
    hint = "put the version in quotes" if isinstance(value, float) else ""
    version = plain_version(instance(argument, value, str, rule, hint))
    if not version:
        raise wrong(argument, rule, value)
    return version


def _path_below(argument: str, value: Any) -> str:
    """A path that does not leave the folder of the settings: a settings file of somebody else reads no file of this
    machine."""
    rule = "a path below the folder of the settings"
    path = posixpath.normpath(text(argument, value, rule))
    if path.startswith("/") or path.split("/")[0] == "..":
        raise wrong(argument, rule, value)
    return path


def _paths(argument: str, value: Any) -> tuple[str, ...]:
    """A folder, or the folders of one cluster."""
    if isinstance(value, str):
        return (_path_below(argument, value),)
    folders = _filled(argument, value, "a folder, or a list of folders")
    if len(folders) > MOST_ROOTS:
        raise wrong(argument, f"a list of at most {MOST_ROOTS} folders", "", f"the list has {len(folders)}")
    return tuple(dict.fromkeys(_path_below(f"{argument}[{number}]", each) for number, each in enumerate(folders)))


def _filled(argument: str, value: Any, rule: str) -> list[Any]:
    entries: list[Any] = instance(argument, value, list, rule)
    if not entries:
        raise wrong(argument, rule, value)
    return entries


def _roots(argument: str, value: Any) -> tuple[tuple[str, ...], ...]:
    entries = instance(argument, value, list, "a list of folders")
    if len(entries) > MOST_ROOTS:
        raise wrong(argument, f"a list of at most {MOST_ROOTS} clusters", "", f"the list has {len(entries)}")
    roots = tuple(_paths(f"{argument}[{number}]", each) for number, each in enumerate(entries))
    first: dict[frozenset[str], int] = {}
    for number, root in enumerate(roots):
        if (earlier := first.setdefault(frozenset(root), number)) != number:
            raise wrong(f"{argument}[{number}]", "another cluster than the others", "", f"{argument}[{earlier}] has the same folders")
    return roots


_IGNORE = {
    "rule": {"enum": sorted(RULES), "description": "The id of the rule."},
    "path": {
        "type": "string",
        "description": "A file, a folder or a glob (* in a name, ** for folders), from the folder of this file on. Default: everywhere.",
    },
    "reason": {"type": "string", "minLength": 1, "description": "The reason, which the report repeats."},
}


def _ignore(argument: str, value: Any) -> tuple[Ignore, ...]:
    entries = instance(argument, value, list, "a list of mappings with a rule and a reason")
    if len(entries) > MOST_IGNORES:
        raise wrong(argument, f"a list of at most {MOST_IGNORES} entries", "", f"the list has {len(entries)}; silence a folder or a glob")
    return tuple(_entry(f"{argument}[{number}]", each) for number, each in enumerate(entries))


def _entry(argument: str, value: Any) -> Ignore:
    given = mapping(argument, value, "a mapping with a rule and a reason")
    check_keys(given, _IGNORE, "an ignore", f"{argument}.")
    rule = text(f"{argument}.rule", given.get("rule"), "a rule's id, such as 'TG007'")
    known(f"{argument}.rule", [rule])
    needed = "a sentence that says why the rule is silenced"
    reason = text(f"{argument}.reason", given.get("reason"), needed)
    if not is_reason(reason):
        raise wrong(f"{argument}.reason", needed, reason)
    return Ignore(rule=rule, reason=reason.strip(), path=_path_below(f"{argument}.path", given["path"]) if "path" in given else "")


def _labels(argument: str, value: Any) -> dict[str, frozenset[str]]:
    pairs = mapping(argument, value, "a mapping of label keys to a value or a list of values")
    return {label_key(argument, key): frozenset(_values(f"{argument}[{key}]", each)) for key, each in pairs.items()}


def _values(argument: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        return [label_value(argument, value)]
    return [
        label_value(f"{argument}[{number}]", each) for number, each in enumerate(_filled(argument, value, "a value, or a list of values"))
    ]


def _names(argument: str, value: Any) -> tuple[str, ...]:
    entries = instance(argument, value, list, "a list of names of RuntimeClasses")
    return tuple(dns_subdomain(f"{argument}[{number}]", each) for number, each in enumerate(entries))


def _nodes(argument: str, value: Any) -> tuple[GpuNodes, ...] | str:
    if isinstance(value, str):
        return _path_below(argument, value)
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, "the path of a cluster file, or the nodes of a cluster file", value)
    return tuple(nodes_of_file(value))


def _fail_on(argument: str, value: Any) -> str:
    rule = f"one of {', '.join(map(repr, FAIL_ON))}"
    if instance(argument, value, str, rule) not in FAIL_ON:
        raise wrong(argument, rule, value, did_you_mean(value, FAIL_ON))
    return str(value)


_TEXT: Json = {"type": "string", "minLength": 1}
_TEXTS: Json = {"type": "array", "items": _TEXT, "minItems": 1}
_CLASS: Json = {"type": ["object", "null"], "additionalProperties": False, "properties": dict.fromkeys(CLASS_KEYS, True)}


def _key(attribute: str, read: Callable[[str, Any], Any], description: str, **schema: Any) -> Key:
    return Key(attribute, read, {**schema, "description": description})


_VERSION: Json = {"type": "string", "pattern": r"^v?1\.\d+"}
_IGNORES: Json = {"type": "object", "required": ["rule", "reason"], "additionalProperties": False, "properties": _IGNORE}
_LABEL: Json = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
_ROOTS = "The clusters of the repository, each a folder or a list of folders. Each cluster is checked by itself."
_OUTSIDE = "Node labels from outside of the repository: each key with its value or its values."
_CLASSES = "The nodes with GPUs, as a cluster file has them, or the path of a cluster file."

KEYS: Mapping[str, Key] = {
    "talos": _key("talos", TalosVersion.parse, "The Talos version of the nodes, in quotes, such as '1.13'.", **_VERSION),
    "kubernetes": _key("kubernetes", _kubernetes, "The Kubernetes version of the cluster, in quotes, such as '1.35'.", **_VERSION),
    "roots": _key("roots", _roots, _ROOTS, type="array", maxItems=MOST_ROOTS, items={"anyOf": [_TEXT, _TEXTS]}),
    "ignore": _key(
        "ignore", _ignore, "The rules that are silenced, each with its reason.", type="array", maxItems=MOST_IGNORES, items=_IGNORES
    ),
    "labels": _key("labels", _labels, _OUTSIDE, type="object", additionalProperties=_LABEL),
    "runtimeClasses": _key("runtime_classes", _names, "RuntimeClasses from outside of the repository.", type="array", items=_TEXT),
    "nodes": _key("nodes", _nodes, _CLASSES, anyOf=[_TEXT, {"type": "object", "additionalProperties": _CLASS, "minProperties": 1}]),
    "failOn": _key("fail_on", _fail_on, "The least severity that makes the exit status 1. Default: error.", enum=list(FAIL_ON)),
}
"""The keys of the settings file."""


def schema() -> dict[str, Any]:
    """The JSON Schema of the settings file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The settings of talos-gpu check: .talos-gpu.yaml",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {name: key.schema for name, key in KEYS.items()},
    }


_RULE = "a mapping in YAML, such as talos: '1.13'"
_PART = pattern(r"\[([^\]]*)\]|\.?([^.\[]+)")


def read_settings(text: str, *, file: str, folder: Path) -> Settings:
    """The settings in a text. `file` is its name in reports, and `folder` the folder of the settings' paths.

    Raises:
        ValueError: `.talos-gpu.yaml:7: 'ignore[0].reason' must be …`, without the refused value, which may be a secret
        of another file.
    """
    document = _document(text, file)
    given = _mapping(document.value, file)

    def line_of(path: KeyPath) -> int:
        return place_of(document.value, path, document.place)[1]

    attributes: dict[str, Any] = {}

    def lines_of(name: str) -> tuple[int, ...]:
        return tuple(line_of((name, number)) for number in range(len(attributes.get(name, ()))))

    name = ""
    try:
        check_keys(given, KEYS, "the settings")
        for name, entry in given.items():
            own = {"talos": given.get("talos"), "nodes": entry} if name == "nodes" and isinstance(entry, Mapping) else entry
            attributes[KEYS[name].attribute] = KEYS[name].read(name, own)
    except Refusal as error:
        path = _path_of(error.argument)
        raise in_file(f"{file}:{line_of(path if name in ('', path[0]) else (name, *path))}", error) from None
    return Settings(
        file=file,
        folder=folder,
        lines={name: line_of((name,)) for name in given},
        ignore_lines=lines_of("ignore"),
        root_lines=lines_of("roots"),
        **attributes,
    )


def _document(text: str, file: str) -> Document:
    """The only document in the text; one without a value for an empty text."""
    try:
        found = handwritten(text)
    except YamlError as error:
        raise in_file(file, wrong("settings", _RULE, "", complaint(error))) from None
    if len(found) > 1:
        raise in_file(file, wrong_kind("settings", "one document", "", f"the file has {len(found)}"))
    return found[0] if found else Document(None, (file, 1))


def _mapping(content: Any, file: str) -> dict[str, Any]:
    try:
        return mapping("settings", content or {}, _RULE)
    except Refusal as error:
        raise in_file(file, error) from None


def _path_of(argument: str) -> KeyPath:
    """The path of an argument such as `ignore[0].reason` in the file."""
    parts = (match[1] if match[1] is not None else match[2] for match in _PART.finditer(argument))
    return tuple(int(part) if part.isdecimal() else part for part in parts)
