"""`cluster_page`: a page about a cluster, in Markdown, from its files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...arguments.keywords import named_arguments
from ...arguments.plain_values import instance, text
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...observed.agents.operators import version_of
from ...observed.model import Inputs
from ...observed.read.files import KUSTOMIZATIONS
from ...observed.read.repository import read
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.installer_images import InstallerImage, read_installer
from ..engine import node_classes, run_rules
from ..report import Report
from ..report_words import place
from ..rule import Finding
from .markdown_text import code, prose, table
from .page_classes import PageClasses
from .page_images import INSTALLER_FILE
from .page_nodes import capacity_lines, diagram, node_lines
from .page_steps import apply_lines
from .page_upgrade import upgrade_lines
from .page_verify import verify_lines

_LONGEST_NAME = 1000


@named_arguments()
def cluster_page(
    path: str | Path,
    *,
    nodes: GpuNodes | Iterable[GpuNodes] = (),
    title: str | None = None,
    talos_version: str | TalosVersion | None = None,
    kubernetes_version: str | None = None,
) -> str:
    """A page about a cluster, in Markdown, for the people who run it: `dist/<cluster>/README.md`.

    A diagram of nodes, stack and workloads; the nodes with their drivers and images; the capacity with what is left;
    the versions; the commands that apply the files in their order, that verify each step with the expected words, and
    that plan the upgrade; the findings that were silenced, with their reasons. Every statement follows from the files
    and from `nodes`. Parts that were not read are named.

    The page has no date and no absolute path, so that the same files give the same page. Text from the files is shown,
    and never Markdown or HTML.

    Args:
        path: The folder of the cluster, or a file.
        nodes: The classes of GPU nodes. Default: none; the page then has no capacity and no expected words.
        title: The heading. Default: the name of the folder.
        talos_version: The Talos of the nodes. Default: the version of `nodes`, or the version that all files agree on.
        kubernetes_version: The Kubernetes of the cluster. Default: the version in the files.

    Raises:
        TypeError, ValueError: `'nodes' must be …`, `'talos_version' must be …`, `'title' must be …`.
        OSError: For a path that does not exist.

    Example:
        >>> cluster_page("dist/today", nodes=GpuNodes(talos_version="1.14.0", count=2, gpus_per_node=1)).splitlines()[0]
        '# today'

    https://mermaid.js.org/syntax/flowchart.html
    """
    folder = Path(instance("path", path, str | Path, "the path of a folder or a file"))
    folder.stat()
    talos = TalosVersion.parse("talos_version", talos_version) if talos_version is not None else None
    inputs = read([folder], talos=talos, kubernetes=kubernetes_version, nodes=node_classes(nodes))
    heading = folder.resolve().name if title is None else text("title", title)
    return page(inputs, run_rules(inputs), title=heading, **tree_facts([folder]))


def tree_facts(paths: Sequence[str | Path]) -> dict[str, Any]:
    """The arguments of `page` that follow from the paths: the only folder, whether a folder has a kustomization, and
    the installer images that its files name."""
    # Path's own raises for a name that is too long.
    root = str(paths[0]) if len(paths) == 1 and os.path.isdir(paths[0]) else ""  # noqa: PTH112
    files = [(folder, name) for path in paths for folder, _, names in os.walk(path) for name in names]
    is_kustomized = any(name in KUSTOMIZATIONS for _, name in files)
    named = {
        _shown(file, root): _installer(file) for folder, name in files if name.endswith(INSTALLER_FILE) for file in [f"{folder}/{name}"]
    }
    return {"root": root, "is_kustomized": is_kustomized, "installers": {file: each for file, each in named.items() if each is not None}}


def _installer(file: str) -> InstallerImage | None:
    """The installer image in a file of one line. A link is not followed."""
    path = Path(file)
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LONGEST_NAME:
        return None
    return read_installer(path.read_bytes().decode("utf-8", errors="replace").strip())


def page(
    inputs: Inputs,
    findings: Iterable[Finding],
    *,
    title: str,
    root: str,
    is_kustomized: bool,
    installers: Mapping[str, InstallerImage],
    classes: PageClasses = PageClasses(),  # noqa: B008  # frozen
) -> str:
    """The page of inputs. Paths on the page are below the root, where there is one. `classes` are those of the cluster
    file, if there is one."""
    report = Report(inputs=below(inputs, root), all_findings=tuple(replace(each, file=_shown(each.file, root)) for each in findings))
    lines = [f"# {prose(title)}", "", prose(_summary(report)), "", *_section("", diagram(report.inputs, classes))]
    for heading, section in (
        ("Nodes", node_lines(report.inputs, classes)),
        ("Capacity", capacity_lines(report.inputs, classes)),
        ("Versions", _versions(report)),
        ("Apply", apply_lines(report.inputs, is_kustomized=is_kustomized, installers=installers, classes=classes)),
        ("Verify", verify_lines(report.inputs, classes)),
        ("Upgrade", upgrade_lines(report.inputs, installers, classes)),
        ("Checks", _checks(report)),
        ("Not read", _unread(report)),
    ):
        lines += _section(heading, section)
    return "\n".join(lines).rstrip() + "\n"


def _section(heading: str, lines: Iterable[str]) -> list[str]:
    written = list(lines)
    while written and not written[-1]:
        written.pop()
    return [*([f"## {heading}", ""] if heading else []), *written, ""] if written else []


def _shown(file: str, root: str) -> str:
    below = os.path.relpath(file, root) if root and file else file
    return file if below.startswith("..") else below


def below(inputs: Inputs, root: str) -> Inputs:
    """The inputs with files below the root."""
    return replace(
        inputs,
        objects=tuple(replace(each, file=_shown(each.file, root)) for each in inputs.objects),
        releases=tuple(replace(each, file=_shown(each.file, root)) for each in inputs.releases),
        node_configs=tuple(replace(each, file=_shown(each.file, root)) for each in inputs.node_configs),
        skipped=tuple(replace(each, file=_shown(each.file, root)) for each in inputs.skipped),
        stated_versions=tuple(replace(each, file=_shown(each.file, root)) for each in inputs.stated_versions),
        empty=tuple(_shown(each, root) for each in inputs.empty),
    )


def _summary(report: Report) -> str:
    sentences = [each for each in report.head if not each.startswith("settings of ")]
    return ". ".join(f"{each[0].upper()}{each[1:]}" for each in sentences if each) + "." if sentences else "Nothing was read."


def _versions(report: Report) -> Iterator[str]:
    yield from table(("part", "version", "support"), _version_rows(report)) or ["No version was read."]


def _version_rows(report: Report) -> Iterator[tuple[str, str, str]]:
    inputs, talos = report.inputs, report.inputs.talos_version
    tables = f"in the tables of {talos_releases.READ_ON}"
    if talos is not None:
        support = f"the newest patch {tables} is {talos.release.newest}" if talos.is_known else f"newer than the releases {tables}"
        yield "Talos", code(talos), support
        if talos.is_known:
            known = talos.release.kubernetes_versions
            kubernetes = inputs.kubernetes_version
            minor = ".".join((kubernetes or "").split(".")[:2])
            runs = f"Talos {talos.minor_version} runs {known[0]} to {known[-1]}"
            yield (
                "Kubernetes",
                code(kubernetes) if kubernetes else "not read",
                runs if not kubernetes or minor in known else f"{runs}, and not this one",
            )
    for release in inputs.releases:
        chart, version = release.known_chart, version_of(release.version)
        if chart is not None:
            newest = chart.numbered_as(version).newest
            support = (
                "the checks know this version"
                if version is not None and chart.knows(version)
                else f"the checks know versions up to {newest}"
            )
            yield code(f"{chart.name} ({release.name})"), "not read" if release.version is None else code(release.version), support


def _checks(report: Report) -> Iterator[str]:
    yield f"{code('talos-gpu check')}: {prose(f'{report.counts}.')}"
    silenced = table(
        ("silenced", "object", "reason", "place"),
        ((code(each.rule), code(each.object), prose(each.ignored or ""), code(place(each.file, each.line))) for each in report.silenced),
    )
    yield from ("", *silenced) if silenced else ("", "No finding is silenced.")


def _unread(report: Report) -> Iterator[str]:
    yield from (f"- {prose(each)}" for each in report.skipped_nvidia)
    if report.skipped_count:
        yield f"- {report.skipped_count} other files or documents"
    yield from (f"- {code(each)}: nothing that is known" for each in report.inputs.empty)
