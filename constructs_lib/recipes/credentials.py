"""The arguments of recipes that are credentials."""

from __future__ import annotations

from .._arguments.credential_names import hidden
from .._arguments.errors import wrong_kind
from ..manifests.container_values import SecretKey


def to_secret_key(value: SecretKey | None, argument: str = "") -> SecretKey | None:
    """A reference to a credential, or None. The error does not repeat the credential."""
    given: object = value
    if given is None or isinstance(given, SecretKey):
        return given
    hint = "create a Secret, and give SecretKey('<name of the Secret>', '<key>')"
    raise wrong_kind(argument, "a SecretKey: the value is a credential", hidden(given), hint)
