import re
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest

from constructs_lib.upstream.talos_releases import PREVIEW, READ_ON, TALOS
from constructs_lib.upstream.version import Version

RELEASED = [talos for talos in TALOS if talos != PREVIEW]


def numbers(version):
    return tuple(int(number) for number in re.findall(r"\d+", version))


def test_talos_minors_follow_each_other_from_the_first_with_tracks():
    assert list(TALOS) == [f"1.{minor}" for minor in range(8, 8 + len(TALOS))]


def test_the_preview_is_the_last_and_is_a_pre_release():
    assert list(TALOS)[-1] == PREVIEW
    assert [talos for talos, release in TALOS.items() if Version.parse(release.newest).pre_release] == [PREVIEW]


def test_the_newest_patch_is_of_its_own_minor():
    assert [Version.parse(release.newest).without_patch for release in TALOS.values()] == list(TALOS)


def test_the_tables_have_a_date():
    assert date.fromisoformat(READ_ON) <= datetime.now(tz=UTC).date()


def test_the_new_feature_track_begins_with_talos_1_15():
    assert [talos for talos, release in TALOS.items() if "new-feature" in release.drivers] == ["1.15"]


@pytest.mark.parametrize("talos", RELEASED)
def test_a_released_talos_has_a_driver_version_for_both_tracks(talos):
    drivers = TALOS[talos].drivers

    assert set(drivers) == {"lts", "production"}
    assert all(re.fullmatch(r"\d{3}\.\d{2,3}\.\d{2}", version) for version in drivers.values())


@pytest.mark.parametrize("track", ["lts", "production"])
def test_drivers_never_go_back_from_one_talos_to_the_next(track):
    found = [numbers(TALOS[talos].drivers[track]) for talos in RELEASED]

    assert found == sorted(found)


def test_on_talos_1_12_the_lts_driver_is_the_newer_one_and_on_1_13_production():
    assert numbers(TALOS["1.12"].drivers["lts"]) > numbers(TALOS["1.12"].drivers["production"])
    assert numbers(TALOS["1.13"].drivers["lts"]) < numbers(TALOS["1.13"].drivers["production"])


@pytest.mark.parametrize(
    ("talos", "expected"),
    [
        ("1.12", ["1.30", "1.31", "1.32", "1.33", "1.34", "1.35"]),
        ("1.13", ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"]),
        ("1.14", ["1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]),
    ],
)
def test_kubernetes_versions_are_every_minor_of_the_range_oldest_first(talos, expected):
    assert TALOS[talos].kubernetes_versions == expected


def test_kubernetes_ranges_move_up_by_one_minor_with_each_talos():
    for older, newer in pairwise(TALOS.values()):
        assert newer.kubernetes == (older.kubernetes[0] + 1, older.kubernetes[1] + 1)


def test_a_kubernetes_that_runs_before_an_upgrade_of_talos_can_run_after_it():
    for older, newer in pairwise(TALOS.values()):
        assert set(older.kubernetes_versions) & set(newer.kubernetes_versions)
