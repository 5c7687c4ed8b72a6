"""The use of cards at the moment of reading: full, idle, or never opened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ...arguments.patterns import pattern
from ...observed.model.talos_machine import Seen
from ...upstream.nvidia.card_thresholds import IDLE, MEMORY_FULL, UNTOUCHED_MEMORY
from ..fault import Advice, Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..report_names import names
from .card_fields import SMI_PAGE, Card, Cards, card_fault, first, number, whole_cards

_HOLDER = pattern(r"(?:processes )?(?:process info )?process (?P<pid>\d+) (?P<field>name|process name|used gpu memory|used memory)$")
_MOST = 4

Pods = Mapping[str, Seen]
"""The memory that pods hold of a card, in MiB, by NAMESPACE/NAME."""


def use_remarks(cluster: GpuCluster, node: GpuNode, cards: Cards) -> Iterator[Fault]:
    """The remarks about the use of a node's cards."""
    pods = _pods(cluster, node)
    for name, card in cards.items():
        yield from _memory(card, pods.get(name, {}))
        yield from _exclusive(cluster, node, card, len(whole_cards(cards)))
    yield from _unopened(cluster, node, cards, pods)
    yield from _idle(cards, pods)


def _pods(cluster: GpuCluster, node: GpuNode) -> Mapping[str, Pods]:
    """The running pods of each card, by the labels of the exporter. A pod whose object was not read runs, as far as the
    kubelet tells the exporter.

    Source: NVIDIA/dcgm-exporter internal/pkg/transformation/kubernetes.go: the kubelet's API of pod resources
    """
    ended = {
        f"{each.about.namespace}/{each.about.name}"
        for each in cluster.live_pods
        if each.is_made and (each.phase != "Running" or each.is_being_deleted)
    }
    pods: dict[str, dict[str, Seen]] = defaultdict(dict)
    for (card, pod), seen in (node.machine.card_pods or {} if node.machine else {}).items():
        if pod not in ended:
            pods[card][pod] = seen
    return pods


def _unopened(cluster: GpuCluster, node: GpuNode, cards: Cards, pods: Mapping[str, Pods]) -> Iterator[Fault]:
    """The pods that hold a card whose memory no program of theirs uses."""
    found: Pods = {
        f"{pod} ({name})": seen for name, card in cards.items() for pod, seen in _without_memory(card, pods.get(name, {})).items()
    }
    if not pods:
        found = _on_empty_cards(cluster, node, whole_cards(cards))
    if found:
        yield card_fault(
            "gpu-not-opened", f"No program of {names([*found])} had opened the card at the moment of reading", [*found.values()][:1],
            "The program computes on the CPU, or waits for work: ollama and media servers open the card only for a job", SMI_PAGE,
            Advice(
                "One reading proves little: read again while the program works. If it stays so, look in its log for the CPU "
                "(ollama: library=cpu; PyTorch: torch.cuda.is_available() is False), with talos-gpu doctor --pod NAMESPACE/NAME"
            ),
        )  # fmt: skip


def _without_memory(card: Card, pods: Pods) -> Pods:
    """The pods without memory of a card. Memory that belongs to no pod may be that of any of them: the exporter gives 0 to
    a pod whose processes it can't find."""
    used = number(first(card, "fb memory usage used")) or 0
    hidden = max(0, used - sum(int(each.value) for each in pods.values()))
    return {pod: seen for pod, seen in pods.items() if int(seen.value) + hidden <= UNTOUCHED_MEMORY}


def _on_empty_cards(cluster: GpuCluster, node: GpuNode, cards: Cards) -> Pods:
    """The pods with GPUs of a node whose cards are all empty; nothing if a card of the node may have been out of sight."""
    used = [first(card, "fb memory usage used") for card in cards.values()]
    expected = len(node.cards) or sum(node.capacity.values())
    lines = [each for each in used if each is not None and (number(each) or 0) <= UNTOUCHED_MEMORY]
    if not expected or len(lines) < max(expected, len(cards)):
        return {}
    holders = [each for each in cluster.holders.get(node.name, ()) if each.phase == "Running" and not each.is_being_deleted]
    return {f"{each.about.namespace}/{each.about.name}": lines[0] for each in holders}


def _idle(cards: Cards, pods: Mapping[str, Pods]) -> Iterator[Fault]:
    """The pods that hold memory of a card that computes nothing."""
    idle: dict[str, Seen] = {}
    for name, card in cards.items():
        load, used = first(card, "utilization gpu"), number(first(card, "fb memory usage used"))
        activity = number(load)
        if load is not None and used is not None and activity is not None and activity < IDLE:
            resting = [pod for pod in pods.get(name, {}) if pod not in _without_memory(card, pods[name])]
            idle |= {f"{pod} ({name}, {used} MiB in use)": load for pod in resting}
    if idle:
        yield card_fault(
            "gpu-idle", f"The card of {names([*idle])} computed nothing at the moment of reading", [*idle.values()][:1],
            "Nobody else can use the card meanwhile, unless pods share it", SMI_PAGE,
            Advice("One reading proves little, and a server that waits for requests is in order. The alert GpuAllocatedIdle watches the hours"),
        )  # fmt: skip


def _memory(card: Card, pods: Pods) -> Iterator[Fault]:
    used = first(card, "fb memory usage used")
    held, total = number(used), number(first(card, "fb memory usage total"))
    if used and held is not None and total and held * 100 > total * MEMORY_FULL:
        holders = [*_holders(card)] or [*pods]
        named = f": {', '.join(holders[:_MOST])}" if holders else ""
        yield card_fault(
            "memory-full", f"{held * 100 // total}% of the card's memory is in use{named}", [used],
            "The next program that needs memory there ends with CUDA out of memory. A server that takes all memory on purpose is in order",
            SMI_PAGE, Advice("Lower the memory of the programs that share the card, or give each a card of its own"),
        )  # fmt: skip


def _holders(card: Card) -> Iterator[str]:
    """The programs that hold memory of the card, those with the most first."""
    programs: dict[str, dict[str, Seen]] = defaultdict(dict)
    for field, seen in card.items():
        if found := _HOLDER.match(field):
            programs[found["pid"]]["used" if "memory" in found["field"] else "name"] = seen
    for each in sorted(programs.values(), key=lambda each: -(number(each.get("used")) or 0)):
        name, used = (each[key].value if key in each else other for key, other in (("name", "a program"), ("used", "an unknown amount")))
        yield f"{name} ({used})"


def _exclusive(cluster: GpuCluster, node: GpuNode, card: Card, cards: int) -> Iterator[Fault]:
    """A card for one program alone, on a node that has more GPU pods than cards. MPS sets this mode itself.

    Source: NVIDIA/k8s-device-plugin cmd/mps-control-daemon/mps/device.go, setComputeMode
    """
    mode = first(card, "compute mode")
    pods = cluster.holders.get(node.name, [])
    has_mps = any("mps-control" in each.name for each in cluster.dump.of_kind("Pod", "DaemonSet"))
    if mode and mode.value.startswith("Exclusive") and len(pods) > cards and not has_mps:
        yield card_fault(
            "exclusive-card-shared", f"The compute mode of the card is {mode.value}, and {len(pods)} pods share {cards} card{'s' * (cards > 1)}",
            [mode], "One program holds the card; the others end with: all CUDA-capable devices are busy or unavailable",
            SMI_PAGE, Advice("Set the mode in a privileged pod with the card: nvidia-smi --compute-mode=DEFAULT"),
        )  # fmt: skip
