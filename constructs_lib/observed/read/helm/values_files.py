"""Files with values of a chart that no release names: the chart is known by the keys, and by the file's name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.charts import CHARTS, Chart
from ....yaml.located import Document, Map
from ...model import ChartRelease, Unknown
from ..objects import lines

# Keys that charts of all kinds have: they tell no chart from another.
_USUAL = frozenset(
    {
        "affinity", "arguments", "basicAuth", "config", "controller", "extraEnv", "extraObjects", "featureGates", "fullnameOverride", "gc", "global",
        "hostNetwork", "hostPID", "image", "imagePullSecrets", "initContainers", "kubernetes", "livenessProbe", "master", "nameOverride", "namespace",
        "namespaceOverride", "nodeSelector", "operator", "platform", "podAnnotations", "podLabels", "podSecurityContext", "priorityClassName",
        "prometheus", "readinessProbe", "resources", "rollingUpdate", "runtimeClassName", "securityContext", "service", "serviceAccount",
        "serviceMonitor", "tls", "tolerations", "updateStrategy", "webhook", "worker",
    }
)  # fmt: skip
_CERTAIN = 2
_MOST_KNOWN = 0.75
UNKNOWN_RELEASE = Unknown("of an unknown release")
OTHER_VALUES = "values of the chart {chart}, by their keys, which no release here names: check them with --chart {chart}@VERSION"


_NAMES = frozenset(name for chart in CHARTS.values() for name in (chart.name, *chart.aliases))
_NAMED = pattern("|".join(("values", *map(re.escape, _NAMES))), re.IGNORECASE)


def is_values_file(path: PurePath) -> bool:
    """Whether a file in a folder has the name of a file of values, or that of a known chart."""
    return _NAMED.search(path.name) is not None or path.parent.name in _NAMES


def chart_of_values(values: Any, file: str) -> Chart | None:
    """The chart whose values a document has: the chart with two of these keys, or one key and the file's name, and with
    twice as many as any other chart. None for a document that may be of another chart.
    """
    if not isinstance(values, Map) or not values or {"apiVersion", "kind"} & values.keys():
        return None
    scores = sorted(((_score(values, chart, file), chart) for chart in CHARTS.values()), key=lambda each: -each[0])
    (best, chart), (second, _) = scores[:2]
    return chart if best >= _CERTAIN and best >= _CERTAIN * second else None


def may_be_values(values: Any) -> bool:
    """Whether more than two keys of a document tell one chart from others."""
    return isinstance(values, Map) and any(
        sum(key in chart.keys and key not in _USUAL for key in values) > _CERTAIN for chart in CHARTS.values()
    )


def _score(values: Map, chart: Chart, file: str) -> int:
    known = [key for key in values if isinstance(key, str) and key in chart.keys]
    if len(known) < _MOST_KNOWN * len(values):
        return 0
    is_named = _names(PurePath(file), chart)
    own = sum(key not in _USUAL for key in known)
    return own + is_named * (_CERTAIN if len(known) == len(values) else 1)


def _names(path: PurePath, chart: Chart) -> bool:
    """Whether the name of a file, or of its folder, is that of a chart."""
    names = (chart.name, *chart.aliases)
    return path.parent.name in names or any(name in path.stem for name in names)


def release_of_values(document: Document, chart: Chart) -> ChartRelease:
    """The release of values without one."""
    return ChartRelease(
        body=document.value,
        chart=chart.name,
        name=PurePath(document.place[0]).name,
        namespace=None,
        version=UNKNOWN_RELEASE,
        given=document.value,
        **lines(document.value, document.place),
    )


def only_ones(found: Iterable[tuple[Document, Chart]], installed: Iterable[Any]) -> tuple[list[ChartRelease], list[tuple[Document, Chart]]]:
    """The releases of the charts with one file of values and no release, and the other files: of several files nobody
    knows which are merged, and a release may have its own.
    """
    listed = list(found)
    charts = [chart.name for _, chart in listed]
    taken = {name for name in charts if charts.count(name) == 1} - {each for each in installed if isinstance(each, str)}
    releases = [release_of_values(document, chart) for document, chart in listed if chart.name in taken]
    return releases, [each for each in listed if each[1].name not in taken]
