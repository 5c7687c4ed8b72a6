"""`RegistryMap`: the registries and repositories of images, each with the place of its copy."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..arguments.errors import wrong
from ..arguments.names import ImageParts, image_reference, split_name
from ..arguments.plain_values import mapping
from ..upstream.kubernetes.registries import DOCKER_HUB, DOCKER_HUB_BEFORE, is_registry, split_reference

_SHOWN = "a registry or a repository, such as 'nvcr.io' or 'nvcr.io/nvidia'"
_TARGET = "a registry with or without a folder, such as 'registry.home.arpa/nvcr'"


class RegistryMap:
    """A checked mapping from registries and repositories to the places of their copies. The longest matching key wins.

    Example:
        >>> registries = RegistryMap("registries", {"docker.io": "registry.home.arpa/hub", "busybox": "registry.home.arpa/tools/busybox"})
        >>> registries.moved("busybox:1.37"), registries.moved("ollama/ollama:0.32.15")
        ('registry.home.arpa/tools/busybox:1.37', 'registry.home.arpa/hub/ollama/ollama:0.32.15')
    """

    def __init__(self, argument: str, value: object) -> None:
        """Check every key and target, and refuse two spellings of one key, and a loop."""
        self.argument = argument
        given = mapping(argument, value, "a mapping from registries to the places of their copies")
        if not given:
            raise wrong(argument, "a mapping with at least one registry", {}, "such as {'nvcr.io': 'registry.home.arpa/nvcr'}")
        self.targets: dict[str, str] = {}
        written: dict[str, str] = {}
        for key, target in given.items():
            place = f"{argument}[{key}]"
            name = _name(argument, key, _SHOWN)
            if name in written:
                raise wrong(argument, "a mapping with one spelling of each key", key, f"{written[name]!r} is the same: {name}")
            written[name] = key
            self.targets[name] = _target(place, target)
        for name, target in self.targets.items():
            further = self._replaced(target)
            if further not in (None, target):
                hint = f"{written[name]!r} goes to {target!r}, which itself goes to {further!r}"
                raise wrong(argument, "a mapping without a loop: no copy is below a key", given, hint)

    def moved(self, written: str) -> str | None:
        """The reference of the copy of an image, with its tag and digest. None for an image without an entry.

        An image that is below a target is its own copy. A variable in the tag, such as `${TAG}`, stays.
        """
        reference = split_reference(written)
        if ImageParts.parse(reference.repository) is None:
            return None
        name = "/".join(split_name(reference.repository))
        if self.holds(name):
            return written
        replaced = self._replaced(name)
        return None if replaced is None else f"{replaced}{reference.suffix}"

    def holds(self, name: str) -> bool:
        """Whether a whole name is below the target of an entry."""
        return any(_is_below(name, target) for target in self.targets.values())

    def check(self, images: Iterable[str]) -> None:
        """Refuse images without an entry, all in one error, and two different images with one copy."""
        images = list(images)
        missing = list(dict.fromkeys(image for image in images if self.moved(image) is None))
        if missing:
            registries = sorted({parts.registry for image in missing if (parts := ImageParts.parse(image.partition("$")[0].rstrip(":")))})
            added = f"add {', '.join(map(repr, registries))} for " if registries else "these are no image references: "
            raise wrong(self.argument, "a mapping with an entry for every image", self.targets, added + ", ".join(missing))
        self._check_apart(images)

    def _check_apart(self, images: Iterable[str]) -> None:
        """Refuse two images with one copy: a pod would run the other image. Images of one digest are one image."""
        originals: dict[str, str] = {}
        for image in images:
            whole, copy = _whole(image), _whole(self.moved(image) or image)
            other = originals.setdefault(copy, whole)
            if other != whole and "@" not in copy:
                hint = f"{other} and {whole} would both be {copy}; give each registry a folder of its own"
                raise wrong(self.argument, "a mapping that keeps different images apart", self.targets, hint)

    def _replaced(self, name: str) -> str | None:
        key = max((key for key in self.targets if _is_below(name, key)), key=len, default=None)
        return None if key is None else self.targets[key] + name.removeprefix(key)


def _whole(image: str) -> str:
    """A reference with its implied parts. A reference with a variable stays as it is written."""
    return str(ImageParts.parse(image) or image)


def _is_below(name: str, place: str) -> bool:
    return name == place or name.startswith(f"{place}/")


def _name(argument: str, key: str, rule: str) -> str:
    """The whole name of a key: of a registry, or of a repository with its implied parts."""
    _check_form(argument, key, rule)
    if "/" not in key and (is_registry(key) or re.fullmatch(r"[^/]+:\d+", key)):
        return DOCKER_HUB if key == DOCKER_HUB_BEFORE else key
    if re.search(r":[^/]*$", key) or "@" in key:
        raise wrong(argument, rule, key, "leave the tag and the digest out: every image keeps its own")
    image_reference(argument, key)
    return "/".join(split_name(key))


def _target(argument: str, target: object) -> str:
    if not isinstance(target, str):
        raise wrong(argument, _TARGET, target)
    _check_form(argument, target, _TARGET)
    first = target.partition("/")[0]
    if not is_registry(first):
        raise wrong(
            argument, _TARGET, target, f"{first!r} would be a folder of {DOCKER_HUB}; a registry has a dot or a port, or is localhost"
        )
    if "@" in target or re.search(r"/[^/]*:[^/]*$", target):
        raise wrong(argument, _TARGET, target, "leave the tag and the digest out: every image keeps its own")
    image_reference(argument, f"{target}/image")
    return target


def _check_form(argument: str, written: str, rule: str) -> None:
    scheme, separator, rest = written.rpartition("://")
    if separator:
        raise wrong(argument, rule, written, f"did you mean {rest!r}? An image has no {scheme}://")
    if not written or written != written.strip("/") or re.search(r"\s|//", written):
        tidy = re.sub(r"/+", "/", written.strip().strip("/"))
        raise wrong(argument, rule, written, f"did you mean {tidy!r}?" if tidy and tidy != written else "")


def read_registries(argument: str, text: str) -> RegistryMap:
    """The mapping in the text of a YAML file."""
    from ..yaml.load import YamlError, complaint, handwritten

    rule = "YAML with one mapping from registries to the places of their copies"
    try:
        found = handwritten(text)
    except YamlError as error:
        raise wrong(argument, rule, text[:40], complaint(error)) from None
    if len(found) != 1:
        raise wrong(argument, rule, text[:40], f"it has {len(found)} documents")
    return RegistryMap(argument, found[0].value)
