"""`$(NAME)` in the command, the arguments and the variables of a container, which the kubelet replaces by the container's variable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..model import Unknown, at, equals, is_given, is_open, joined, mappings, text_of
from ..model.unknown import GAP

_REFERENCE = re.compile(r"\$\$|\$\(([\w.-]+)\)")


def expanded(value: Any, container: Mapping[str, Any]) -> Any:
    """A text with the variables of its container filled in; `$$` stands for one dollar sign. Another value is returned unchanged.

    Source: https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/ (2026-11-22)
    """
    if not isinstance(value, str) or not _REFERENCE.search(value):
        return value
    parts: list[Any] = []
    end = 0
    for match in _REFERENCE.finditer(value):
        parts += [value[end : match.start()], "$" if match[1] is None else _variable(match[1], match[0], container)]
        end = match.end()
    return joined(*parts, value[end:])


def _variable(name: str, written: str, container: Mapping[str, Any]) -> str | Unknown:
    """The value of a variable. A reference to a variable that the container does not have stays as it is written."""
    variables = at(container, "env")
    for _, variable in reversed(mappings(variables)):
        is_it = equals(at(variable, "name"), name)
        if not is_it.is_no:
            value = text_of(at(variable, "value"))
            return value if is_it.is_yes and isinstance(value, str) and "$(" not in value else Unknown(written, GAP)
    return Unknown(written, GAP) if is_open(variables) or is_given(at(container, "envFrom")) else written
