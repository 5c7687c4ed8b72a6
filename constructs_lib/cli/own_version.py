"""The version of this library, with the date of its tables."""

from __future__ import annotations

from .. import __version__
from ..upstream.table_files import oldest_date


def own_version() -> str:
    """The version, and the day on which the oldest table was read."""
    return f"{__version__} (tables of {oldest_date()})"
