"""The documents of a machine configuration that a user gives as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong


def parsed_documents(argument: str, data: str) -> list[dict[str, Any]]:
    """The documents of a machine configuration, or of a part of one."""
    from ...yaml.load import YamlError, complaint, handwritten

    rule = "YAML of a Talos patch: mappings"
    try:
        parsed = [each.value for each in handwritten(data)]
    except YamlError as error:
        raise wrong(argument, rule, data, complaint(error)) from None
    if not parsed or not all(isinstance(document, Mapping) for document in parsed):
        raise wrong(argument, rule, data)
    return parsed
