"""NVIDIA's cards by name, as people and the label `nvidia.com/gpu.product` write it, and the architecture of each."""

from __future__ import annotations

import functools
import re

from ..choice import Choice


class Architecture(Choice):
    """An architecture of NVIDIA's GPUs that a driver of Talos runs, oldest first.

    Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04 (2026-11-20)
    """

    MAXWELL = "Maxwell"
    PASCAL = "Pascal"
    VOLTA = "Volta"
    TURING = "Turing"
    AMPERE = "Ampere"
    ADA = "Ada"
    HOPPER = "Hopper"
    BLACKWELL = "Blackwell"
    RUBIN = "Rubin"


# Names in capitals, with spaces between their words, and without "NVIDIA" and "GeForce". A name of two architectures is
# left out: an RTX 6000 is Turing with "Quadro" before it and Ada with "Ada" behind it, and a TITAN X may be Maxwell or
# Pascal.
NAMES = {
    Architecture.MAXWELL: r"GTX ?9[5678]0|GTX TITAN X|(TESLA )?M(4|6|10|40|60)|QUADRO (M[2456]000|K620|K1200|K2200)|NVS 810",
    Architecture.PASCAL: r"GTX ?10[5678]0|GT ?10[13]0|TITAN XP|TITAN X PASCAL|(TESLA )?P(4|6|40|100)|QUADRO (P[124-6]000|P2200|P[46]00|GP100)",
    Architecture.VOLTA: r"TITAN V|(TESLA )?V100S?|QUADRO GV100",
    Architecture.TURING: r"RTX ?20[678]0|GTX ?16[356]0|TITAN RTX|(TESLA )?T4G?|QUADRO RTX [34568]000|(QUADRO )?T(400E?|5[05]0|600|1000|1200|2000)"
    r"|MX[45]50|CMP ?[345]0HX",
    Architecture.AMPERE: r"RTX ?30[56789]0|RTX ?2050|A(2|10|10G|10M|16|30|40|100|800)|RTX A(400|500|[1-6]000|[45]500|4000H)|MX570( A)?|CMP ?[79]0HX",
    Architecture.ADA: r"RTX ?40[56789]0|RTX ?4090D|RTX ?3050 A|L(2|4|20|40|40S)|RTX (500|[1-6]000|2000E|3500|4500|5880)( SFF)? ADA",
    Architecture.HOPPER: r"H(20|20 3E|100|200|800)|GH200",
    Architecture.BLACKWELL: r"RTX ?50[56789]0|RTX ?5090D|RTX ?6000D|RTX PRO (500|[1-6]000|4500)|B(100|200|300)|GB(10|200|300)|DGX SPARK",
    Architecture.RUBIN: r"(VERA )?RUBIN( CPX)?|V?R[12]00|GR10[02]",
}
"""The names of the cards of each architecture, as patterns over `plain_name`.

Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04 (none wrong, 222 names), NVIDIA's supported-gpus.json of
driver 525; NVIDIA/k8s-device-plugin#1909 for Rubin (2026-11-20)
"""

LEGACY = {
    "Kepler": (
        (
            r"GT ?(630|635|640|645|650|710|720|730|735|740|745|750|755)(M|A|MX)?( LE)?"
            r"|GTX ?(645|650|660|670|680|690|760|765|770|775|780|870|880)(M|A|MX)?( TI)?( BOOST| OEM| 192 BIT)*|GTX ?675MX|(710|805|810|825|910|920)(M|A)"
            r"|820M|GTX TITAN( BLACK| Z)?|NVS 510|QUADRO 410"
            r"|QUADRO K(500|510|600|610|1000|1100|2000|2100|3000|3100|4000|4100|4200|5000|5100|5200|6000)(M|D)?|(TESLA )?K(8|10|20|40|80)(XM|C|M|S|ST|T)?"
            r"|GRID K(1|2|340|520)"
        ),
        "470",
    ),
    "Fermi": (
        (
            r"(410|510|605|610|615|620|705|710|720|800|810|820)(M|A)|GT ?[4-6][0-9]{2}(M|MX)?( OEM)?|GT ?(705|710M|720[AM]|730|820M)|GTS 450"
            r"|GTX ?(4[678][05]|5[5-9][05])M?( (TI|SE|V2))*|GTX ?67[05]M|NVS (310|315|[45]200M|5400M)|QUADRO [1-7]000(M|D)?|QUADRO (500M|600|5010M)"
            r"|TESLA (C20[57][05]|M20[579][05]( Q)?|S2050|X20[79]0)"
        ),
        "390",
    ),
    "Tesla": (r"[89][0-9]00 G[TSX]+.*|GT[SX]? ?[1-3][0-9]{2}M?|QUADRO FX .*|TESLA (C870|C1060|M1060)", "340"),
}
"""The cards older than Maxwell, as patterns over `plain_name`, with the last driver branch that runs them: older than
any driver of Talos.

Source: NVIDIA's supported-gpus.json ("legacybranch") of driver 525; siderolabs/talos#8764 (2026-11-20)
"""

