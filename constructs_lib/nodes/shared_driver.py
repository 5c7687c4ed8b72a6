"""The driver that runs cards of several kinds in one machine, which loads one set of kernel modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..arguments.errors import wrong
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from .cards import default_modules, default_track, refusal
from .talos_version import TalosVersion


class Driver(NamedTuple):
    """The kernel modules and the track of a driver."""

    modules: KernelModules
    track: DriverTrack

    def refuses(self, card: str, talos: TalosVersion) -> str:
        """The reason why the driver does not run a card; empty for a driver that does, and for an unknown card."""
        return refusal(card, kernel_modules=self.modules, driver_track=self.track, talos_version=talos)


def shared_driver(cards: Sequence[str], talos: TalosVersion) -> Driver:
    """The first driver that runs all cards: production before the other tracks, open modules before the others.

    Raises:
        ValueError: Where none does, with the reason for each card.
    """
    tracks = sorted((DriverTrack(each) for each in talos.release.drivers), key=lambda track: track is not DriverTrack.PRODUCTION)
    every = [Driver(modules, track) for track in tracks for modules in (KernelModules.OPEN, KernelModules.PROPRIETARY)]
    existing = [each for each in every if each != (KernelModules.PROPRIETARY, DriverTrack.NEW_FEATURE)]
    found = next((each for each in existing if not any(each.refuses(card, talos) for card in cards)), None)
    if found is not None:
        return found
    own = {card: Driver(default_modules(card, talos), default_track(card, talos)) for card in cards}
    reasons = {
        card: next(filter(None, (driver.refuses(card, talos) for driver in (own[card], *own.values()))), "")
        for card in dict.fromkeys(cards)
    }
    hint = "; ".join(f"{card}: {reason}" for card, reason in reasons.items() if reason)
    raise wrong(
        "product",
        f"cards that one driver of Talos {talos} runs, in one machine",
        ", ".join(cards),
        f"{hint}. Put them into nodes of their own",
    )
