"""The common part of the parts that install a chart: the delivery, the release, the main object and the namespace."""

from __future__ import annotations

from typing import Protocol

from ..arguments.errors import wrong, wrong_kind
from ..manifests.charts.delivery import Delivery, HelmTemplate
from ..manifests.charts.helm_release import HelmRelease
from ..manifests.charts.settings import ChartSettings
from ..manifests.objects import MAIN, Manifests
from .app_registry import Place


def to_delivery(value: Delivery | None, argument: str = "") -> Delivery:
    """The chosen delivery, or the default delivery."""
    rule = "a HelmTemplate, an ArgoCd or a Flux"
    if value is None:
        return HelmTemplate()
    if isinstance(value, type):
        raise wrong_kind(argument, rule, value, f"did you mean {value.__name__}()?")
    if not isinstance(value, Delivery):
        raise wrong_kind(argument, rule, value, "such as Flux()")
    return value


class _Delivered(Protocol):
    @property
    def delivery(self) -> Delivery: ...
    @property
    def release(self) -> HelmRelease: ...


def delivered(settings: _Delivered, main_kind: str) -> Manifests:
    """The objects that install the chart. A rendered chart has no main object of its own: the first object of
    `main_kind` becomes the main object."""
    rendered = settings.delivery.manifests(settings.release)
    main = next((key for key, manifest in rendered.items() if manifest["kind"] == main_kind), None)
    return {MAIN if key == main else key: manifest for key, manifest in rendered.items()}


def check_namespace(place: Place, settings: ChartSettings) -> None:
    """Refuse to make a namespace that another part of the app makes."""
    if settings.namespace_object and (same := place.same_object({"Namespace": settings.namespace_object})):
        hint = f"{same[1]} already makes the namespace '{settings.namespace}'; the second object would replace the first"
        raise wrong("create_namespace", "False where the app has the namespace", True, hint)
