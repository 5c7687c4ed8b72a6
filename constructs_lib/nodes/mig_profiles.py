"""Which MIG profiles a card is known to have: a hint, as drivers differ and new cards come.

NVIDIA/mig-parted v0.15.0 deployments/systemd/config-default.yaml, and "Supported MIG Profiles" of NVIDIA's MIG guide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .._arguments.quantities import amount_of
from .._arguments.talos_warnings import warn
from ..upstream.card_names import architecture, plain_name
from ..upstream.mig_tables import MIG_CARDS


def known_profiles(product: str, memory: str | None = None) -> dict[str, int] | None:
    """How many of each profile fit on a card, as far as this library knows; None for a card that it does not know.

    Example:
        >>> known_profiles("A100", "40Gi")["1g.5gb"], known_profiles("RTX 4090"), known_profiles("my card")
        (7, {}, None)
    """
    name = plain_name(product)
    rows = next((rows for card, rows in MIG_CARDS.items() if re.match(rf"{card}\b", name)), None)
    if rows is None:
        return None if architecture(product) is None else {}
    said = re.search(r"\b(\d+) ?GB\b", name)
    if said and int(said[1]) not in rows:
        return None
    size = int(said[1]) if said else round(amount_of(memory) / 2**30) if memory else 0
    chosen = [rows[size]] if size in rows else rows.values()
    return {profile: most for row in chosen for profile, most in row.items()}


def warn_of_profiles(product: str, memory: str | None, layout: Mapping[str, int]) -> None:
    """Warn of what a card is not known to be cut into."""
    known = known_profiles(product, memory)
    if known is None:
        return
    for profile, number in layout.items():
        if profile not in known:
            hint = f"it has {', '.join(known)}" if known else "no profile of this card is known"
            warn(
                f"{product} is not known to have the MIG profile '{profile}'; {hint}; `nvidia-smi mig -lgip` on the node has the last word"
            )
        elif number > known[profile]:
            warn(f"{product} is known to hold {known[profile]} of the MIG profile '{profile}', not {number}; the partitioning would fail")
