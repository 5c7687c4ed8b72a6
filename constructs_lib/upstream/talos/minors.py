"""`Minors` and `Releases`: ranges of minor and of patch releases of Talos."""

from __future__ import annotations

from dataclasses import dataclass

from ..version import Version


@dataclass(frozen=True, slots=True)
class Releases:
    """Ranges of patch releases: pairs of a first and a last release, both included. An empty text leaves an end open.

    Example:
        >>> up_to = Releases(("", "1.13.9"), ("1.14.0", "1.14.0"))
        >>> [Version.parse(each) in up_to for each in ("1.12.11", "1.13.9", "1.13.10", "1.14.0", "1.14.1")]
        [True, True, False, True, False]
        >>> print(up_to, Releases(("1.14.1", "")), Releases(), sep=" | ")
        Talos 1.13.9 and older, 1.14.0 | Talos 1.14.1 and newer | every Talos
    """

    spans: tuple[tuple[str, str], ...]

    def __init__(self, *spans: tuple[str, str]) -> None:
        object.__setattr__(self, "spans", spans)

    def __contains__(self, release: Version) -> bool:
        return not self.spans or any(
            (not first or _version(first) <= release) and (not last or release <= _version(last)) for first, last in self.spans
        )

    def __str__(self) -> str:
        return f"Talos {', '.join(_words(*each) for each in self.spans)}" if self.spans else "every Talos"


EVERY_RELEASE = Releases()
"""Every release of Talos."""


def _words(first: str, last: str) -> str:
    if first == last:
        return first
    if not first or not last:
        return f"{first} and newer" if first else f"{last} and older"
    return f"{first} to {last}"


def _version(written: str) -> Version:
    version = Version.parse(written)
    if version is None:
        raise ValueError(f"no release of Talos: {written!r}")
    return version


@dataclass(frozen=True, slots=True)
class Minors:
    """A range of minor releases of Talos 1: `since` and `until` belong to it, and None leaves an end open.

    Example:
        >>> 13 in Minors(since=13), 12 in Minors(since=13)
        (True, False)
        >>> print(Minors(until=12), Minors(since=13), Minors(12, 12), Minors(13, 14), Minors(), sep=" | ")
        Talos 1.12 and older | Talos 1.13 and newer | Talos 1.12 | Talos 1.13 and 1.14 | every Talos
    """

    since: int | None = None
    until: int | None = None

    def __contains__(self, minor: int) -> bool:
        return (self.since is None or minor >= self.since) and (self.until is None or minor <= self.until)

    @property
    def first(self) -> str:
        """The first release, as "1.13". Empty without a first release."""
        return "" if self.since is None else f"1.{self.since}"

    @property
    def last(self) -> str:
        """The last release, as "1.12". Empty without a last release."""
        return "" if self.until is None else f"1.{self.until}"

    @property
    def when(self) -> str:
        """The range in a sentence, as "up to Talos 1.12" or "from Talos 1.13 on"."""
        if self.since is not None and self.until is None:
            return f"from Talos 1.{self.since} on"
        return f"up to Talos 1.{self.until}" if self.since is None and self.until is not None else f"on {self}"

    @property
    def opening(self) -> str:
        """The range at the start of a sentence, as "Up to Talos 1.12"."""
        return self.when[0].upper() + self.when[1:]

    @property
    def is_every(self) -> bool:
        """Whether the range has every release."""
        return self.since is None and self.until is None

    def __str__(self) -> str:
        if self.since is None or self.until is None:
            if self.is_every:
                return "every Talos"
            return f"Talos 1.{self.until} and older" if self.since is None else f"Talos 1.{self.since} and newer"
        if self.since == self.until:
            return f"Talos 1.{self.since}"
        return f"Talos 1.{self.since} {'and' if self.until == self.since + 1 else 'to'} 1.{self.until}"


EVERY_TALOS = Minors()
"""Every release of Talos."""
