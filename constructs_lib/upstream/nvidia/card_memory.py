"""The memory of NVIDIA's cards by name."""

from __future__ import annotations

import functools
import re

from .card_names import plain_name

CARD_MEMORY = {
    4: r"GTX 1650|GTX 1050 TI",
    6: r"GTX 1660( TI| SUPER)?",
    8: r"RTX (5060|5050|4060|3070|3070 TI|3060 TI|2080|2080 SUPER|2070|2070 SUPER|2060 SUPER)|GTX (1080|1070|1070 TI)|(TESLA )?P4|QUADRO RTX 4000",
    11: r"RTX 2080 TI|GTX 1080 TI",
    12: r"RTX (5070|4070|4070 SUPER|4070 TI|3080 TI)|TITAN XP|TITAN V",
    16: r"RTX (5080|5070 TI|4080|4080 SUPER|4070 TI SUPER|A4000|2000 ADA|PRO 2000)|(TESLA )?T4|A2|A16|QUADRO RTX 5000",
    20: r"RTX (A4500|4000 ADA|4000 SFF ADA)",
    24: r"RTX (4090|4090 ?D|3090|3090 TI|A5000|A5500|4500 ADA|PRO 4000)|TITAN RTX|QUADRO RTX 6000|(TESLA )?P40|A10|A10G|A30|L4",
    32: r"RTX (5090|5000 ADA|PRO 4500)",
    48: r"RTX (A6000|6000 ADA)|QUADRO RTX 8000|A40|L20|L40|L40S",
    94: r"H100 NVL",
    96: r"RTX PRO 6000",
    141: r"H200( NVL)?",
}
"""The cards of each memory in GB, as patterns over `plain_name`. A card that is sold with two sizes is left out, unless
its name tells them apart: an RTX 4060 Ti has 8 or 16 GB, an RTX PRO 5000 has 48 or 72 GB.

Source: https://www.nvidia.com/en-us/geforce/graphics-cards/compare/, NVIDIA's data sheets of its workstation and data
center cards (2026-11-22)
"""

_ECC_IN_MEMORY = r"(TESLA )?(P4|P40|T4)|A2|A10|A10G|A16|A40|L4|L20|L40|L40S"
"""The cards without HBM whose ECC is on when they are delivered: it takes a sixteenth of the memory. The driver reports
15360 MiB for a T4, 15356 for an A2 or A16, 22919 for a P40, 23028 for an A10, 23034 for an L4, and 46068 for an A40 or L40S.
ECC is off on an RTX A6000 (49140 MiB), and takes nothing of the GDDR7 of an RTX PRO 6000 (97887 MiB).

Source: `ecc-adjustments` in "Frame Buffer Reservation" of NVIDIA's vGPU guides (a sixteenth, without HBM);
https://github.com/modal-labs/modal-client/pull/2797, https://exafunction.com/blog/ecc-gpu and published output of nvidia-smi
(2026-11-28)
"""

CARD_OF_EACH_MEMORY = {
    8: "RTX 4060",
    12: "RTX 4070",
    16: "RTX 4080",
    24: "RTX 4090",
    32: "RTX 5090",
    48: "L40S",
    80: "H100-80GB-HBM3",
    96: "RTX PRO 6000",
    141: "H200",
}
"""A card of each memory in GB that many cards have.

Source: https://www.nvidia.com/en-us/geforce/graphics-cards/compare/, NVIDIA's data sheets of its workstation and data
center cards (2026-11-22)
"""

# The words of a name that say nothing about the memory. A laptop's card has another memory than the card of the same
# number.
_FURTHER = r"( (GPU|PCIE|SXM[2-6]?|SFF|FHHL|BLACKWELL|GENERATION|MAX Q WORKSTATION EDITION|WORKSTATION EDITION|SERVER EDITION|SHARED))*"
_WRITTEN = rf"(?P<card>.+) (?P<size>[0-9]+) ?GB( HBM[23]E?)?{_FURTHER}"


@functools.cache
def card_memory(product: str) -> int | None:
    """The memory of a card in GB, by its name; None where the name does not say.

    Example:
        >>> card_memory("RTX 4090"), card_memory("NVIDIA-A100-SXM4-80GB"), card_memory("A100")
        (24, 80, None)
    """
    name = plain_name(product)
    if re.search(r" MIG [0-9]+G", name):
        return None
    if written := re.fullmatch(_WRITTEN, name):
        return int(written["size"])
    return next((size for size, names in CARD_MEMORY.items() if re.fullmatch(f"({names}){_FURTHER}", name)), None)


def usable_memory(product: str) -> str | None:
    """The memory of a card that programs can use, as a quantity; None where the name does not say.

    Example:
        >>> usable_memory("RTX 4090"), usable_memory("NVIDIA-L4"), usable_memory("Tesla T4")
        ('24Gi', '22.5Gi', '15Gi')
    """
    size = card_memory(product)
    name = re.sub(r" [0-9]+ ?GB\b.*", "", plain_name(product))
    has_ecc = re.fullmatch(f"({_ECC_IN_MEMORY}){_FURTHER}", name)
    return None if size is None else f"{size * 15 / 16 if has_ecc else size:g}Gi"
