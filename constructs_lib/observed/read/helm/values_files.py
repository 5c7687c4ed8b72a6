"""Files with values of a chart that no release names: the chart is known by the keys, and by the file's name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from ....arguments.errors import wrong
from ....arguments.patterns import pattern
from ....upstream.charts import CHARTS, Chart, chart_name
from ....yaml.located import Document, Map
from ...model import ChartRelease, Unknown
from ..files import CHART, Files, is_file
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
_PERHAPS = "perhaps values of the chart {chart}, by the keys {keys}: check them with --chart {chart}@VERSION"


_NAMES = {name: chart for chart in CHARTS.values() for name in (chart.name, *chart.aliases)}
_NAMED = pattern("|".join(("values", *map(re.escape, _NAMES))), re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, eq=False)
class ChartValues:
    """Values of a chart in a document: the whole document, or what stands below `path`, the chart's name in the values
    of a chart around it.

    `is_sure` is False if the keys may be those of something else. `keys` are those that tell the chart from others.
    """

    document: Document
    chart: Chart
    values: Map
    keys: tuple[str, ...]
    path: tuple[str, ...] = ()
    is_sure: bool = True

    @property
    def reason(self) -> str:
        """The reason for which the values are skipped, with the flag that checks them."""
        return (OTHER_VALUES if self.is_sure else _PERHAPS).format(chart=self.chart.name, keys=", ".join(self.keys[:_SHOWN]))

    def release(self, chart: str | None = None) -> ChartRelease:
        """The release of the values, of the chart's version that the user gave, or of an unknown one."""
        return ChartRelease(
            body=self.document.value,
            chart=self.chart.name,
            name=PurePath(self.document.place[0]).name,
            namespace=None,
            version=UNKNOWN_RELEASE if chart is None else chart.partition("@")[2] or None,
            given=self.values,
            values_path=self.path,
            **lines(self.document.value, self.document.place),
        )


_SHOWN = 3


def may_hold_values(path: PurePath, text: str) -> bool:
    """Whether a file may have values of a chart: by its name, or by a key that tells one chart from others at the left
    margin of its text or in a mapping that is one line."""
    return is_values_file(path) or _telling().search(text) is not None


def is_values_file(path: PurePath) -> bool:
    """Whether a file in a folder has the name of a file of values, or that of a known chart."""
    return _NAMED.search(path.name) is not None or path.parent.name in _NAMES


@cache
def _telling() -> re.Pattern[str]:
    keys = {key for chart in CHARTS.values() for key in chart.keys if key not in _USUAL} | _NAMES.keys()
    words = "|".join(map(re.escape, sorted(keys)))
    return re.compile(rf"""^(?:(?:\{{(?:[^\n]*,)?\s*)?["']?|[ \t]{{1,4}}")(?:{words})["']?[ \t]*:""", re.MULTILINE)


def values_in(document: Document) -> list[ChartValues]:
    """The values of charts in a document: those that the whole document has, or those below the names of charts."""
    values, path = document.value, PurePath(document.place[0])
    if not isinstance(values, Map) or not values or {"apiVersion", "kind"} & values.keys():
        return []
    whole = _values(document, values, path)
    if whole is not None and whole.is_sure:
        return [whole]
    found = (_below(document, key, chart) for key, chart in _NAMES.items() if isinstance(values.get(key), Map))
    below = [each for each in found if each is not None]
    return below or ([] if whole is None else [whole])


def _below(document: Document, key: str, chart: Chart) -> ChartValues | None:
    """The values below the name of a chart, as in `values.yaml` of a chart around it."""
    values = document.value[key]
    own, known = _own_keys(values, chart), _known_keys(values, chart)
    if not own:
        return None
    return ChartValues(
        document=document, chart=chart, values=values, keys=own, path=(key,), is_sure=len(known) >= _MOST_KNOWN * len(values)
    )


def _values(document: Document, values: Map, path: PurePath) -> ChartValues | None:
    """The values of the chart with the most of these keys.

    They are surely its values with two of its own keys, or one and the file's name, with twice as many as any other
    chart, and with few keys that it lacks: a quarter in a file of values, and none in a file of another name.
    """
    (best, chart), (second, _) = sorted(((_score(values, chart, path), chart) for chart in CHARTS.values()), key=lambda each: -each[0])[:2]
    is_named, lacking = is_values_file(path), len(values) - len(_known_keys(values, chart))
    if best < _CERTAIN and (not best or lacking or not is_named):
        return None
    is_sure = best >= _CERTAIN and best >= _CERTAIN * second and lacking <= len(values) * (1 - _MOST_KNOWN) * is_named
    return ChartValues(document=document, chart=chart, values=values, keys=_own_keys(values, chart), is_sure=is_sure)


