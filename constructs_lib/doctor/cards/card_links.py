"""The links of cards: PCIe, NVLink, and the paths between cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ...arguments.commands import command
from ...arguments.patterns import pattern
from ...observed.model.talos_machine import Seen
from ...upstream.nvidia.card_names import has_bridges, has_nvswitch, is_nvlink_module
from ...upstream.nvidia.card_thresholds import AT_WORK
from ...upstream.nvidia.gpu_resources import MIG_RESOURCE
from ..fault import Advice, Fault
from ..gpu_node import GpuNode
from ..report_names import names
from .card_fields import SMI_PAGE, Card, Cards, card_fault, first, mig_mode, number, product_of, whole_cards

_NVLINK = pattern(r"nvlink links?(?: \d+)?$")
_PATH = pattern(r"topology (?P<other>gpu \d+)$")
_INACTIVE = "<inactive>"
_SOME = 3
"""The fewest connected cards beside which a card without NVLink is strange: a pair may have the only bridge."""
_OVER_PCIE = ("PIX", "PXB", "PHB", "NODE", "SYS")
"""The paths between two cards without NVLink, as the legend of `nvidia-smi topo -m` explains them."""
_FABRIC_GUIDE = "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/"
_FABRIC = Advice(
    "Look at the log of the fabric manager (talosctl --nodes ADDRESS logs ext-nvidia-fabricmanager) and of the kernel (talosctl --nodes ADDRESS dmesg | "
    "grep -i xid: 74, and SXid of a switch). If a link stays down after a reboot, give the output of nvidia-smi nvlink -s to the maker of the machine"
)
_UNLESS_GUEST = ". A virtual machine may have a part of the board, and whether this is one was not read"
_MODE_FIRST = Advice(
    "Read Virtualization Mode in nvidia-smi -q: where it is None, this is a fault, and the log of the fabric manager (talosctl --nodes ADDRESS logs "
    "ext-nvidia-fabricmanager) and of the kernel tell more. Where it is Pass-Through, the host gives the machine its part of the board"
)
_LINKS = command("kubectl exec -n NAMESPACE POD -- nvidia-smi nvlink -s")
_PATHS = command("kubectl exec -n NAMESPACE POD -- nvidia-smi topo -m")
_SLOW_TRAFFIC = "Traffic between the cards (NCCL, tensor parallelism) is slower than the card allows"


def link_remarks(node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The faults of the links of a node's cards."""
    for card in cards.values():
        yield from _pcie(card)
    whole = whole_cards(cards)
    yield from _fabric(node, whole)
    yield from _nvlinks(node, whole)
    yield from _paths(node, whole)


_LINK, _XML_LINK = "pci gpu link info", "pci pci gpu link info"


def _pcie(card: Card) -> Iterator[Fault]:
    """A link with fewer lanes than card and slot have, or at work with an older generation. An idle card lowers its
    generation.

    Source: the manual of nvidia-smi, GPU Link information: "These may be reduced when the GPU is not in use"
    """
    width = first(card, f"{_LINK} link width current", f"{_XML_LINK} link widths current link width")
    most = number(first(card, f"{_LINK} link width max", f"{_XML_LINK} link widths max link width"))
    lanes = number(width)
    if width and lanes and most and lanes < most:
        yield card_fault(
            "pcie-width", f"The PCIe link of the card has {lanes} lanes of {most}", [width],
            "Loading models and talking to other cards is slower. Some idle cards turn lanes off: look again while a program runs",
            SMI_PAGE,
            Advice("Switch the machine off, and seat the card anew; look at the riser, and at the lanes that the firmware gives the slot"),
        )  # fmt: skip
    generation = first(card, f"{_LINK} pcie generation current", f"{_XML_LINK} pcie gen current link gen")
    newest = number(first(card, f"{_LINK} pcie generation max", f"{_XML_LINK} pcie gen max link gen"))
    current = number(generation)
    if generation and current and newest and current < newest and _is_at_work(card):
        yield card_fault(
            "pcie-generation", f"The PCIe link of the card runs at generation {current} of {newest} while the card works", [generation],
            "Loading models and talking to other cards is slower", SMI_PAGE,
            Advice("Switch the machine off, and seat the card anew; look at the riser, and at the speed that the firmware gives the slot"),
        )  # fmt: skip


def _is_at_work(card: Card) -> bool:
    state = first(card, "performance state")
    load = number(first(card, "utilization gpu", "utilization gpu util"))
    return state is not None and state.value in ("P0", "P1", "P2") and load is not None and load >= AT_WORK


