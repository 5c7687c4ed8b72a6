"""`Version`: a release of Talos, of Kubernetes, of a chart, an image or a driver."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

_WRITTEN = re.compile(r"v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?")


@functools.total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A version of two or three numbers, with an optional pre-release.

    The order is that of https://semver.org: 1.13.0-beta.1 is before 1.13.0-rc.0, and 1.13.0-rc.0 is before 1.13.0. A
    version without a patch is before all patches of its minor.
    """

    major: int
    minor: int
    patch: int | None = None
    pre_release: str = ""

    @classmethod
    def parse(cls, written: object) -> Version | None:
        """Read "1.13", "v1.13.9" or "1.13.0-rc.0"; None for a range, and for any other text.

        Example:
            >>> Version.parse("v1.13.0-rc.0"), Version.parse(">=1.13")
            (Version(1, 13, 0, '-rc.0'), None)
        """
        found = _WRITTEN.fullmatch(written.strip()) if isinstance(written, str) else None
        if found is None:
            return None
        major, minor, patch, pre_release = found.groups(default="")
        return cls(int(major), int(minor), int(patch) if patch else None, pre_release)

    @property
    def without_patch(self) -> str:
        """The major and minor version, as "1.13"."""
        return f"{self.major}.{self.minor}"

    @property
    def _order(self) -> tuple[int, int, int, bool, list[tuple[bool, int, str]]]:
        parts = [part for part in self.pre_release.lstrip("-").split(".") if part]
        # A number is before a word, and the release itself is after all its pre-releases.
        named = [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]
        return self.major, self.minor, -1 if self.patch is None else self.patch, not self.pre_release, named

    def __lt__(self, other: object) -> bool:
        return self._order < other._order if isinstance(other, Version) else NotImplemented

    def __str__(self) -> str:
        return self.without_patch + (f".{self.patch}{self.pre_release}" if self.patch is not None else "")

    def __repr__(self) -> str:
        patch = f", {self.patch}" if self.patch is not None else ""
        return f"Version({self.major}, {self.minor}{patch}{f', {self.pre_release!r}' if self.pre_release else ''})"
