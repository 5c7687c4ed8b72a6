"""The key `delivery` of a cluster file: the objects with which GitOps engines deliver each cluster's folder to its
cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.keywords import check_keywords, check_required
from ..arguments.plain_values import mapping
from ..arguments.talos_warnings import warn
from ..yaml.npm_bytes import stream
from .argocd_fleet import ArgoCdFleet
from .argument_types import arguments_of
from .cluster_file import check_keys
from .file_values import FileError, placed
from .fleet_sources import FLEET, OCI
from .flux_fleet import FluxFleet

ENGINES: Mapping[str, type] = {"argocd": ArgoCdFleet, "flux": FluxFleet}
"""The engines by their keys, each with the class of its arguments."""


@dataclass(frozen=True)
class FleetDelivery:
    """The engines that deliver the clusters of a file."""

    argocd: ArgoCdFleet | None = None
    flux: FluxFleet | None = None

    def files(self, clusters: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
        """The engines' files by their paths in the fleet's folder, from the clusters' descriptions.

        No file changes when the charts of a cluster change. A cluster without charts has no manifests, and gets no objects.
        """
        with_charts = [name for name, description in clusters.items() if description.get("charts")]
        without = [name for name in clusters if name not in with_charts]
        files = {**(self.argocd.files(without) if self.argocd else {}), **(self.flux.files(with_charts) if self.flux else {})}
        return {path: stream(manifests) for path, manifests in files.items()}

    def warn_of_another_folder(self, output_folder: str) -> None:
        """Warn of an engine that reads another folder of a git repository than the one that is written."""
        written = Path(output_folder).absolute().as_posix()
        for name, engine in (("argocd", self.argocd), ("flux", self.flux)):
            if engine is not None and not engine.repository.startswith(OCI) and not written.endswith(f"/{engine.path}"):
                hint = (
                    f"give 'path' from the root of the repository, such as 'path: {Path(written).name}', or --output-folder {engine.path}"
                )
                warn(f"delivery.{name} reads the folders of the clusters in {engine.path!r}, and {output_folder!r} is written; {hint}")


def fleet_delivery(given: object, clusters: Iterable[str]) -> FleetDelivery:
    """The engines of a file's `delivery`. An error has its place in the file."""
    path = ("delivery",)
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
