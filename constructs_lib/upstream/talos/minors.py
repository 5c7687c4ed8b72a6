"""`Minors`: a range of minor releases of Talos."""

from __future__ import annotations

from dataclasses import dataclass


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
