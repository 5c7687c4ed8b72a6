"""The objects, and the files of other tools, that name a known chart and its repository: each may install the chart.

Sveltos' ClusterProfile, k3s' HelmChart, Crossplane's Release, Cluster API's HelmChartProxy, the files of Rancher
Fleet, Kluctl and Helmfile, and kinds that nobody has heard of yet: all have the chart's name at a key that speaks of
a chart, and the address of a repository. What Flux, Argo CD and kustomize install is read elsewhere, with its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.charts import CHARTS, chart_name
from ....upstream.nvidia.gpu_resources import NVIDIA
from ...model import ChartRelease, Installer, KubernetesObject, Read, Unknown, known_str
from ..files import Files, is_folder

_ADDRESS = pattern(r"(?:https?|oci)://\S+")
_ARCHIVE = pattern(r"-v?\d[\w.+-]*\.tgz$")
_OF_A_CHART = pattern(r"chart", re.IGNORECASE)
_NO_SETTINGS = frozenset({"metadata", "status", "labels", "annotations", "matchLabels", "selector"})
"""The keys whose values only mention a chart."""
_WRITTEN = pattern("|".join(re.escape(name) for chart in CHARTS.values() for name in (chart.name, *chart.aliases)))
_REPOSITORY = pattern(r"://|repo", re.IGNORECASE)
_OTHERS = pattern(r"[a-z]+/v\w+|v1|[\w.]+\.k8s\.io/.*|[\w.]+\.toolkit\.fluxcd\.io/.*|argoproj\.io/.*")
"""The API groups of Kubernetes itself, whose objects install nothing, and those of Flux and Argo CD."""


def installers(objects: Iterable[KubernetesObject], others: Iterable[Read], releases: Iterable[ChartRelease]) -> tuple[Installer, ...]:
    """The installers among objects, and among documents that are no objects.

    A chart with a release is known to be installed.
    """
    known = {known_str(each.chart) for each in releases}
    candidates = [each for each in objects if not _OTHERS.fullmatch(known_str(each.api_version) or "")]
    found = ((each, charts_in(each.body) - known) for each in (*candidates, *others))
    return tuple(Installer(body=each.body, file=each.file, place_at=each.place_at, charts=charts) for each, charts in found if charts)


_NOT_LOCAL = "is not a local path"


def unread_creators(files: Files) -> Iterator[Installer]:
    """The remote bases of kustomizations, and the charts in the repository whose templates speak of GPUs: neither is
    rendered, and each may create an object that seems missing."""
    for each in files.skipped:
        if each.is_reference and each.reason.endswith(_NOT_LOCAL):
            where = (each.file, each.line)
            reason = f"{each.reason.removesuffix(_NOT_LOCAL)}was not read, and may create it"
            yield Installer(body={}, file=each.file, place_at=lambda _, where=where: where, reason=reason, text=None)  # type: ignore[misc]
    for folder in files.installed_charts:
        templates = folder / "templates"
        text = "\n".join(files.text(each, is_yaml=False) for each in (files.inside(templates)[1] if is_folder(templates) else ()))
        if NVIDIA.search(text):
            yield Installer(
                body={}, file=files.shown(folder), reason="the chart's templates are not rendered, and may create it", text=text
            )


def may_name_a_chart(text: str) -> bool:
    """Whether a text may have the name of a known chart and a repository."""
    return _WRITTEN.search(text) is not None and _REPOSITORY.search(text) is not None


def charts_in(body: Any) -> frozenset[str]:
    """The known charts that a mapping names with a repository.

    A name that another tool fills in may be that of several charts.
    """
    leaves = list(_leaves(body))
    has_repository = any(_ADDRESS.match(f"{value}") or re.search("repo|registry", path, re.IGNORECASE) for path, value in leaves)
    return frozenset(chart for path, value in leaves for chart in _named(path, value, has_repository=has_repository))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str | Unknown]]:
    """The texts of a mapping, each with the keys that lead to it."""
    pending = [(value, path)]
    while pending:
        each, path = pending.pop()
        if isinstance(each, Mapping):
            pending += [(item, f"{path}.{key}") for key, item in each.items() if isinstance(key, str) and key not in _NO_SETTINGS]
        elif isinstance(each, list):
            pending += [(item, path) for item in each]
        elif isinstance(each, str | Unknown):
            yield path, each


def _named(path: str, value: str | Unknown, *, has_repository: bool) -> Iterator[str]:
    is_chart = has_repository and _OF_A_CHART.search(path) is not None
    if isinstance(value, Unknown):
        yield from (chart.name for chart in CHARTS.values() if is_chart and any(map(value.may_be, (chart.name, *chart.aliases))))
    elif len(value) <= _LONGEST and (is_chart or value.startswith("oci://") or (_ADDRESS.match(value) and _ARCHIVE.search(value))):
        name = chart_name(_ARCHIVE.sub("", value))
        yield from [name] if name in CHARTS else []


_LONGEST = 1000
