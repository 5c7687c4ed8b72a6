"""Errors that rest on a Talos version which only the variables of one file state: such an error is a warning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..observed.model import Inputs, question
from ..observed.model.stated_versions import StatedVersion
from .finding import Severity
from .report_words import place
from .rule import Rule, Violation


def softened(violations: Iterable[Violation], rule: Rule, inputs: Inputs) -> Iterable[Violation]:
    """The violations of a rule. If the Talos version is weak, an error that would not stand without the version is a warning that names its source."""
    weak = inputs.weak_talos
    return violations if weak is None else _softened(violations, rule, inputs, weak)


def _softened(violations: Iterable[Violation], rule: Rule, inputs: Inputs, weak: StatedVersion) -> Iterator[Violation]:
    source = f"Talos {weak.version} is known only from {place(weak.file, weak.line)}"
    standing: set[object] | None = None
    for each in violations:
        if each.severity is Severity.ERROR:
            if standing is None:
                standing = _errors(rule, _without_talos(inputs))
            if (id(each.about), each.path) not in standing:
                yield replace(each, severity=Severity.WARNING, message=f"{each.message} ({source})")
                continue
        yield each


def _errors(rule: Rule, inputs: Inputs) -> set[object]:
    """The places of the errors of a rule, if the rule applies without a Talos version."""
    found = rule.check(inputs) if rule.applies_to(None) else ()
    return {(id(each.about), each.path) for each in found if each.severity is Severity.ERROR}


@question
def _without_talos(inputs: Inputs) -> Inputs:
    return replace(inputs, talos_version=None, stated_versions=(), answers={})
