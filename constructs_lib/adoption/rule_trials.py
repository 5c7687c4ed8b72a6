"""Trials of the rules: a rule explains a difference when it finds the tree's own value wrong in place of the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checks.engine import run_rules
from ..checks.finding import Severity
from ..clusters.composer import Composer
from ..observed.read.kubernetes.python_manifests import read_manifests
from ..observed.read.version_sources import in_arguments, talos_version


class RuleTrials:
    """The rules on the objects of a cluster, with one object changed at a time."""

    def __init__(self, composer: Composer) -> None:
        self._objects = {place: body for chart in composer.charts.values() for place, body in chart.objects}
        self._nodes = tuple(composer.advertised)
        self._talos = talos_version(in_arguments(None, None, composer.used))
        self._known: set[tuple[str, str]] | None = None

    def rule_with(self, place: str, body: Mapping[str, Any]) -> str:
        """The rule that finds the object in this form wrong, and not in the form that it has. Empty without one."""
        return self._new_rule({**self._objects, place: dict(body)})

    def rule_without(self, place: str) -> str:
        """The rule that finds the cluster without this object wrong."""
        return self._new_rule({other: body for other, body in self._objects.items() if other != place})

    def _new_rule(self, objects: Mapping[str, Mapping[str, Any]]) -> str:
        if self._known is None:
            self._known = self._findings(self._objects)
        return min((rule for rule, _ in self._findings(objects) - self._known), default="")

    def _findings(self, objects: Mapping[str, Mapping[str, Any]]) -> set[tuple[str, str]]:
        inputs = read_manifests(list(objects.items()), nodes=self._nodes, talos=self._talos)
        return {(each.rule, each.file) for each in run_rules(inputs) if each.ignored is None and each.severity is not Severity.INFO}
