"""The table of the names of Talos' extensions."""

from __future__ import annotations

import re

from constructs_lib.upstream.talos.extension_names import RENAMED
from constructs_lib.upstream.version import Version

from .repositories import Repository, UnreachableError
from .tables import Report, Table
from .talos_rows import newest_of, talos_versions

_TARGET = re.compile(r"^(?:NONFREE_)?TARGETS \+?= *(\S+)$", re.MULTILINE)


def renew_extensions(table: Table, repository: Repository, report: Report, *, every_tag: bool = False) -> None:
    """Read the list of the newest release of each minor, where the table has not got all of it already, or of all."""
    whole, since = table.facts["whole"], table.facts["since"]
    versions = talos_versions(repository.tags())
    minors = dict.fromkeys(version.without_patch for version in versions if version >= Version(1, 8))
    for minor in minors:
        newest, known = newest_of(versions, minor), Version.parse(whole.get(minor, ""))
        if newest is None or (known and (newest < known or (newest == known and not every_tag))):
            continue
        try:
            names = set(_TARGET.findall(repository.files(f"v{newest}", "Makefile")["Makefile"]))
        except UnreachableError as error:
            report.unread.append(f"{error}; the names of Talos {minor} stay those of {whole.get(minor, 'earlier minors')}")
            continue
        for name in sorted(names):
            came = Version.parse(since.get(name, ""))
            if came is None or came > Version(newest.major, newest.minor):
                report.changes.append(f"Talos {newest}: extension {name} since {minor} (was {since.get(name, 'not known')})")
                since[name] = minor
        gone = {name for name, first in since.items() if (Version.parse(first) or newest) <= newest} - names - RENAMED.keys()
        report.reviews += [f"Talos {newest} has no extension {name}, which the table has since {since[name]}" for name in sorted(gone)]
        if whole.get(minor) != str(newest):
            report.changes.append(f"Talos {minor}: its extensions are known up to {newest} (was {whole.get(minor, 'none')})")
            whole[minor] = str(newest)
    table.facts["since"] = dict(sorted(since.items()))
