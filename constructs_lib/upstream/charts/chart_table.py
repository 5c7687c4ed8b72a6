"""`ChartTable`: the keys that the templates of one Helm chart read, from the JSON file beside this module that
`make pins` writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..version import Version

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
    none.
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

    @classmethod
    def of(cls, chart: str) -> ChartTable:
        """The table of a chart, by the chart's name."""
        from ..table_files import read_table

        table = read_table(f"charts/tables/{chart}")
        table["keys"] = {path: Span(**span) for path, span in table["keys"].items()}
        table |= {name: tuple(table[name]) for name in ("booleans", "strings", "switches")}
        return cls(**table)

    def subchart_version(self, key: str, version: Version | None) -> Version | None:
        """The version of a subchart within a version of the chart. None for an unknown version."""
        brought = _at_version(self.subcharts.get(key, {}), version)
        return Version.parse(brought) if brought else None

    def images_of(self, version: Version) -> dict[str, str]:
        """The images of the chart's own values at a version, by the keys of their mappings."""
        images = {key: _at_version(versions, version) for key, versions in self.images.items()}
        return {key: image for key, image in images.items() if image}

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


def _at_version(values: Mapping[str, str], version: Version | None) -> str:
    """The value of the last first version that is not newer than a version; empty without one."""
    known = [value for first, value in values.items() if version and (Version.parse(first) or version) <= version]
    return known[-1] if known else ""
