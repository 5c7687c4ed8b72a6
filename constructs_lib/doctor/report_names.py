"""Lists of names in the doctor's report."""

from __future__ import annotations

from collections.abc import Sequence

_LISTED = 3


def names(listed: Sequence[str], most: int = _LISTED) -> str:
    """The names; of a long list the first, with the number of the others."""
    return ", ".join(listed) if len(listed) <= most + 1 else f"{', '.join(listed[:most])} and {len(listed) - most} more"