def _score(values: Map, chart: Chart, path: PurePath) -> int:
    own, known = _own_keys(values, chart), _known_keys(values, chart)
    return len(own) + (_CERTAIN if len(known) == len(values) else 1) * (bool(known) and _names(path, chart))


def _known_keys(values: Map, chart: Chart) -> tuple[str, ...]:
    """The keys of a chart among those of values. A key with keys below it has a mapping."""
    return tuple(
        key
        for key, value in values.items()
        if isinstance(key, str)
        and key in chart.keys
        and (chart.keys[key] is None or not isinstance(value, str | bool | int | float | list))
    )


def _own_keys(values: Map, chart: Chart) -> tuple[str, ...]:
    """The keys that tell the chart from others."""
    return tuple(key for key in _known_keys(values, chart) if key not in _USUAL)


def _names(path: PurePath, chart: Chart) -> bool:
    """Whether the name of a file, or of its folder, is that of a chart."""
    names = (chart.name, *chart.aliases)
    return path.parent.name in names or any(name in path.stem for name in names)


class ValuesFiles:
    """The values of charts that no release names, of all files of one reading. `chart` is the chart with its version
    that the user named."""

    def __init__(self, files: Files, chart: str | None) -> None:
        self.files, self.chart = files, chart
        self.of_chart: list[ChartRelease] = []
        """The releases of the chart that the user named."""
        self.found: list[ChartValues] = []

    def take_named(self, document: Document, chart: str) -> None:
        """Add a document of a given file as values of the chart that the user named: the whole document, or what stands
        below the chart's name."""
        name, _, version = chart.partition("@")
        below = next((each for each in values_in(document) if each.path and each.chart.name == chart_name(name)), None)
        self.of_chart.append(
            ChartRelease(
                body=document.value,
                chart=chart_name(name),
                name=name,
                namespace=None,
                version=version or None,
                given=below.values if below else document.value,
                values_path=below.path if below else (),
                **lines(document.value, document.place),
            )
        )

    def take(self, document: Document, *, is_live: bool = True) -> bool:
        """Add the values in a document, and return whether there are any. Of a folder that Flux, Argo CD or a
        kustomization deploys, they are skipped."""
        found = values_in(document)
        for each in found:
            if self.chart is not None and chart_name(self.chart.partition("@")[0]) == each.chart.name:
                self.of_chart.append(each.release(self.chart))
            elif each.is_sure and is_live:
                self.found.append(each)
            else:
                self._skip(each)
        return bool(found)

    def may_be_in(self, path: Path) -> bool:
        """Whether a file of a folder may have values. Those beside a chart are its own."""
        return may_hold_values(path, self.files.text(path)) and not is_file(path.parent / CHART)

    def take_file(self, path: Path, *, is_live: bool) -> bool:
        """Add the values in a file, and return whether there are any."""
        return any([self.take(document, is_live=is_live) for document in self.files.documents(path)])  # noqa: C419  # all are added

    def releases(self, installed: Iterable[Any]) -> list[ChartRelease]:
        """The releases of the chart that the user named, and those of the charts with one file of values and no
        release. Other files are skipped: nobody knows which are merged, and a release may have its own.
        """
        charts = [each.chart.name for each in self.found]
        taken = {name for name in charts if charts.count(name) == 1} - {each for each in installed if isinstance(each, str)}
        for each in self.found:
            if each.chart.name not in taken:
                self._skip(each)
        return [*self.of_chart, *(each.release() for each in self.found if each.chart.name in taken)]

    def _skip(self, values: ChartValues) -> None:
        file, line = values.document.place
        self.files.skip(file, values.reason, line)

    def check_chart(self) -> None:
        """Refuse a chart whose values nobody gave."""
        if self.chart is not None and not self.of_chart:
            raise wrong(
                "chart", "the chart of values in the files", self.chart, "no file has keys of this chart's values: name the file as PATH"
            )
