"""Versions of charts that their repository does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command
from ...observed.model import Inputs, Path, equals
from ...upstream.charts.chart_releases import RELEASE_INDEXES
from ...upstream.version import Version
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import operator_release

# The paths of the version in the objects of Flux and Argo CD.
_VERSIONS: tuple[Path, ...] = (("spec", "chart", "spec", "version"), ("spec", "source", "targetRevision"))


def _not_released(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        chart, version = release.known_chart, Version.parse(release.version)
        index = RELEASE_INDEXES.get(chart.name) if chart else None
        if chart is None or version is None or index is None or not index.lacks(version):
            continue
        last = chart.written(index.last_before(version))
        yield Violation(
            severity=Severity.WARNING,
            message=f"the chart {chart.name} has no release {release.version} (index of {index.written_on}). Unless the version was released "
            f'later, Helm installs nothing: \'chart "{chart.name}" version "{release.version}" not found\'',
            about=release,
            path=next((path for path in _VERSIONS if equals(release.at(*path), release.version).is_yes), ()),
            fix=f"Set version: {last}, the release before, or one of: {command('helm search repo {chart} --versions', chart=chart.name)}",
        )


RULES = (
    Rule(
        **WORDS["TG124"],
        severity=Severity.WARNING,
        check=_not_released,
        failing=Example(yaml=operator_release("v26.3.9")),
        # A range: Helm takes the newest release in the range.
        passing=Example(yaml=operator_release('"26.3.x"')),
    ),
)
