"""The conditions of a chart's table: under which values the templates read each key, at any version; and of which kind
each key's own value is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .chart_readings import Reading, parents, value_at
from .conditions import ALWAYS, Alternatives, either, parsed, written

_LITERAL = re.compile(r"!?([^&|!=\s]+)")


def renewed_conditions(
    facts: Mapping[str, Any], readings: Sequence[Reading], further: Iterable[str], *, every_tag: bool
) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """The conditions of a table, and the charts' own values of the keys in them and in further ones, after some releases were read.

    A condition holds for every version: what one version reads in another case is added to it.
    """
    before = facts.get("conditions", {})
    keys = [*facts["keys"], *facts["subcharts"]]
    formulas = {key: _of_key(key, ALWAYS if every_tag else _before(key, before), readings, every_tag=every_tag) for key in keys}
    conditions = dict(sorted(_compact(formulas, "", ALWAYS).items()))
    named = sorted({name for text in (*conditions.values(), *further) for name in _LITERAL.findall(text)})
    earlier = {} if every_tag else facts.get("defaults", {})
    return conditions, {name: default for name in named if (default := _defaults(name, earlier.get(name, {}), readings))}


def renewed_kinds(facts: Mapping[str, Any], readings: Sequence[Reading]) -> dict[str, list[str]]:
    """The keys of a table by the kind of their values in the newest values.yaml that has one."""
    kinds = {key: kind for kind, keys in facts.get("kinds", {}).items() for key in keys}
    for reading in readings:
        for key in facts["keys"]:
            kind = next((name for name, types in _KINDS.items() if isinstance(value_at(reading.values, key), types)), None)
            kinds |= {key: kind} if kind else {}
    return {kind: keys for kind in _KINDS if (keys := sorted(key for key, its in kinds.items() if its == kind and key in facts["keys"]))}


_KINDS: dict[str, type | tuple[type, ...]] = {"boolean": bool, "number": (int, float), "string": str, "list": list, "mapping": dict}


def _before(key: str, conditions: Mapping[str, str]) -> Alternatives:
    """The condition of a key in the table: that of the longest path around it."""
    around = next((path for path in (key, *reversed(parents(key))) if path in conditions), None)
    formula = ALWAYS if around is None else parsed(conditions[around])
    return ALWAYS if key in _names(formula) and around != key else formula


def _of_key(key: str, before: Alternatives, readings: Sequence[Reading], *, every_tag: bool) -> Alternatives:
    """The condition of a key in the newest reading, or in another one or before.

    A reading whose values lack a switch, and that reads the key as if the switch were on, adds nothing.
    """
    reading_it = [reading for reading in readings if reading.reads(key) or key in reading.subcharts]
    if not reading_it:
        return before
    newest = reading_it[-1].condition(key)
    result = newest if every_tag else either(newest, before)
    for reading in reading_it[:-1]:
        lacking = {name for name in _names(newest) if value_at(reading.values, name) is None}
        if either(reading.condition(key), as_if_on := _without(newest, lacking)) != as_if_on:
            result = either(result, reading.condition(key))
    return result


def _names(formula: Alternatives) -> set[str]:
    return set(_LITERAL.findall(written(formula)))


def _without(formula: Alternatives, names: set[str]) -> Alternatives:
    return either(
        frozenset(frozenset(each for each in literals if not _names(frozenset([frozenset([each])])) & names) for literals in formula)
    )


def _compact(formulas: Mapping[str, Alternatives], around: str, inherited: Alternatives) -> dict[str, str]:
    """The conditions by the shortest paths: that of a path is that of most keys below it."""
    result: dict[str, str] = {}
    for path, keys in _children(formulas, around).items():
        ((common, _),) = Counter(formulas[key] for key in keys).most_common(1)
        is_its_switch = common == ALWAYS and path in _names(inherited)  # a switch is read whether it is on or off
        if common != inherited and not is_its_switch:
            result[path] = written(common)
        result |= _compact({key: formulas[key] for key in keys if key != path}, f"{path}.", inherited if is_its_switch else common)
    return result


def _children(keys: Iterable[str], around: str) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for key in keys:
        children.setdefault(around + key[len(around) :].partition(".")[0], []).append(key)
    return children


def _defaults(key: str, before: Mapping[str, Any], readings: Sequence[Reading]) -> dict[str, Any]:
    """The chart's own value of a key, by the first version that has it; none for a key without a value."""
    defaults = dict(before)
    for reading in readings:
        value = value_at(reading.values, key)
        value = value if isinstance(value, bool | int | str) else bool(value) or None
        earlier = list(defaults.values())
        if (earlier[-1] if earlier else None) != value:
            defaults[reading.written] = value
    return defaults