TEGRA = r"(JETSON|TEGRA|AGX|IGX|ORIN|XAVIER|THOR|DRIVE)\b"
"""The words at the start of the names of integrated GPUs, for which Talos' extensions have no driver.

Source: siderolabs/extensions nvidia-gpu at 26822f5, siderolabs/pkgs#1518;
https://www.nvidia.com/en-us/edge-computing/products/igx (2026-11-22)
"""

WITHOUT_TEGRA = "Talos has no driver for a Tegra; an extension for Jetson Orin is proposed in siderolabs/extensions#1062, and none for Thor"
"""The reason why a Tegra is refused, with the work on a driver: drafts for Orin, which wait for the kernel package of
siderolabs/pkgs#1518.

Source: siderolabs/extensions#1062 and siderolabs/pkgs#1518, both open (2026-11-22)
"""

WITHOUT_GSP = (Architecture.MAXWELL, Architecture.PASCAL, Architecture.VOLTA)
"""The architectures without the processor that the open kernel modules run on. These cards need the proprietary
modules.

Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04, siderolabs/talos#9430 (2026-11-20)
"""

OPEN_ONLY = (Architecture.BLACKWELL, Architecture.RUBIN)
"""The architectures that only the open kernel modules run.

Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04, cozystack/cozystack#3563; siderolabs/extensions
discussions/1325 for Rubin (2026-11-20)
"""

SYSTEM = r"[HD]GX (?!SPARK\b)(.+?)( [1-9][0-9]? GPUS?)?"
"""NVIDIA's name for a board or a machine, as a pattern over `plain_name`: HGX or DGX, the card, and the number of
cards. DGX Spark is a name of the GB10.

Source: https://www.nvidia.com/en-us/data-center/hgx; https://docs.nvidia.com/dgx (2026-11-22)
"""

LATE_BLACKWELL = r"\b(GB10|G?B300|DGX SPARK)\b"
"""The Blackwell chips that need a later driver than the others.

Source: NVIDIA/open-gpu-kernel-modules README.md at 570.133.07 to 595.45.04 (2026-11-20)
"""

GB10 = r"\b(GB10|DGX SPARK)\b"
"""The Blackwell chip that Talos' documentation runs with the proprietary kernel modules.

Source: siderolabs/talos#13315, siderolabs/docs public/talos/v1.14 nvidia-gpu-proprietary.mdx (2026-08-22)
"""

ARM64_BOARDS = r"(GB10|DGX SPARK|GH200|GB[23]00|VERA RUBIN|VR[12]00)\b.*"
"""The GPUs that are on one board with an Arm processor of NVIDIA, Grace, Vera or the one of the GB10. All other cards
fit both architectures.

Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04,
https://www.nvidia.com/en-us/data-center/grace-cpu-superchip (2026-11-22)
"""

NVSWITCH_BOARDS = r".*\bSXM[3-6]?\b.*|H100 80GB HBM3|H200|B[123]00"
"""The modules of boards with NVSwitch, by the name from GPU feature discovery. PCIe cards, NVL pairs and the SXM2
modules of Pascal and Volta have no NVSwitch, and the NVSwitches of a GB200 or GB300 are in switch trays, which run
their own fabric manager.

Source: https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; https://docs.nvidia.com/mission-control
(2026-11-22)
"""

NVSWITCH_OR_PCIE = r"(A[18]00|H[18]00|H20)( [0-9]+ ?GB)?"
"""The names, as people write them, of cards that are sold as modules of `NVSWITCH_BOARDS` and in other forms.

Source: https://www.nvidia.com/en-us/data-center/hgx; https://www.nvidia.com/en-us/data-center/h100 (2026-11-22)
"""

NVSWITCH_NUMBERS = (8, 16)
"""The numbers of cards in a machine with NVSwitch: NVIDIA lists boards with eight cards, of which an HGX-2 has two.

Source: https://docs.nvidia.com/ai-enterprise/release-8/8.0/infra-software/vgpu/features/nvswitch.html, the HGX-2 board
in
https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide (2026-11-22)
"""

NVLINK5_BOARDS = r"B[123]00\b.*"
"""The modules of `NVSWITCH_BOARDS` with NVLink 5.

Source: siderolabs/extensions#717; https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide (2026-11-22)
"""

# The words that may follow a name: variant, form and memory of a card, and its sharing (GPU feature discovery,
# internal/lm/resource.go). With any other word the name may mean another card: an "RTX 3050 A" is no Ampere.
_WORDS = (
    "SUPER|D|V2|OEM|LAPTOP|MOBILE|EMBEDDED|GPU|WITH|MAX|Q|DESIGN|BLACKWELL|GENERATION|WORKSTATION|SERVER|EDITION|SFF|ACTIVE|PCIE|SXM[2-6]?"
    "|NVL[0-9]*|DGXS|FHHL|LS|AC|LC|[0-9]+ ?GB?|HBM[23]E?"
)
_FURTHER = rf"(( ?TI| ({_WORDS}))*( MIG [0-9]+G\.[0-9]+GB)?( SHARED)?)"


