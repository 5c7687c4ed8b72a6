"""The versions of Talos and Kubernetes as the user, or a place in a file, states them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...upstream.choice import Choice

TALOS, KUBERNETES = "talos", "kubernetes"
SUBJECTS = (TALOS, KUBERNETES)
OLD_TALOS = "old talos"
"""The subject of a Talos that is older than all that the rules know."""


class Origin(Choice):
    """The kind of source that states a version."""

    ARGUMENT = "argument"
    """The user's argument."""
    NODES = "nodes"
    """The node classes that the user described."""
    CONFIGURATION = "configuration"
    """The configuration of a node or a cluster: its nodes run the version."""
    UPGRADE = "upgrade"
    """An object that upgrades nodes: nodes get the version."""
    VARIABLE = "variable"
    """A variable, which nothing may read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedVersion:
    """A version without its `v`, and its source. `file` is the name of the argument for a version of the user."""

    subject: str
    version: str
    origin: Origin
    file: str
    line: int | None = None

    @property
    def minor(self) -> str:
        """The version without its patch, as "1.13"."""
        return ".".join(self.version.split(".")[:2])


_PRECEDENCE = (
    ((Origin.ARGUMENT,),),
    ((Origin.NODES,),),
    ((Origin.CONFIGURATION,), (Origin.UPGRADE, Origin.VARIABLE)),
)
"""The groups of sources, first those of the user. Two groups in one line have to agree with each other."""


def agreed(subject: str, stated: Iterable[StatedVersion]) -> str | None:
    """The version that the sources agree about, without its patch if only the patches differ. None if the minor
    versions differ.

    Nodes may differ while they are upgraded: then the other sources decide. A file that was left behind makes the
    version unknown.
    """
    about = [each for each in stated if each.subject == subject]
    for groups in _PRECEDENCE:
        read = [[each for each in about if each.origin in group] for group in groups]
        agreeing = [group for group in read if len({each.minor for each in group}) == 1]
        if len({each.minor for group in agreeing for each in group}) == 1:
            first = agreeing[0]
            return first[0].version if len({each.version for each in first}) == 1 else first[0].minor
    return None


def supporting(subject: str, version: str, stated: Iterable[StatedVersion]) -> list[StatedVersion]:
    """The statements of this version: those of its patch first, if it has one, then those of its minor version."""
    minor = ".".join(version.split(".")[:2])
    same = [each for each in stated if each.subject == subject and each.minor == minor]
    return sorted(same, key=lambda each: (list(Origin).index(each.origin), each.version != version))
