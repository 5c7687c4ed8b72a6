"""The kernel modules and the driver that a card needs."""

from __future__ import annotations

import re

from ..arguments.errors import Argument, Phrase, warn, wrong
from ..arguments.plain_values import text
from ..upstream.nvidia.card_facts import CUDA_FAILS, facts_about
from ..upstream.nvidia.card_names import (
    GB10,
    LATE_BLACKWELL,
    OPEN_ONLY,
    WITHOUT_GSP,
    Architecture,
    architecture,
    longer_name,
    plain_name,
    unsupported,
)
from ..upstream.nvidia.driver_branches import (
    FIRST_BLACKWELL,
    FIRST_LATE_BLACKWELL,
    FIRST_RUBIN,
    LAST_WITHOUT_GSP,
    DriverTrack,
    KernelModules,
)
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import BTI_ARGUMENT, BTI_KERNEL
from ..upstream.version import Version
from .talos_version import TalosVersion, dated


def check_card(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion) -> str:
    """Refuse a card that no driver of Talos runs, and kernel modules or a driver that can't run the card. An unknown
    card is not checked.

    Raises:
        TypeError, ValueError: `'product' must be a card that a driver of Talos runs …`, `'kernel_modules' must be
            'open' with product='RTX 5070 Ti' …`, `'driver_track' must be …`, `'talos_version' must be …`.

    Warns:
        TalosGpuWarning: For an unknown name; for a GB10 (DGX Spark), about whose kernel modules sources disagree from
            Talos 1.13 on, and on which CUDA fails on some releases of Talos (`CUDA_FAILS`).

    Example:
        >>> check_card("RTX 5070 Ti", kernel_modules="open", driver_track="lts", talos_version=TalosVersion(14))
        'RTX 5070 Ti'

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu-proprietary
    """
    rule = "the name of a card, such as 'RTX 4090'"
    if text("product", product, rule).startswith("-") or not product.isprintable():
        raise wrong("product", rule, product)
    kind = architecture(product)
    if why := unsupported(product):
        raise wrong("product", "a card that a driver of Talos runs", product, why)
    if kind is None:
        warn_of_unknown(product, "its kernel modules and its driver are not checked")
        return product
    _check_modules(product, kind, kernel_modules)
    _check_driver(product, kind, driver_track, talos_version)
    if is_gb10(product):
        _warn_of_gb10(product, kernel_modules, talos_version)
    return product


def warn_of_unknown(product: str, consequence: str) -> None:
    """Warn of a card that the tables do not have."""
    meant = longer_name(product)
    suggestion = f"; did you mean {meant!r}?" if meant else ""
    unknown = dated(f" {product!r} is not known")
    warn(Phrase(Argument("product"), f"{unknown}: {consequence}{suggestion}"))


def kernel_args(product: str, talos_version: TalosVersion) -> list[str]:
    """The kernel arguments that Talos needs to run the card.

    Example:
        >>> kernel_args("NVIDIA-GB10", TalosVersion(13))
        ['arm64.nobti']
    """
    return [BTI_ARGUMENT] if is_gb10(product) and talos_version.minor in BTI_KERNEL else []


def refusal(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion | None) -> str:
    """The reason why modules or a driver can't run a card; empty when they can, and for an unknown card or an unknown
    Talos.

    Example:
        >>> refusal("RTX 5090", kernel_modules="proprietary", driver_track="production", talos_version=None)
        'Blackwell needs the open modules; with the proprietary modules the driver reports "No devices were found"'
    """
    kind = architecture(product)
    if kind is None:
        return unsupported(product)
    return _modules_refused(product, kind, kernel_modules) or (
        _driver_refused(product, kind, driver_track, talos_version) if talos_version else ""
    )


def default_modules(product: str, talos: TalosVersion) -> KernelModules:
    """The kernel modules of a card where none are given: `open`, unless only the proprietary ones run the card.

    Example:
        >>> default_modules("P40", TalosVersion(13)), default_modules("RTX 3060", TalosVersion(13))
        ('proprietary', 'open')
    """
    needs_other = architecture(product) in WITHOUT_GSP or needs_proprietary(product, talos)
    return KernelModules.PROPRIETARY if needs_other else KernelModules.OPEN


