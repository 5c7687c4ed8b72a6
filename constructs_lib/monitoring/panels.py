"""Grafana's panels, each made by a small function: the options that differ are its arguments, the rest is the same for
all of a kind.

The classic JSON of kinds/dashboard/dashboard_kind.cue and public/app/plugins/panel/*/panelcfg.cue (grafana/grafana),
with what Grafana 10.3 and everything newer understands. A panel has a size; its place and its id are given by
`laid_out`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

Panel = dict[str, Any]

_WIDTH = 24

Steps = Sequence[tuple[float | None, str]]
"""Colours by the value at which each begins; the first begins at None."""
PLAIN: Steps = ((None, "text"),)


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the legend of its series."""

    expr: str
    legend: str = ""
    limit: bool = False
    """Whether it is a limit of what the other queries show: a dashed line."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table with the values of a query."""

    title: str
    expr: str
    unit: str = "none"
    bar_to: float | None = None
    """Where a bar in the cell is full; without it there is none."""
    words: Mapping[str, tuple[str, str]] | None = None
    """Words and colours for single values."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under a title."""

    title: str
    panels: Sequence[Panel]
    collapsed: bool = False


def datasource() -> dict[str, str]:
    """The data source that the reader chose: never one by its own name."""
    # Without braces: Flux' substitution of variables would take those for its own (fluxcd/pkg envsubst).
    return {"type": "prometheus", "uid": "$datasource"}


def stat(title: str, *queries: Query, unit: str = "none", steps: Steps = PLAIN, named: bool = False, description: str = "") -> Panel:
    """One number, or one for each query; `named` shows the series' name with it."""
    options = {
        "colorMode": "value",
        "graphMode": "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "reduceOptions": _last(),
        "textMode": "value_and_name" if named else "auto",
    }
    return _panel("stat", title, _instant(queries), (4, 4), description, options, _defaults(unit, steps))


def timeseries(
    title: str, *queries: Query, unit: str, top: float | None = None, bottom: float | None = 0, width: int = 12, description: str = ""
) -> Panel:
    """Lines over time, from `bottom` to `top` where they have such."""
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 10, "showPoints": "never", "spanNulls": False}
    defaults = {**_defaults(unit), "color": {"mode": "palette-classic"}, "custom": custom}
    if bottom is not None:
        defaults["min"] = bottom
    if top is not None:
        defaults["max"] = top
    options = {"legend": _legend("lastNotNull", "max", mode="table"), "tooltip": {"mode": "multi", "sort": "desc"}}
    panel = _panel("timeseries", title, _targets(queries, instant=False), (width, 8), description, options, defaults)
    dashed = [("custom.lineStyle", {"fill": "dash", "dash": [8, 8]}), ("custom.fillOpacity", 0)]
    panel["fieldConfig"]["overrides"] = [
        _override("byFrameRefID", letter, dashed) for letter, query in zip(ascii_uppercase, queries, strict=False) if query.limit
    ]
    return panel


def bar_gauge(title: str, query: Query, *, unit: str, top: float | None = None, width: int = 6, description: str = "") -> Panel:
    """A bar for each series, now."""
    defaults = {**_defaults(unit, ((None, "blue"),)), "min": 0}
    if top is not None:
        defaults["max"] = top
    options = {
        "displayMode": "basic",
        "legend": _legend(show=False),
        "maxVizHeight": 300,
        "minVizHeight": 16,
        "minVizWidth": 8,
        "namePlacement": "auto",
        "orientation": "horizontal",
        "reduceOptions": _last(),
        "showUnfilled": True,
        "sizing": "auto",
        "valueMode": "color",
    }
    return _panel("bargauge", title, _instant((query,)), (width, 8), description, options, defaults)


def state_timeline(title: str, query: Query, *, words: Mapping[str, tuple[str, str]], width: int, description: str = "") -> Panel:
    """A line for each series, in the colour and words of its state."""
    defaults = {**_defaults("none"), "custom": {"fillOpacity": 70, "lineWidth": 0}, "mappings": _mappings(words)}
    options = {
        "alignValue": "left",
        "legend": _legend(),
        "mergeValues": True,
        "perPage": 20,
        "rowHeight": 0.9,
        "showValue": "never",
        "tooltip": {"mode": "single", "sort": "none"},
    }
    return _panel("state-timeline", title, _targets((query,), instant=False), (width, 8), description, options, defaults)


