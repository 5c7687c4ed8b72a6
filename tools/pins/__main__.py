"""The command behind `make pins`."""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from .chart_tables import CHART_SOURCES, renew_chart
from .default_pins import propose
from .error_names import NCCL, ErrorTable, renew_nccl
from .extension_lists import renew_extensions
from .kubernetes_fields import API, MACHINERY, renew_choices, renew_fields
from .message_tables import renew_messages
from .model_shapes import renew_models
from .release_notes import EXTENSIONS, TALOS, read_notes
from .repositories import GitHubRepository, Repository, UnreachableError, local_repository
from .spoken_programs import PROGRAMS
from .tables import Report, Table
from .talos_rows import apply_notes, read_files, renew_newest, talos_versions

UPSTREAM = Path(__file__).resolve().parents[2] / "constructs_lib" / "upstream"


def main(arguments: Sequence[str] | None = None, upstream: Path = UPSTREAM) -> int:
    """Renew the tables. 1 if `--check` finds a fact that would change, 2 if nothing could be read."""
    given = _parser().parse_args(arguments)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="pins-") as work:

        @functools.cache
        def open_repository(name: str) -> Repository:
            if given.copies:
                return local_repository(name, given.copies, given.modules)
            return GitHubRepository(name, Path(work) / name.replace("/", "+"), given.server)

        models = Table(upstream / "tables" / "models.json")
        if given.configs:
            today = dt.datetime.now(tz=dt.UTC).date().isoformat()
            renew_models(models, given.configs, today, report)
            models.read(today)
        tables = [models, *renew(open_repository, upstream, given.page, report, every_tag=given.every_tag)]
    if not report.read:
        _print(report, is_renewed=True, check=given.check)
        sys.stderr.write("nothing was read: the tables stay as they are\n")
        return 2
    is_renewed = any(table.is_renewed for table in tables)
    if not given.check:
        for table in tables:
            table.write()
    _print(report, is_renewed=is_renewed, check=given.check)
    return 1 if given.check and is_renewed else 0


def renew(
    open_repository: Callable[[str], Repository], upstream: Path, pages: Sequence[Path], report: Report, *, every_tag: bool
) -> list[Table]:
    """Every table, with what the repositories and the pages say; what can't be read is named in the report."""
    releases, names, kubernetes = (
        Table(upstream / "tables" / f"{name}.json") for name in ("talos_releases", "extension_names", "kubernetes_fields")
    )
    charts = {source.name: Table(upstream / "charts" / "tables" / f"{source.name}.json") for source in CHART_SOURCES}
    for page in pages:
        try:
            notes = read_notes(page.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            report.unread.append(f"{page}: {error}")
            continue
        if notes is None:
            report.unread.append(f"{page}: no release notes of Talos or of its extensions")
        else:
            apply_notes(releases, notes, report)
            report.read.append(str(page))

    renew_fields(kubernetes, report)

    def talos(repository: Repository) -> None:
        renew_newest(releases, talos_versions(repository.tags()), report)
        read_files(releases, repository, report, every_tag=every_tag)

    steps: list[tuple[Table, str, Callable[[Repository], object]]] = [
        (releases, TALOS, talos),
        (releases, EXTENSIONS, functools.partial(read_files, releases, report=report, every_tag=every_tag)),
        (names, EXTENSIONS, functools.partial(renew_extensions, names, report=report, every_tag=every_tag)),
        *((kubernetes, name, functools.partial(renew_choices, kubernetes, report=report)) for name in (API, MACHINERY)),
    ]
    steps += [
        (
            charts[source.name],
            source.repository,
            functools.partial(renew_chart, source, charts[source.name], report=report, every_tag=every_tag),
        )
        for source in CHART_SOURCES
    ]
    said = {program.name: Table(upstream / "messages" / f"{program.name}.json") for program in PROGRAMS}
    steps += [
        (
            said[program.name],
            program.repository,
            functools.partial(renew_messages, program, said[program.name], report=report, every_tag=every_tag),
        )
        for program in PROGRAMS
    ]
    errors = ErrorTable(upstream / "nvidia" / "error_codes.tsv")
    steps.append((errors, NCCL, functools.partial(renew_nccl, errors, report=report)))
    dates: dict[Path, list[str]] = {}
    for table, name, step in steps:
        try:
            repository = open_repository(name)
            step(repository)
            report.read.append(name)
            dates.setdefault(table.path, []).append(repository.read_on)
        except UnreachableError as error:
            report.unread.append(f"{error}; {table.path.stem} stays as it is")
            dates.setdefault(table.path, []).append("")
    tables = [releases, names, kubernetes, *charts.values(), *said.values(), errors]
    for table in tables:
        table.read(min(dates[table.path]))
    propose(open_repository, report)
    return tables


def _print(report: Report, *, is_renewed: bool, check: bool) -> None:
    lines = [("would change" if check else "changed", report.changes), ("to review", report.reviews), ("move by hand", report.proposals)]
    for heading, facts in lines:
        for fact in facts:
            sys.stdout.write(f"{heading}: {fact}\n")
    if not is_renewed:
        sys.stdout.write("the tables hold every fact that was read\n")
    for fact in report.unread:
        sys.stderr.write(f"not read: {fact}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make pins", description="Write the tables of constructs_lib/upstream from what upstream publishes."
    )
    parser.add_argument(
        "--from", dest="copies", type=Path, metavar="DIR", help="read clones or bare mirrors in DIR/owner+name or DIR/owner/name"
    )
    parser.add_argument(
        "--modules", type=Path, metavar="DIR", help="with --from: read a repository that has no copy in this Go module cache"
    )
    parser.add_argument("--server", default="https://github.com", metavar="URL", help="read from here (default: %(default)s)")
    parser.add_argument("--page", action="append", default=[], type=Path, metavar="FILE", help="release notes of Talos or its extensions")
    parser.add_argument(
        "--configs", action="append", default=[], type=Path, metavar="DIR",
        help="the models of DIR/owner/name/config.json, or of DIR/owner--name_config.json; DIR/SOURCE says where the files are from",
    )  # fmt: skip
    parser.add_argument("--every-tag", action="store_true", help="read every tag that the tables cover, and not only what is new")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a fact would change")
    return parser


if __name__ == "__main__":
    sys.exit(main())
