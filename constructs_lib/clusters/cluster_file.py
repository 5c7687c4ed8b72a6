"""The cluster file: its clusters, each with what all of them have in common, and the lines of its keys."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from ..arguments.errors import wrong, wrong_kind
from ..arguments.names import dns_label
from ..arguments.plain_values import mapping
from ..arguments.spelling import did_you_mean
from ..yaml.json_escapes import without_pairs
from ..yaml.kubernetes_yaml import documents, repeated_key
from ..yaml.limits import EVENTS
from .file_values import FileError, Path

OF_A_CLUSTER = ("name", "nodes", "charts", "talos")
"""The keys of a cluster; in `clusters`, each without its `name`."""
KEYS = (*OF_A_CLUSTER, "clusters", "delivery")
"""The keys of the file."""
_SUFFIX = r"(?i)\.(ya?ml|json)\Z"
LARGEST = 1_000_000
"""The most values of a file, once its aliases are expanded: those of a large fleet."""


@dataclass(frozen=True)
class ClusterFile:
    """A file that was read: its path, for errors, and its text."""

    path: str
    text: str

    def __post_init__(self) -> None:
        """Read a file in JSON as YAML."""
        if self.text.lstrip().startswith("{"):
            object.__setattr__(self, "text", without_pairs(self.text))

    def clusters(self, content: Mapping[str, Any] | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The name and the content of each cluster. `content` is the content of the file, where it was read already."""
        content = self.content() if content is None else content
        common = {key: value for key, value in content.items() if key in OF_A_CLUSTER and key != "name"}
        if "clusters" not in content:
            name = content["name"] if "name" in content else re.sub(_SUFFIX, "", re.split(r"[/\\]", self.path)[-1])
            yield _named(name, ("name",)), common
            return
        if "name" in content:
            raise FileError(
                ("name",), wrong("name", "left out of a file with 'clusters'", content["name"], "each key of 'clusters' is a name")
            )
        from .cluster_overrides import overridden  # a file with one cluster has no overrides

        clusters = _placed_mapping("clusters", content["clusters"], ("clusters",))
        if not clusters:
            raise FileError(("clusters",), wrong("clusters", "a mapping of names to what differs", clusters))
        for name, own in clusters.items():
            path: Path = ("clusters", name)
            given = {} if own is None else _placed_mapping("clusters", own, path)
            check_keys("a cluster", given, OF_A_CLUSTER[1:], path)
            yield _named(name, path), overridden(common, given)

    def content(self) -> Mapping[str, Any]:
        """The content of the file, with the keys that a cluster file has."""
        try:
            contents: list[Any] = list(documents(self.text, LARGEST))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = re.sub(r" '[^']*'", "", getattr(error, "problem", None) or "the text is no YAML")
            raise FileError(() if mark is None else (mark.line,), ValueError(problem)) from None
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise FileError((), ValueError("a value is not of the kind that its tag names, or a number is too long")) from None
        twice = repeated_key(self.text)
        if twice:
            words = f"'{twice[0]}' is in line {twice[1]} and again in line {twice[2]}"
            raise FileError((twice[2] - 1,), wrong("cluster", "YAML without duplicate keys", twice[0], words))
        if len(contents) != 1 or not isinstance(contents[0], Mapping):
            rule = "one document with the keys " + ", ".join(f"'{key}'" for key in KEYS)
            # No value is quoted: the file may be another one, with secrets.
            got = type(contents[0]).__name__ if len(contents) == 1 else f"{len(contents)} documents"
            raise FileError((), wrong_kind("cluster", rule, got, "see talos-gpu synth --help"))
        content = _placed_mapping("cluster", contents[0], ())
        check_cycles(content, (), [], set())
        check_keys("a cluster file", content, KEYS, ())
        return content

    def line(self, path: Path, cluster: str | None = None) -> int:
        """The line of a key, or of the nearest key above it. What a cluster says itself counts before what all clusters have in common."""
        if not path or (len(path) == 1 and isinstance(path[0], int)):  # the text may be no YAML
            return int(path[0]) + 1 if path else 1
        root = _composed(self.text)
        found = [_nearest(root, (*prefix, *path)) for prefix in ((("clusters", cluster),) if cluster else ())]
        found.append(_nearest(root, path))
        own = found[0][1] - 2 if cluster else found[0][1]
        return found[0][0] if own >= found[-1][1] or not cluster else found[-1][0]


@functools.lru_cache(1)
def _composed(text: str) -> Any:
    """The nodes of a text, for the lines of all its errors."""
    return yaml.compose(text, Loader=EVENTS)


def _nearest(node: Any, path: Path) -> tuple[int, int]:
    """The line of the deepest key of a path that the file has, and the number of its keys."""
    line, depth = 1, 0
    for step in path:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if str(key.value) == str(step)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            entry = (node.value[step], node.value[step])
        else:
            entry = None
        if entry is None:
            break
        line, node, depth = entry[0].start_mark.line + 1, entry[1], depth + 1
    return line, depth


def check_cycles(value: object, path: Path, above: list[object], seen: set[int]) -> None:
    """Refuse an alias inside of what its anchor names: the value has no end."""
    if any(value is each for each in above):
        raise FileError(path, wrong(str(path[-1]), "a value that does not contain itself", value, "write the value instead of the alias"))
    if not isinstance(value, dict | list) or id(value) in seen:
        return
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        check_cycles(each, (*path, key), [*above, value], seen)
    seen.add(id(value))


def check_keys(owner: str, given: Mapping[str, Any], known: tuple[str, ...], path: Path) -> None:
    """Refuse a key that the file has no meaning for."""
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(str(key), known) or "the keys are " + ", ".join(f"'{name}'" for name in known)
            raise FileError((*path, key), wrong_kind(str(key), f"a key of {owner}", value, hint))


def _placed_mapping(argument: str, value: object, path: Path) -> dict[str, Any]:
    try:
        return mapping(argument, value)
    except (TypeError, ValueError) as error:
        raise FileError(path, error) from None


def _named(name: object, path: Path) -> str:
    try:
        return dns_label("name", name)
    except (TypeError, ValueError) as error:
        raise FileError(path, error) from None