def table(
    title: str, labels: Mapping[str, str], *columns: Column, sort: str, descending: bool = True, width: int = _WIDTH, description: str = ""
) -> Panel:
    """A row for each set of labels, which `labels` gives titles, with the values that the queries have for it; a column
    without a title is left out.
    """
    targets = _instant([Query(column.expr) for column in columns], table=True)
    values = {f"Value #{target['refId']}": column.title for target, column in zip(targets, columns, strict=True)}
    if len(columns) == 1:
        # Grafana numbers the values only where there are several queries.
        values["Value"] = columns[0].title
    titles = {**labels, **values}
    options = {"cellHeight": "sm", "showHeader": True, "sortBy": [{"displayName": sort, "desc": descending}]}
    panel = _panel("table", title, targets, (width, 8), description, options, {**_defaults("none"), "custom": {"filterable": True}})
    panel["fieldConfig"]["overrides"] = [_override("byName", column.title, look) for column in columns if (look := _look(column))]
    organized = {
        "excludeByName": {"Time": True} | {name: True for name, shown in titles.items() if not shown},
        "indexByName": {name: place for place, name in enumerate(titles)},
        "renameByName": {name: shown for name, shown in titles.items() if shown},
    }
    panel["transformations"] = [{"id": "merge", "options": {}}, {"id": "organize", "options": organized}]
    return panel


def laid_out(rows: Iterable[Row]) -> list[Panel]:
    """Every panel with an id and a place: from left to right, a new line where a panel no longer fits; a collapsed row
    holds its own.
    """
    made: list[Panel] = []
    ids = iter(range(1, 1000))
    top = 0
    for row in rows:
        heading: Panel = {"id": next(ids), "type": "row", "title": row.title, "collapsed": row.collapsed, "panels": []}
        heading["gridPos"] = {"x": 0, "y": top, "w": _WIDTH, "h": 1}
        left, line, lowest = 0, top + 1, top + 1
        placed = []
        for panel in row.panels:
            size = panel["gridPos"]
            if left + size["w"] > _WIDTH:
                left, line = 0, lowest
            placed.append({"id": next(ids), **panel, "gridPos": {"x": left, "y": line, **size}})
            left, lowest = left + size["w"], max(lowest, line + size["h"])
        if row.collapsed:
            made.append({**heading, "panels": placed})
            top += 1
        else:
            made += [heading, *placed]
            top = lowest
    return made


def _panel(kind: str, title: str, targets: list[Panel], size: tuple[int, int], description: str, options: Panel, defaults: Panel) -> Panel:
    panel: Panel = {"type": kind, "title": title, "datasource": datasource(), "gridPos": {"w": size[0], "h": size[1]}}
    if description:
        panel["description"] = description
    return {**panel, "targets": targets, "options": options, "fieldConfig": {"defaults": defaults, "overrides": []}}


def _last() -> Panel:
    return {"calcs": ["lastNotNull"], "fields": "", "values": False}


def _legend(*calculations: str, mode: str = "list", show: bool = True) -> Panel:
    return {"showLegend": show, "displayMode": mode, "placement": "bottom", "calcs": list(calculations)}


def _defaults(unit: str, steps: Steps = PLAIN) -> Panel:
    thresholds = {"mode": "absolute", "steps": [{"value": value, "color": colour} for value, colour in steps]}
    return {"unit": unit, "color": {"mode": "thresholds"}, "thresholds": thresholds}


def _instant(queries: Sequence[Query], *, table: bool = False) -> list[Panel]:
    return _targets(queries, instant=True, table=table)


def _targets(queries: Sequence[Query], *, instant: bool, table: bool = False) -> list[Panel]:
    return [
        {
            "refId": letter,
            "datasource": datasource(),
            "expr": query.expr,
            "format": "table" if table else "time_series",
            "instant": instant,
            "range": not instant,
            "legendFormat": query.legend,
        }
        for letter, query in zip(ascii_uppercase, queries, strict=False)
    ]


def _override(matcher: str, wanted: str, properties: Iterable[tuple[str, Any]]) -> Panel:
    return {"matcher": {"id": matcher, "options": wanted}, "properties": [{"id": name, "value": value} for name, value in properties]}


def _look(column: Column) -> list[tuple[str, Any]]:
    """The properties by which a column differs from the others."""
    look: list[tuple[str, Any]] = []
    if column.unit != "none":
        look.append(("unit", column.unit))
    if column.bar_to is not None:
        bar = {"type": "gauge", "mode": "basic", "valueDisplayMode": "text"}
        look += [("min", 0), ("max", column.bar_to), ("custom.cellOptions", bar), ("color", {"mode": "fixed", "fixedColor": "blue"})]
    if column.words:
        look += [("mappings", _mappings(column.words)), ("custom.cellOptions", {"type": "color-text"})]
    return look


def _mappings(words: Mapping[str, tuple[str, str]]) -> list[Panel]:
    shown = {value: {"text": text, "color": colour, "index": place} for place, (value, (text, colour)) in enumerate(words.items())}
    return [{"type": "value", "options": shown}]
