"""Credentials stand in a Secret: everybody who may read the manifests or the pods reads a literal value."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping

from .._arguments.errors import wrong
from .._arguments.plain_values import instance
from ..manifests.container_values import SecretKey

_VARIABLE = re.compile(r"(?:^|_)(?:TOKEN|PASSWORD|API_KEY|SECRET|SECRET_KEY|ACCESS_KEY|HUB_TOKEN|CLAIM)$")
_FLAG = re.compile(r"(?P<flag>--(?:[a-z-]*-)?(?:api-key|token|password|secret))(?:=(?P<value>.*))?", re.DOTALL)
_HIDDEN = "a literal value"


def to_secret_key(value: SecretKey | None, argument: str = "") -> SecretKey | None:
    """A reference to a credential, or None."""
    return None if value is None else instance(argument, value, SecretKey, "a SecretKey: the value is a credential")


def check_credentials(env: Mapping[str, object], words: Iterable[str]) -> None:
    """Refuse a literal credential in a variable or on the command line. The error does not repeat the credential."""
    for name, value in env.items():
        if _VARIABLE.search(name) and isinstance(value, str) and value and "$" not in value:
            hint = f"give SecretKey('<name of the Secret>', '{name}')"
            raise wrong(f"env[{name}]", "a SecretKey: the value is a credential", _HIDDEN, hint)
    pending = [*words, ""]
    for word, after in itertools.pairwise(pending):
        match = _FLAG.fullmatch(word)
        if match and not (match["value"] or after).startswith("$("):
            hint = "give the program's environment variable as a SecretKey in 'env'"
            raise wrong("args", "without a credential", f"{match['flag']} and {_HIDDEN}", hint)
