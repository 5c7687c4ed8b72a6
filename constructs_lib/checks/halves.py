"""The halves of a contradiction: the places that a violation joins, what each says, and how its value came there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments.patterns import pattern
from ..observed.model import (
    ChartRelease,
    Inputs,
    KubernetesObject,
    NodeConfig,
    Path,
    Read,
    at,
    equals,
    is_unknown,
    known_str,
    mappings,
    question,
)
from ..observed.model.input_kinds import NodeTaint
from ..observed.model.stated_versions import KUBERNETES, TALOS, supporting
from ..observed.model.talos_documents import declared_taints, registered_taints
from ..observed.nodes.node_settings import gpu_node_configs, is_whole
from ..yaml.located import NO_LINE, steps_of
from .report_words import place
from .rule import Half, Part, Violation
from .secret_values import without_secrets

MOST = 5
"""A finding names so many other places."""
_LONGEST = 140
_FILES: Path = ("documents", 0, "machine", "files")
_PLAIN_KEY = pattern(r"[\w-]+")


@dataclass(frozen=True, kw_only=True, eq=False)
class Statement(Read):
    """A line that states something outside of the parts that rules see: the Talos version, or the first of two keys."""

    words: str

    @property
    def label(self) -> str:
        """The statement in words."""
        return self.words


def statement(file: str, line: int, words: str) -> Part:
    """A line of a file as a half of a contradiction."""
    return Statement(body={}, file=file, place_at=lambda _: (file, line), words=words), ()


@question
def _stated(inputs: Inputs) -> Mapping[str, tuple[Part, ...]]:
    versions = {TALOS: inputs.talos_version, KUBERNETES: inputs.kubernetes_version}
    found = {}
    for subject, version in versions.items():
        stated = [] if version is None else supporting(subject, f"{version}", inputs.stated_versions)
        lines = (statement(each.file, each.line, f"{subject.capitalize()} {each.version}") for each in stated if each.line is not None)
        found[subject] = tuple(lines)[:1]
    return found


def talos_of_nodes(inputs: Inputs, config: NodeConfig | None = None) -> tuple[Part, ...]:
    """The line that states the Talos of a node, or else of all nodes; nothing for a version from the user, which has no
    line."""
    if config is not None and isinstance(config.talos_version, str):
        return ((config, config.paths.get("talos_version", ())),)
    return _stated(inputs)[TALOS]


def kubernetes_of_nodes(inputs: Inputs) -> tuple[Part, ...]:
    """The line that states the version of Kubernetes."""
    return _stated(inputs)[KUBERNETES]


@question
def gpu_nodes_on_talos(inputs: Inputs) -> tuple[Part, ...]:
    """The proof that the GPU nodes run Talos: a configuration of one of them, or the line that states the version."""
    configs = gpu_node_configs(inputs)
    return ((configs[0], extensions_or_modules(configs[0])),) if configs else talos_of_nodes(inputs)


@question
def whole_gpu_node(inputs: Inputs) -> tuple[Part, ...]:
    """The files of the first whole configuration of a GPU node: a runtime that no file there adds, the node does not have."""
    return tuple((config, _FILES) for config in gpu_node_configs(inputs) if is_whole(config))[:1]


def extensions_or_modules(config: NodeConfig) -> Path:
    """The path that makes a node one with NVIDIA's cards: the extensions of its image, or the modules that it loads."""
    return config.paths.get("extensions") or config.paths.get("kernel_modules") or ()


def taint_path(about: Read, taint: NodeTaint) -> Path:
    """The path of a taint in a Node, or in the configuration of a node."""
    if not isinstance(about, NodeConfig):
        listed = mappings(about.at("spec", "taints"))
        number = next((index for index, each in listed if at(each, "key") == taint.key and at(each, "effect") == taint.effect), None)
        return ("spec", "taints") if number is None else ("spec", "taints", number)
    documents = about.at("documents")
    declared = (((*path, each.key), each) for path, each in declared_taints(documents))
    places = (
        path
        for path, each in (*declared, *registered_taints(documents))
        if all(equals(*pair).is_yes for pair in zip(each, taint, strict=True))
    )
    return ("documents", *next(places, ()))


