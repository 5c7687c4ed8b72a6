"""Bugs of this library: an exception in a rule, or in the code that reads files and writes reports."""

from __future__ import annotations

import traceback
from pathlib import PurePath

_REPORT = "Please report this bug of talos-gpu with this line"
_SHOWN = 3
"""The innermost calls that the sentence names."""


class RuleCrash(RuntimeError):  # the name of the event; the class of the first error is in the message
    """A rule failed on inputs that it should accept. The cause is the exception of the rule."""


def described(subject: str, error: Exception, consequence: str) -> str:
    """The sentence about a bug. It has the type and the place of the exception, and not its message, which may quote values of files."""
    frames = traceback.extract_tb(error.__traceback__)[-_SHOWN:]
    places = ", ".join(f"{PurePath(each.filename).name}:{each.lineno}" for each in frames)
    return f"{subject} failed ({type(error).__name__} at {places}), {consequence}. {_REPORT}"
