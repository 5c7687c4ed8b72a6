"""What else is in the same app: for the few constructs of which a cluster can't have two that are alike.

Kept on our side, because asking the construct tree costs a round trip for each question; the kernel is asked which app a construct is in
only when there is somebody to compare with.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from constructs import Construct

_T = TypeVar("_T")


@dataclass(slots=True)
class _Place:
    scope: Construct
    _root: str = field(default="", init=False)

    @property
    def root(self) -> str:
        """The app, by the reference that jsii knows it by: the same for every Python object that stands for it."""
        if not self._root:
            self._root = self.scope.node.root.__jsii_ref__.ref  # type: ignore[attr-defined]
        return self._root


_made: list[tuple[_Place, object]] = []


def announce(scope: Construct, settings: object) -> None:
    """Remember what was made, for those that come later."""
    _made.append((_Place(scope), settings))


def neighbours(scope: Construct, kind: type[_T]) -> Iterator[_T]:
    """The settings of this kind of everything that was made in the same app."""
    here = _Place(scope)
    for place, settings in _made:
        if isinstance(settings, kind) and (place.scope is scope or place.root == here.root):
            yield settings
