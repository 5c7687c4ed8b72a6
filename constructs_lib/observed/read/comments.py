"""The images that a file's comments give Renovate to watch: `# renovate: datasource=docker depName=ghcr.io/siderolabs/installer`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...upstream.talos.installer_images import PUBLISHED_INSTALLER
from ..model import WatchedImage

# Renovate's presets for comments, and the regular expressions of users, all read depName or packageName.
_COMMENT = re.compile(
    rf"(?:#|//)[ \t]*renovate:[^\n]*?\b(?:depName|packageName)=({re.escape(PUBLISHED_INSTALLER)})(?=[\s,;:]|$)", re.MULTILINE
)


def watched_images(text: str, file: str) -> Iterator[WatchedImage]:
    """The comments about Talos' published installer image. Most files do not name it."""
    if PUBLISHED_INSTALLER not in text:
        return
    for match in _COMMENT.finditer(text):
        place = (file, text.count("\n", 0, match.start()) + 1)
        yield WatchedImage(body={}, file=file, place_at=lambda _, place=place: place, image=match[1])  # type: ignore[misc]  # mypy infers no type for the default
