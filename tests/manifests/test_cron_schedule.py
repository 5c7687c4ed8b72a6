import zoneinfo

import pytest

from conftest import message
from constructs_lib import TalosGpuWarning
from constructs_lib.manifests.workload.cron_schedule import cron_schedule, time_zone

RULE = "'schedule' must be a cron schedule such as '0 3 * * *' or '@daily' (got {!r}); {}"
ACCEPTED = [
    "* * * * *", "? ? ? ? ?", "0 3 * * *", "59 23 31 12 6", "*/5 * * * *", "0-30/10 * * * *", "5/15 * * * *", "0,30 8-18 * * MON-FRI", "0 0 1 jan,Jul *",
    "00 03 * * *", "0 0 29 2 *", "0 0 29-31 2 *", "0 0 31 2,3 *", "0 0 31 4/2 1", "0 0 31 2 0", "0 0 31 2 */2",
    "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
]  # fmt: skip
REFUSED = {
    "60 * * * *": "the minute is from 0 to 59, not '60'",
    "* 24 * * *": "the hour is from 0 to 23, not '24'",
    "* * 0 * *": "the day of the month is from 1 to 31, not '0'",
    "* * 32 * *": "the day of the month is from 1 to 31, not '32'",
    "* * * 13 *": "the month is from 1 to 12, or jan to dec, not '13'",
    "* * * janu *": "the month is from 1 to 12, or jan to dec, not 'janu'",
    "* * * * 7": "the day of the week is from 0 to 6, or sun to sat, not '7'; Sunday is 0",
    "* * * * jan": "the day of the week is from 0 to 6, or sun to sat, not 'jan'",
    "* jan * * *": "the hour is from 0 to 23, not 'jan'",
    "99999999999999999999 * * * *": "the minute is from 0 to 59, not '99999999999999999999'",
    "30-10 * * * *": "the minute '30-10' begins after its end",
    "* * * * fri-mon": "the day of the week 'fri-mon' begins after its end",
    "*/0 * * * *": "a step of the minute is from 1 to 59, not 0",
    "*/90 * * * *": "a step of the minute is from 1 to 59, not 90",
    "* */24 * * *": "a step of the hour is from 1 to 23, not 24",
    "*-5 * * * *": "the minute '*-5' is no number, range, step or list",
    "1,,2 * * * *": "the minute '' is no number, range, step or list",
    "1-2-3 * * * *": "the minute '1-2-3' is no number, range, step or list",
    "-1 * * * *": "the minute '-1' is no number, range, step or list",
    "1.5 * * * *": "the minute '1.5' is no number, range, step or list",
    "* * L * *": "the day of the month is from 1 to 31, not 'l'",
    "* * * * 1#2": "the day of the week '1#2' is no number, range, step or list",
    "\u0661 * * * *": "the minute '\u0661' is no number, range, step or list",
    "0 0 31 2 *": "no month of this schedule has a day 31, so the Job never runs",
    "0 0 30-31 2 ?": "no month of this schedule has a day 30, so the Job never runs",
    "0 0 31 4,6,9,11 */1": "no month of this schedule has a day 31, so the Job never runs",
    "0 3 * * * *": "a schedule has five fields: minute, hour, day of the month, month, day of the week",
    "daily": "a schedule has five fields: minute, hour, day of the month, month, day of the week",
    "@every 1h": "Kubernetes documents no '@every'; write five fields, such as '*/30 * * * *'",
    "@Daily": "did you mean '@daily'?",
    "@reboot": "the macros are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly",
    "TZ=Europe/Berlin 0 3 * * *": "give the time zone as 'time_zone'",
    "CRON_TZ=UTC 0 3 * * *": "give the time zone as 'time_zone'",
}


@pytest.mark.parametrize("written", ACCEPTED)
def test_a_schedule_of_kubernetes_is_accepted_as_it_is(written):
    assert cron_schedule("schedule", written) == written


def test_white_space_between_fields_is_one_space():
    assert cron_schedule("schedule", " 0\t3  * * * ") == "0 3 * * *"


@pytest.mark.parametrize(("written", "hint"), REFUSED.items())
def test_a_schedule_that_kubernetes_refuses_or_that_never_comes_is_refused_with_its_part(written, hint):
    assert message(lambda: cron_schedule("schedule", written)) == RULE.format(written, hint)


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_the_name_of_a_time_zone_is_accepted(name):
    assert time_zone("time_zone", name) == name


@pytest.mark.parametrize("written", ["Local", "local", "+02:00", "2", "Europe/", "/Europe", "Europe Berlin", "../etc", "Europe/../UTC"])
def test_what_is_no_name_of_a_time_zone_is_refused(written):
    assert message(lambda: time_zone("time_zone", written)) == (
        f"'time_zone' must be the name of an IANA time zone such as 'Europe/Berlin' (got {written!r}); "
        "Kubernetes takes names, and neither offsets nor 'Local'"
    )


@pytest.mark.parametrize(
    ("written", "hint"), [("europe/berlin", "; did you mean 'Europe/Berlin'?"), ("Europe", ""), ("UTC+2", ""), ("Mars/Olympus", "")]
)
def test_a_time_zone_that_the_tables_lack_is_a_warning_because_the_cluster_may_know_it(written, hint):
    with pytest.warns(TalosGpuWarning) as caught:
        assert time_zone("time_zone", written) == written

    (warning,) = caught
    assert str(warning.message).startswith(
        f"the time zone {written!r} is not in the tables of this machine. The API server refuses a CronJob with a time zone that it does not know"
    )
    assert str(warning.message).endswith(hint or "")


def test_without_tables_any_name_is_accepted(monkeypatch):
    def unknown(name):
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", unknown)
    monkeypatch.setattr(zoneinfo, "available_timezones", set)

    assert time_zone("time_zone", "Mars/Olympus") == "Mars/Olympus"
