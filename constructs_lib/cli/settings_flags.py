"""The flags `--settings` and `--root`, and the file `.talos-gpu.yaml` that is found from the first PATH upward. Other
flags win over the file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import Refusal, in_file, wrong
from ..arguments.printable import json_text, printable
from .flags import add_flag
from .nodes_flags import classes_of
from .texts import read_text


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


if TYPE_CHECKING:
    from ..checks.settings import Settings
    from ..nodes.gpu_nodes import GpuNodes

NAME = ".talos-gpu.yaml"
"""The name of the file that is found without the flag."""
_HELP = (
    f"a file of settings; default: the nearest {NAME} from the first PATH up to the root of the repository. Other flags win over the file"
)


def add_settings_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag, and the one that reads no file."""
    group = parser.add_mutually_exclusive_group()
    add_flag(group, "--settings FILE", _HELP)
    add_flag(group, "--no-settings", f"ignore {NAME}; use this for files that you don't trust")


def settings_of(options: argparse.Namespace) -> Settings | None:
    """The settings of the flag or of the file that is found. None without a file."""
    if options.no_settings:
        return None
    if options.settings is not None:
        path, folder = options.settings, Path.cwd()
        text = read_text("settings", path)
    else:
        found = _found(next((path for path in options.paths if path not in ("", "-")), "."))
        if found is None:
            return None
        path, folder = os.path.relpath(found), found.parent
        try:
            text = _text_inside("settings", path, folder)
        except Refusal as error:
            raise in_file(path, error) from None

    from ..checks.settings_file import read_settings  # only a file needs this module

    return read_settings(text, file=path, folder=folder)


def _found(start: str) -> Path | None:
    """The nearest file of settings, up to the folder with `.git`. Without a repository, up to the working folder, or in
    the folder of the PATH alone."""
    path = Path(os.path.abspath(start))  # noqa: PTH100  # resolve() follows links
    folder = path if os.path.isdir(path) else path.parent  # noqa: PTH112  # Path's own raises for a name that is too long
    folders = [folder, *folder.parents]
    git = (each for each in folders if os.path.lexists(each / ".git"))
    last = next(git, Path.cwd() if folder.is_relative_to(Path.cwd()) else folder)
    return next((each / NAME for each in folders if each.is_relative_to(last) and os.path.lexists(each / NAME)), None)


def apply_settings(options: argparse.Namespace, settings: Settings | None) -> set[str]:
    """Set the options that no flag sets. The subjects of the versions that the settings give are the answer."""
    options.fail_on = options.fail_on or (settings and settings.fail_on) or "error"
    if settings is None:
        return set()
    given = set()
    if settings.talos is not None and options.talos_version is None:
        options.talos_version = str(settings.talos)
        given.add("talos")
    if settings.kubernetes is not None and options.kubernetes is None:
        options.kubernetes = settings.kubernetes
        given.add("kubernetes")
    return given


def classes_with(options: argparse.Namespace, settings: Settings | None) -> list[GpuNodes]:
    """The classes of GPU nodes of the flags, or else of the settings."""
    return classes_of(options) or classes_of_settings(settings)


def classes_of_settings(settings: Settings | None) -> list[GpuNodes]:
    """The classes of GPU nodes of the settings, or of the cluster file that they name."""
    if settings is None:
        return []
    if not isinstance(settings.nodes, str):
        return list(settings.nodes)
    from .cluster_files import file_of, nodes_in

    path = os.path.relpath(settings.folder / settings.nodes)
    try:
        text = _text_inside("nodes", path, settings.folder)
    except Refusal as error:
        raise in_file(f"{settings.file}:{settings.lines['nodes']}", error) from None
    return [nodes for _, nodes in nodes_in(file_of(path, text), None)]


def _text_inside(argument: str, path: str, folder: Path) -> str:
    """The text of a file that no flag names: no pipe, which may never end, and no file to which a symbolic link leads
    out of the repository."""
    _check_inside(argument, path, folder)
    if Path(path).is_fifo():
        raise wrong(argument, "a file that can be read", path, "it is a pipe")
    return read_text(argument, path)


def _check_inside(argument: str, path: str, folder: Path) -> None:
    from ..observed.read.limits import GitRoots

    if GitRoots([folder]).excludes(Path(os.path.abspath(path))):  # noqa: PTH100  # resolve() follows links
        raise wrong(argument, "a path inside of the repository", path, "a symbolic link leads out of the repository")


def roots_of(options: argparse.Namespace, settings: Settings | None) -> dict[str, list[str]]:
    """The paths of each cluster by its name: of `--root`, or of the settings' roots, all or those that a PATH
    contains."""
    if options.root:
        return {root: [*options.paths, *folders_of(root)] for root in options.root}
    if settings is None:
        return {}
    given = {path: Path(os.path.abspath(path)) for path in options.paths}  # noqa: PTH100  # resolve() follows links
    roots = {}
    wider = set()
    for number, root in enumerate(settings.roots):
        folders = [settings.folder / each for each in root]
        for folder in folders:
            _check_root(settings, number, os.path.relpath(folder))
        containing = {path for path, absolute in given.items() if all(each.is_relative_to(absolute) for each in folders)}
        wider |= containing
        if containing or not given:
            shown = [os.path.relpath(each) for each in folders]
            roots[",".join(shown)] = shown
    others = [path for path in options.paths if path not in wider]
    return {root: [*others, *folders] for root, folders in roots.items()}


def effects_of(options: argparse.Namespace, settings: Settings | None, *, has_roots: bool) -> tuple[str, ...]:
    """A sentence about each way in which the settings make the report smaller: folders, rules and severities, and what
    they state without a file."""
    if settings is None:
        return ()
    sentences = []
    if has_roots and not options.root:
        outside = [os.path.relpath(each) for each in settings.outside_of_roots(map(Path, options.paths or [settings.folder]))]
        sentences += [f"the settings leave out {_some(outside)}, which none of their roots contains"] if outside else []
    if settings.ignore:
        ignored = dict.fromkeys(f"{each.rule}{f' in {each.path}' if each.path else ''}" for each in settings.ignore)
        sentences.append(f"the settings silence {_some(list(ignored))}")
    if settings.fail_on not in (None, "error") and options.fail_on == settings.fail_on:
        sentences.append(f"the settings make the exit status 1 for {_FAILS[settings.fail_on or '']}")
    stated = [*(f"the label {each}" for each in settings.labels), *(f"the RuntimeClass {each}" for each in settings.runtime_classes)]
    return (*sentences, *([f"the settings state {_some(stated)}, which no file has to create"] if stated else []))


_FAILS = {"warning": "warnings too", "remark": "warnings and remarks too", "never": "no finding"}
_SHOWN = 5


def _some(words: list[str]) -> str:
    from ..checks.report_words import listed

    return listed(words if len(words) <= _SHOWN + 1 else [*words[:_SHOWN], f"{len(words) - _SHOWN} more"])


def _check_root(settings: Settings, number: int, path: str) -> None:
    """Refuse a root that does not exist, or is outside of the repository, also if no PATH contains it: else the
    clusters would be checked as one."""
    argument = f"roots[{number}]"
    try:
        _check_inside(argument, path, settings.folder)
        if not os.path.exists(path):  # noqa: PTH110  # Path's own raises for a name that is too long
            raise wrong(argument, "an existing file or folder", path, "no such file or directory")
    except Refusal as error:
        raise in_file(f"{settings.file}:{settings.root_lines[number]}", error) from None
