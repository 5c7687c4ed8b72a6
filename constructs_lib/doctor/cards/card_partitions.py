"""The MIG state of cards: the mode, the instances, the layout that they should have, and the offer of the node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...arguments.patterns import pattern
from ...observed.model.evidence import Evidence
from ...observed.model.talos_machine import Seen
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE, SHARED_SUFFIX, mig_resource
from ..fault import Advice, Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..node_commands import REBOOT
from ..report_names import names
from .card_fields import SMI_PAGE, Card, Cards, card_fault, first, mig_mode, number, whole_cards
from .mig_layouts import Layout, layout_of

_INSTANCE = pattern(r"mig (?:devices|instances) \d+$")
_LAST_INDEX = ("mig device index", "mig devices mig device index")
_SLICES = pattern(r"^\d+c\.")
"""The number of compute slices before the profile of an instance that is divided again: `1c.3g.40gb`."""
_GUIDE = "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/"
_PLUGIN = "NVIDIA/k8s-device-plugin internal/rm/device_map.go"
_DIVIDE = Advice(
    "End the pods with GPUs of the node, and delete the pod of the device plugin whose init container divides the cards (mig_devices of the class). "
    "On Talos the MIG manager of the operator divides no card, whatever the label says"
)


def mig_remarks(cluster: GpuCluster, node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The faults of the MIG state of a node's cards."""
    whole = whole_cards(cards)
    for card in whole.values():
        yield from _mode(node, card)
    yield from _offered_whole(node, whole)
    layout = layout_of(cluster, node)
    if layout is not None:
        yield from _other_layout(node, whole, layout)


def _mode(node: GpuNode, card: Card) -> Iterator[Fault]:
    current, pending = mig_mode(card), first(card, "mig mode pending", "mig mode pending mig")
    if current and pending and {current.value, pending.value} == {"Enabled", "Disabled"}:
        yield card_fault(
            "mig-mode-pending", f"The MIG mode of the card is {current.value}, and becomes {pending.value} with the next reset", [current, pending],
            "The device plugin sees the card as it is now", SMI_PAGE, REBOOT,
        )  # fmt: skip
    elif current and instances(card) == ():
        offer = _whole_offer(node)
        offered = f". The node offers {GPU_RESOURCE} all the same: pods get the card, and find no device" if offer else ""
        yield card_fault(
            "mig-without-instances", "MIG is on, and the card has no instance", [current, *([offer] if offer else [])],
            f"The card can run no CUDA program, and the device plugin has no instance to offer{offered}", _GUIDE,
            Advice("Make instances (mig_devices of the class, or nvidia-mig-parted apply), or turn MIG off"),
        )  # fmt: skip


def instances(card: Card) -> tuple[str, ...] | None:
    """The profiles of a card's instances, empty where only their number was read; None where it is not known whether the
    card has any."""
    mode = mig_mode(card)
    if mode is None or mode.value != "Enabled":
        return None
    found = [_SLICES.sub("", seen.value.lower()) for field, seen in card.items() if _INSTANCE.match(field)]
    if found:
        return tuple(sorted(found))
    if (last := number(first(card, *_LAST_INDEX))) is not None:
        return ("",) * (last + 1)
    devices = first(card, "mig devices")
    return () if devices and devices.value == "None" else None


def _whole_offer(node: GpuNode) -> Seen | None:
    """The line by which the node offers whole cards, or shares of them, and no instance by its profile."""
    if any(each.startswith(MIG_RESOURCE) for each in node.capacity):
        return None
    for name in (GPU_RESOURCE, f"{GPU_RESOURCE}{SHARED_SUFFIX}"):
        if amount := node.capacity.get(name):
            return _seen(node, f"{name}: {amount}")
    return None


