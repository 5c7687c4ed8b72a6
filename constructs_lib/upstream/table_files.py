"""The tables that `make pins` writes: JSON files in the folders `tables` of this package, each with its source and the
date it was read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `talos-gpu --version` loads no module that it can do without
    from typing import Any

TABLES = (
    "charts/tables/dcgm-exporter",
    "charts/tables/dra-driver-nvidia-gpu",
    "charts/tables/gpu-operator",
    "charts/tables/node-feature-discovery",
    "charts/tables/nvidia-device-plugin",
    "charts/tables/nvidia-dra-driver-gpu",
    "tables/extension_names",
    "tables/kubernetes_fields",
    "tables/models",
    "tables/talos_releases",
)
"""Every table by its path in this package without the ending.

Source: the folders `tables` of this package (2026-11-22)
"""


def read_table(name: str) -> dict[str, Any]:
    """A table by its path in this package without the ending, as "tables/talos_releases"."""
    import json  # a module that only needs names does not load it

    table: dict[str, Any] = json.loads(_bytes(name))
    return table


def _bytes(name: str) -> bytes:
    """The file of a table, from a folder or from an archive."""
    from pkgutil import get_data

    return get_data(__package__, f"{name}.json") or b""


def oldest_date() -> str:
    """The date of the table that was read longest ago. Every table holds at least up to this date."""
    return min(_read_on(name) for name in TABLES)


def _read_on(name: str) -> str:
    """The date of a table, found without reading the rest as JSON."""
    _, _, rest = _bytes(name).partition(b'"read_on": "')
    return rest[: len("2026-11-20")].decode()
