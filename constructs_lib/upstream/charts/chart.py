"""`Chart` and `ChartTable`: the facts about one Helm chart, and the keys that its templates read, from the JSON file
that `make pins` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..version import Version
from .conditions import Condition

# The keys of a chart's values: each with the keys below it, or None if any value is valid.
Keys = Mapping[str, "Keys | None"]


@dataclass(frozen=True, kw_only=True)
class Span:
    """The versions that read a key: from `since` on, and before `until`. An empty string means no limit."""

    since: str = ""
    until: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ChartTable:
    """The keys that the templates of one chart read at any version from `oldest` to `newest`, by their dotted paths.

    `released` is the newest known version. Its templates were not read if it is newer than `newest`. `booleans` and
    `strings` are the keys that a template ignores if their value is of another type; `switches` are the keys for which
    every string is true, "false" too. `subcharts` holds, by the key of a subchart and the first version of the chart,
    the version of the subchart that it brings. `images` holds, by the key of a mapping with `repository`, `image` and
    `version` and the first version of the chart, the image of the chart's own values; empty from a version on that has
    none. `kinds` holds the keys by the kind
    of their own values, such as "boolean". `conditions` holds under which values a template reads the keys at and below a path; without an entry always.
    `defaults` holds, by the keys in conditions and the first version of the chart, the value of the chart's own values.
    `schema` holds, by path and the first version, what the chart's values.schema.json says: `type`, `enum`, `minimum`,
    `maximum`, the `kind` of Kubernetes' fields, and the `keys` of a mapping that takes no others.
    """

    source: str = ""
    read_on: str = ""
    oldest: str = ""
    newest: str = ""
    released: str = ""
    keys: Mapping[str, Span] = field(default_factory=dict)
    booleans: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    subcharts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    images: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    schema: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, chart: str) -> ChartTable:
        """The table of a chart, by the chart's name."""
        from ..table_files import read_table

        table = read_table(f"charts/tables/{chart}")
        table["keys"] = {path: Span(**span) for path, span in table["keys"].items()}
        table |= {name: tuple(table[name]) for name in ("booleans", "strings", "switches")}
        table["kinds"] = {kind: tuple(keys) for kind, keys in table.get("kinds", {}).items()}
        return cls(**table)

    def subchart_version(self, key: str, version: Version | None) -> Version | None:
        """The version of a subchart within a version of the chart. None for an unknown version."""
        brought: str = _at_version(self.subcharts.get(key, {}), version)
        return Version.parse(brought) if brought else None

    def images_of(self, version: Version) -> dict[str, str]:
        """The images of the chart's own values at a version, by the keys of their mappings."""
        return _all_at_version(self.images, version)

    def schema_of(self, version: Version) -> dict[str, Mapping[str, Any]]:
        """The facts of values.schema.json at a version, by path; empty for a chart without one."""
        return _all_at_version(self.schema, version)

    def default(self, key: str, version: Version | None) -> Any:
        """The chart's own value of a key in a condition, None without one. True for a switch that a version lacks: what
        it switches later is always on."""
        values = self.defaults.get(key)
        if values is None or version is None:
            return list(values.values())[-1] if values else None
        known = [value for first, value in values.items() if (Version.parse(first) or version) <= version]
        return known[-1] if known else True

    def may_be(self, key: str, kind: str) -> bool:
        """Whether a key takes values of a kind: its own value is of that kind, or the chart has none and its templates
        test for no other kind."""
        tested = {"boolean": (*self.booleans, *self.switches), "string": self.strings}
        known = {each for kinds in (self.kinds, tested) for each, keys in kinds.items() if key in keys}
        return not known or kind in known

    @property
    def tree(self) -> Keys:
        """The keys, nested as in values.yaml."""
        tree: dict[str, Any] = {}
        for path in self.keys:
            *parents, last = path.split(".")
            level = tree
            for parent in parents:
                level = level.setdefault(parent, {})
            level[last] = None
        return tree


def _all_at_version(facts: Mapping[str, Mapping[str, Any]], version: Version) -> dict[str, Any]:
    found = {key: _at_version(versions, version) for key, versions in facts.items()}
    return {key: fact for key, fact in found.items() if fact}


def _at_version(values: Mapping[str, Any], version: Version | None) -> Any:
    """The value of the last first version that is not newer than a version; empty without one."""
    known = [value for first, value in values.items() if version and (Version.parse(first) or version) <= version]
    return known[-1] if known else ""