@functools.cache
def architecture(product: str) -> Architecture | None:
    """The architecture of a card, from its name as people or the node label `nvidia.com/gpu.product` write it. None for
    an unknown name.

    Example:
        >>> architecture("NVIDIA-GeForce-RTX-5070-Ti"), architecture("RTX 6000")
        ('Blackwell', None)
    """
    name = plain_name(product)
    return next((kind for kind, names in NAMES.items() if re.fullmatch(rf"({names}){_FURTHER}", name)), None)


@functools.cache
def unsupported(product: str) -> str:
    """The reason why no driver of any Talos runs a card. Empty for a card with a driver.

    Example:
        >>> unsupported("Tesla K80"), unsupported("RTX 4090")
        ('it is a Kepler card, whose last driver is 470.xx', '')
    """
    name = plain_name(product)
    for kind, (names, branch) in LEGACY.items():
        if re.fullmatch(rf"({names}){_FURTHER}", name):
            return f"it is a {kind} card, whose last driver is {branch}.xx"
    return WITHOUT_TEGRA if re.match(TEGRA, name) else ""


def longer_name(product: str) -> str:
    """The name of a card that begins with the brand which a name lacks; empty without such a card.

    Example:
        >>> longer_name("3060"), longer_name("RTX 3060")
        ('RTX 3060', '')
    """
    return next((name for brand in ("RTX", "GTX") if architecture(name := f"{brand} {product}")), "")


@functools.cache
def is_on_arm64(product: str) -> bool:
    """Whether a GPU is on one board with an Arm processor.

    Example:
        >>> is_on_arm64("NVIDIA GH200 480GB"), is_on_arm64("H200")
        (True, False)
    """
    return bool(re.fullmatch(ARM64_BOARDS, plain_name(product)))


@functools.cache
def has_nvswitch(product: str, cards: int | None) -> bool | None:
    """Whether NVSwitch connects this number of cards in a node; None when name and number leave it open.

    A virtual machine with a part of the cards of a board is not told from a machine with a smaller board, which has no
    NVSwitch.

    Example:
        >>> has_nvswitch("B200", 8), has_nvswitch("H100", 8), has_nvswitch("H100 PCIe", 8)
        (True, None, False)
    """
    name = plain_name(product)
    is_board = re.fullmatch(NVSWITCH_BOARDS, name) is not None
    if cards is None:
        return None if is_board else False
    if cards not in NVSWITCH_NUMBERS:
        return False
    return is_board or (None if re.fullmatch(NVSWITCH_OR_PCIE, name) else False)


@functools.cache
def is_nvlink_module(product: str) -> bool:
    """Whether a card is a module of a board that connects all its modules by NVLink, over NVSwitches or, with four
    modules, directly. Every link of such a card is used.

    Example:
        >>> is_nvlink_module("NVIDIA A100-SXM4-80GB"), is_nvlink_module("NVIDIA H100 NVL")
        (True, False)
    """
    return re.fullmatch(NVSWITCH_BOARDS, plain_name(product)) is not None


@functools.cache
def has_bridges(product: str) -> bool:
    """Whether a card is connected by one to three bridges, so that some of its links may have nothing behind them.

    Source: https://www.nvidia.com/en-us/data-center/h100, the forms PCIe and NVL (2026-11-28)

    Example:
        >>> has_bridges("NVIDIA H100 PCIe"), has_bridges("Tesla V100-SXM2-32GB")
        (True, False)
    """
    return re.search(r"\b(PCIE|NVL)\b", plain_name(product)) is not None


@functools.cache
def is_geforce(product: str) -> bool:
    """Whether a card is a GeForce or a TITAN, not one for workstations or data centres.

    Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04, the names of its cards (2026-11-28)

    Example:
        >>> is_geforce("NVIDIA GeForce RTX 4090"), is_geforce("RTX 4000 Ada")
        (True, False)
    """
    return re.match(r"(GTX|GT|TITAN|MX|CMP)\b|RTX [2-5]0[5-9]0|TITAN RTX", plain_name(product)) is not None


def plain_name(product: str) -> str:
    """A card's name in capitals, with spaces between its words, and without the names of the maker and of the machine.

    Example:
        >>> plain_name("NVIDIA HGX B200 8-GPU"), plain_name("DGX Spark")
        ('B200', 'DGX SPARK')
    """
    spaced = re.sub(r"\b(RTX|GTX)(?=\d)", r"\1 ", product.upper())
    name = " ".join(word for word in re.split(r"[-_ ()]+", spaced) if word not in {"", "NVIDIA", "GEFORCE"})
    system = re.fullmatch(SYSTEM, name)
    return system[1] if system else name