def label_setters(inputs: Inputs, key: str, value: str) -> tuple[Part, ...]:
    """The node configurations and Nodes that set a label."""
    configs = (((each, (*each.paths.get("labels", ()), key)), at(each.labels, key)) for each in inputs.node_configs)
    nodes = (((each, ("metadata", "labels", key)), each.at("metadata", "labels", key)) for each in inputs.of_kind("Node"))
    parts: Iterable[tuple[Part, Any]] = (*configs, *nodes)
    return tuple(part for part, written in parts if equals(written, value).is_yes)


def halves_of(found: Violation, inputs: Inputs, *, is_of_talos: bool) -> tuple[Half, ...]:
    """The place of a violation, then the others, each once. A rule about certain releases of Talos has the Talos as a
    half, too."""
    about = found.about
    stated = talos_of_nodes(inputs, about if isinstance(about, NodeConfig) else None) if is_of_talos else ()
    halves = {_key(part): part for part in ((about, found.path), *found.related[:MOST], *stated)}
    return tuple(_half(part, inputs) for part in halves.values())


def _key(part: Part) -> object:
    return id(part[0]), part[1]


def _half(part: Part, inputs: Inputs) -> Half:
    about, path = part
    where = about.place_at(path)
    return Half(
        file=where[0] or about.file,
        line=where[1] or None,
        text=without_secrets(_words(about, path), inputs),
        origin=tuple(_origin(about, path)),
    )


def _origin(about: Read, path: Path) -> Iterator[str]:
    """How a value came to its place: also as a part of a value that replaced another one."""
    where = about.place_at(path)
    around = (about.place_at(path[:depth]) for depth in range(len(path), -1, -1))
    for how, (file, line) in next((steps for each in around if each[0] == where[0] and (steps := steps_of(each))), ()):
        yield f"{how} {place(file, line if line != NO_LINE else None)}"
    if where[0] not in (None, about.file):
        yield f"is set for {about.label} in {place(about.file, about.line_of(()))}"


def _words(about: Read, path: Path) -> str:
    """A part in words: its name, the path, and the value if it is short and no secret."""
    name = about.label or about.file
    if not path:
        return name
    value = _value(about, path)
    if value is None:
        default = ", so the chart's default decides" if isinstance(about, ChartRelease) else ""
        return f"{name} {_written(about, path)} is not set{default}"
    is_secret = isinstance(about, KubernetesObject) and about.kind == "Secret"
    text = "" if is_secret else _flow(value)
    return f"{name} {_written(about, path)}" + (f": {text}" if 0 < len(text) <= _LONGEST and "\n" not in text else "")


def _value(about: Read, path: Path) -> Any:
    """The value at a path, of a release also one that another file gives."""
    if isinstance(about, ChartRelease) and path[: (depth := len(about.values_path))] == about.values_path:
        return at(about.given, *path[depth:])
    return about.at(*path)


def _written(about: Read, path: Path) -> str:
    """The path as Kubernetes writes one: `metadata.labels['nvidia.com/gpu.present']`, `spec.taints[0]`. A document of
    Talos has its kind before it."""
    if isinstance(about, NodeConfig) and path[0] == "documents":
        kind = known_str(about.at(*path[:2], "kind"))
        path = (*([kind] if kind else []), *path[2:])
    keys = (f"[{key}]" if isinstance(key, int) else f".{key}" if _PLAIN_KEY.fullmatch(f"{key}") else f"['{key}']" for key in path)
    return "".join(keys).removeprefix(".")


def _flow(value: Any) -> str:
    """The value in one line as YAML has it; a text that is too long for values with much in them."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_flow(item)}' for key, item in value.items())}}}" if len(value) <= MOST else " " * (_LONGEST + 1)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]" if len(value) <= MOST else " " * (_LONGEST + 1)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return "…" if is_unknown(value) else f"{value}"
