"""The images that the inputs want: a table for people, JSON, and a list for the tools that copy images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arguments.names import ImageParts
from ...arguments.printable import json_text, printable
from ...manifests.image_digests import ImageCopies
from ...observed.images.image_fields import UnreadImages, WantedImage
from ...observed.images.wanted_images import wanted_images
from ...observed.model import Inputs
from ..report_words import count, place

OWN_IMAGES = "Not listed: the images of Kubernetes itself, which `talosctl image default` lists"
"""The images that no input names."""


def image_names(inputs: Inputs) -> tuple[str, ...]:
    """Each image once."""
    return tuple(dict.fromkeys(f"{each.image}" for each in wanted(inputs)))


def wanted(inputs: Inputs) -> list[WantedImage]:
    """The images that are known."""
    return [each for each in wanted_images(inputs) if isinstance(each, WantedImage)]


def unknown_sentences(inputs: Inputs) -> list[str]:
    """A sentence about each place whose images are not known, and about each file that was not read."""
    places = [
        f"{place(*each.place)}: {each.about.label}: {each.reason}" for each in wanted_images(inputs) if isinstance(each, UnreadImages)
    ]
    skipped = [f"{place(each.file, each.line)} was not read: {each.reason}" for each in inputs.skipped]
    return [printable(each) for each in dict.fromkeys([*places, *skipped])]


def image_table(inputs: Inputs, copies: ImageCopies) -> str:
    """A block for each image: its name, its copy, and who wants it."""
    lines: list[str] = []
    for image, users in _by_image(wanted(inputs)):
        lines.append(copies.pinned(f"{image}") + (f" -> {copies.moved(f'{image}')}" if copies.registries else ""))
        places = [(each.wanted_by, place(*each.place)) for each in users]
        width = max(len(wanted_by) for wanted_by, _ in places)
        lines += dict.fromkeys(f"  {wanted_by.ljust(width)}  {where}" for wanted_by, where in places)
    unknown = unknown_sentences(inputs)
    total = count(len(image_names(inputs)), "image")
    ending = ["", f"{total}; of {count(len(unknown), 'place')} the images are not known" if unknown else total, OWN_IMAGES]
    return "".join(
        f"{printable(line) if line.strip() else ''}\n" if not line.startswith("  ") else f"  {printable(line[2:])}\n"
        for line in [*lines, *ending]
    )


def image_json(inputs: Inputs, copies: ImageCopies) -> str:
    """The images and the unknown places for programs."""
    return json_text({"images": [_row(image, users, copies) for image, users in _by_image(wanted(inputs))], "unknown": _unknown(inputs)})


def image_lines(inputs: Inputs, copies: ImageCopies) -> str:
    """One image a line, and behind it its copy."""
    names = image_names(inputs)
    return "".join(f"{copies.pinned(image)}" + (f" {copies.moved(image)}" if copies.registries else "") + "\n" for image in names)


def _by_image(images: Sequence[WantedImage]) -> Iterator[tuple[ImageParts, list[WantedImage]]]:
    groups: dict[str, list[WantedImage]] = {}
    for each in images:
        groups.setdefault(f"{each.image}", []).append(each)
    return ((users[0].image, users) for users in groups.values())


def _row(image: ImageParts, users: Sequence[WantedImage], copies: ImageCopies) -> dict[str, Any]:
    return {
        "image": copies.pinned(f"{image}"),
        **({"mirror": copies.moved(f"{image}")} if copies.registries else {}),
        "registry": image.registry,
        "path": image.path,
        "tag": image.tag or None,
        "digest": image.digest or copies.digest_of(f"{image}") or None,
        "wanted_by": [
            {"name": each.about.label, "part": each.part, "written": each.written, "file": each.place[0], "line": each.place[1]}
            for each in users
        ],
    }


def _unknown(inputs: Inputs) -> list[dict[str, Any]]:
    places = [
        {"name": each.about.label, "reason": each.reason, "file": each.place[0], "line": each.place[1]}
        for each in wanted_images(inputs)
        if isinstance(each, UnreadImages)
    ]
    return [*places, *({"name": None, "reason": each.reason, "file": each.file, "line": each.line} for each in inputs.skipped)]
