"""The flags `--fix`, `--unsafe-fixes` and `--diff` of the command `check`: findings that are one value or one line are
fixed in the files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from ..arguments.printable import printable
from . import streams

if TYPE_CHECKING:
    from ..checks.fixes.fixer import Fixes, Reading
    from ..checks.rule import Finding
    from ..checks.settings import Settings
    from ..observed.model import Inputs

_SHOWN = 3


def check_fix_flags(options: argparse.Namespace) -> None:
    """Refuse flags that contradict each other."""
    if options.unsafe_fixes and not (options.fix or options.diff):
        raise wrong("unsafe_fixes", "given with --fix or --diff", True, "--diff shows the fixes and writes nothing")
    if (options.fix or options.diff) and "-" in options.paths:
        raise wrong("fix" if options.fix else "diff", "given with files and folders", "-", "standard input is no file that can be fixed")
    if options.diff and options.format != "text":
        raise wrong("diff", "given with --format text", options.format, "a diff has no other format")


def check_roots(options: argparse.Namespace, roots: Collection[str]) -> None:
    """Refuse fixes for several clusters in one run: a fix for one may be wrong for another that includes the same
    file."""
    if len(roots) > 1 and (options.fix or options.diff):
        hint = "name the folder of one cluster as PATH: a fix for one cluster may be wrong for another that includes the same file"
        raise wrong("fix" if options.fix else "diff", "given for one root at a time", " ".join(roots), hint)


def fixed(
    options: argparse.Namespace,
    paths: Iterable[str],
    read: Reading,
    inputs: Inputs,
    settings: Settings | None,
    *,
    select: Iterable[str],
    ignore: Iterable[str],
) -> Fixes | None:
    """The fixes, which are written with `--fix` and without `--diff`; None without either flag."""
    if not (options.fix or options.diff):
        return None
    from ..checks.fixes.files import write
    from ..checks.fixes.fixer import fixes

    result = fixes(read, inputs, map(Path, paths), settings=settings, select=select, ignore=ignore, unsafe=options.unsafe_fixes)
    if not options.diff:
        try:
            write(result.texts)
        except OSError as error:
            raise ValueError(f"a file can't be written: {streams.reason(error)}") from None
    for line in _summary(result, "Would fix" if options.diff else "Fixed"):
        streams.say(f"talos-gpu check: {line}")
    return result


def diff(result: Fixes, *, to_file: bool) -> str:
    """The fixes as a unified diff. A terminal gets no control characters of the files."""
    from ..checks.fixes.files import differences

    text = differences(result.texts, result.names)
    if to_file or sys.stdout is None or not sys.stdout.isatty():
        return text
    return "".join(f"{printable(line)}\n" for line in text.split("\n")[:-1])


def _summary(result: Fixes, verb: str) -> Iterator[str]:
    if not result.before:
        yield "nothing to fix"
        return
    files = f" in {_count(len(result.texts), 'file')}" if result.texts else ""
    without = len(result.without_fix)
    rest = len(result.left) + without
    parts = [
        f"{verb} {result.fixed} of {_count(result.before, 'finding')}{files}",
        f"{len(result.unsafe)} more with --unsafe-fixes" if result.unsafe else "",
        f"{rest} not fixable" + (f": {without} without an automatic fix" if without else "") if rest else "",
    ]
    yield "; ".join(filter(None, parts))
    reasons: dict[tuple[str, str], list[Finding]] = {}
    for finding, why in result.left:
        reasons.setdefault((finding.rule, why), []).append(finding)
    for (rule, why), findings in reasons.items():
        yield f"{rule} is left at {_places(findings)}: {why}"


def _places(findings: list[Finding]) -> str:
    from ..checks.report_words import place

    places: Mapping[str, None] = dict.fromkeys(place(each.file, each.line) for each in findings)
    shown = ", ".join([*places][:_SHOWN])
    return shown + (f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else "")


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
