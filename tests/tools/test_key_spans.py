"""From which version to which a key is read."""

import pytest

from constructs_lib.upstream.version import Version
from tools.pins.chart_readings import Reading, parents
from tools.pins.key_spans import newly_mapped, renewed_keys

OLDEST = Version(1, 0, 0)


def reading(written, keys, whole=()):
    paths = {*keys, *whole, *(parent for key in (*keys, *whole) for parent in parents(key))}
    return Reading(
        version=Version.parse(written),
        written=written,
        paths=frozenset(paths),
        whole=frozenset(whole),
        leaves=frozenset([*keys, *whole]),
        booleans=[],
        strings=[],
        switches=[],
        subcharts={},
        values={},
        conditions={},
        handed=frozenset(),
    )


@pytest.mark.parametrize(
    ("known", "read", "span"),
    [
        (None, {"1.1.0": False, "1.2.0": True}, {"since": "1.2.0"}),
        (None, {"1.0.0": True, "1.1.0": True}, {}),
        (None, {"1.2.0": True}, {"since": "1.2.0"}),
        ({}, {"1.1.0": True, "1.2.0": True}, {}),
        ({}, {"1.1.0": True, "1.2.0": False, "1.3.0": False}, {"until": "1.2.0"}),
        ({"since": "1.0.5"}, {"1.1.0": True}, {"since": "1.0.5"}),
        # A table is corrected by what the tags say.
        ({"since": "1.2.0"}, {"1.0.0": True, "1.1.0": True, "1.2.0": True}, {}),
        ({"since": "1.3.0"}, {"1.0.0": False, "1.1.0": True}, {"since": "1.1.0"}),
        ({}, {"1.0.0": False, "1.1.0": True}, {"since": "1.1.0"}),
        ({"until": "1.1.0"}, {"1.1.0": True, "1.2.0": True}, {}),
        ({"until": "1.3.0"}, {"1.1.0": True, "1.2.0": False, "1.3.0": False}, {"until": "1.2.0"}),
        # What was read of a version between two tags is finer than the tags.
        ({"since": "1.1.5"}, {"1.1.0": False, "1.2.0": True}, {"since": "1.1.5"}),
        ({"until": "1.1.5"}, {"1.1.0": True, "1.2.0": False}, {"until": "1.1.5"}),
        # That a key was gone for a while is no reason to doubt when it came.
        ({"until": "1.1.0"}, {"1.1.0": False, "1.2.0": True}, {}),
        ({"since": "1.0.1", "until": "1.1.0"}, {"1.1.0": False, "1.2.0": True}, {"since": "1.0.1"}),
        # What was entered by hand, and what was gone before, stays.
        ({"since": "1.1.0"}, {"1.1.0": False, "1.2.0": False}, {"since": "1.1.0"}),
        ({"until": "1.1.0"}, {"1.1.0": False, "1.2.0": False}, {"until": "1.1.0"}),
    ],
)
def test_the_span_of_a_key_is_what_the_releases_say(known, read, span):
    readings = [reading(version, ["key"] if has_key else []) for version, has_key in read.items()]

    assert renewed_keys({} if known is None else {"key": known}, readings, OLDEST) == {"key": span}


def test_below_what_is_handed_on_whole_there_are_no_keys_and_it_is_as_old_as_the_first_of_them():
    readings = [reading("1.2.0", ["a.b", "a.c"]), reading("1.3.0", [], whole=["a"])]
    keys = {"a.b": {"since": "1.2.0"}, "a.c": {"since": "1.1.0"}}

    assert renewed_keys(keys, readings, OLDEST) == {"a": {"since": "1.1.0"}}


def test_what_was_one_value_and_is_a_mapping_now_is_named_and_not_taken_apart():
    now = reading("1.2.0", ["a.b"])

    assert renewed_keys({"a": {}}, [reading("1.1.0", ["a"]), now], OLDEST) == {"a": {}}
    assert newly_mapped({"a": {}}, now) == ["a"]


def test_a_key_below_one_that_is_handed_on_counts_as_read():
    assert renewed_keys({"a": {}}, [reading("1.1.0", ["a"]), reading("1.2.0", [], whole=["a"])], OLDEST) == {"a": {}}
    assert reading("1.2.0", [], whole=["a"]).reads("a.b.c")
