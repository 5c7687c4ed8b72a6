"""The scene of a rehearsal: everything that is applied, with the stand-ins for what does not run here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import stand_ins
from .classes import RehearsedNode
from .discovery import discovery
from .dra_driver import dra_driver
from .manifests import Manifest, label
from .subject import Subject


@dataclass(frozen=True)
class Scene:
    """The objects of the files, with those that the rehearsal adds."""

    objects: tuple[Manifest, ...]
    stand_ins: tuple[str, ...]
    """A sentence about each thing that was added."""
    with_discovery: bool = False
    """Whether the definitions of Node Feature Discovery are applied before the objects."""


def scene_of(subject: Subject, nodes: Sequence[RehearsedNode]) -> Scene:
    """The scene of a subject on its nodes."""
    classes = [each.nodes for each in nodes]
    plugins, sentences = stand_ins.plugins(subject, classes)
    tests = stand_ins.smoke_tests(classes) if classes else []
    found, about_discovery = discovery(subject.inputs)
    driver, about_driver = dra_driver(subject.inputs, classes)
    sentences += [*about_discovery, *about_driver]
    objects = [*subject.objects, *found, *plugins, *driver, *tests]
    missing = stand_ins.references(objects)
    spaces = stand_ins.namespaces([*objects, *missing])
    if missing:
        sentences.append(f"no file has {', '.join(map(label, missing))}: each gets the value 'rehearsal'")
    if spaces:
        sentences.append(f"no file has {', '.join(map(label, spaces))}: they are made without labels")
    return Scene((*objects, *missing, *spaces), tuple(sentences), bool(found))
