"""Whether the cards that the files name run on the drivers of both sides, and with which kernel modules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..nodes.card_matrix import modules_for
from ..nodes.cards import cuda_fails, needs_proprietary, refusal
from ..upstream.nvidia.card_facts import CUDA_FAILS
from ..upstream.nvidia.card_names import architecture
from ..upstream.nvidia.driver_branches import KernelModules
from .node_drivers import NodeDriver


class CardChange(NamedTuple):
    """A card, the places where its driver changes, and whether it runs on the new one."""

    card: str
    where: tuple[str, ...]
    runs: bool
    words: str

    def __str__(self) -> str:
        places = ", ".join(filter(None, self.where))
        return f"{self.card}{f' ({places})' if places else ''}: {self.words}"


_Sides = Sequence[list[NodeDriver]]
"""The drivers before and after."""


def card_changes(sides: _Sides) -> list[CardChange]:
    """What another Talos or driver is to the cards; first the cards that it does not run."""
    places: dict[tuple[str, bool, str], list[str]] = {}
    for was, now in _changed(sides):
        for card in filter(architecture, now.cards):
            if was is not None:
                places.setdefault((card, *_verdict(card, was, now)), []).append(now.where)
            elif reason := _why_not(card, now):
                places.setdefault((card, False, f"does not run: {reason}"), []).append(now.where)
    found = [CardChange(card, tuple(where), runs, words) for (card, runs, words), where in places.items()]
    return sorted(found, key=lambda each: each.runs)


def without_card(sides: _Sides) -> list[str]:
    """The places whose driver is of another branch or has other modules, and whose cards are not known."""
    changed = ((was, now) for was, now in _changed(sides) if was is not None and not any(map(architecture, now.cards)))
    return [now.where for was, now in changed if (was.branch, was.modules) != (now.branch, now.modules)]


def _changed(sides: _Sides) -> Iterator[tuple[NodeDriver | None, NodeDriver]]:
    """The places whose driver is another one, or is new."""
    old, new = sides
    before = {each.where: each for each in old}
    for now in new:
        was = before.get(now.where)
        is_other = was is None or (was.version and was._replace(cards=()) != now._replace(cards=()))
        if now.version and is_other:
            yield was, now


def _verdict(card: str, was: NodeDriver, now: NodeDriver) -> tuple[bool, str]:
    ran, is_other = not _why_not(card, was), bool(was.cards) and card not in was.cards
    if reason := _why_not(card, now):
        return False, f"{'does not run' if is_other else 'runs no more' if ran else 'runs on neither side'}: {reason}"
    if now.modules == KernelModules.OPEN and needs_proprietary(card, now.talos):
        return True, f"may run: sources disagree about its kernel modules, and {now.version} ({now.track}) has the open ones"
    modules = now.modules or " or the ".join(modules_for(card, now.track, now.talos))
    still = "runs" if is_other else "still runs" if ran else "runs now"
    return True, f"{still}: driver {now.version} ({now.track}) with the {modules} kernel modules"


def _why_not(card: str, driver: NodeDriver) -> str:
    """The reason why CUDA does not run on a card with a driver."""
    # The tables have the driver of the newest patch alone.
    reason = _refusal(card, driver).replace(driver.talos.release.drivers[driver.track], driver.version)
    return reason or (CUDA_FAILS.said if cuda_fails(card, driver.talos) else "")


def _refusal(card: str, driver: NodeDriver) -> str:
    """The reason why a driver does not run a card; empty where it does with the modules of the image, or with any where those are not known."""
    if not driver.modules and modules_for(card, driver.track, driver.talos):
        return ""
    return refusal(card, kernel_modules=driver.modules, driver_track=driver.track, talos_version=driver.talos)
