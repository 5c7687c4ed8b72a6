"""The dumps that the laboratory has recorded (tests/lab/record_dumps.py): the doctor names the true cause of each, first, and none of a healthy cluster."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import sampled
from constructs_lib.doctor.diagnosis import Diagnosis, diagnose
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Follows
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.observed.model.dump import Dump

DUMPS = sorted((Path(__file__).parent / "dumps").iterdir())
LARGEST = 80_000


def expected(folder: Path) -> list[tuple[str, list[str]]]:
    """The causes of a dump in the order in which they must be mended, each with its subjects."""
    causes = yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8"))
    return [(each["cause"], each["subjects"]) for each in causes]


HEALTHY = [each for each in DUMPS if not expected(each)]
SICK = [each for each in DUMPS if expected(each)]


@cache
def dump(folder: Path) -> Dump:
    """What is read of a dump."""
    return read_dump([each for each in sorted(folder.iterdir()) if each.name != "expected.yaml"])


@cache
def diagnosed(folder: Path) -> Diagnosis:
    """What the doctor says of a dump."""
    return diagnose(GpuCluster(dump(folder)))


def files_in(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.rglob("*")) if each.is_file() and each.name != "expected.yaml"]


def causes(folder: Path) -> list[tuple[str, list[str]]]:
    """The causes that the doctor names."""
    return [(each.fault.name, each.subjects) for each in diagnosed(folder).causes]


def named(folder: Path) -> str:
    return folder.name


@pytest.mark.parametrize("folder", SICK, ids=named)
def test_the_true_causes_are_named_with_their_subjects_in_the_order_of_mending(folder):
    assert causes(folder) == expected(folder)


ONLY_ADMIN = ("proc-modules.txt", "driver-version.txt", "machineconfig.yaml")
"""The outputs that Talos gives to the role os:admin alone."""


def test_with_the_role_of_a_reader_the_same_causes_are_named_but_of_a_module_that_only_the_kernel_lists():
    """No other list says which modules are not loaded; the next cause, which is only likely, stands in its place."""
    other = {}
    for folder in SICK:
        read = read_dump([each for each in files_in(folder) if each.name not in ONLY_ADMIN])
        found = [(each.fault.name, each.subjects) for each in diagnose(GpuCluster(read)).causes]
        if found != expected(folder):
            other[folder.name] = [name for name, _ in found]

    assert other == {"cdi-uvm-missing": ["cuda-unknown"]}


@pytest.mark.parametrize("folder", HEALTHY, ids=named)
def test_a_healthy_cluster_has_no_cause(folder):
    assert causes(folder) == []


@pytest.mark.parametrize("folder", DUMPS, ids=named)
def test_every_file_is_read(folder):
    assert dump(folder).unread == []


@pytest.mark.parametrize("folder", [each for each in HEALTHY if len(list(each.rglob("*"))) > 4], ids=named)
def test_a_healthy_cluster_of_which_one_file_was_not_read_has_no_cause(folder):
    """Nothing is concluded from an output that nobody gave."""
    files = files_in(folder)
    for file in sampled(files, len(folder.name)):
        read = read_dump([each for each in files if each != file])
        assert [each.fault.name for each in diagnose(GpuCluster(read)).causes] == [], file.name


@pytest.mark.parametrize("folder", SICK, ids=named)
def test_each_cause_has_evidence_a_fix_a_verification_and_a_source(folder):
    for cause in diagnosed(folder).causes:
        fault = cause.fault
        lines = [(each.text, each.source) for each in fault.evidence]
        assert lines, fault.name
        assert all(text and source for text, source in lines), fault.name
        assert all((fault.fix, fault.verify, fault.source, fault.consequence)), fault.name


def test_nothing_secret_of_a_machine_configuration_is_kept():
    folder = next(each for each in SICK if each.name == "cdi-modules-not-configured")
    assert "planted" in (folder / "talos" / "10.0.0.11" / "machineconfig.yaml").read_text(encoding="utf-8")

    assert "planted" not in repr(dump(folder))


def test_hardware_is_told_from_configuration():
    hardware = {each.name for each in SICK for cause in diagnosed(each).causes if cause.fault.is_hardware}

    assert hardware == {
        "cdi-gsp-firmware",
        "cdi-unhealthy-device",
        "newest-card-fallen-off-the-bus",
        "operator-card-fallen-off-the-bus",
        "two-card-and-modules",
    }


@pytest.mark.parametrize("folder", SICK, ids=named)
def test_a_pod_that_waits_for_a_broken_node_is_a_follower_and_no_cause(folder):
    diagnosis = diagnosed(folder)
    followers = {each.subject for each in diagnosis.chains if isinstance(each.states[-1][1], Follows)}

    assert followers == {name for cause in diagnosis.causes for name in cause.followers}


def test_the_recordings_are_as_many_and_as_different_as_the_doctor_is_said_to_know():
    kinds: dict[str, Any] = {kind: sum(each.name.startswith(kind) for each in SICK) for kind in ("legacy", "cdi", "newest", "dra", "two")}

    assert len(SICK) >= 60
    assert len(HEALTHY) >= 15
    assert all(number >= 4 for number in kinds.values()), kinds
    assert all(len(expected(each)) == 2 for each in SICK if each.name.startswith("two-"))
    assert len({cause for each in SICK for cause, _ in expected(each)}) >= 40


@pytest.mark.parametrize("folder", DUMPS, ids=named)
def test_a_recording_is_small(folder):
    assert sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) < LARGEST
