"""The fields of a pod and the kind of each field. `tools/pins/kubernetes_fields.py` writes the table from Kubernetes' OpenAPI schemas."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from .table_files import read_table


class FieldTable(NamedTuple):
    """The fields of each type. A kind is a scalar, the name of a type, `[kind]` for a list, `{kind}` for a map, or `any`."""

    newest: str
    read_on: str
    types: dict[str, dict[str, str]]


@functools.cache
def field_table() -> FieldTable:
    """The table; a field of any version of Kubernetes up to `newest` is in it."""
    table: dict[str, Any] = read_table("tables/kubernetes_fields")
    return FieldTable(table["newest"], table["read_on"], table["types"])
