"""What else is in the same app: for the few constructs of which a cluster can't have two that are alike.

Kept on our side, because asking the construct tree costs a round trip for each question; the kernel is asked which app a construct is in
only when there is somebody to compare with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from constructs import Construct

OPERATOR, DEVICE_PLUGIN, RUNTIME_CLASS = "NvidiaGpuOperator", "StandaloneDevicePlugin", "NvidiaRuntimeClass"
BRIDGE = "ValidationBridge"


class _Place:
    def __init__(self, scope: Construct) -> None:
        self.scope = scope
        self._root = ""

    @property
    def root(self) -> str:
        """The app, by the reference that jsii knows it by: the same for every Python object that stands for it."""
        if not self._root:
            self._root = self.scope.node.root.__jsii_ref__.ref  # type: ignore[attr-defined]
        return self._root


_places: list[_Place] = []
_made: list[tuple[_Place, str, Any]] = []


def _place(scope: Construct) -> _Place:
    """The one place that a construct is, so that its app is asked for once."""
    for place in _places:
        if place.scope is scope:
            return place
    _places.append(_Place(scope))
    return _places[-1]


def announce(scope: Construct, what: str, settings: Any) -> None:
    """Remember what was made, for those that come later."""
    _made.append((_place(scope), what, settings))


def neighbours(scope: Construct, what: str) -> Iterator[Any]:
    """The settings of everything of this kind that was made in the same app."""
    here = _place(scope)
    for place, kind, settings in _made:
        if kind == what and (place is here or place.root == here.root):
            yield settings
