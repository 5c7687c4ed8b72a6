"""The release notes of Talos and of its extensions, as GitHub's pages have them or as Markdown."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from constructs_lib.upstream.version import Version

TALOS, EXTENSIONS = "siderolabs/talos", "siderolabs/extensions"
_TITLE = re.compile(
    r"^[\s#*]*\[?Talos( System Extensions)? (\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\]\([^)]*\))? \((\d{4}-\d\d-\d\d)\)", re.MULTILINE
)
_LINE = r"^[\s*•-]*{}: v?({})\s*$"
_LINUX = re.compile(_LINE.format("Linux", r"\d+\.\d+(?:\.\d+)?"), re.MULTILINE)
_DRIVER = re.compile(_LINE.format(r"NVIDIA ([A-Za-z ]+)", r"\d{3}\.[\d.]+"), re.MULTILINE)
_TOOLKIT = re.compile(_LINE.format(r"nvidia[- ]container[- ]toolkit", r"\d[\d.]+"), re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class ReleaseNotes:
    """What the notes of one release list: the kernel, or the toolkit and the drivers by track. What did not change since the release before is missing."""

    repository: str
    version: Version
    date: str
    kernel: str = ""
    toolkit: str = ""
    drivers: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """How a table names these notes."""
        return f"release notes of v{self.version} ({self.date})"


def read_notes(page: str) -> ReleaseNotes | None:
    """Read a page; None where it is no release notes of Talos or of its extensions."""
    text = html.unescape(re.sub(r"<[^>]+>", "\n", page))
    title = _TITLE.search(text)
    version = Version.parse(title[2]) if title else None
    if title is None or version is None:
        return None
    if not title[1]:
        return ReleaseNotes(TALOS, version, title[3], kernel=_first(_LINUX, text))
    drivers = {track.lower().replace(" ", "-"): driver for track, driver in _DRIVER.findall(text)}
    return ReleaseNotes(EXTENSIONS, version, title[3], toolkit=_first(_TOOLKIT, text), drivers=drivers)


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
