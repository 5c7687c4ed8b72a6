"""Trials: whether a part of a cluster file is accepted, and which objects it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..clusters.composer import Composer
from ..clusters.file_values import FileError
from .plain_objects import Identity, identity_of

Part = dict[str, Any]
"""A part as the cluster file writes it: its name with its arguments."""


def composed(description: Mapping[str, Any]) -> Composer:
    """The composed cluster, with the errors in it."""
    composer = Composer(description)
    composer.compose()
    return composer


def objects_in(composer: Composer) -> dict[Identity, dict[str, Any]]:
    """The objects of a composed cluster."""
    return {identity_of(body): body for chart in composer.charts.values() for _, body in chart.objects}


class Trials:
    """Trials of parts on the classes of nodes of a cluster."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.nodes = nodes

    def objects(self, id: str, part: Part) -> dict[Identity, dict[str, Any]] | FileError:  # noqa: A002
        """The objects that a part makes by itself, or the error for which it is refused."""
        composer = composed({"nodes": self.nodes, "charts": {"trial": {"objects": {id: part}}}})
        return composer.errors[0] if composer.errors else objects_in(composer)
