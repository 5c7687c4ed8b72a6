"""Chart values that no template reads: Helm reports no error."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs
from ...observed.objects.unread_values import unread_values
from ...upstream.charts import CHARTS
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import OPERATOR


def _ignored(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*CHARTS.values()):
        for path, fix in unread_values(release):
            yield Violation(
                severity=Severity.INFO,
                message=f"the chart {release.chart} does not read the value {path}. Helm reports no error, and the setting has no effect",
                about=release,
                path=(*release.values_path, *path.split(".")),
                fix=fix,
            )


RULES = (
    Rule(
        **WORDS["TG027"],
        severity=Severity.INFO,
        check=_ignored,
        failing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{OPERATOR}devicePlugin: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"
        ),
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{OPERATOR}daemonsets: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"
        ),
    ),
)
