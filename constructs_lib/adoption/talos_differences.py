"""The differences between the node configurations of a tree and the Talos files of its cluster file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..observed.agents.operators import operators
from ..observed.model import NodeConfig
from ..observed.read.repository import read_text
from ..upstream.nvidia.gpu_resources import PRESENT_LABEL
from ..upstream.talos.platforms import Arch
from .adopted_cluster import Adoption
from .equivalence import Change
from .node_classes import ABOUT_GPUS
from .plain_objects import Path
from .talos_arguments import is_hidden
from .talos_settings import ARGUMENTS, EXTENSIONS, FILES, IMAGE, LABELS, MODULES, REST, SCHEMATIC, Settings, installed_image, node_settings

BY_CONSTRUCT, STAYS, NOT_UNDERSTOOD = "by the construct", "stays in its file", "not understood"
_NAMED = (EXTENSIONS, ARGUMENTS, MODULES)
"""The sections whose items are names."""


def talos_differences(adoption: Adoption) -> Iterator[tuple[str, str, str, str, int]]:
    """The differences of the settings that node configurations state: the explanation, what it is about, the words, the file and the line. Equal differences of several nodes are one line."""
    lines: dict[tuple[str, Path, str], list[NodeConfig]] = {}
    if not adoption.talos:
        return  # a note says why the file has no Talos files
    by_operator: set[Path] = {(LABELS, PRESENT_LABEL)} if operators(adoption.inputs) else set()
    for given, configs in zip(adoption.nodes.classes, adoption.nodes.configs, strict=True):
        entry = next((each for each in adoption.talos if each.get("nodes") == given.get("name")), {})
        made = _made(adoption.files, f"{given['name']}-" if "name" in given else "", entry)
        for config in configs:
            for line in _of_config(config, made, has_target="omni" in entry, by_operator=by_operator):
                lines.setdefault(line, []).append(config)
    for (explanation, path, words), configs in lines.items():
        labels = ", ".join(dict.fromkeys(each.label for each in configs))
        where = f" {'.'.join(map(str, path))}" if path else ""
        yield explanation, f"{labels}{where}", words, configs[0].file, configs[0].line_of(()) or 1


def _made(files: Mapping[str, str], prefix: str, entry: Mapping[str, Any]) -> Settings:
    """The settings in the Talos files of a class."""
    made: Settings = {(IMAGE, "arch"): entry.get("arch", str(Arch.AMD64))}
    for name in ("schematic.yaml", "machine-config.yaml"):
        for config in read_text(files.get(f"talos/{prefix}{name}", "")).node_configs:
            made.update(node_settings(config))
    return {**made, **installed_image(files.get(f"talos/{prefix}installer-image.txt", ""))}


def _of_config(config: NodeConfig, made: Settings, *, has_target: bool, by_operator: set[Path]) -> Iterator[tuple[str, Path, str]]:
    theirs = node_settings(config)
    sections = {path[0] for path in theirs} - {IMAGE, REST}
    stays: list[str] = []
    for path in dict.fromkeys([*theirs, *(path for path in made if path[0] in sections)]):
        change = Change(path, theirs.get(path), made.get(path))
        if change.theirs == change.ours:
            continue
        if path[0] == REST or (change.ours is None and _stays(path, config)):
            stays.append(".".join(map(str, path if path[0] != REST else path[1:])))
        else:
            explanation = BY_CONSTRUCT if change.theirs is None or path in by_operator else NOT_UNDERSTOOD
            yield explanation, path[:1] if path[0] in _NAMED else path, _words(change)
    if stays or (config.scope != "patch" and not has_target):
        others = f"; only this file says {', '.join(stays)}" if stays else ""
        yield STAYS, (), f"the schematic and the patch of the cluster file are merged into this file{others}"


def _stays(path: Path, config: NodeConfig) -> bool:
    """Whether a configuration keeps a setting beside the patch: a file, or a label that is not of the class of nodes."""
    return path[0] == FILES or (path[0] == LABELS and (config.scope != "patch" or not ABOUT_GPUS.search(str(path[1]))))


def _words(change: Change) -> str:
    """The change in words, without values that may be credentials."""
    if change.path[0] in (SCHEMATIC, FILES):
        return "the value is left out" if change.ours is None else "another value is written"
    if change.path[0] not in _NAMED:
        return change.words
    name = str(change.path[1])
    name = name.partition("=")[0] if change.path[0] == ARGUMENTS and is_hidden(name) else name
    if change.theirs is None or change.ours is None:
        return f"{name} is {'added' if change.theirs is None else 'left out'}"
    return f"the parameters of {name}: {change.words}"
