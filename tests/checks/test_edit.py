"""Edits: what a rule says of its fix."""

from constructs_lib.checks.rule import Action, Edit, addition, removal, set_to


def test_an_edit_is_of_the_violations_own_path_and_safe_unless_a_rule_says_otherwise():
    assert set_to("nvidia") == (Edit(action=Action.SET, value="nvidia", path=None, inside=(), is_safe=True),)
    assert removal(safe=False) == (Edit(action=Action.REMOVE, is_safe=False),)
    assert addition("a", "b", path=("x",)) == (Edit(action=Action.APPEND, value=["a", "b"], path=("x",)),)
