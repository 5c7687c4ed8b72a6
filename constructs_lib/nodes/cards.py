"""Which architecture a card has, by the name that its maker gave it, and what that asks of modules and driver."""

from __future__ import annotations

import functools
import re

from .._arguments.refusals import Choice, text, warn, wrong
from ..upstream import versions
from .talos_version import TalosVersion


class Architecture(Choice):
    """A generation of NVIDIA's GPUs, oldest first."""

    MAXWELL = "Maxwell"
    PASCAL = "Pascal"
    VOLTA = "Volta"
    TURING = "Turing"
    AMPERE = "Ampere"
    ADA = "Ada"
    HOPPER = "Hopper"
    BLACKWELL = "Blackwell"


# Names in capitals, with spaces between their words, and without "NVIDIA" and "GeForce". One that two generations share is left out: an
# RTX 6000 is Turing with "Quadro" before it and Ada with "Ada" behind it, and a TITAN X may be Maxwell or Pascal.
_NAMES = {
    Architecture.MAXWELL: r"GTX ?9[5678]0|GTX TITAN X|(TESLA )?M(4|6|10|40|60)|QUADRO M[2456]000",
    Architecture.PASCAL: r"GTX ?10[5678]0|GT ?10[13]0|TITAN XP|TITAN X PASCAL|(TESLA )?P(4|6|40|100)|QUADRO (P[124-6]000|P2200|P[46]00|GP100)",
    Architecture.VOLTA: r"TITAN V|(TESLA )?V100S?|QUADRO GV100",
    Architecture.TURING: r"RTX ?20[678]0|GTX ?16[356]0|TITAN RTX|(TESLA )?T4G?|QUADRO RTX [34568]000|(QUADRO )?T(400E?|600|1000|2000)",
    Architecture.AMPERE: r"RTX ?30[56789]0|A(2|10|10G|10M|16|30|40|100|800)|RTX A(400|500|[1-6]000|[45]500)",
    Architecture.ADA: r"RTX ?40[56789]0|RTX ?4090D|L(2|4|20|40|40S)|RTX (500|[1-6]000|2000E|3500|4500|5880)( SFF)? ADA",
    Architecture.HOPPER: r"H(20|100|200|800)|GH200",
    Architecture.BLACKWELL: r"RTX ?50[56789]0|RTX ?5090D|RTX PRO (500|[1-6]000|4500)|B(100|200|300)|GB(10|200|300)|DGX SPARK",
}
# What may follow: variant, form and memory of a card, and how it is shared (GPU feature discovery, internal/lm/resource.go). With anything
# else behind it a name may mean another card: an "RTX 3050 A" is no Ampere.
_WORDS = (
    "SUPER|D|V2|OEM|LAPTOP|MOBILE|EMBEDDED|GPU|WITH|MAX|Q|DESIGN|BLACKWELL|GENERATION|WORKSTATION|SERVER|EDITION|SFF|ACTIVE|PCIE|SXM[2-6]?"
    "|NVL[0-9]*|DGXS|FHHL|AC|LC|[0-9]+ ?GB?|HBM[23]E?"
)
_FURTHER = rf"(( ?TI| ({_WORDS}))*( MIG [0-9]+G\.[0-9]+GB)?( SHARED)?)"

# Without the processor that the open modules run on.
_WITHOUT_GSP = (Architecture.MAXWELL, Architecture.PASCAL, Architecture.VOLTA)
# The driver branches that know a card: 580 is the last for those without a GSP, 570 the first for Blackwell, 580 for its later chips (the
# tables in the README of NVIDIA/open-gpu-kernel-modules, 550.163.01 to 595.45.04).
_LAST_WITHOUT_GSP, _FIRST_BLACKWELL, _FIRST_LATE_BLACKWELL = 580, 570, 580
_LATE_BLACKWELL, _GB10 = r"\b(GB10|G?B300|DGX SPARK)\b", r"\b(GB10|DGX SPARK)\b"
# Talos 1.13 builds its arm64 kernel with BTI, which NVIDIA's modules don't know (siderolabs/talos#13019).
_BTI_SINCE = 13


@functools.cache
def architecture(product: str) -> Architecture | None:
    """The architecture of a card, from its name as people or the node label `nvidia.com/gpu.product` write it; None when it is unknown.

    Example:
        >>> architecture("NVIDIA-GeForce-RTX-5070-Ti"), architecture("RTX 6000")
        ('Blackwell', None)
    """
    name = plain_name(product)
    return next((kind for kind, names in _NAMES.items() if re.fullmatch(rf"({names}){_FURTHER}", name)), None)


def plain_name(product: str) -> str:
    """A card's name in capitals, with spaces between its words, and without the maker's."""
    return " ".join(word for word in re.split(r"[-_ ()]+", product.upper()) if word not in {"", "NVIDIA", "GEFORCE"})