class UnreadKey(NamedTuple):
    """A key that no template of a chart reads: Helm drops it silently.

    `siblings` are the keys that the chart reads at the same place, and `others` the paths at other places, with the same
    last key, that this version reads. `since` is the first version of `chart` that reads
    the key, and `until` the first that no longer does, if other versions than the checked `version` read it. `instead`
    is the fix for the key. `table` is that of the chart that does not read it, and `below` leads to this chart's values.
    """

    path: str
    chart: str
    siblings: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    version: str = ""
    since: str = ""
    until: str = ""
    instead: str = ""
    table: ChartTable = ChartTable()
    below: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Subchart:
    """A subchart of a chart. `versions` maps the first version of the outer chart to the version of the subchart that
    it brings."""

    chart: Chart
    own_keys: tuple[str, ...] = ()
    """The keys that the outer chart reads among the subchart's values."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A Helm chart, as its templates define it.

    `instead` is the fix, by dotted path, for a key that is not read; `*.key` is for the key at any path. `refused`
    holds the keys at which a template ends the installation, each with its fix. `defaults` are the chart's own values
    that this library uses. `default_version` is the version that constructs install by default: a change of it changes
    rendered YAML. `beyond_templates` are conditions of the program that the chart installs, by paths.
    `numbered_before` is the same chart under an earlier name, with other version numbers.
    """

    name: str
    aliases: tuple[str, ...] = ()
    repository: str = ""
    default_version: str = ""
    read_table: Callable[[], ChartTable] = ChartTable
    instead: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    subcharts: Mapping[str, Subchart] = field(default_factory=dict)
    beyond_templates: Mapping[str, str] = field(default_factory=dict)
    numbered_before: Chart | None = None

    @cached_property
    def table(self) -> ChartTable:
        """The keys that the templates read. The file is read at the first access."""
        return self.read_table()

    @cached_property
    def conditional(self) -> frozenset[str]:
        """The paths with a condition, those that conditions test, and all paths around them. Any other path is read
        under the condition of the path around it."""
        tested = (literal.key for layer in self._layers for text in layer.values() for literal in Condition.of(text).literals)
        parts = [path.split(".") for path in (*tested, *(path for layer in self._layers for path in layer))]
        return frozenset(".".join(each[:length]) for each in parts for length in range(1, len(each) + 1))

    def condition(self, path: str) -> Condition:
        """Under what the chart, and the program that it installs, read a key: by the longest path around it that has a
        condition."""
        found = Condition()
        for layer in self._layers:
            around = path
            while around and around not in layer:
                around = around.rpartition(".")[0]
            if around:
                found &= Condition.of(layer[around]).without(path)
        return found

    @property
    def _layers(self) -> tuple[Mapping[str, str], ...]:
        return (self.table.conditions, self.beyond_templates)

    @property
    def oldest(self) -> str:
        """The oldest version whose templates were read. Empty without a table."""
        return self.table.oldest

    @property
    def newest(self) -> str:
        """The newest version whose templates were read. Empty without a table."""
        return self.table.newest

    @cached_property
    def keys(self) -> Keys:
        """Every key that a template reads at any version, with those of the subcharts."""
        within = {name: {**dict.fromkeys(sub.own_keys), **sub.chart.keys} for name, sub in self.subcharts.items()}
        return {**self.table.tree, **within}

    def is_newer_than_known(self, version: Version) -> bool:
        """Whether a version is newer than every version of the chart in the tables."""
        newest = Version.parse(self.numbered_as(version).newest)
        return newest is not None and version > newest

    def is_newer_than_released(self, version: Version) -> bool:
        """Whether upstream released a version after the tables were read: nothing is known of its templates and
        defaults."""
        chart = self.numbered_as(version)
        known = [parsed for parsed in (Version.parse(chart.newest), Version.parse(chart.table.released)) if parsed is not None]
        return bool(known) and version > max(known)

    def unread_keys(self, values: Mapping[str, Any], version: Version | None = None) -> Iterator[UnreadKey]:
        """Every key of these values that the chart does not read.

        A key that only some versions read counts as unread if `version` is known not to read it. For a version whose templates were not read, no
        key is returned.
        """
        chart = self.numbered_as(version)
        if chart is not self:
            yield from chart.unread_keys(values, version)
        elif self.knows(version):
            yield from self._unread(values, self.keys, "", version)

    def knows(self, version: Version | None) -> bool:
        """Whether the templates of a version were read. Without a version: whether those of any version were."""
        oldest, newest = Version.parse(self.oldest), Version.parse(self.newest)
        return oldest is not None and newest is not None and (version is None or oldest <= version <= newest)

    def numbered_as(self, version: Version | None) -> Chart:
        """The chart whose version numbers a version belongs to: this chart, or the same chart under its earlier
        name."""
        before = self.numbered_before
        return before if before and version and version >= (Version.parse(before.oldest) or version) else self

    def _unread(self, values: Mapping[str, Any], keys: Keys, below: str, version: Version | None) -> Iterator[UnreadKey]:
        for key, value in values.items():
            path = f"{below}{key}"
            if path in self.subcharts:
                yield from self._unread_below(path, value, version)
            elif key not in keys:
                instead = self.instead.get(path) or self.instead.get(f"*.{key}", "")
                named = (each for each in self.table.keys if each.rpartition(".")[2] == key)
                others = tuple(each for each in named if not self._of_another_version(each, version))
                yield UnreadKey(path, self.name, siblings=tuple(keys), others=others, instead=instead, table=self.table)
            elif unread := self._of_another_version(path, version):
                yield unread
            elif (inner := keys[key]) is not None and isinstance(value, Mapping):
                yield from self._unread(value, inner, f"{path}.", version)

    def _unread_below(self, path: str, values: object, version: Version | None) -> Iterator[UnreadKey]:
        within = self.subcharts[path]
        if isinstance(values, Mapping):
            theirs = {key: value for key, value in values.items() if key not in within.own_keys}
            for unread in within.chart.unread_keys(theirs, self.table.subchart_version(path, version)):
                yield unread._replace(path=f"{path}.{unread.path}", below=f"{path}.{unread.below}")

    def _of_another_version(self, path: str, version: Version | None) -> UnreadKey | None:
        """The unread key, if this version reads neither the key nor a key below it."""
        if version is None:
            return None
        spans = [span for key, span in self.table.keys.items() if key == path or key.startswith(f"{path}.")]
        since = [first for span in spans if (first := Version.parse(span.since)) and version < first]
        until = [gone for span in spans if (gone := Version.parse(span.until)) and version >= gone]
        if len(since) == len(spans):
            return UnreadKey(path, self.name, version=self.written(version), since=self.written(min(since)))
        if len(until) == len(spans):
            return UnreadKey(path, self.name, version=self.written(version), until=self.written(max(until)))
        return None

    def written(self, version: Version) -> str:
        """A version as the chart's repository writes it, with or without a `v`."""
        return f"{'v' if self.newest.startswith('v') else ''}{version}"
