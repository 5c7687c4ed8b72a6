"""Packing of GPU pods: both answers are those of a complete search over placements, and the search gives up on no ordinary cluster."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.observed.placement.node_packing import Node, Pods, can_starve, fit


def node(gpus: int, node_class: int = 0, shares: int = 1) -> Node:
    return Node(node_class=node_class, gpus=gpus, shares=shares, free=gpus * shares)


def pods(gpus: int, number: int = 1, *classes: int, each: bool = False) -> Pods:
    return Pods(gpus=gpus, number=number, classes=frozenset(classes or (0,)), on_each_node=each)


@pytest.mark.parametrize(
    ("nodes", "workloads", "expected"),
    [
        ([node(3), node(3)], [pods(2, 3)], False),  # 6 of 6 GPUs, but one is left on each node
        ([node(3), node(3)], [pods(2, 2), pods(1, 2)], True),
        ([node(4), node(4)], [pods(3, 2), pods(2)], False),
        ([node(2), node(2, 1)], [pods(1, 2, 0, 1), pods(1, 2)], True),
        ([node(2), node(2, 1)], [pods(1, 1, 0, 1), pods(1, 3)], False),
        ([node(2), node(2)], [pods(1, each=True), pods(2)], False),
        ([node(2), node(2)], [pods(1, each=True), pods(1, 2)], True),
        ([node(1), node(2)], [pods(2, each=True)], False),
        ([node(2, shares=3)], [pods(2, 3)], True),
        ([node(2, shares=3)], [pods(3)], False),  # three different GPUs
        ([], [pods(1)], False),
    ],
)
def test_all_pods_fit_if_a_placement_exists(nodes, workloads, expected):
    assert fit(nodes, workloads) is expected


@pytest.mark.parametrize(
    ("nodes", "one", "others", "expected"),
    [
        ([node(2), node(2)], pods(2), [pods(1, 2)], True),  # one of the small pods on each node
        ([node(2), node(2)], pods(2), [pods(1, 1)], False),
        ([node(2), node(2)], pods(1), [pods(1, 3)], False),
        ([node(1), node(1, 1)], pods(1), [pods(1, 1, 0, 1)], True),
        ([node(1), node(1, 1)], pods(1, 1, 0, 1), [pods(1, 1, 0, 1)], False),
        ([node(3)], pods(2), [pods(2)], True),
        ([node(4)], pods(2), [pods(3, 1, 1), pods(2)], False),  # the large pod runs on other nodes
        ([node(2), node(2)], pods(2, each=True), [pods(1)], True),
        ([node(2), node(2)], pods(1, each=True), [pods(1)], False),
        ([node(3), node(3)], pods(2), [pods(1, 2, each=True)], False),  # one on each node
        ([node(3), node(3)], pods(2), [pods(1, 2, each=True), pods(1, 2)], True),
        ([node(1)], pods(1), [pods(1, each=True)], True),
        ([node(3, shares=2)], pods(2), [pods(1, 3)], False),
        ([node(3, shares=2)], pods(2), [pods(1, 4)], True),  # both shares of two GPUs
    ],
)
def test_other_pods_starve_a_pod_if_they_can_fill_each_of_its_nodes(nodes, one, others, expected):
    assert can_starve(nodes, one, others) is expected


classes = st.frozensets(st.integers(0, 1), min_size=1)
clusters = st.lists(st.builds(node, st.integers(1, 4), st.integers(0, 1)), min_size=1, max_size=3)
workload_lists = st.lists(st.builds(Pods, gpus=st.integers(1, 3), number=st.integers(1, 2), classes=classes), min_size=1, max_size=3)


def placements(free: tuple[int, ...], nodes: list[Node], queue: list[Pods]) -> Iterator[tuple[int, ...]]:
    """What every placement of some of the pods leaves of each node."""
    if not queue:
        yield free
        return
    yield from placements(free, nodes, queue[1:])
    for index, each in enumerate(nodes):
        if each.node_class in queue[0].classes and free[index] >= queue[0].gpus:
            yield from placements((*free[:index], free[index] - queue[0].gpus, *free[index + 1 :]), nodes, queue[1:])


def single(workloads: list[Pods]) -> list[Pods]:
    return list(itertools.chain.from_iterable(itertools.repeat(each, each.number) for each in workloads))


@given(clusters, workload_lists)
def test_the_answers_are_those_of_all_placements(nodes, workloads):
    free = tuple(each.gpus for each in nodes)
    requested = sum(each.gpus * each.number for each in workloads)

    assert fit(nodes, workloads) is any(sum(free) - sum(left) == requested for left in placements(free, nodes, single(workloads)))
    one, others = workloads[0], single(workloads)[1:]
    starves = any(
        all(amount < one.gpus for amount, each in zip(left, nodes, strict=True) if each.node_class in one.classes)
        for left in placements(free, nodes, others)
    )
    assert can_starve(nodes, one, [Pods(gpus=each.gpus, number=1, classes=each.classes) for each in others]) is starves


def test_a_large_cluster_is_answered():
    nodes = [node(8, index % 3) for index in range(300)]
    workloads = [pods(size, 40, *range(first, 3)) for size in (1, 2, 4, 8) for first in range(3)]

    assert fit(nodes, workloads) is True
    assert can_starve(nodes, pods(8), workloads) is True
    assert can_starve(nodes, pods(1, 1, 0, 1, 2), workloads[:3]) is False


def test_a_search_that_takes_too_long_has_no_answer():
    nodes = [node(amount) for amount in range(60, 90)]
    workloads = [pods(size, 3) for size in range(13, 43)]

    assert fit(nodes, [*workloads, pods(1, 2235 - 3 * sum(range(13, 43)) + 1)]) is None
    assert fit(nodes, [pods(1, 10**18)]) is None
