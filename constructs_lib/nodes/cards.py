"""Which kernel modules and which driver run a card."""

from __future__ import annotations

import re

from .._arguments.errors import Argument, Phrase, wrong
from .._arguments.plain_values import text
from .._arguments.talos_warnings import warn
from ..upstream import talos_releases
from ..upstream.card_names import (
    GB10,
    LATE_BLACKWELL,
    OPEN_ONLY,
    WITHOUT_GSP,
    Architecture,
    architecture,
    plain_name,
    unsupported,
)
from ..upstream.driver_branches import FIRST_BLACKWELL, FIRST_LATE_BLACKWELL, FIRST_RUBIN, LAST_WITHOUT_GSP
from ..upstream.talos_features import BTI_KERNEL
from .talos_version import TalosVersion


def check_card(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion) -> str:
    """Refuse a card that no Talos runs, and modules or a driver that can't run it; of an unknown card nothing is checked.

    Raises:
        TypeError, ValueError: `'product' must be a card that a driver of Talos runs …`, `'kernel_modules' must be 'open' with
            product='RTX 5070 Ti' …`, `'driver_track' must be …`, `'talos_version' must be …`.

    Warns:
        TalosGpuWarning: For a name that is not known, and for a GB10 (DGX Spark) with open modules on Talos 1.13 or newer.

    Example:
        >>> check_card("RTX 5070 Ti", kernel_modules="open", driver_track="lts", talos_version=TalosVersion(14))
        'RTX 5070 Ti'

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu-proprietary
    """
    kind = architecture(text("product", product, "the name of a card, such as 'RTX 4090'"))
    if why := unsupported(product):
        raise wrong("product", "a card that a driver of Talos runs", product, why)
    if kind is None:
        warn(f"'product' {product!r} is not known (tables of {talos_releases.READ_ON}), so its modules and driver are not checked")
        return product
    _check_modules(product, kind, kernel_modules, talos_version)
    _check_driver(product, kind, driver_track, talos_version)
    return product


def kernel_args(product: str, talos_version: TalosVersion) -> list[str]:
    """The kernel arguments without which Talos can't run the card.

    Example:
        >>> kernel_args("NVIDIA-GB10", TalosVersion(13))
        ['arm64.nobti']
    """
    return ["arm64.nobti"] if _is_gb10(product) and talos_version.minor in BTI_KERNEL else []


def refusal(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion | None) -> str:
    """Why modules or a driver can't run a card; nothing where they can, or where the card or its Talos is not known.

    Example:
        >>> refusal("RTX 5090", kernel_modules="proprietary", driver_track="production", talos_version=None)
        'Blackwell is driven by the open modules alone, the others end in "No devices were found"'
    """
    kind = architecture(product)
    if kind is None:
        return unsupported(product)
    return _modules_refused(product, kind, kernel_modules) or (
        _driver_refused(product, kind, driver_track, talos_version) if talos_version else ""
    )


def _is_gb10(product: str) -> bool:
    return bool(re.search(GB10, plain_name(product)))


def _check_modules(product: str, kind: Architecture, modules: str, talos: TalosVersion) -> None:
    if hint := _modules_refused(product, kind, modules):
        other = "proprietary" if modules == "open" else "open"
        raise wrong("kernel_modules", Phrase(f"'{other}' with ", Argument("product", product)), str(modules), hint)
    if modules == "open" and talos.minor in BTI_KERNEL and _is_gb10(product):
        warn(f"the documentation of Talos {talos} has {product} work with kernel_modules='proprietary' alone")


def _modules_refused(product: str, kind: Architecture, modules: str) -> str:
    if kind in WITHOUT_GSP and modules == "open":
        return f"the open modules begin with Turing, and this card is a {kind}"
    # NVIDIA has every Blackwell run with the open modules alone, and Talos since 1.13 has a GB10 run with the proprietary ones alone: neither
    # is refused there.
    if kind in OPEN_ONLY and modules == "proprietary" and not _is_gb10(product):
        return f'{kind} is driven by the open modules alone, the others end in "No devices were found"'
    return ""


def _check_driver(product: str, kind: Architecture, track: str, talos: TalosVersion) -> None:
    """Refuse a driver that no longer, or not yet, knows the card."""
    hint = _driver_refused(product, kind, track, talos)
    if not hint:
        return
    for other, driver in talos.release.drivers.items():
        if _runs(product, kind, driver):
            rule = Phrase(f"'{other}' on Talos {talos} with ", Argument("product", product))
            raise wrong("driver_track", rule, str(track), hint)
    able = [
        minor for minor, release in talos_releases.TALOS.items() if any(_runs(product, kind, driver) for driver in release.drivers.values())
    ]
    raise wrong("talos_version", Phrase(f"one of {', '.join(able)} with ", Argument("product", product)), str(talos), hint)


def _driver_refused(product: str, kind: Architecture, track: str, talos: TalosVersion) -> str:
    drivers = talos.release.drivers
    if track not in drivers or _runs(product, kind, drivers[track]):
        return ""
    bound = f"at most {LAST_WITHOUT_GSP}" if kind in WITHOUT_GSP else f"at least {_first(product, kind)}"
    return f"this card needs a driver of {bound}, and the '{track}' one is {drivers[track]}"


def _runs(product: str, kind: Architecture, driver: str) -> bool:
    branch = int(driver.partition(".")[0])
    return branch <= LAST_WITHOUT_GSP if kind in WITHOUT_GSP else branch >= _first(product, kind)


def _first(product: str, kind: Architecture) -> int:
    """The first driver branch that knows the card; 0 where every driver of Talos does."""
    if kind is Architecture.RUBIN:
        return FIRST_RUBIN
    if kind is not Architecture.BLACKWELL:
        return 0
    return FIRST_LATE_BLACKWELL if re.search(LATE_BLACKWELL, plain_name(product)) else FIRST_BLACKWELL