def check_card(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion) -> str:
    """Refuse modules or a driver that can't run the card; an unknown card passes.

    Raises:
        TypeError, ValueError: `'kernel_modules' must be 'open' with product='RTX 5070 Ti' …`, `'driver_track' must be …`,
            `'talos_version' must be …`.

    Warns:
        TalosGpuWarning: For a GB10 (DGX Spark) with open modules on Talos 1.13 or newer.

    Example:
        >>> check_card("RTX 5070 Ti", kernel_modules="open", driver_track="lts", talos_version=TalosVersion(14))
        'RTX 5070 Ti'

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu-proprietary
    """
    kind = architecture(text("product", product, "the name of a card, such as 'RTX 4090'"))
    if kind is not None:
        _check_modules(product, kind, kernel_modules, talos_version)
        _check_driver(product, kind, driver_track, talos_version)
    return product


def kernel_args(product: str, talos_version: TalosVersion) -> list[str]:
    """The kernel arguments without which Talos can't run the card.

    Example:
        >>> kernel_args("NVIDIA-GB10", TalosVersion(13))
        ['arm64.nobti']
    """
    return ["arm64.nobti"] if re.search(_GB10, plain_name(product)) and talos_version.minor >= _BTI_SINCE else []


def refusal(product: str, *, kernel_modules: str, driver_track: str, talos_version: TalosVersion | None) -> str:
    """Why modules or a driver can't run a card; nothing where they can, or where the card or its Talos is not known.

    Example:
        >>> refusal("RTX 5090", kernel_modules="proprietary", driver_track="production", talos_version=None)
        'Blackwell is driven by the open modules alone, the others end in "No devices were found"'
    """
    kind = architecture(product)
    if kind is None:
        return ""
    return _modules_refused(product, kind, kernel_modules) or (
        _driver_refused(product, kind, driver_track, talos_version) if talos_version else ""
    )


def _check_modules(product: str, kind: Architecture, modules: str, talos: TalosVersion) -> None:
    if then := _modules_refused(product, kind, modules):
        other = "proprietary" if modules == "open" else "open"
        raise wrong("kernel_modules", f"'{other}' with product='{product}'", str(modules), then)
    if modules == "open" and talos.minor >= _BTI_SINCE and re.search(_GB10, plain_name(product)):
        warn(f"the documentation of Talos {talos} has {product} work with kernel_modules='proprietary' alone")


def _modules_refused(product: str, kind: Architecture, modules: str) -> str:
    if kind in _WITHOUT_GSP and modules == "open":
        return f"the open modules begin with Turing, and this card is a {kind}"
    # NVIDIA has every Blackwell run with the open modules alone, and Talos since 1.13 has this one run with the proprietary ones alone
    # (siderolabs/talos#13315, and its documentation of the proprietary drivers): neither is refused.
    if kind is Architecture.BLACKWELL and modules == "proprietary" and not re.search(_GB10, plain_name(product)):
        return f'{kind} is driven by the open modules alone, the others end in "No devices were found"'
    return ""


def _check_driver(product: str, kind: Architecture, track: str, talos: TalosVersion) -> None:
    """Refuse a driver that no longer, or not yet, knows the card."""
    then = _driver_refused(product, kind, track, talos)
    if not then:
        return
    for other, driver in talos.release.drivers.items():
        if _runs(product, kind, driver):
            raise wrong("driver_track", f"'{other}' on Talos {talos} with product='{product}'", str(track), then)
    able = [minor for minor, release in versions.TALOS.items() if any(_runs(product, kind, driver) for driver in release.drivers.values())]
    raise wrong("talos_version", f"one of {', '.join(able)} with product='{product}'", str(talos), then)


def _driver_refused(product: str, kind: Architecture, track: str, talos: TalosVersion) -> str:
    drivers = talos.release.drivers
    if track not in drivers or _runs(product, kind, drivers[track]):
        return ""
    bound = f"at most {_LAST_WITHOUT_GSP}" if kind in _WITHOUT_GSP else f"at least {_first(product)}"
    return f"this card needs a driver of {bound}, and the '{track}' one is {drivers[track]}"


def _runs(product: str, kind: Architecture, driver: str) -> bool:
    branch = int(driver.partition(".")[0])
    if kind in _WITHOUT_GSP:
        return branch <= _LAST_WITHOUT_GSP
    return kind is not Architecture.BLACKWELL or branch >= _first(product)


def _first(product: str) -> int:
    """The first driver branch that knows a Blackwell."""
    return _FIRST_LATE_BLACKWELL if re.search(_LATE_BLACKWELL, plain_name(product)) else _FIRST_BLACKWELL
