"""The register of states of a real node: each is made, diagnosed by the doctor on the live cluster, and some are recorded as dumps."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from dump_plays import Expected, because, on_node
from node_scene import NodeScene

LEGACY, CDI, NEWEST = "1.12.11", "1.13.9", "1.14.0"
__all__ = ["CDI", "LEGACY", "NEWEST", "STATES", "State", "because", "on_node", "state"]


@dataclasses.dataclass(frozen=True)
class State:
    """A state of a node: how it is made, the causes in the order in which they must be mended, and the form of its dump."""

    name: str
    talos: str
    play: Callable[[NodeScene], None]
    expected: tuple[Expected, ...]
    form: str
    only: tuple[str, ...]
    live: bool = True
    """Whether a test makes the state; its dump alone shows enough of a state that the API server or the scheduler sees."""


STATES: dict[str, State] = {}


def state(
    name: str, talos: str, *expected: Expected, form: str = "", only: tuple[str, ...] = (), live: bool = True
) -> Callable[[Callable[[NodeScene], None]], Callable[[NodeScene], None]]:
    """Register a state. With a form (bundle, folder, list, json, stream or support) it is recorded as the dump of its name; `only` has the beginnings
    of the paths that are kept."""

    def register(play: Callable[[NodeScene], None]) -> Callable[[NodeScene], None]:
        assert name not in STATES, name
        STATES[name] = State(name, talos, play, expected, form, only, live)
        return play

    return register
