"""Comments of a file: those that silence rules (`# talos-gpu: ignore TG007 kubectl sets the label`), and those that
give Renovate an image to watch (`# renovate: datasource=docker depName=ghcr.io/siderolabs/installer`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...upstream.talos.installer_images import PUBLISHED_INSTALLER
from ..model import WatchedImage

_MARK = "talos-gpu:"
_SILENCED = re.compile(r"#\s*talos-gpu:\s*ignore\s+(TG\d+(?:\s*,\s*TG\d+)*)\s*(.*)")
# Renovate's presets for comments, and the regular expressions of users, all read depName or packageName.
_WATCHED = re.compile(
    rf"(?:#|//)[ \t]*renovate:[^\n]*?\b(?:depName|packageName)=({re.escape(PUBLISHED_INSTALLER)})(?=[\s,;:]|$)", re.MULTILINE
)


def watched_images(text: str, file: str) -> Iterator[WatchedImage]:
    """The comments about Talos' published installer image. Most files do not name it."""
    if PUBLISHED_INSTALLER not in text:
        return
    for match in _WATCHED.finditer(text):
        place = (file, text.count("\n", 0, match.start()) + 1)
        yield WatchedImage(body={}, file=file, place_at=lambda _, place=place: place, image=match[1])  # type: ignore[misc]  # mypy infers no type for the default


def silenced_rules(text: str) -> dict[int, dict[str, str]]:
    """The comments of a text that silence rules: line, rule and reason; the reason may be empty."""
    if _MARK not in text:
        return {}
    matches = ((number, _SILENCED.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {number: {rule.strip(): match[2].strip() for rule in match[1].split(",")} for number, match in matches if match}
