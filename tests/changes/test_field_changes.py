"""The fields in which two mappings differ, without credentials."""

import pytest

from constructs_lib.changes.field_changes import field_changes
from constructs_lib.observed.model import Unknown, UnknownKey


def changes(old, new):
    return [str(each) for each in field_changes(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ["a.c: 2 -> 3"]),
        ({"a": 1}, {}, ["a: 1 -> nothing"]),
        ({}, {"a": {"b": 1}}, ["a.b: nothing -> 1"]),
        ({"a": {"b": {"c": 1}}}, {}, ["a: a mapping with b -> nothing"]),
        (
            {"env": [{"name": "A", "value": "1"}]},
            {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
            ["env.B.value: nothing -> 2"],
        ),
        ({"a": True}, {"a": "true"}, ["a: True -> 'true'"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]: 2 -> 3"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a: [1, 2] -> [1]"]),
        ({"a": [{"b": 1}]}, {"a": []}, ["a: a list of 1 -> []"]),
        ({"a": "x" * 100}, {"a": "y"}, [f"a: {'x' * 60}… -> y"]),
    ],
)
def test_the_smallest_fields_are_told(old, new, expected):
    assert changes(old, new) == expected


def test_containers_are_compared_by_their_names_not_their_places():
    plugin, discovery = {"name": "plugin", "image": "p:1"}, {"name": "gfd", "image": "g:1"}

    assert changes({"c": [plugin, discovery]}, {"c": [discovery, {**plugin, "image": "p:2"}]}) == [
        "c.plugin.image: p:1 -> p:2",
        'c.order: ["plugin", "gfd"] -> ["gfd", "plugin"]',
    ]


def test_another_order_of_named_items_is_told_of_the_part_that_moved():
    items = [{"name": each, "value": each} for each in "ABCD"]

    assert changes({"env": items}, {"env": [items[0], items[2], items[1], items[3]]}) == ['env.order: ["B", "C"] -> ["C", "B"]']
    assert changes({"env": items[1:]}, {"env": items[:3]}) == ["env.D.value: D -> nothing", "env.A.value: nothing -> A"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"env": [{"name": "HF_TOKEN", "token": "hf_abcdefghijklmnopqrstuvwxyz012345"}]}, {"env": [{"name": "HF_TOKEN", "token": "hf_zyxwvutsrqponmlkjihgfedcba543210"}]}),
        ({"password": "correct-horse-battery"}, {"password": "staple-staple-staple"}),
        ({"env": [{"name": "PASSWORD", "value": "horse1"}]}, {"env": [{"name": "PASSWORD", "value": "staple1"}]}),
        ({"env": [{"name": "A"}, {"name": "A"}, {"name": "PASSWORD", "value": "horse1"}]}, {"env": [{"name": "A"}, {"name": "A"}, {"name": "PASSWORD", "value": "staple1"}]}),
        ({"command": ["a", "--password", "horse1"]}, {"command": ["a", "--password", "staple1"]}),
        ({"passwords": ["horse12345"]}, {"passwords": ["staple12345"]}),
    ],
)  # fmt: skip
def test_a_credential_is_told_as_another_value(old, new):
    (told,) = changes(old, new)

    assert told.endswith(" -> another value")
    assert not any(text in told for text in ("hf_", "horse", "staple"))


def test_a_whole_list_is_read_for_credentials_before_it_is_cut():
    (told,) = changes({}, {"args": ["x" * 20, "--password", "correct-horse-battery"]})

    assert told == 'args: nothing -> ["xxxxxxxxxxxxxxxxxxxx", "--password", "(a secret value)"]'


def test_a_key_that_is_filled_in_later_is_compared_by_its_template():
    old, new = ({UnknownKey(text): 1, "b": 2} for text in ("${A}", "${A}"))

    assert changes(old, new) == []
    assert changes({UnknownKey(""): 1}, {UnknownKey(""): 2}) == []


def test_two_gaps_of_one_template_are_alike_and_a_gap_is_told_by_its_template():
    assert changes({"a": Unknown("${X}")}, {"a": Unknown("${X}")}) == []
    assert changes({"a": Unknown("${X}")}, {"a": "1"}) == ["a: ${X} -> 1"]


def test_of_two_long_lists_the_items_that_differ_are_shown():
    names = [f"siderolabs/extension-{number}" for number in range(5)]

    (found,) = field_changes({"extensions": names}, {"extensions": [*names, "siderolabs/nvidia-container-toolkit-lts"]})
    assert str(found) == 'extensions (what differs): nothing -> ["siderolabs/nvidia-container-toolkit-lts"]'
    arguments = [*names, "--token"]
    (found,) = field_changes({"args": [*arguments, "abcdefgh"]}, {"args": [*arguments, "ijklmnop"]})
    assert str(found) == 'args: ["siderolabs/extension-0", "siderolabs/extension-1", "sidero… -> another value'
