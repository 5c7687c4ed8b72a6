"""The known MIG profiles of a card. The table only warns: drivers differ, and new cards appear.

NVIDIA/mig-parted v0.15.0 deployments/systemd/config-default.yaml, and "Supported MIG Profiles" of NVIDIA's MIG guide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..arguments.errors import warn
from ..arguments.quantities import amount_of
from ..upstream.nvidia.card_names import architecture, plain_name
from ..upstream.nvidia.gpu_resources import MIG_CARDS


def known_profiles(product: str, memory: str | None = None) -> dict[str, int] | None:
    """The number of partitions of each profile that fit on a card; None for an unknown card.

    Example:
        >>> known_profiles("A100", "40Gi")["1g.5gb"], known_profiles("RTX 4090"), known_profiles("my card")
        (7, {}, None)
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
            warn(
                f"{product} holds at most {known[profile]} partitions of the MIG profile '{profile}', not {number}; "
                f"the partitioning would fail"
            )
