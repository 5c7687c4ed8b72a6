"""What every construct that installs a chart does with it: the delivery, the release, the main object, and the namespace that it makes."""

from __future__ import annotations

from typing import Protocol

from constructs import Construct

from .._arguments.errors import wrong, wrong_kind
from ..manifests.chart_settings import ChartSettings
from ..manifests.helm_release import HelmRelease
from ..manifests.objects import MAIN, Manifests
from ._registry import maker_of_the_same
from .delivery import Delivery, HelmTemplate


def to_delivery(value: Delivery | None, argument: str = "") -> Delivery:
    """The way that the user chose, or the default one."""
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
    """What installs the chart. A rendered chart has no main object of its own: that is the one of the kind that people patch."""
    rendered = settings.delivery.manifests(settings.release)
    main = next((key for key, made in rendered.items() if made["kind"] == main_kind), None)
    return {MAIN if key == main else key: made for key, made in rendered.items()}


def check_namespace(scope: Construct, settings: ChartSettings) -> None:
    """Refuse to make a namespace that the app has."""
    if settings.namespace_object and (same := maker_of_the_same(scope, {"Namespace": settings.namespace_object})):
        hint = f"{same[1]} makes '{settings.namespace}' already; the second would replace the first"
        raise wrong("create_namespace", "False where the app has the namespace", True, hint)
