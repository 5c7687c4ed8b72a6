"""Findings in blocks: each message and each fix of a rule once."""

from dataclasses import replace

from constructs_lib.checks.formats.text import Group, blocks, worst_first
from constructs_lib.checks.rule import Finding, Severity

ERROR, WARNING, INFO = Severity
ONE = Finding(rule="TG007", severity=WARNING, message="no such label", fix="set the label", file="a.yaml", line=1, object="Pod a")
OTHER = replace(ONE, file="b.yaml", object="Pod b")


def test_errors_stand_before_warnings_and_warnings_before_remarks():
    given = [replace(ONE, severity=severity, file=file) for severity, file in ((INFO, "a"), (WARNING, "b"), (ERROR, "c"), (WARNING, "a"))]

    assert [(each.severity, each.file) for each in worst_first(given)] == [(ERROR, "c"), (WARNING, "b"), (WARNING, "a"), (INFO, "a")]


def test_a_least_severity_leaves_out_the_findings_below_it():
    given = [replace(ONE, severity=severity) for severity in Severity]

    assert [[each.severity for each in worst_first(given, least=least)] for least in Severity] == [
        [ERROR],
        [ERROR, WARNING],
        [ERROR, WARNING, INFO],
    ]


def test_findings_that_differ_in_their_places_alone_are_one_group():
    (block,) = blocks([ONE, OTHER])

    assert (block.rule, block.severity) == ("TG007", WARNING)
    assert block.groups == [Group("no such label", "set the label", [ONE, OTHER])]


def test_different_messages_with_one_fix_are_one_block():
    different = replace(OTHER, message="no such taint")
    (block,) = blocks([ONE, different, replace(ONE, file="c.yaml")])

    assert [(group.message, len(group.findings)) for group in block.groups] == [("no such label", 2), ("no such taint", 1)]


def test_one_message_with_different_fixes_is_one_block():
    different = replace(OTHER, fix="remove the selector")
    (block,) = blocks([ONE, different, replace(ONE, file="c.yaml")])

    assert [(group.fix, len(group.findings)) for group in block.groups] == [("set the label", 2), ("remove the selector", 1)]


def test_a_rule_a_severity_and_an_unrelated_fix_are_blocks_of_their_own():
    given = [ONE, replace(ONE, rule="TG008"), replace(ONE, severity=ERROR), replace(ONE, message="m", fix="f")]

    assert [(each.rule, each.severity, len(each.groups)) for each in blocks(given)] == [
        ("TG007", WARNING, 1),
        ("TG008", WARNING, 1),
        ("TG007", ERROR, 1),
        ("TG007", WARNING, 1),
    ]


def test_a_message_that_equals_a_fix_joins_no_block_of_that_fix():
    both = [replace(ONE, message="x", fix="a"), replace(ONE, message="x", fix="b"), replace(ONE, message="y", fix="x")]

    assert [len(each.groups) for each in blocks(both)] == [2, 1]


def test_no_finding_is_lost_and_none_is_repeated():
    given = [
        replace(ONE, message=f"m{message}", fix=f"f{fix}", line=line)
        for message in range(3)
        for fix in range(message + 1)
        for line in range(2)
    ]

    assert sorted((each for block in blocks(given) for group in block.groups for each in group.findings), key=given.index) == given
