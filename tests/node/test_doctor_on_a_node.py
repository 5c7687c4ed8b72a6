"""`talos-gpu doctor --live` on a real node: for each broken state it names the cause first, and of two faults both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from every_state import STATES, started
from live_doctor import causes, doctor
from node_scene import NodeScene
from record_dumps import DUMPS
from recordings import files_of
from states import CDI, State

from nodes import needs_a_node
from talos_gpu_rehearsal.cluster import Cluster

LIVE = sorted((each for each in STATES.values() if each.live), key=lambda each: (each.talos == CDI, each.talos))
"""The states by release; that of the replayed dumps is the last."""
REPLAYED = ("cdi-plugin-invalid-strategy", "cdi-runtime-handler-unknown")


@pytest.fixture(scope="module")
def node(tmp_path_factory) -> Iterator[Callable[[str], Cluster]]:
    """A cluster of a generation; the one before has ended."""
    needs_a_node()
    running: list[tuple[str, Cluster]] = []

    def of(talos: str) -> Cluster:
        if not running or running[-1][0] != talos:
            while running:
                running.pop()[1].end()
            running[:] = [(talos, started(tmp_path_factory.mktemp("node") / "cluster", talos).__enter__())]
        return running[-1][1]

    yield of
    for _, cluster in running:
        cluster.end()


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize("state", LIVE, ids=lambda each: each.name)
def test_the_doctor_names_the_causes_of_a_state_in_the_order_of_mending(node, state: State):
    with NodeScene(node(state.talos)) as scene:
        state.play(scene)
        found = causes(doctor(scene))
        assert is_expected(state, found), found


def is_expected(state: State, found: list[tuple[str, list[str]]]) -> bool:
    """Whether the causes and their subjects are those of the state, in its order."""
    wanted = [(each.cause, len(each.subjects)) for each in state.expected]
    subjects = zip(
        (name for _, names in found for name in names), (name for each in state.expected for name in each.subjects), strict=False
    )
    return [(name, len(names)) for name, names in found] == wanted and all(fnmatchcase(*each) for each in subjects)


TRIALS = 10


@pytest.mark.parametrize("name", REPLAYED)
def test_a_dump_recorded_anew_is_the_recorded_one(node, name):
    state = STATES[name]
    with NodeScene(node(state.talos)) as scene:
        state.play(scene)
        recorded, read = files_in(DUMPS / name), files_of(scene, state)
        for _ in range(TRIALS):  # on a busy machine a container that ends is seen running for a while
            if read == recorded:
                break
            time.sleep(3)
            read = files_of(scene, state)
        assert read == recorded


def test_the_states_are_as_many_and_as_different_as_the_doctor_is_said_to_know():
    broken = [each for each in LIVE if each.expected]
    assert len(broken) >= 20
    assert {each.talos.rpartition(".")[0] for each in broken} == {"1.12", "1.13", "1.14"}
    assert any(len(each.expected) == 2 for each in broken)
