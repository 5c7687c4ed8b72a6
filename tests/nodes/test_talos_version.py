from dataclasses import FrozenInstanceError

import pytest

from conftest import message
from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.talos import TalosVersion
from constructs_lib.upstream.talos.generations import Generation
from constructs_lib.upstream.talos.releases import READ_ON, TALOS

RULE = "'talos_version' must be a Talos version such as '1.14', from '1.8' on, with or without its patch"
TOO_OLD = "before Talos 1.8 the NVIDIA extensions have no tracks, and nodes have no labels for their extensions; upgrade Talos first"
TOO_NEW = f"Talos 2 is not known (tables of {READ_ON}); upgrade this library"


def parse(value):
    return TalosVersion.parse("talos_version", value)


@pytest.mark.parametrize(
    ("written", "minor", "patch", "pre_release", "printed"),
    [
        ("1.12", 12, None, "", "1.12"),
        ("v1.12", 12, None, "", "1.12"),
        (" 1.12 ", 12, None, "", "1.12"),
        ("1.8.0", 8, 0, "", "1.8.0"),
        ("v1.12.11", 12, 11, "", "1.12.11"),
        ("v1.14.0-rc.1", 14, 0, "-rc.1", "1.14.0-rc.1"),
    ],
)
def test_is_read_as_people_write_it_and_printed_without_the_v(written, minor, patch, pre_release, printed):
    version = parse(written)

    assert (version.minor, version.patch, version.pre_release) == (minor, patch, pre_release)
    assert str(version) == printed


def test_a_version_that_was_read_is_taken_as_it_is():
    version = parse("v1.12.11")

    assert parse(version) == version
    assert GpuNodes(talos_version=version).talos_version == version


def test_what_it_prints_reads_back_as_the_same_version():
    for written in ("1.12", "1.12.11", "1.14.0-rc.1"):
        assert parse(str(parse(written))) == parse(written)


@pytest.mark.parametrize("written", ["1.16", "v1.20.3"])
def test_a_minor_that_is_newer_than_the_tables_is_taken_for_the_newest_of_them(written):
    version = parse(written)

    assert not version.is_known
    assert version.generation is Generation.NRI
    assert version.release.drivers == TALOS["1.15"].drivers
    assert version.release.newest == ""


def test_nodes_of_a_talos_that_is_newer_than_the_tables_warn_of_it():
    with pytest.warns(TalosGpuWarning) as caught:
        assert GpuNodes(talos_version="1.16").runtime_class is None

    assert [str(each.message) for each in caught] == [
        f"Talos 1.16 is newer than this library's tables, which were read on {READ_ON}: the manifests are those for Talos 1.15, and are untested"
    ]


def test_the_minor_version_leaves_the_patch_out():
    assert parse("v1.14.0-rc.1").minor_version == "1.14"


@pytest.mark.parametrize(
    ("written", "generation"),
    [
        ("1.8", "legacy"),
        ("1.9", "legacy"),
        ("1.10", "legacy"),
        ("1.11", "legacy"),
        ("1.12", "legacy"),
        ("v1.12.11", "legacy"),
        ("1.13", "cdi"),
        ("v1.14.0-rc.1", "cdi"),
        ("1.15", "nri"),
    ],
)
def test_cdi_begins_with_1_13_and_nri_with_1_15(written, generation):
    assert parse(written).generation is Generation(generation)


def test_each_talos_of_the_table_is_read_and_knows_its_release():
    for written, release in TALOS.items():
        assert parse(written).release is release
        assert parse(f"{written}.3").release is release


@pytest.mark.parametrize(
    ("value", "then"),
    [
        ("1.7", TOO_OLD),
        ("v1.7.6", TOO_OLD),
        ("0.14", TOO_OLD),
        ("2.0", TOO_NEW),
        ("1.012", "did you mean '1.12'?"),
        ("1.12.x", "did you mean '1.12'?"),
        ("1.12-rc.1", "did you mean '1.12'?"),
        ("1,12", "did you mean '1.12'?"),
        ("latest", ""),
        ("12", "did you mean '1.12'?"),
        ("", ""),
    ],
)
def test_another_version_is_refused_with_what_to_do_about_it(value, then):
    assert message(lambda: parse(value)) == f"{RULE} (got {value!r})" + (f"; {then}" if then else "")


@pytest.mark.parametrize("value", [None, 112, True, ("1", "12")])
def test_what_is_no_string_is_refused(value):
    assert message(lambda: parse(value), TypeError) == f"{RULE} (got {value!r})"


def test_a_number_is_refused_because_it_cannot_tell_1_10_from_1_1():
    assert message(lambda: parse(1.12), TypeError) == (f"{RULE} (got 1.12); quote it: '1.12'")


def test_the_number_1_1_is_taken_for_the_1_10_that_was_written():
    assert "quote it: '1.10'" in message(lambda: parse(1.10), TypeError)


def test_a_version_made_by_hand_is_checked_like_one_that_is_read():
    assert message(lambda: GpuNodes(talos_version=TalosVersion(7))) == message(lambda: GpuNodes(talos_version="1.7"))


def test_the_argument_is_named_as_its_caller_knows_it():
    assert message(lambda: TalosVersion.parse("talos", "2.0")).startswith("'talos' must be a Talos version ")


def test_is_frozen_equal_by_value_and_hashable():
    version = parse("1.12")

    assert message(lambda: setattr(version, "minor", 13), FrozenInstanceError) == "cannot assign to field 'minor'"
    assert {version: "kept"}[parse("v1.12")] == "kept"
    assert version != parse("1.12.0")
