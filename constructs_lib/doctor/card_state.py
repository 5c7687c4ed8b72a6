"""The state of the cards of a node, as nvidia-smi and DCGM print it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..arguments.patterns import pattern
from ..observed.model.talos_machine import Seen
from ..upstream.nvidia.card_signs import AT_WORK, CARD_SIGNS, MEMORY_FULL, CardSign
from .fault import Advice, Fault, Fix
from .gpu_cluster import GpuCluster
from .gpu_node import GpuNode
from .node_commands import REBOOT, SMI

_KEY = pattern(r"(?P<card>GPU \d+(?: MIG \d+)?): (?P<field>.*)$")
_NUMBER = pattern(r"\d+")
_HOLDER = pattern(r"(?:processes )?(?:process info )?process (?P<pid>\d+) (?P<field>name|process name|used gpu memory|used memory)$")
_MOST = 4
_SMI_PAGE = "https://docs.nvidia.com/deploy/nvidia-smi/"

Card = Mapping[str, Seen]
"""The fields of a card by their paths in lower case."""


def cards_of(node: GpuNode) -> Mapping[str, Card]:
    """The fields of each card by its name, `GPU 0`; those of no card by the empty name."""
    cards: dict[str, dict[str, Seen]] = {}
    for key, seen in (node.machine.smi if node.machine and node.machine.smi else {}).items():
        found = _KEY.match(key)
        card, field = (found["card"], found["field"]) if found else ("", key)
        evidence = replace(seen.evidence, source=f"{seen.evidence.source}, {card}") if card else seen.evidence
        cards.setdefault(card, {})[field.lower()] = Seen(value=seen.value, evidence=evidence)
    return cards


def stopped_cards(node: GpuNode) -> Iterator[Fault]:
    """The faults of cards on which no program can start."""
    return _of_signs(node, stops_programs=True)


def card_remarks(cluster: GpuCluster, node: GpuNode) -> list[Fault]:
    """The faults of cards that run programs: slower, with errors, or with less memory than they have.

    They break no link: what runs on the node goes on.
    """
    found = list(_of_signs(node, stops_programs=False))
    for card in cards_of(node).values():
        found += [*_pcie(card), *_memory(card), *_mig(card), *_exclusive(cluster, node, card)]
    return list({each.cause: each for each in reversed(found)}.values())[::-1]


MINOR_SIGNS = ("last-xid", "memory-full", "past-memory-errors", "persistence-off", "software-thermal-slowdown")
"""The signs of many cards that are in order: the alerts about the same are off by default (monitoring/exporter_alerts.py)."""


def _of_signs(node: GpuNode, *, stops_programs: bool) -> Iterator[Fault]:
    """The signs in their order, each once for all cards that show it."""
    cards = cards_of(node)
    for sign in CARD_SIGNS:
        lines = [seen for card in cards.values() for seen in _bad(sign, card)] if sign.stops_programs is stops_programs else []
        if lines:
            worst = max(lines, key=lambda each: int(each.value) if each.value.isdecimal() else 0)
            yield _fault(
                sign.name, sign.cause.format(value=worst.value), [worst], sign.consequence, sign.source,
                REBOOT if sign.action == "reboot" else Advice(sign.action),
            )  # fmt: skip


def _bad(sign: CardSign, card: Card) -> Iterator[Seen]:
    return (seen for field, seen in card.items() if sign.matches(field, seen.value))


def _fault(name: str, cause: str, lines: list[Seen], consequence: str, source: str, fix: Fix) -> Fault:
    return Fault(
        name=name, cause=cause, evidence=tuple(each.evidence for each in lines), consequence=consequence, fix=fix, verify=SMI,
        source=source, is_hardware=True,
    )  # fmt: skip


def _first(card: Card, *fields: str) -> Seen | None:
    return next((card[each] for each in fields if each in card), None)


def _number(seen: Seen | None) -> int | None:
    found = _NUMBER.match(seen.value) if seen else None
    return int(found[0]) if found else None


_LINK, _XML_LINK = "pci gpu link info", "pci pci gpu link info"


def _pcie(card: Card) -> Iterator[Fault]:
    """A link with fewer lanes than card and slot have, or at work with an older generation. An idle card lowers its
    generation.

    Source: the manual of nvidia-smi, GPU Link information: "These may be reduced when the GPU is not in use"
    """
    width = _first(card, f"{_LINK} link width current", f"{_XML_LINK} link widths current link width")
    most = _number(_first(card, f"{_LINK} link width max", f"{_XML_LINK} link widths max link width"))
    lanes = _number(width)
    if width and lanes and most and lanes < most:
        yield _fault(
            "pcie-width", f"The PCIe link of the card has {lanes} lanes of {most}", [width],
            "Loading models and talking to other cards is slower. Some idle cards turn lanes off: look again while a program runs",
            _SMI_PAGE,
            Advice("Switch the machine off, and seat the card anew; look at the riser, and at the lanes that the firmware gives the slot"),
        )  # fmt: skip
    generation = _first(card, f"{_LINK} pcie generation current", f"{_XML_LINK} pcie gen current link gen")
    newest = _number(_first(card, f"{_LINK} pcie generation max", f"{_XML_LINK} pcie gen max link gen"))
    current = _number(generation)
    if generation and current and newest and current < newest and _is_at_work(card):
        yield _fault(
            "pcie-generation", f"The PCIe link of the card runs at generation {current} of {newest} while the card works", [generation],
            "Loading models and talking to other cards is slower", _SMI_PAGE,
            Advice("Switch the machine off, and seat the card anew; look at the riser, and at the speed that the firmware gives the slot"),
        )  # fmt: skip


def _is_at_work(card: Card) -> bool:
    state = _first(card, "performance state")
    load = _number(_first(card, "utilization gpu", "utilization gpu util"))
    return state is not None and state.value in ("P0", "P1", "P2") and load is not None and load >= AT_WORK


def _memory(card: Card) -> Iterator[Fault]:
    used = _first(card, "fb memory usage used")
    held, total = _number(used), _number(_first(card, "fb memory usage total"))
    if used and held is not None and total and held * 100 > total * MEMORY_FULL:
        holders = [*_holders(card)]
        named = f": {', '.join(holders[:_MOST])}" if holders else ""
        yield _fault(
            "memory-full", f"{held * 100 // total}% of the card's memory is in use{named}", [used],
            "The next program that needs memory there ends with CUDA out of memory. A server that takes all memory on purpose is in order",
            _SMI_PAGE, Advice("Lower the memory of the programs that share the card, or give each a card of its own"),
        )  # fmt: skip


def _holders(card: Card) -> Iterator[str]:
    """The programs that hold memory of the card, those with the most first."""
    programs: dict[str, dict[str, str]] = {}
    for field, seen in card.items():
        if found := _HOLDER.match(field):
            programs.setdefault(found["pid"], {})[found["field"].split()[0] if "memory" in found["field"] else "name"] = seen.value
    order = sorted(programs.items(), key=lambda each: -_amount(each[1].get("used", "")))
    return (f"{each.get('name', 'a program')} ({each.get('used', 'an unknown amount')})" for _, each in order)


def _amount(text: str) -> int:
    found = _NUMBER.match(text)
    return int(found[0]) if found else 0


def _mig(card: Card) -> Iterator[Fault]:
    current, pending = _first(card, "mig mode current", "mig mode current mig"), _first(card, "mig mode pending", "mig mode pending mig")
    devices = _first(card, "mig devices")
    if current and pending and {current.value, pending.value} == {"Enabled", "Disabled"}:
        yield _fault(
            "mig-mode-pending", f"The MIG mode of the card is {current.value}, and becomes {pending.value} with the next reset", [current, pending],
            "The device plugin sees the card as it is now", _SMI_PAGE, REBOOT,
        )  # fmt: skip
    elif current and current.value == "Enabled" and devices and devices.value == "None":
        yield _fault(
            "mig-without-instances", "MIG is on, and the card has no instance", [current, devices],
            "The card can run no CUDA program, and the device plugin has nothing to offer of it",
            "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",
            Advice("Make instances (nvidia-mig-parted apply, or the label nvidia.com/mig.config of the operator), or turn MIG off"),
        )  # fmt: skip


def _exclusive(cluster: GpuCluster, node: GpuNode, card: Card) -> Iterator[Fault]:
    """A card for one program alone, on a node that has more GPU pods than cards. MPS sets this mode itself.

    Source: NVIDIA/k8s-device-plugin cmd/mps-control-daemon/mps/device.go, setComputeMode
    """
    mode = _first(card, "compute mode")
    pods = cluster.holders.get(node.name, [])
    cards = sum(1 for name in cards_of(node) if name and "MIG" not in name)
    has_mps = any("mps-control" in each.name for each in cluster.dump.of_kind("Pod", "DaemonSet"))
    if mode and mode.value.startswith("Exclusive") and len(pods) > cards and not has_mps:
        yield _fault(
            "exclusive-card-shared", f"The compute mode of the card is {mode.value}, and {len(pods)} pods share {cards} card{'s' * (cards > 1)}",
            [mode], "One program holds the card; the others end with: all CUDA-capable devices are busy or unavailable",
            _SMI_PAGE, Advice("Set the mode in a privileged pod with the card: nvidia-smi --compute-mode=DEFAULT"),
        )  # fmt: skip
