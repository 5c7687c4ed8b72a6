"""A part of a chart that is off: whatever its values say, no rule has a word about them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest

from conftest import sampled
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.nodes.talos_version import TalosVersion
from constructs_lib.observed.model import ChartRelease, Inputs
from constructs_lib.observed.model.read_values import ReadValues
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.charts import CHARTS
from constructs_lib.upstream.charts.conditions import Condition
from constructs_lib.upstream.version import Version

HOSTILE: tuple[Any, ...] = (
    "false",
    [{"zzz": 1}],
    {"zzz": "envvars", "limits": {"nvidia.com/gpu": "0.5"}, "nvidia.com/nothing": True},
    "/usr/local/glibc",
)
VARIANTS = 6


def switches(chart) -> Iterator[str]:
    """Every key that decides whether others are read, by a boolean."""
    texts = (*chart.table.conditions.values(), *chart.beyond_templates.values())
    names = {literal.key for text in texts for literals in Condition.of(text).alternatives for literal in literals}
    return (name for name in sorted(names) if isinstance(chart.table.default(name, None), bool))


CASES = [(chart.name, switch) for chart in CHARTS.values() if chart.table.newest for switch in switches(chart)]


def nested(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: merged(one[key], other[key])
        for key in one.keys() & other.keys()
        if isinstance(one[key], Mapping) and isinstance(other[key], Mapping)
    }
    return {**one, **other, **both}


@cache
def faults() -> Mapping[str, list[Any]]:
    """What the failing examples of all rules have in values, by the last key."""
    found: dict[str, list[Any]] = defaultdict(list)
    for rule in RULES.values():
        for release in read_text(rule.failing.yaml, file="a.yaml", chart=rule.failing.chart).releases:
            for key, value in leaves(release.given):
                found[key].append(value)
    return found


def leaves(values: Any) -> Iterator[tuple[str, Any]]:
    for key, value in values.items() if isinstance(values, Mapping) else ():
        yield key, value
        yield from leaves(value)


def findings(chart, values: Mapping[str, Any], talos: str) -> list[tuple[str, str]]:
    version = CHARTS[chart].newest
    release = ChartRelease(body={"values": values}, file="a.yaml", chart=chart, name=chart, namespace="gpu", version=version, given=values)
    return sorted(
        (each.rule, each.message) for each in run_rules(Inputs(releases=(release,), talos_version=TalosVersion.parse("talos", talos)))
    )


@pytest.mark.parametrize(("chart", "switch"), [*sampled(CASES)])
def test_no_rule_says_anything_of_values_that_a_switch_turns_off(chart, switch):
    known = CHARTS[chart]
    off = nested(switch, not known.table.default(switch, None))
    reading = ReadValues(chart=known, values=off, version=Version.parse(known.newest))
    unread = [key for key in known.table.keys if reading.is_read(*key.split(".")).is_no]
    spoken = []
    for talos, variant in product(("1.12", "1.13"), range(VARIANTS)):
        full = off
        for key in unread:
            planted = [*faults().get(key.rpartition(".")[2], ()), *HOSTILE]
            full = merged(nested(key, planted[variant % len(planted)]), full)
        without = findings(chart, off, talos)
        found = [each for each in findings(chart, full, talos) if each not in without]
        # Helm itself asks values.schema.json, also about what the templates don't read.
        spoken += [(rule, message) for rule, message in found if "breaks the values.schema.json" not in message]
    assert spoken == []


@pytest.mark.parametrize("chart", ["gpu-operator", "immich"])
def test_values_of_five_megabytes_are_judged_by_every_rule(chart):
    below = {f"key{each}": {"a": "b" * 90} for each in range(50_000)}
    values = {"nfd": {"enabled": False}, "node-feature-discovery": {"enabled": False, **below}, "zzz": 1}
    release = ChartRelease(
        body={"values": values}, file="a.yaml", chart=chart, name="big", namespace="gpu", version="v26.7.0", given=values
    )
    paths = [each.message for each in run_rules(Inputs(releases=(release,)), select=["TG027"])]

    assert ["zzz" in each for each in paths] == [True] * (chart == "gpu-operator")
    assert "key1" not in str(run_rules(Inputs(releases=(release,))))
