"""The objects of an app in the order of the files that cdk8s writes, which is the order in which `talos-gpu check` reads the objects."""

from __future__ import annotations

from cdk8s import ApiObject, Chart, DependencyGraph, Names
from constructs import IConstruct

_OWN_OBJECT = "/Resource"


def in_file_order(app: IConstruct) -> list[tuple[str, ApiObject]]:
    """Each object with its path. The files are one for each chart, sorted by name; where charts depend on each other, cdk8s numbers the files."""
    charts = {_path(each): each for each in DependencyGraph(app.node).topology() if isinstance(each, Chart)}
    names = {path: Names.to_dns_label(chart) for path, chart in charts.items()}
    nested = any(_chart_of(path, charts) for path in charts)
    if not nested and not any(chart.node.dependencies for chart in charts.values()):
        charts = {path: charts[path] for path in sorted(charts, key=lambda path: names[path])}
    objects = []
    for path, chart in charts.items():
        made = [(_path(each), each) for each in DependencyGraph(chart.node).topology() if isinstance(each, ApiObject)]
        objects += [(where.removesuffix(_OWN_OBJECT), each) for where, each in made if _chart_of(where, charts) == path]
    return objects


def _path(construct: IConstruct) -> str:
    return str(construct.to_string())  # type: ignore[attr-defined]  # every construct has it, and it is one round trip where node.path is two


def _chart_of(path: str, charts: dict[str, Chart]) -> str:
    """The path of the closest chart above a path; empty for a chart of the app."""
    return max((each for each in charts if path.startswith(f"{each}/")), key=len, default="")
