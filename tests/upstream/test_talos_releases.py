import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest

from conftest import ROOT
from constructs_lib.upstream.talos import releases as talos_releases
from constructs_lib.upstream.talos.releases import PREVIEW, READ_ON, TALOS
from constructs_lib.upstream.version import Version

RELEASED = [talos for talos in TALOS if talos != PREVIEW]


def numbers(version):
    return tuple(int(number) for number in re.findall(r"\d+", version))


def test_talos_minors_follow_each_other_from_the_first_with_tracks():
    assert list(TALOS) == [f"1.{minor}" for minor in range(8, 8 + len(TALOS))]


def test_there_is_a_preview_only_where_the_last_is_a_pre_release():
    assert PREVIEW in ("", list(TALOS)[-1])
    assert [talos for talos, release in TALOS.items() if Version.parse(release.newest).pre_release] == [
        talos for talos in [PREVIEW] if talos
    ]


def test_the_newest_patch_is_of_its_own_minor():
    assert [Version.parse(release.newest).without_patch for release in TALOS.values()] == list(TALOS)


def test_the_date_of_the_tables_is_that_of_the_one_read_longest_ago():
    """The tables of messages have dates of their own: no manifest comes of them, and each answer names the releases that were read."""
    dates = [json.loads(path.read_text())["read_on"] for path in (ROOT / "constructs_lib" / "upstream").rglob("tables/*.json")]

    assert min(dates) == READ_ON
    assert date.fromisoformat(READ_ON) <= datetime.now(tz=UTC).date()


def test_a_name_that_the_module_has_not_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'NEWEST'"):
        _ = talos_releases.NEWEST


def test_a_class_of_nodes_is_named_without_the_table_and_made_with_it():
    code = "import sys\nfrom constructs_lib import GpuNodes\nbefore = 'json' in sys.modules\nGpuNodes(talos_version='1.13')\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(before, 'json' in sys.modules)"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False True\n"


def test_the_kernel_and_the_toolkit_are_versions_where_they_are_known():
    for release in TALOS.values():
        assert re.fullmatch(r"(\d+\.\d+\.\d+)?", release.kernel)
        assert re.fullmatch(r"(\d+\.\d+\.\d+)?", release.toolkit)


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
