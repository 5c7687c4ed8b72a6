"""What every construct that installs a chart does with it: the delivery, the release, the main object, and the namespace that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constructs import Construct

from .._arguments.errors import wrong, wrong_kind
from ..manifests.chart_settings import ChartSettings
from ..manifests.objects import MAIN, Manifests
from ._registry import maker_of_the_same

if TYPE_CHECKING:
    from .delivery import Delivery


def chosen_delivery(chosen: object) -> Delivery:
    """The way that the user chose, or the default one."""
    from .delivery import Delivery, HelmTemplate

    rule = "a HelmTemplate, an ArgoCd or a Flux"
    if chosen is None:
        return HelmTemplate()
    if isinstance(chosen, type):
        raise wrong_kind("delivery", rule, chosen, f"did you mean {chosen.__name__}()?")
    if not isinstance(chosen, Delivery):
        raise wrong_kind("delivery", rule, chosen, "such as Flux()")
    return chosen


def delivered(delivery: Delivery, settings: ChartSettings, main_kind: str) -> Manifests:
    """What installs the chart. A rendered chart has no main object of its own: that is the one of the kind that people patch."""
    rendered = delivery.manifests(settings.release)
    main = next((key for key, made in rendered.items() if made["kind"] == main_kind), None)
    return {MAIN if key == main else key: made for key, made in rendered.items()}


def check_namespace(scope: Construct, settings: ChartSettings) -> None:
    """Refuse to make a namespace that the app has."""
    if settings.namespace_object and (same := maker_of_the_same(scope, {"Namespace": settings.namespace_object})):
        hint = f"{same[1]} makes '{settings.namespace}' already; the second would replace the first"
        raise wrong("create_namespace", "False where the app has the namespace", True, hint)
