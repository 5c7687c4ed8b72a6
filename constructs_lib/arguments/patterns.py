"""`pattern`: regular expressions that are compiled when they are first used, so that a module with many of them loads
fast."""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """A pattern that is not compiled yet. Each method and attribute that is asked for is kept, so later uses cost what
    those of `re.Pattern` cost."""

    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # an enumeration asks each of its values for such names
            raise AttributeError(name)
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of a regular expression. A mistake in the expression is an error at the first use, so a test compiles
    each."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
