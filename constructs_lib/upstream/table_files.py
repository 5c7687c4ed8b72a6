"""The tables that `make pins` writes: JSON files in the folders `tables` of this package, each with its source and the date it was read."""

from __future__ import annotations

from typing import Any


def read_table(name: str) -> dict[str, Any]:
    """A table by its path in this package without the ending, as "tables/talos_releases"."""
    import json  # a module that only needs names does not load it
    from pathlib import Path

    table: dict[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return table


def oldest_date() -> str:
    """The date of the table that was read longest ago. Every table holds at least up to this date."""
    from pathlib import Path

    here = Path(__file__).parent
    names = (path.relative_to(here).with_suffix("").as_posix() for path in here.rglob("tables/*.json"))
    return min(str(read_table(name)["read_on"]) for name in names)
