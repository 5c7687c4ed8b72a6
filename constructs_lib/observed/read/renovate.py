"""Renovate's configuration of a repository: whether it has our preset, which takes comments about Talos' published
installer image for comments about the releases of the Image Factory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...arguments.patterns import pattern
from ..model import WatchedImage, at, known_list, known_str
from .files import Files, absolute, exists, is_file

# Renovate reads the first of these files that exists.
_NAMES = (
    *(f"{stem}{end}" for stem in ("renovate", ".github/renovate", ".gitlab/renovate") for end in (".json", ".jsonc", ".json5")),
    *(f".renovaterc{end}" for end in ("", ".json", ".jsonc", ".json5")),
)
"""Source: renovatebot/renovate lib/config/app-strings.ts at 44.121.2 (2026-11-28)"""
_PRESET = pattern(r"[\w-]+>\S+/cdk8s-nvidia-talos//renovate/default(?:\.json5?)?(?:#\S+)?")
# A string of JSON5, or a comment.
_STRING_OR_COMMENT = pattern(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)


def watched_images(files: Files) -> Iterator[WatchedImage]:
    """The images of the comments that were read, without those that our preset replaces. The preset leaves the tag of
    an image as it is."""
    known: dict[Path, bool] = {}
    for each in files.watched:
        roots = [] if each.is_tag else _roots(absolute(Path(each.file)), files)
        for root in roots:
            if root not in known:
                known[root] = _has_preset(root, files)
        if not any(known[root] for root in roots):
            yield each


def _roots(file: Path, files: Files) -> list[Path]:
    """The root of the file's git repository, and the folders of the user that contain the file."""
    git = next((above for above in file.parents if exists(above / ".git")), None)
    return [*([git] if git else []), *(above for above in file.parents if above in files.given_folders)]


def _has_preset(root: Path, files: Files) -> bool:
    from ...yaml.load import YamlError, loaded  # only a repository with such a comment needs it

    path = next((path for name in _NAMES if is_file(path := root / name)), None)
    if path is None:
        return False
    text = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", files.text(path, is_yaml=False))
    try:
        documents = loaded(text.expandtabs())
    except YamlError:
        return False
    extends = [known_str(each) for document in documents for each in known_list(at(document.value, "extends"))]
    return any(each is not None and _PRESET.fullmatch(each) for each in extends)
