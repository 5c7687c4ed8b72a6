"""The key `delivery` of a cluster file: the objects with which GitOps engines deliver each cluster's folder to its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._arguments.errors import NOTHING, wrong, wrong_kind
from .._arguments.keywords import check_keywords, check_required
from .._arguments.plain_values import mapping
from ..upstream.npm_yaml import stream
from .argocd_fleet import ArgoCdFleet
from .argument_types import arguments_of
from .cluster_file import check_keys
from .file_values import FileError, Path, placed
from .fleet_sources import FLEET
from .flux_fleet import FluxFleet

ENGINES: Mapping[str, type] = {"argocd": ArgoCdFleet, "flux": FluxFleet}
"""The engines by their keys, each with the class of its arguments."""


@dataclass(frozen=True)
class FleetDelivery:
    """The engines that deliver the clusters of a file."""

    argocd: ArgoCdFleet | None = None
    flux: FluxFleet | None = None

    def files(self, clusters: Iterable[str]) -> dict[str, str]:
        """The engines' files by their paths in the fleet's folder. No file changes when the content of a cluster changes."""
        found = {**(self.argocd.files() if self.argocd else {}), **(self.flux.files(clusters) if self.flux else {})}
        return {path: stream(manifests) for path, manifests in found.items()}


def fleet_delivery(given: object, clusters: Iterable[str]) -> FleetDelivery:
    """The engines of a file's `delivery`. An error has its place in the file."""
    path: Path = ("delivery",)
    fields = placed(path, mapping, "delivery", given)
    check_keys("delivery", fields, tuple(ENGINES), path)
    if not fields:
        raise FileError(path, wrong_kind("delivery", "a mapping with the key 'argocd' or 'flux'", NOTHING))
    if FLEET in clusters:
        hint = "the folder of this name has the objects of the engines"
        raise FileError(("clusters", FLEET), wrong("name", f"another name than '{FLEET}' in a file with 'delivery'", FLEET, hint))
    return FleetDelivery(**{name: placed((*path, name), _engine, name, value) for name, value in fields.items()})


def _engine(name: str, given: object) -> Any:
    fields = mapping(name, given)
    kind: Callable[..., Any] = ENGINES[name]
    known = arguments_of(kind)
    check_keywords(name, list(known), fields)
    check_required(name, [each for each in known if known[each].is_required], fields, {})
    return kind(**fields)
