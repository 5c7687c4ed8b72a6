"""The flag `--root`: the clusters of a repository, each checked by itself, with one report for each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping

from ..arguments.errors import wrong
from ..arguments.printable import json_text, printable


def for_each_root(options: argparse.Namespace, roots: Mapping[str, list[str]], check: Callable[[list[str]], str]) -> str:
    """The reports of all roots in one output. The exit status is the worst of all reports."""
    if "-" in options.paths:
        raise wrong("root", "given without -", ",".join(roots), "standard input is of one cluster")
    reports: dict[str, str] = {}
    worst = 0
    for root, paths in roots.items():
        reports[root] = check(paths)
        worst = max(worst, options.status)
    options.status = worst
    return _joined(options.format, reports)


def folders_of(root: str) -> list[str]:
    """The folders in the value of the flag."""
    folders = [each.strip() for each in root.split(",")]
    if not all(folders):
        raise wrong("root", "folders, separated by commas", root)
    return folders


def _joined(form: str, reports: dict[str, str]) -> str:
    """One output: texts below headings, one SARIF log with a run for each root, or one JSON object with the reports by
    their roots."""
    if form == "text":
        return "\n".join(f"# {printable(root)}\n\n{report}" for root, report in reports.items())
    if form == "github":
        return "".join(reports.values())
    read = {root: json.loads(report) for root, report in reports.items()}
    if form == "json":
        return json_text(read)
    log, *_ = read.values()
    runs = [{**run, "automationDetails": {"id": f"talos-gpu check/{root}/"}} for root, each in read.items() for run in each["runs"]]
    return json_text({**log, "runs": runs})
