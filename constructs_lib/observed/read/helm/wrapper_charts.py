"""Helm charts in the repository that wrap others: the releases of their dependencies, by the values of the outer
chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.charts import CHARTS, chart_name
from ....upstream.version import Version
from ....yaml.located import Document, Map, place_of
from ...model import ChartRelease, Unknown, at, known_str, mappings, text_of
from .. import limits
from ..files import CHART, Files, is_file, is_folder, normal
from ..kustomize.generators import texts
from ..objects import lines
from .release_values import chart_of, first_map, merged, release_lines

VALUES = "values.yaml"
_VARIANT = pattern(r"(?:values[-_.].+|.+[-_.]values)\.ya?ml")
_IS_A_VARIANT = "values of one variant of the chart: no file tells which variant is installed"
_LOCAL = "file://"
_DEEPEST = 20


def is_wrapper(folder: Path, files: Files) -> bool:
    """Whether a folder has a chart with dependencies, or with other charts in its folder `charts`."""
    return next(_dependencies(folder, files), None) is not None


def wraps_known(folder: Path, files: Files) -> bool:
    """Whether a chart wraps a chart that the rules know."""
    names = (text_of(at(dependency, "name")) for _, dependency, _ in _dependencies(folder, files))
    return any(isinstance(name, str) and chart_name(name) in CHARTS for name in names)


def local_dependencies(folder: Path, files: Files) -> list[Path]:
    """The folders of the charts in the repository that a chart depends on."""
    found = (_local(folder, document, index, files) for document, _, index in _dependencies(folder, files))
    return [path for path in found if path is not None]


def installed_by_hand(folder: Path, files: Files) -> list[ChartRelease]:
    """The releases of a chart that no object deploys. Values files of variants, such as `values-prod.yaml`, are left
    out."""
    chart = first_map(files.documents(folder / CHART))
    variants = [path for path in files.inside(folder)[1] if _VARIANT.fullmatch(path.name)]
    for path in variants:
        files.skip(path, _IS_A_VARIANT)
    if chart is None:
        return []
    name = text_of(at(chart.value, "name"))
    whole = ChartRelease(
        body=chart.value,
        chart="",
        name=folder.name if name is None else name,
        namespace=None,
        version=None,
        complete=not variants,
        **lines(chart.value, chart.place),
    )
    return wrapped(folder, whole, files)


def wrapped(
    folder: Path, whole: ChartRelease, files: Files, *, defaults: Map | None = None, tags: Any = None, outer: tuple[Path, ...] = ()
) -> list[ChartRelease]:
    """The releases of a chart's enabled dependencies. `whole` is the release of the chart, with the values that its
    deployment sets.

    `defaults` replaces the values in `values.yaml`, `tags` are those of the outermost chart, and `outer` are the charts
    around this one.
    """
    if folder in outer or len(outer) >= _DEEPEST:
        files.skip(folder, "the chart depends on itself" if folder in outer else f"charts are nested deeper than {_DEEPEST} levels")
        return []
    own = _values(folder, files) if defaults is None else defaults
    complete = whole.complete and own is not None
    values = merged([own, whole.given])
    tags = at(values, "tags") if tags is None else tags
    result: list[ChartRelease] = []
    for document, dependency, index in _dependencies(folder, files):
        if not files.may_spend(limits.GENERATED, folder):
            break
        enabled = _is_enabled(dependency, values, tags)
        if enabled is False:
            continue
        release = _release(document, dependency, index, replace(whole, given=values), folder, files)
        release = replace(release, complete=complete and enabled is True)
        result.append(release)
        local = None if release.known_chart else _local(folder, document, index, files)
        if local and is_wrapper(local, files):
            result += wrapped(local, release, files, tags=Map() if tags is None else tags, outer=(*outer, folder))
    return result


_Dependency = tuple[Document, Any, int | None]
"""A dependency: the document that names it, its entry, and the index of the entry. A chart in the folder `charts` has
no entry."""


def _dependencies(folder: Path, files: Files) -> Iterator[_Dependency]:
    chart = first_map(files.documents(folder / CHART))
    if chart is None:
        return
    names = set()
    for index, dependency in mappings(at(chart.value, "dependencies")):
        names.add(known_str(at(dependency, "name")))
        yield chart, dependency, index
    for path in sorted((folder / "charts").glob(f"*/{CHART}")) if is_folder(folder / "charts") else ():
        inner = first_map(files.documents(path))
        is_library = inner is not None and known_str(at(inner.value, "type")) == "library"
        if inner is not None and not is_library and known_str(at(inner.value, "name")) not in names:
            yield inner, inner.value, None


def _local(folder: Path, document: Document, index: int | None, files: Files) -> Path | None:
    """The folder of a dependency in the repository. None for a chart of a registry."""
    if index is None:
        return Path(normal(folder / "charts" / Path(document.place[0]).parent.name))
    written = known_str(at(document.value, "dependencies", index, "repository")) or ""
    path = normal(folder / written.removeprefix(_LOCAL))
    if not written.startswith(_LOCAL) or files.excludes(path, written, place_of(document.value, ("dependencies", index), document.place)):
        return None
    return path if is_file(path / CHART) else None


def _values(folder: Path, files: Files) -> Map | None:
    """The values in `values.yaml`. None if they were not read."""
    path = folder / VALUES
    if not is_file(path):
        return Map()
    document = first_map(files.documents(path)) if files.may_spend(limits.WRITTEN * (1 + len(files.text(path))), path) else None
    return document.value if document else None if files.text(path).strip() else Map()


def _is_enabled(dependency: Any, values: Map, tags: Any) -> bool | Unknown:
    """Whether Helm installs a dependency: by the first condition that is set, or by its tags, of which one must be
    on."""
    for each in _conditions(dependency):
        if isinstance(value := at(values, *each), bool | Unknown):
            return value
    known = [at(tags, tag) for tag in texts(at(dependency, "tags"))]
    if any(each is True for each in known):
        return True
    return next((each for each in known if isinstance(each, Unknown)), not any(each is False for each in known))


def _conditions(dependency: Any) -> list[list[str]]:
    written = known_str(at(dependency, "condition")) or ""
    return [path.strip().split(".") for path in written.split(",") if path.strip()]


def _release(document: Document, dependency: Any, index: int | None, whole: ChartRelease, folder: Path, files: Files) -> ChartRelease:
    """The release of a dependency, with its part of the values. Its condition is a key of Helm's, and no value of the
    inner chart."""
    name = text_of(at(dependency, "name"))
    key = (known_str(at(dependency, "alias")) if index is not None else None) or known_str(name) or ""
    own = merged([at(whole.given, key)])
    for path in _conditions(dependency):
        if len(path) == 2 and path[0] == key:  # noqa: PLR2004  # the key and the condition
            own.pop(path[1], None)
    place = document.place if index is None else place_of(document.value, ("dependencies", index), document.place)
    version = text_of(at(dependency, "version"))
    return replace(
        whole,
        body=document.value,
        chart="" if name is None else chart_of(name),
        version=version if index is None else _locked(folder, index, name, files) or version,
        given=own,
        values_path=("values", key),
        **release_lines(document.value, place, own, ("values", key)),
    )


def _locked(folder: Path, index: int, name: Any, files: Files) -> str | None:
    """The version in `Chart.lock`, which is exact where `Chart.yaml` has a range."""
    path = folder / "Chart.lock"
    lock = first_map(files.documents(path)) if is_file(path) else None
    entry = at(lock.value, "dependencies", index) if lock else None
    version = known_str(at(entry, "version"))
    return version if version and Version.parse(version) and at(entry, "name") == name else None
