"""`doctor --live --watch`: rounds of reading, each under its time, the first with the whole report and the others with what
has changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from ..doctor.doctor_report import DoctorReport

First = Callable[[DoctorReport], Iterable[str]]
Next = Callable[[DoctorReport, DoctorReport], Iterable[str]]


def watch(read: Callable[[], DoctorReport], answer: Callable[[Iterable[str]], None], first: First, following: Next, seconds: int) -> None:
    """Read and print until Ctrl-C. Only the first round can fail: a cluster whose API server starts again is asked again."""
    before = read()
    answer([f"{_now()}\n", *first(before)])
    while True:
        time.sleep(seconds)
        try:
            report = read()
        except ValueError as error:
            answer([f"\n{_now()}: {error}\n"])
            continue
        answer([f"\n{_now()}: ", *following(before, report)])
        before = report


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
