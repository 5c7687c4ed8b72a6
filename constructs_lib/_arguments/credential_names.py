"""The names of credentials. An error about one of them does not repeat the value, since errors stand in logs."""

from __future__ import annotations

import re
from collections.abc import Mapping

HIDDEN = "a literal value"
"""The words of an error in place of a credential."""
_NAME = re.compile(
    r"(?:PASS_?WORD|PASSWD|PASSPHRASE|APIKEY|PLEX_CLAIM|_PWD"
    r"|(?:^|_)(?:TOKEN|PASS|API_KEYS?|SECRET|(?:SECRET|ACCESS|PRIVATE|MASTER|ENCRYPTION|SIGNING)_KEY))(?:_?\d+)?$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\$\([\w.-]+\)|\$\{\w+\}")


def is_credential(name: str) -> bool:
    """Whether a variable, an argument or a flag of this name has a credential as its value."""
    return bool(_NAME.search(re.sub("[-.]", "_", name)))


def is_literal(value: object) -> bool:
    """Whether a value is a literal text, and not the whole reference `$(NAME)` or `${NAME}`."""
    return isinstance(value, str) and bool(value) and not _REFERENCE.fullmatch(value)


def hidden(value: object) -> object:
    """The value of a credential as an error prints it. An object of a class, such as a `ConfigMapKey`, is no literal."""
    return HIDDEN if isinstance(value, str | bytes | int | float | Mapping | list | tuple | set) else value


def without_credentials(name: str, value: object) -> object:
    """A value as an error prints it: hidden if the name, or a name in a list or a mapping, is that of a credential."""
    inside = re.findall(r"\w+", repr(value)) if isinstance(value, str | bytes | Mapping | list | tuple | set) else ()
    return hidden(value) if any(map(is_credential, (name, *inside))) else value
