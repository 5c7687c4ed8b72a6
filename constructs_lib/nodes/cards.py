"""The kernel modules, the driver and the MIG profiles of a card."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..arguments.errors import Argument, Phrase, warn, wrong
from ..arguments.plain_values import text
from ..arguments.quantities import amount_of
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
from ..upstream.nvidia.gpu_resources import MIG_CARDS
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import BTI_ARGUMENT, BTI_KERNEL
from ..upstream.version import Version
from .talos_version import TalosVersion, dated


def known_profiles(product: str, memory: str | None = None) -> dict[str, int] | None:
    """The number of partitions of each profile that fit on a card; None for an unknown card.

    The table only warns: drivers differ, and new cards appear (NVIDIA/mig-parted v0.15.0
    deployments/systemd/config-default.yaml, and "Supported MIG Profiles" of NVIDIA's MIG guide).
    """
    name = plain_name(product)
    rows = next((rows for card, rows in MIG_CARDS.items() if re.match(rf"{card}\b", name)), None)
    if rows is None:
        return None if architecture(product) is None else {}
    written = re.search(r"\b(\d+) ?GB\b", name)
    if written and int(written[1]) not in rows:
        return None
    size = int(written[1]) if written else round(amount_of(memory) / 2**30) if memory else 0
    chosen = [rows[size]] if size in rows else rows.values()
    return {profile: most for row in chosen for profile, most in row.items()}


def warn_of_profiles(product: str, memory: str | None, layout: Mapping[str, int]) -> None:
    """Warn of a MIG profile, or a number of partitions, that is not known for the card."""
    known = known_profiles(product, memory)
    if known is None:
        return
    for profile, number in layout.items():
        if profile not in known:
            hint = f"the known profiles are {', '.join(known)}" if known else "no profile of this card is known"
            warn(f"the MIG profile '{profile}' is not known for {product}; {hint}; `nvidia-smi mig -lgip` on the node lists the profiles")
        elif number > known[profile]:
            most = f"{product} holds at most {known[profile]} partitions of the MIG profile '{profile}'"
            warn(f"{most}, not {number}; the partitioning would fail")


def warn_without_mig(product: str, memory: str | None, strategy: str) -> None:
    """Warn of a MIG strategy on a card that has no MIG. The device plugin advertises such a card as a whole GPU."""
    if known_profiles(product, memory) == {}:
        reason = f" changes nothing: no MIG profile of {product} is known; leave it out, or share the card with "
        warn(Phrase(Argument("mig_strategy", str(strategy)), reason, Argument("sharing")))


def check_card(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion) -> None:
    """Refuse a card that no driver of Talos runs, and modules or a driver that can't run it; warn of an unknown card.

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
        return
    if hint := _modules_refused(product, kind, kernel_modules):
        other = "proprietary" if kernel_modules == "open" else "open"
        raise wrong("kernel_modules", Phrase(f"'{other}' with ", Argument("product", product)), str(kernel_modules), hint)
    _check_driver(product, kind, driver_track, talos_version)
    if is_gb10(product):
        _warn_of_gb10(product, kernel_modules, talos_version)


def warn_of_unknown(product: str, consequence: str) -> None:
    """Warn of a card that the tables do not have."""
    meant = longer_name(product)
    suggestion = f"; did you mean {meant!r}?" if meant else ""
    unknown = dated(f" {product!r} is not known")
    warn(Phrase(Argument("product"), f"{unknown}: {consequence}{suggestion}"))


def kernel_args(product: str, talos_version: TalosVersion) -> list[str]:
    """The kernel arguments that Talos needs to run the card."""
    return [BTI_ARGUMENT] if is_gb10(product) and talos_version.minor in BTI_KERNEL else []


def refusal(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion | None) -> str:
    """The reason why modules or a driver can't run a card; empty when they can, and for an unknown card or Talos."""
    kind = architecture(product)
    if kind is None:
        return unsupported(product)
    refused = _modules_refused(product, kind, kernel_modules)
    return refused or (_driver_refused(product, kind, driver_track, talos_version) if talos_version else "")


def default_modules(product: str, talos: TalosVersion) -> KernelModules:
    """The kernel modules of a card where none are given: `open`, unless only the proprietary ones run the card."""
    needs_other = architecture(product) in WITHOUT_GSP or needs_proprietary(product, talos)
    return KernelModules.PROPRIETARY if needs_other else KernelModules.OPEN


def default_track(product: str, talos: TalosVersion) -> DriverTrack:
    """The track of a card where none is given: `production`, unless only the driver of another track runs the card."""
    kind, drivers = architecture(product), talos.release.drivers
    if kind is None or _runs(product, kind, drivers[DriverTrack.PRODUCTION]):
        return DriverTrack.PRODUCTION
    return next((DriverTrack(track) for track, driver in drivers.items() if _runs(product, kind, driver)), DriverTrack.PRODUCTION)


def is_gb10(product: str) -> bool:
    """Whether a card is a GB10, the chip of the DGX Spark."""
    return bool(re.search(GB10, plain_name(product)))


def needs_proprietary(product: str, talos: TalosVersion) -> bool:
    """Whether Talos' documentation wants the proprietary modules for a card. Other sources disagree (`CARD_FACTS`)."""
    return is_gb10(product) and talos.minor in BTI_KERNEL


def cuda_fails(product: str, talos: TalosVersion) -> bool:
    """Whether no CUDA program runs on a card, though the driver does (`CUDA_FAILS`)."""
    release = talos.version if talos.patch is not None else Version.parse(talos.release.newest)
    return is_gb10(product) and release is not None and release in CUDA_FAILS.releases


def _warn_of_gb10(product: str, modules: str, talos: TalosVersion) -> None:
    """Warn of a GB10: sources disagree about its kernel modules, and CUDA fails on some releases of Talos."""
    if cuda_fails(product, talos):
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
    releases = talos_releases.TALOS.items()
    supported = [minor for minor, release in releases if any(_runs(product, kind, driver) for driver in release.drivers.values())]
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
