"""The fields of pods, workloads and Services. `tools/pins/kubernetes_fields.py` writes the table from Kubernetes'
OpenAPI schemas and Go types."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..table_files import read_table


class FieldTable(NamedTuple):
    """The fields of each type. A kind is a scalar, the name of a type, `[kind]` for a list, `{kind}` for a map, or
    `any`."""

    newest: str
    read_on: str
    types: Mapping[str, Mapping[str, str]]
    required: Mapping[str, list[str]]
    """The fields that Kubernetes requires, of each type that has such fields."""
    choices: Mapping[str, Mapping[str, list[str]]]
    """The values of each field with an enumeration, by type and field."""
    choices_from: str
    """The tag of kubernetes/api from which the enumerations are."""


REQUIRED_ON_PAPER = frozenset({("HTTPHeader", "value"), ("Sysctl", "value"), ("SleepAction", "seconds")})
"""The required fields of the OpenAPI schema that a real API server takes as empty or 0 where they are missing.

Source: kube-apiserver 1.36.3, server-side dry run (2026-11-22)
"""


@functools.cache
def field_table() -> FieldTable:
    """The table; a field of any version of Kubernetes up to `newest` is in it."""
    table: dict[str, Any] = read_table("tables/kubernetes_fields")
    parts = {part: table[part] for part in ("newest", "read_on", "types", "required", "choices")}
    return FieldTable(**parts, choices_from=table["sources"]["kubernetes/api"])
