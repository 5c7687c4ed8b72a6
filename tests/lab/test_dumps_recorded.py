"""The recorded dumps of tests/doctor/dumps are what the laboratory and real nodes make: three of the laboratory's are made anew and compared, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from control_plane import ControlPlane
from every_state import STATES
from record_dumps import DUMPS, RECORDINGS, record

from conftest import needs


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    needs("KUBECTL", "kubectl, which prints the objects")
    needs("REFERENCE", "the rendered charts of the operator and of the DRA driver (tools/reference.py)")
    with ControlPlane(assets) as started:
        yield started


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_every_recording_has_its_dump_and_no_dump_is_left_over():
    of_nodes = [name for name, each in STATES.items() if each.form]
    assert sorted([*RECORDINGS, *of_nodes]) == sorted(each.name for each in DUMPS.iterdir())


@pytest.mark.parametrize("name", ["legacy-operator-without-bridge", "cdi-gsp-firmware", "dra-claim-template-missing"])
def test_a_recording_made_anew_is_the_recorded_one(lab, name):
    assert record(lab, RECORDINGS[name]) == files(DUMPS / name)
