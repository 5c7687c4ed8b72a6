"""The processor architecture of an image: it follows from the card or from the overlay of the nodes."""

from __future__ import annotations

from typing import Protocol

from ...arguments.errors import Argument, Phrase, wrong
from ...arguments.plain_values import choice
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.talos.platforms import OVERLAY_PREFIX, Arch


class HasImage(Protocol):
    """An overlay: the part that the architecture depends on."""

    @property
    def image(self) -> str:
        """The name of the overlay's image."""


def checked_arch(arch: Arch | str | None, *, nodes: GpuNodes | None, overlay: HasImage | None) -> Arch:
    """The architecture, by default that of the card or the overlay, else amd64. A contradiction is refused."""
    from ...upstream.nvidia.card_names import is_on_arm64  # only a `product` needs the table of cards

    product = nodes.product if nodes else None
    card = product is not None and is_on_arm64(product)
    if arch is None:
        return Arch.ARM64 if card or overlay else Arch.AMD64
    chosen = choice("arch", arch, Arch)
    if card and chosen is not Arch.ARM64:
        hint = "this GPU is on one board with an Arm processor"
        raise wrong("arch", Phrase(f"'{Arch.ARM64}' with ", Argument("product", product)), str(chosen), hint)
    if overlay and overlay.image.startswith(OVERLAY_PREFIX) and chosen is not Arch.ARM64:
        raise wrong("arch", f"'{Arch.ARM64}' with the overlay {overlay.image}", str(chosen), "all official overlays are for arm64 boards")
    return chosen