def default_track(product: str, talos: TalosVersion) -> DriverTrack:
    """The track of a card where none is given: `production`, unless only the driver of another track runs the card.

    Example:
        >>> default_track("P40", TalosVersion(13)), default_track("RTX 3060", TalosVersion(13))
        ('lts', 'production')
    """
    kind, drivers = architecture(product), talos.release.drivers
    if kind is None or _runs(product, kind, drivers[DriverTrack.PRODUCTION]):
        return DriverTrack.PRODUCTION
    return next((DriverTrack(track) for track, driver in drivers.items() if _runs(product, kind, driver)), DriverTrack.PRODUCTION)


def is_gb10(product: str) -> bool:
    """Whether a card is a GB10, the chip of the DGX Spark."""
    return bool(re.search(GB10, plain_name(product)))


def needs_proprietary(product: str, talos: TalosVersion) -> bool:
    """Whether the documentation of Talos says that a card works only with the proprietary kernel modules. Other sources
    disagree (`CARD_FACTS`).
    """
    return is_gb10(product) and talos.minor in BTI_KERNEL


def _check_modules(product: str, kind: Architecture, modules: str) -> None:
    if hint := _modules_refused(product, kind, modules):
        other = "proprietary" if modules == "open" else "open"
        raise wrong("kernel_modules", Phrase(f"'{other}' with ", Argument("product", product)), str(modules), hint)


def _warn_of_gb10(product: str, modules: str, talos: TalosVersion) -> None:
    """Warn of what sources say about a GB10: they disagree about its kernel modules, and CUDA fails on some releases of
    Talos.
    """
    release = talos.version if talos.patch is not None else Version.parse(talos.release.newest)
    if release is not None and release in CUDA_FAILS.releases:
        warn(f"{product} on Talos {talos}: {CUDA_FAILS.said}. Upgrade Talos to 1.14.1 or newer")
    if needs_proprietary(product, talos):
        other = "open" if modules == "proprietary" else "proprietary"
        facts = [each.said for each in facts_about(product, architecture(product)) if each.is_about_modules]
        warn(
            f"sources disagree about the kernel modules of {product} on Talos {talos}. The proprietary ones are the "
            f"default, because they were seen to run on Talos. {'. '.join(facts)}. If the card does not start with "
            f"'{modules}', set kernel_modules='{other}'"
        )


def _modules_refused(product: str, kind: Architecture, modules: str) -> str:
    if kind in WITHOUT_GSP and modules == "open":
        return f"the open modules need a Turing card or newer, and this is a {kind} card"
    # Sources disagree about a GB10 (`CARD_FACTS`), so it may have either.
    if kind in OPEN_ONLY and modules == "proprietary" and not is_gb10(product):
        return f'{kind} needs the open modules; with the proprietary modules the driver reports "No devices were found"'
    return ""


def _check_driver(product: str, kind: Architecture, track: str, talos: TalosVersion) -> None:
    """Refuse a driver that is too new or too old for the card."""
    hint = _driver_refused(product, kind, track, talos)
    if not hint or not talos.is_known:  # the drivers of a newer Talos are not known
        return
    for other, driver in talos.release.drivers.items():
        if _runs(product, kind, driver):
            rule = Phrase(f"'{other}' on Talos {talos} with ", Argument("product", product))
            raise wrong("driver_track", rule, str(track), hint)
    supported = [
        minor for minor, release in talos_releases.TALOS.items() if any(_runs(product, kind, driver) for driver in release.drivers.values())
    ]
    raise wrong("talos_version", Phrase(f"one of {', '.join(supported)} with ", Argument("product", product)), str(talos), hint)


def _driver_refused(product: str, kind: Architecture, track: str, talos: TalosVersion) -> str:
    drivers = talos.release.drivers
    if track not in drivers or _runs(product, kind, drivers[track]):
        return ""
    bound = f"at most {LAST_WITHOUT_GSP}" if kind in WITHOUT_GSP else f"at least {_first(product, kind)}"
    return f"this card needs a driver of {bound}, and the '{track}' driver is {drivers[track]}"


def _runs(product: str, kind: Architecture, driver: str) -> bool:
    branch = int(driver.partition(".")[0])
    return branch <= LAST_WITHOUT_GSP if kind in WITHOUT_GSP else branch >= _first(product, kind)


def _first(product: str, kind: Architecture) -> int:
    """The first driver branch that supports the card; 0 when every driver of Talos supports the card."""
    if kind is Architecture.RUBIN:
        return FIRST_RUBIN
    if kind is not Architecture.BLACKWELL:
        return 0
    return FIRST_LATE_BLACKWELL if re.search(LATE_BLACKWELL, plain_name(product)) else FIRST_BLACKWELL
