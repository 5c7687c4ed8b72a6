"""Packing of GPU pods onto nodes: whether the pods fit at once, and whether other pods can leave one of them without a
node.

The scheduler places one pod after the other and moves none, so a placement that exists need not be the one that it
finds. Both questions are searches. A search that takes too many steps gives None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from typing import NamedTuple

# The steps of one search. 300 random sets of up to 9 nodes and 20 pods need at most some hundreds.
_MOST_STEPS = 4000


class Node(NamedTuple):
    """A node: the number of its class, its GPUs, the shares of each GPU, and the shares that are free."""

    node_class: int
    gpus: int
    shares: int
    free: int

    def takes(self, pods: Pods) -> bool:
        """Whether one more of the pods fits if the shares in use are spread over the GPUs."""
        return self.node_class in pods.classes and pods.gpus <= min(self.gpus, self.free)


@dataclass(frozen=True, slots=True)
class Pods:
    """Equal pods: the GPUs of each, their number, and the classes of nodes. With `on_each_node` the pods are those of a
    DaemonSet."""

    gpus: int
    number: int
    classes: frozenset[int]
    on_each_node: bool = False


def fit(nodes: Sequence[Node], pods: Sequence[Pods]) -> bool | None:
    """Whether a placement of all pods exists."""
    start: Mapping[Node, int] = Counter(node._replace(free=node.free - _daemons(node, pods)) for node in nodes)
    if any(node.free < 0 for node in start):
        return False
    if sum(each.number for each in pods) > _MOST_STEPS:
        return None
    # The pods with the least choice come first, and of those the large ones.
    order = sorted((each for each in pods if not each.on_each_node), key=lambda each: (len(each.classes), -each.gpus))
    queue = list(chain.from_iterable(repeat(each, each.number) for each in order))
    branches, seen = [iter([start])], set[object]()
    for _ in range(_MOST_STEPS):
        left, placed = next(branches[-1], None), len(branches) - 1
        if left is None:
            branches.pop()
            if not branches:
                return False
        elif placed == len(queue):
            return True
        elif (state := (placed, frozenset(left.items()))) not in seen:
            seen.add(state)
            branches.append(_placements(left, queue[placed]))
    return None


def _daemons(node: Node, pods: Sequence[Pods]) -> int:
    """The GPUs that the DaemonSets take of a node."""
    return sum(each.gpus for each in pods if each.on_each_node and node.node_class in each.classes)


def _placements(left: Mapping[Node, int], pods: Pods) -> Iterator[Mapping[Node, int]]:
    """The nodes after one more of the pods; the fullest node takes the pod first."""
    for node in sorted((each for each in left if each.takes(pods)), key=lambda each: each.free):
        yield _moved(left, node, pods.gpus)


def _moved(nodes: Mapping[Node, int], node: Node, gpus: int) -> dict[Node, int]:
    """The numbers of equal nodes after so many GPUs of one node are taken."""
    moved = {**nodes, node: nodes[node] - 1}
    if not moved[node]:
        del moved[node]
    taken = node._replace(free=node.free - gpus)
    moved[taken] = moved.get(taken, 0) + 1
    return moved


def can_starve(nodes: Sequence[Node], pods: Pods, others: Sequence[Pods]) -> bool | None:
    """Whether the other pods can take so much of each node that one of the pods fits on none. `others` has no pod of
    `pods` that is to fit."""
    own = [each for each in nodes if each.node_class in pods.classes and each.gpus >= pods.gpus]
    if pods.on_each_node:
        answers = [_can_fill([each], pods.gpus, others) for each in dict.fromkeys(own)]
        return True if True in answers else None if None in answers else False
    return _can_fill(own, pods.gpus, others)


def _can_fill(nodes: Sequence[Node], gpus: int, others: Sequence[Pods]) -> bool | None:
    """Whether the others can fill the nodes until fewer than so many GPUs of each node have a free share."""
    daemons = [_daemons(node, others) for node in nodes]
    needed = [(node.gpus - gpus + 1) * node.shares - fixed for node, fixed in zip(nodes, daemons, strict=True)]
    still = list(accumulate((max(each, 0) for each in reversed(needed)), initial=0))[::-1]
    groups = sorted((each for each in others if not each.on_each_node), key=lambda each: -each.gpus)
    stack, seen = [(0, 0, 0, tuple(each.number for each in groups))], set[object]()
    for _ in range(_MOST_STEPS):
        if not stack:
            return False
        state = index, load, first, left = stack.pop()
        if index == len(nodes):
            return True
        if state in seen:
            continue
        seen.add(state)
        if load >= needed[index]:
            stack.append((index + 1, 0, 0, left))
        elif still[index] - load <= sum(each.gpus * number for each, number in zip(groups, left, strict=True)):
            node = nodes[index]
            for group in range(len(groups) - 1, first - 1, -1):
                each = groups[group]
                if (
                    left[group]
                    and node.node_class in each.classes
                    and each.gpus <= node.gpus
                    and load + each.gpus <= node.gpus * node.shares - daemons[index]
                ):
                    stack.append((index, load + each.gpus, group, (*left[:group], left[group] - 1, *left[group + 1 :])))
    return None
