"""The documents of a machine configuration that a user gives as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong


def given_documents(argument: str, data: str) -> list[dict[str, Any]]:
    """The documents of a machine configuration, or of a part of one."""
    import yaml

    from ...yaml.kubernetes_yaml import complaint, documents
    from ...yaml.limits import LARGEST

    rule = "YAML of a Talos patch: mappings"
    try:
        parsed = list(documents(data, LARGEST))
    except yaml.YAMLError as error:
        raise wrong(argument, rule, data, complaint(error)) from None
    if not parsed or not all(isinstance(document, Mapping) for document in parsed):
        raise wrong(argument, rule, data)
    return parsed
