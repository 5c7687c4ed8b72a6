"""`Chart`: what is true of one Helm chart, in one place for the construct that installs it and for the checks that read others' values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..version import Version

Keys = Mapping[str, "Keys | None"]
"""The keys of a chart's values: each with the keys below it, or None where any value may stand."""


def leaves(names: str) -> dict[str, Keys | None]:
    """Keys below which anything may stand, from their names in one string."""
    return dict.fromkeys(names.split())


class UnreadKey(NamedTuple):
    """A key that no template of a chart reads: Helm drops it without a word.

    `known` are the keys that stand in its place; `since` and `until` name the version that reads it, or no longer does.
    """

    path: str
    known: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    instead: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A Helm chart, as its own templates have it.

    `keys` are those that a template reads, at any version from `oldest` to `newest`; `since` and `until` hold, by dotted path, the first
    version that reads a key and the first that no longer does; `*.key` stands for
    that key of any component. `instead` says what people mean who write a key that is not read, `*.key` wherever they write it. `defaults` are the chart's own values, as far as anything here goes by them.
    `booleans` and `strings` are what templates drop when it is of another type, `switches` what a string makes true whatever it says.
    """

    name: str
    aliases: tuple[str, ...] = ()
    repository: str = ""
    oldest: str = ""
    newest: str = ""
    keys: Keys = field(default_factory=dict)
    since: Mapping[str, str] = field(default_factory=dict)
    until: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    booleans: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()

    def is_newer_than_known(self, version: Version) -> bool:
        """Whether a version came after everything that was read of the chart."""
        newest = Version.parse(self.newest)
        return newest is not None and version > newest

    def unread_keys(self, values: Mapping[str, Any], version: Version | None = None) -> Iterator[UnreadKey]:
        """Every key of these values that the chart does not read; of an unknown version, those that none reads."""
        if version is None or not self.is_newer_than_known(version):
            yield from self._unread(values, self.keys, "", version)

    def _unread(self, values: Mapping[str, Any], keys: Keys, below: str, version: Version | None) -> Iterator[UnreadKey]:
        for key, value in values.items():
            path = f"{below}{key}"
            if key not in keys:
                yield UnreadKey(path, known=tuple(keys), instead=self._instead(path))
                continue
            yield from self._of_another_version(path, version)
            inner = keys[key]
            if inner is not None and isinstance(value, Mapping):
                yield from self._unread(value, inner, f"{path}.", version)

    def _instead(self, path: str) -> str:
        return self.instead.get(path) or self.instead.get(f"*.{path.rpartition('.')[2]}", "")

    def _of_another_version(self, path: str, version: Version | None) -> Iterator[UnreadKey]:
        if version is None:
            return
        names = (path, f"*.{path.partition('.')[2]}")
        since, until = (next((table[name] for name in names if name in table), "") for table in (self.since, self.until))
        first, gone = Version.parse(since), Version.parse(until)
        if first is not None and version < first:
            yield UnreadKey(path, since=since)
        elif gone is not None and version >= gone:
            yield UnreadKey(path, until=until)
