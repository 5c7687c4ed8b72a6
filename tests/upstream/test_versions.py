import re
from itertools import pairwise

import pytest

from constructs_lib.upstream import versions
from constructs_lib.upstream.versions import TALOS, TALOS_PREVIEW

RELEASED = [talos for talos in TALOS if talos != TALOS_PREVIEW]
OPERATORS = {name: value for name, value in vars(versions).items() if re.fullmatch(r"GPU_OPERATOR_\w*(NEWEST|LEGACY|OLDEST)", name)}


def numbers(version):
    return tuple(int(number) for number in re.findall(r"\d+", version))


def test_talos_minors_follow_each_other_from_the_first_with_tracks():
    assert list(TALOS) == [f"1.{minor}" for minor in range(8, 8 + len(TALOS))]


def test_the_preview_is_the_last_and_has_no_drivers_yet():
    assert list(TALOS)[-1] == TALOS_PREVIEW
    assert TALOS[TALOS_PREVIEW].drivers == {}


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


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_version_is_exact_and_has_its_v(name):
    assert re.fullmatch(r"v\d{2}\.\d{1,2}\.\d+", OPERATORS[name])


def test_the_operators_floors_stand_in_the_order_of_the_generations():
    assert (
        numbers(versions.GPU_OPERATOR_OLDEST)
        <= numbers(versions.GPU_OPERATOR_LEGACY)
        < numbers(versions.GPU_OPERATOR_CDI_OLDEST)
        <= numbers(versions.GPU_OPERATOR_NRI_OLDEST)
        <= numbers(versions.GPU_OPERATOR_NEWEST)
    )


def test_no_default_and_no_floor_is_a_broken_release():
    assert not set(OPERATORS.values()) & set(versions.GPU_OPERATOR_BROKEN)


def test_a_broken_release_lies_where_users_may_pick_one_and_says_what_breaks():
    for version, symptom in versions.GPU_OPERATOR_BROKEN.items():
        assert numbers(versions.GPU_OPERATOR_OLDEST) < numbers(version) < numbers(versions.GPU_OPERATOR_NEWEST)
        assert "NVIDIA/gpu-operator#" in symptom


@pytest.mark.parametrize(
    "name",
    ["DEVICE_PLUGIN_IMAGE", "MIG_PARTED_IMAGE", "BUSYBOX_IMAGE", "DCGM_EXPORTER_IMAGE"],
)
def test_an_image_is_pinned_to_one_release(name):
    # NVIDIA tags the exporter with DCGM's version, its own, and the base it is built on.
    assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+\.\d+(-\d+\.\d+\.\d+-distroless)?", getattr(versions, name))


def test_every_image_is_among_the_pinned_ones():
    assert {name for name in vars(versions) if name.endswith("_IMAGE")} == {
        "DEVICE_PLUGIN_IMAGE",
        "MIG_PARTED_IMAGE",
        "BUSYBOX_IMAGE",
        "DCGM_EXPORTER_IMAGE",
    }


def test_nothing_is_pinned_to_latest():
    pins = {name: value for name, value in vars(versions).items() if name.isupper() and isinstance(value, str)}

    assert pins
    assert not [name for name, value in pins.items() if "latest" in value]


def test_node_feature_discovery_comes_from_the_registry_of_the_kubernetes_project():
    assert f"{versions.NFD_REPOSITORY}/{versions.NFD_CHART}" == "oci://registry.k8s.io/nfd/charts/node-feature-discovery"
    assert re.fullmatch(r"\d+\.\d+\.\d+", versions.NFD_NEWEST)


def test_the_operators_chart_comes_from_nvidias_registry():
    assert f"{versions.GPU_OPERATOR_REPOSITORY}/{versions.GPU_OPERATOR_CHART}" == "https://helm.ngc.nvidia.com/nvidia/gpu-operator"
