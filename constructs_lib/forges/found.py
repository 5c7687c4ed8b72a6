"""The places of the new findings in the repository, from the answer of `talos-gpu diff --format json`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ..arguments.printable import printable
from ..observed.read.files import READ, UNREAD

_LEVELS = {"error": "failure", "warning": "warning", "remark": "notice"}
_LONGEST_TITLE = 255
_SEVERITIES = {"error": "critical", "warning": "major", "remark": "info"}


class _Place(NamedTuple):
    file: str
    line: int
    finding: dict[str, Any]


def check_annotations(change: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """The annotations of a check run.

    Source: https://docs.github.com/en/rest/checks/runs (2026-11-28)
    """
    return [
        {
            "path": file,
            "start_line": line,
            "end_line": line,
            "annotation_level": _LEVELS[found["severity"]],
            "title": printable(f"{found['rule']} {found['object']}".rstrip())[:_LONGEST_TITLE],
            "message": _words(found),
        }
        for file, line, found in _places(change, path)
    ]


def code_quality(change: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """The report of GitLab.

    Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format (2026-11-28)
    """
    return [
        {
            "description": f"{printable(found['object'])}: {_words(found)}",
            "check_name": found["rule"],
            "fingerprint": hashlib.sha256(f"{file}:{line}:{found['rule']}:{found['object']}:{found['message']}".encode()).hexdigest(),
            "severity": _SEVERITIES[found["severity"]],
            "location": {"path": file, "lines": {"begin": line}},
        }
        for file, line, found in _places(change, path)
    ]


def _words(found: dict[str, Any]) -> str:
    return f"{printable(found['message'])}; fix: {printable(found['fix'])}"


def _places(change: dict[str, Any], path: str) -> Iterator[_Place]:
    """The findings with a place inside of the repository. What a cluster file describes is in no file: its place is the cluster file."""
    whole = PurePosixPath(path or ".")
    is_file = whole.name.endswith((*READ, *UNREAD))
    for found in change["findings"]["new"]:
        place, line = whole / found["file"], found["line"] or 1
        if is_file:
            place, line = whole, line if found["file"] == whole.name else 1
        if found["file"] and not place.is_absolute() and ".." not in place.parts:
            yield _Place(f"{place}", line, found)