def _fabric(node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The cards of a machine with NVSwitch that the fabric manager has not asked to join. Superchips and single cards may
    stay in this state for ever.

    Source: NVIDIA/NVSentinel#883
    """
    for card in cards.values():
        state = first(card, "fabric state")
        if state and state.value == "Not Started" and has_nvswitch(product_of(node, card), len(cards)) and not _is_guest(card):
            yield card_fault(
                "fabric-not-started", "The card has not begun to join the NVLink fabric: its state is Not Started", [state],
                "CUDA programs end with error 802 (system not yet initialized) until the fabric manager runs", _FABRIC_GUIDE, _FABRIC,
            )  # fmt: skip


def _nvlinks(node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The inactive links of NVLink. The modules of a board use every link, bridged cards only those of their bridges.

    With MIG on, an A100 turns its links off, and no card uses its links. A module that is alone in a virtual machine has
    nothing to talk to.

    Source: the guide of the fabric manager, Interoperability with MIG and Virtualization Models
    """
    active = {name: sum(1 for each in _links(card) if each.value != _INACTIVE) for name, card in cards.items()}
    products = {name: product_of(node, card) for name, card in cards.items()}
    for name, card in cards.items():
        links, product = _links(card), products[name]
        inactive = [each for each in links if each.value == _INACTIVE]
        if not inactive or _is_divided(node, card):
            continue
        most = max(active[each] for each in cards if products[each] == product)
        count = f"{active[name]} of {len(links)}" if len(links) > 1 else "none"
        if is_nvlink_module(product) and (active[name] or len(cards) > 1) and not _is_guest(card):
            yield card_fault(
                "nvlink-inactive" if _is_bare(card) else "nvlink-partly-inactive",
                f"Active NVLinks of the {product}: {count}, and its board connects every one{'' if _is_bare(card) else _UNLESS_GUEST}",
                inactive[:1], _SLOW_TRAFFIC, _FABRIC_GUIDE, _FABRIC if _is_bare(card) else _MODE_FIRST, _LINKS,
            )  # fmt: skip
        elif active[name] < most or (active[name] and not has_bridges(product)):
            others = f"; other cards of the node have {most}" if active[name] < most else ""
            yield card_fault(
                "nvlink-partly-inactive", f"Active NVLinks of the card: {count}{others}", inactive[:1], _SLOW_TRAFFIC, SMI_PAGE,
                Advice("Nothing, if the cards are connected so on purpose, or the machine is a virtual one with a part of the board. Else seat the bridge anew"),
                _LINKS,
            )  # fmt: skip


def _links(card: Card) -> list[Seen]:
    return [seen for field, seen in card.items() if _NVLINK.match(field)]


def _is_divided(node: GpuNode, card: Card) -> bool:
    """Whether the card is divided; where its mode was not read, by what the node offers."""
    mode = mig_mode(card)
    return any(each.startswith(MIG_RESOURCE) for each in node.capacity) if mode is None else mode.value == "Enabled"


def _virtualization(card: Card) -> str:
    """The virtualization mode of a card; empty where it was not read: `nvlink -s` and `topo -m` don't print it."""
    mode = first(card, "gpu virtualization mode virtualization mode")
    return mode.value if mode else ""


def _is_guest(card: Card) -> bool:
    """Whether the machine is a virtual one, which may see a part of the board."""
    return _virtualization(card) in ("Pass-Through", "VGPU")


def _is_bare(card: Card) -> bool:
    """Whether the machine was read to be no virtual one."""
    return _virtualization(card) in ("None", "Host VGPU", "Host VSGA")


def _paths(node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The pairs of cards that reach each other over PCIe though NVLink connects their kind, or every other pair."""
    undivided = {name: card for name, card in cards.items() if not _is_divided(node, card)}
    paths = {
        (name, other): seen
        for name, card in undivided.items()
        for field, seen in card.items()
        if (found := _PATH.match(field)) and (other := found["other"].upper()) != name and other in undivided
    }
    modules = {name for name, card in undivided.items() if is_nvlink_module(product_of(node, card))}
    over_pcie = {pair: seen for pair, seen in paths.items() if pair[0] < pair[1] and seen.value in _OVER_PCIE}
    of_modules = {pair: seen for pair, seen in over_pcie.items() if modules.issuperset(pair)}
    if of_modules:
        is_bare = all(_is_bare(cards[name]) for name in modules)
        unless = "" if is_bare or any(_is_guest(cards[name]) for name in modules) else _UNLESS_GUEST
        pairs = [f"{one} and {other} ({seen.value})" for (one, other), seen in of_modules.items()]
        yield card_fault(
            "nvlink-unused" if is_bare else "nvlink-partly-inactive",
            f"Cards of a board with NVLink reach each other over PCIe: {names(pairs)}{unless}", [*of_modules.values()][:1], _SLOW_TRAFFIC, _FABRIC_GUIDE,
            _FABRIC if is_bare else _MODE_FIRST, _PATHS,
        )  # fmt: skip
    elif alone := _alone(paths):
        yield card_fault(
            "nvlink-partly-inactive", f"NVLink connects every card of the node but {names(alone)}", [seen for pair, seen in paths.items() if alone[0] in pair][:1],
            _SLOW_TRAFFIC, SMI_PAGE, Advice("Nothing, if the card is of another kind, such as one for a screen. Else look at its links: nvidia-smi nvlink -s"), _PATHS,
        )  # fmt: skip


def _alone(paths: Mapping[tuple[str, str], Seen]) -> list[str]:
    """The cards without NVLink, where it connects each pair of three or more other cards."""
    linked = {name for pair, seen in paths.items() if seen.value.startswith("NV") for name in pair}
    is_full = len(linked) >= _SOME and all(paths[pair].value.startswith("NV") for pair in combinations(sorted(linked), 2) if pair in paths)
    return sorted({name for pair in paths for name in pair} - linked) if is_full else []
