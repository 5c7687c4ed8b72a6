"""The part of TG028 about values that break the schema of their chart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....observed.model import ChartRelease
from ....observed.objects.schema_values import BrokenValue, broken_values
from ...rule import Severity, Violation, quoted, set_to

_ARTICLES = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
}
_BOOLS = {"true": True, "false": False}


def against_schemas(release: ChartRelease) -> Iterator[Violation]:
    """The values that break the schema of the release's chart or of one of its subcharts."""
    for each in broken_values(release):
        doubt = "" if each.is_sure else ", if this version of it is installed"
        message = (
            f"{'.'.join(map(str, each.path))} breaks the values.schema.json of the chart {each.chart.name}{doubt}: {each.problem}. "
            "Helm installs nothing: 'values don't meet the specifications of the schema(s) in the following chart(s)'"
        )
        place, meant = (*release.values_path, *each.path), _meant(each)
        if each.types == ("string",) and isinstance(each.value, bool | int | float):
            fix, edits = "Write the value with quotes, as it stands", quoted(each.value)
        elif meant is not None:
            fix, edits = f"Set {each.path[-1]}: {f'{meant}'.lower()}, without quotes", set_to(meant)
        else:
            fix, edits = _other(each), ()
        yield Violation(Severity.ERROR if each.is_sure else Severity.WARNING, message, release, place, fix=fix, edits=edits)


def _meant(broken: BrokenValue) -> Any:
    """The bool or the number that a text in quotes says."""
    if not isinstance(broken.value, str):
        return None
    if broken.types == ("boolean",):
        return _BOOLS.get(broken.value.lower())
    is_whole = broken.types == ("integer",) and re.fullmatch(r"0|-?[1-9]\d{0,9}", broken.value)
    return int(broken.value) if is_whole else None


def _other(broken: BrokenValue) -> str:
    if broken.problem.startswith("got "):
        return f"Write {' or '.join(_ARTICLES[each] for each in broken.types)}"
    return "Write a value that the schema takes" if broken.types else "Remove the value"
