"""The version of this library, with the date of its tables."""

from __future__ import annotations

from ..upstream.table_files import oldest_date

VERSION = "0.1.0"
"""The version of this library; the metadata of the package are made from it."""


def own_version() -> str:
    """The version, and the day on which the oldest table was read."""
    return f"{VERSION} (tables of {oldest_date()})"
