"""The parts of a tree: its objects as plain data, and the parts that were not read, each with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..observed.model import ChartRelease, Inputs, KubernetesObject
from ..observed.read.files import AN_ARCHIVE
from ..observed.read.live_files import LEFT_OUT, NOT_DEPLOYED
from .plain_objects import Identity, PlainObject, UnreadError, plain_object

OF_NVIDIA = re.compile(r"nvidia|dcgm", re.IGNORECASE)
_UNDEPLOYED = (LEFT_OUT, NOT_DEPLOYED, AN_ARCHIVE)


@dataclass
class TreeParts:
    """The objects of a tree, and what was not read of it."""

    objects: list[PlainObject] = field(default_factory=list)
    left: list[tuple[str, str, str]] = field(default_factory=list)
    """The parts that were not read: the label, the place and the reason."""
    undeployed: list[tuple[str, str]] = field(default_factory=list)
    """The files that speak of GPUs and that nothing deploys, each with the reason."""


def tree_parts(inputs: Inputs) -> TreeParts:
    """The parts of a tree. An object that was not read is named if it speaks of GPUs, and a reference always: nobody knows what it holds."""
    parts = TreeParts()
    seen: set[Identity] = set()
    for read in sorted(inputs.objects, key=lambda read: (read.file, read.line_of(()) or 0)):
        try:
            each = plain_object(read)
        except UnreadError as error:
            if OF_NVIDIA.search(f"{read.label} {read.file}"):
                parts.left.append((read.label, place(read), str(error)))
            continue
        if each.identity in seen:
            if OF_NVIDIA.search(each.text):
                parts.left.append((each.label, place(read), "the tree has an object of this name twice; the file has the first one"))
            continue
        seen.add(each.identity)
        parts.objects.append(each)
    for read in inputs.of_unknown_kind:
        parts.left.append((read.label, place(read), "its kind can't be read"))
    for skipped in inputs.skipped:
        if skipped.names_nvidia and skipped.reason in _UNDEPLOYED:
            parts.undeployed.append((skipped.file, skipped.reason))
        elif skipped.names_nvidia or skipped.is_reference:
            parts.left.append((skipped.file, f"{skipped.file}:{skipped.line or 1}", f"it was not read: {skipped.reason}"))
    return parts


def place(read: KubernetesObject | ChartRelease) -> str:
    """The file and the line of an object or a release."""
    return f"{read.file}:{read.line_of(()) or 1}"