def _offered_whole(node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """Divided cards of a node that offers fewer GPUs than the cards have instances: the plugin takes them for whole. With
    the strategy single it offers each instance, with mixed each by its profile."""
    known = [instances(card) for card in cards.values()]
    number_of = sum(len(each) for each in known if each)
    offer = _whole_offer(node)
    if offer is not None and known and None not in known and int(offer.value) < number_of:
        mode = next(seen for card in cards.values() if (seen := mig_mode(card)))
        yield card_fault(
            "mig-offered-whole", f"The cards are divided into {number_of} instances, and the node offers {offer.value} GPUs", [mode, offer],
            "The MIG strategy of the device plugin is none, or the plugin started before the instances were made: nobody can ask for an instance", _PLUGIN,
            Advice("Set the MIG strategy of the plugin to single or mixed (mig_devices of the class does), and delete the plugin's pod on the node"),
        )  # fmt: skip


def _other_layout(node: GpuNode, cards: Cards, layout: Layout) -> Iterator[Fault]:
    """The cards whose instances are not those of the layout. In a container nvidia-smi counts the container's cards, and lists its instances alone,
    so that a part of a layout is no contradiction.

    Source: https://docs.nvidia.com/datacenter/tesla/mig-user-guide/, Device Nodes and Capabilities
    """
    different: dict[str, Seen] = {}
    partly: dict[str, Seen] = {}
    is_numbered = layout.indices <= {int(name.removeprefix("GPU ")) for name in cards}  # else the numbers may be those of a container
    for name, card in cards.items():
        mode, found = mig_mode(card), instances(card)
        wanted = layout.of_card(int(name.removeprefix("GPU ")))
        if mode is None or not wanted or (mode.value == "Enabled" and found is None) or any(_fits(found or (), each) for each in wanted):
            continue
        is_part = found and any(_is_part(found, each) for each in (wanted if is_numbered else layout.profiles))
        (partly if is_part else different)[f"{name} has {_words(mode.value, found or ())}"] = mode
    if not any(mig_mode(card) for card in cards.values()):
        different = _other_resources(node, layout)
    offered = _offered(node)
    is_enough = all(offered[name] >= amount for name, amount in layout.least().items())
    if partly and not different and not is_enough and offered == _listed(cards):
        different = partly  # nvidia-smi has listed all that the node has, so it did not run in a container
    if partly and not different and not is_enough:
        yield card_fault(
            "mig-layout-partly", f"{layout.source} asks for {layout.words}, and of it nvidia-smi lists a part: {names([*partly])}",
            [Seen(value="", evidence=layout.evidence), *[*partly.values()][:1]],
            "None, if nvidia-smi ran in a container, where it lists the partitions of that container. Else pods that ask for the others wait", _GUIDE,
            Advice("Compare with what the node offers (nvidia.com/mig-… in kubectl describe node), or with nvidia-smi -L in the pod of the device plugin"),
        )  # fmt: skip
    if different:
        is_changing = layout.state in ("pending", "rebooting")
        yield card_fault(
            "mig-layout-pending" if is_changing else "mig-layout-differs",
            f"{layout.source} asks for {layout.words}, and {names([*different])}", [Seen(value="", evidence=layout.evidence), *[*different.values()][:1]],
            "Pods that ask for the instances of the layout wait, or get others", "NVIDIA/mig-parted api/spec/v1/spec.go",
            Advice(f"Wait: nvidia.com/mig.config.state is {layout.state}") if is_changing else _DIVIDE,
        )  # fmt: skip


def _offered(node: GpuNode) -> Counter[str]:
    """The instances that the node offers, by their resource."""
    return Counter({name: amount for name, amount in node.capacity.items() if name.startswith(MIG_RESOURCE)})


def _listed(cards: Cards) -> Counter[str]:
    """The instances that nvidia-smi lists, by the resource that the strategy mixed gives them."""
    return Counter(mig_resource(each) for card in cards.values() for each in instances(card) or ())


def _other_resources(node: GpuNode, layout: Layout) -> dict[str, Seen]:
    """The resources of instances that the node offers, and that the layout does not have."""
    offered = {name: f"{name}: {amount}" for name, amount in node.capacity.items() if name.startswith(MIG_RESOURCE)}
    strange = [name for name in offered if name not in layout.resources] if node.node else []
    return {f"the node offers {name}": _seen(node, offered[name]) for name in strange}


def _seen(node: GpuNode, line: str) -> Seen:
    """A line of the node's capacity."""
    source = node.node.evidence(line, "status.capacity") if node.node else Evidence(text=line, source=node.name)
    return Seen(value=line.rpartition(" ")[2], evidence=source)


def _fits(found: Sequence[str], wanted: Mapping[str, int | None]) -> bool:
    """Whether instances are those of a layout; profiles and numbers that are not known fit any."""
    if "" in found:
        return None in wanted.values() or len(found) == sum(each or 0 for each in wanted.values())
    counted = Counter(found)
    return counted.keys() == wanted.keys() and all(each in (None, counted[name]) for name, each in wanted.items())


def _is_part(found: Sequence[str], wanted: Mapping[str, int | None]) -> bool:
    """Whether instances can be some of a layout's."""
    if "" in found:
        return None in wanted.values() or len(found) <= sum(each or 0 for each in wanted.values())
    return all((most := wanted.get(name, 0)) is None or amount <= most for name, amount in Counter(found).items())


def _words(mode: str, found: Sequence[str]) -> str:
    if mode != "Enabled":
        return "MIG turned off" if mode == "Disabled" else "no MIG"
    if "" in found:
        return f"{len(found)} instances"
    return ", ".join(f"{number} x {name}" for name, number in Counter(found).items()) or "no instance"
