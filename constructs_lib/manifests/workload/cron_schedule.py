"""The schedule and the time zone of a CronJob, in the notation of Kubernetes."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...arguments.errors import warn, wrong
from ...arguments.plain_values import text
from ...arguments.spelling import did_you_mean

_RULE = "a cron schedule such as '0 3 * * *' or '@daily'"
_ZONE_RULE = "the name of an IANA time zone such as 'Europe/Berlin'"
_MACROS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_ITEM = r"(?P<first>[*?]|[0-9a-z]+)(-(?P<last>[0-9a-z]+))?(/(?P<step>[0-9]+))?"
# The days of the longest month of each number; a 29th of February comes every four years.
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class _Field(NamedTuple):
    """A field of a schedule: its name, its range, and the words for its numbers."""

    name: str
    least: int
    most: int
    words: tuple[str, ...] = ()


# https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")),
    _Field("day of the week", 0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat")),
)


class _ScheduleError(Exception):
    """The reason why a schedule is none, as a hint."""


def cron_schedule(argument: str, value: object) -> str:
    """A schedule that Kubernetes accepts and that comes at least once."""
    written = text(argument, value, _RULE, "a CronJob needs one" if value is None else "")
    try:
        return _checked(written)
    except _ScheduleError as reason:
        raise wrong(argument, _RULE, written, str(reason)) from None


def _checked(written: str) -> str:
    if written in _MACROS:
        return written
    if re.match(r"(CRON_)?TZ=", written):
        raise _ScheduleError("give the time zone as 'time_zone'")
    if written.startswith("@every"):
        raise _ScheduleError("Kubernetes documents no '@every'; write five fields, such as '*/30 * * * *'")
    if written.startswith("@"):
        raise _ScheduleError(did_you_mean(written, _MACROS) or f"the macros are {', '.join(_MACROS)}")
    fields = written.split()
    if len(fields) != len(_FIELDS):
        raise _ScheduleError(f"a schedule has five fields: {', '.join(field.name for field in _FIELDS)}")
    numbers = [{number for item in part.split(",") for number in _range(field, item)} for field, part in zip(_FIELDS, fields, strict=True)]
    _, _, days, months, _ = numbers
    # With a day of the week the Job also runs on that day, whatever the date.
    if _is_open(fields[4]) and not any(min(days) <= _DAYS[month - 1] for month in months):
        raise _ScheduleError(f"no month of this schedule has a day {min(days)}, so the Job never runs")
    return " ".join(fields)


def _is_open(part: str) -> bool:
    return any(re.fullmatch(r"[*?](/0*1)?", item) for item in part.split(","))


def _range(field: _Field, item: str) -> range:
    match = re.fullmatch(_ITEM, item.lower(), flags=re.ASCII)
    if not match or (match["first"] in "*?" and match["last"]):
        raise _ScheduleError(f"the {field.name} '{item}' is no number, range, step or list")
    step = int(match["step"] or 1)
    if not 1 <= step <= field.most:
        raise _ScheduleError(f"a step of the {field.name} is from 1 to {field.most}, not {step}")
    if match["first"] in "*?":
        return range(field.least, field.most + 1, step)
    first = _number(field, match["first"])
    last = _number(field, match["last"]) if match["last"] else field.most if match["step"] else first
    if first > last:
        raise _ScheduleError(f"the {field.name} '{item}' begins after its end")
    return range(first, last + 1, step)


def _number(field: _Field, word: str) -> int:
    if word in field.words:
        return field.words.index(word) + field.least
    if re.fullmatch(r"0*[0-9]{1,2}", word) and field.least <= int(word) <= field.most:
        return int(word)
    words = f", or {field.words[0]} to {field.words[-1]}" if field.words else ""
    hint = "; Sunday is 0" if field.name == "day of the week" and word == "7" else ""
    raise _ScheduleError(f"the {field.name} is from {field.least} to {field.most}{words}, not '{word}'{hint}")


def time_zone(argument: str, value: object) -> str:
    """The name of a time zone, with a warning where this machine's tables, perhaps older, don't have it."""
    written = text(argument, value, _ZONE_RULE)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", written) or written.lower() == "local":
        raise wrong(argument, _ZONE_RULE, written, "Kubernetes takes names, and neither offsets nor 'Local'")
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones  # only a CronJob with a time zone needs the tables

    try:
        ZoneInfo(written)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # Windows and small images have no tables at all.
        if known := available_timezones():
            hint = did_you_mean(written, sorted(known))
            warn(f"the time zone {written!r} is not in the tables of this machine. The API server refuses a CronJob with a time zone that it "
                 f"does not know{f'; {hint}' if hint else ''}")  # fmt: skip
    return written
