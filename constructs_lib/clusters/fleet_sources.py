"""The places from which GitOps engines take clusters' folders: a git repository, or a registry with an artifact for
each cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..arguments.errors import wrong
from ..arguments.fields import to_labels
from ..arguments.plain_values import text

FLEET = "fleet"
"""The folder beside the clusters' folders, with the objects of the engines."""
OCI = "oci://"
"""The beginning of a registry's address."""
_ADDRESS = r"(?:https?|ssh|oci)://[^\s/{}]+/[^\s{}]*[^\s{}/]"


def to_source(value: str, argument: str = "") -> str:
    """The address of a git repository or of a registry."""
    rule = "the address of a git repository ('https://…', 'ssh://…'), or of a registry ('oci://…')"
    if not re.fullmatch(_ADDRESS, text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def to_folder(value: str, argument: str = "") -> str:
    """A folder in a repository, from its root."""
    rule = "a folder from the root of the repository, such as 'dist'"
    parts = text(argument, value, rule).split("/")
    if not all(re.fullmatch(r"[\w.-]+", part) and part.strip(".") for part in parts):
        raise wrong(argument, rule, value)
    return value


def to_selector(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str] | None:
    """The labels of the clusters that are chosen; None for a choice without labels."""
    return None if value is None else to_labels(value, argument)
