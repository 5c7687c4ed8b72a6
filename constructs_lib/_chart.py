"""What the constructs that install a Helm chart have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from constructs import Construct

from ._neighbours import maker_of_the_same
from ._validate import wrong, wrong_kind
from .manifests.helm_release import HelmRelease
from .manifests.objects import MAIN, Manifest, Manifests

if TYPE_CHECKING:
    from .delivery import Delivery


class ChartSettings(Protocol):
    """The settings of a construct that installs a chart, as far as they are read here."""

    namespace: str
    release_name: str
    repository: str
    chart: str

    @property
    def chart_values(self) -> Mapping[str, Any]:
        """What the chart gets."""
        ...

    @property
    def namespace_object(self) -> Manifest | None:
        """The namespace, where it is made here."""
        ...


def chosen_delivery(chosen: object) -> Delivery:
    """How the chart reaches the cluster; by Helm where nobody says."""
    from .delivery import Delivery, HelmTemplate

    rule = "a HelmTemplate, an ArgoCd or a Flux"
    if chosen is None:
        return HelmTemplate()
    if isinstance(chosen, type):
        raise wrong_kind("delivery", rule, chosen, f"did you mean {chosen.__name__}()?")
    if not isinstance(chosen, Delivery):
        raise wrong_kind("delivery", rule, chosen, "such as Flux()")
    return chosen


def release_of(settings: ChartSettings, version: str, ignore_differences: tuple[Mapping[str, Any], ...] = ()) -> HelmRelease:
    """The release that a delivery installs."""
    return HelmRelease(
        name=settings.release_name,
        namespace=settings.namespace,
        repository=settings.repository,
        chart=settings.chart,
        version=version,
        values=settings.chart_values,
        ignore_differences=ignore_differences,
    )


def with_main(rendered: Manifests, kind: str) -> Manifests:
    """A rendered chart has no main object of its own: the first of the kind that people patch becomes it."""
    main = next((key for key, made in rendered.items() if made["kind"] == kind), None)
    return {MAIN if key == main else key: made for key, made in rendered.items()}


def check_namespace(scope: Construct, settings: ChartSettings) -> None:
    """Refuse to make a namespace that the app has."""
    if settings.namespace_object and (same := maker_of_the_same(scope, {"Namespace": settings.namespace_object})):
        then = f"{same[1]} makes '{settings.namespace}' already; the second would replace the first"
        raise wrong("create_namespace", "False where the app has the namespace", True, then)
