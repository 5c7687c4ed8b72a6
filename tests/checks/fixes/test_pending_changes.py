"""Changes of a document that are written together: those that depend on each other are refused."""

import pytest

from constructs_lib.checks.fixes.pending_changes import BesideError, Change, OtherValuesError, PendingChanges
from constructs_lib.checks.rule import Action

TEXT = "a: 1\nb: 2\nc: {}\nd: [x, y, z]\ne:\n  f: 1\n  g: 2\n"


def at(word):
    return TEXT.index(word)


def setting(key, old, new, value, **others):
    start = at(f"{key}: ") + len(key) + 2
    return Change(action=Action.SET, path=(key,), spans=[(start, start + len(old), new)], value=value, **others)


def removal(path, start, end, owner, size):
    return Change(action=Action.REMOVE, path=path, spans=[(start, end, "")], owner=(Action.REMOVE, owner, owner + 1), size=size)


def written(*changes):
    pending = PendingChanges(TEXT)
    for each in changes:
        pending.add(each)
    return pending.written()


def test_changes_of_different_places_are_written_together():
    assert written(setting("b", "2", "3", 3), setting("a", "1", "0", 0)) == TEXT.replace("a: 1", "a: 0").replace("b: 2", "b: 3")


def test_items_are_removed_by_their_place_in_the_old_text():
    first = removal(("d", 1), at("x") + 1, at("y") + 1, 0, 3)
    second = removal(("d", 2), at("y") + 1, at("z") + 1, 0, 4)

    assert written(first, second) == TEXT.replace("[x, y, z]", "[x]")
    assert written(second, first) == TEXT.replace("[x, y, z]", "[x]")


def test_the_last_entries_of_a_container_are_not_removed_one_by_one():
    begin = at("  f")
    with pytest.raises(BesideError, match="removes the values beside it"):
        written(removal(("e", "f"), begin, begin + 7, 0, 2), removal(("e", "g"), begin + 7, begin + 14, 0, 2))


def test_a_value_is_changed_once():
    with pytest.raises(BesideError, match="changes the same value"):
        written(setting("a", "1", "0", 0), setting("a", "1", "0", 0))


def test_a_text_inside_or_beside_another_change_is_not_changed():
    for start, end in ((at("b"), at("c")), (at("b"), at("2")), (at("2") + 1, at("c"))):
        with pytest.raises(BesideError, match="changes the text beside it"):
            written(removal(("e",), start, end, 0, 5), setting("b", "2", "3", 3))


def test_keys_are_added_to_one_empty_mapping():
    index = at("{}") + 1
    keys = [
        Change(action=Action.SET, path=("c", key), spans=[(index, index, f"{key}: 1")], value=1, owner=(Action.SET, at("{}"), index + 1))
        for key in "hi"
    ]

    assert written(*keys) == TEXT.replace("{}", "{h: 1, i: 1}")


def test_a_change_that_is_taken_back_is_not_written_and_hinders_no_other():
    pending, change = PendingChanges(TEXT), setting("a", "1", "0", 0)
    pending.add(change)
    pending.withdraw(change)

    assert pending.written() == TEXT
    pending.add(setting("a", "1", "5", 5))
    assert pending.written() == TEXT.replace("a: 1", "a: 5")


@pytest.mark.parametrize("new", ["a: 2\nb: 3\n", "a: 1\nb: '3'\n", "b: 3\na: 1\n", "a: 1\nb: 3\nc: 1\n"])
def test_another_change_than_the_asked_one_is_refused(new):
    text = "a: 1\nb: 2\n"
    pending = PendingChanges(text)
    pending.add(Change(action=Action.SET, path=("b",), spans=[(0, len(text), new)], value=3))

    with pytest.raises(OtherValuesError):
        pending.written()
