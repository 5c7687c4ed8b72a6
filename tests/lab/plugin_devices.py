"""The devices that NVIDIA's device plugin advertises, by its config file and the cards of its node.

https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/internal/rm
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import sentences as words
from machines import Card

GPU = "nvidia.com/gpu"
LIST_STRATEGIES = {"envvar", "volume-mounts", "cdi-annotations", "cdi-cri"}

Partitioned = Sequence[tuple[Card, Mapping[str, int]]]


class StartError(Exception):
    """The plugin does not start with this configuration on these cards."""


def partitioned(cards: Sequence[Card], layout: Mapping[str, Any]) -> Partitioned:
    """The cards with their partitions, after nvidia-mig-parted has applied its config file."""
    partitions: dict[int, Mapping[str, int]] = {}
    for config in layout.get("mig-configs", {}).values():
        for entry in config:
            chosen = range(len(cards)) if entry["devices"] == "all" else entry["devices"]
            partitions |= {index: entry.get("mig-devices", {}) if entry["mig-enabled"] else {} for index in chosen}
    return [(card, partitions.get(index, {})) for index, card in enumerate(cards)]


def advertised(config: Mapping[str, Any], migration: str | None, lists: str, cards: Partitioned | Sequence[Card]) -> dict[str, int]:
    """The number of devices by resource. The variable MIG_STRATEGY (`migration`) beats the file, as every variable of the plugin does."""
    if not set(lists.split(",")) <= LIST_STRATEGIES:
        raise StartError(words.INVALID_LIST(words.INVALID_STRATEGY(lists)))
    all_cards = [each if isinstance(each, tuple) else (each, {}) for each in cards]
    strategy = migration or config.get("flags", {}).get("migStrategy", "none")
    return _shared(_devices(strategy, [parts for _, parts in all_cards]), config.get("sharing", {}))


def _devices(strategy: str, cards: Sequence[Mapping[str, int]]) -> Counter[str]:
    devices: Counter[str] = Counter()
    for parts in cards:
        if strategy == "none" or not parts:
            devices[GPU] += 1
        for profile, number in parts.items() if strategy != "none" else ():
            devices[GPU if strategy == "single" else f"nvidia.com/mig-{profile.replace('+', '.')}"] += number
    if strategy == "single" and any(cards) and (not all(cards) or len({profile for parts in cards for profile in parts}) > 1):
        raise StartError(words.MIXED_MIG() if not all(cards) else words.MIG_TYPES())
    return devices


def _shared(devices: Mapping[str, int], sharing: Mapping[str, Any]) -> dict[str, int]:
    shared = sharing.get("timeSlicing") or sharing.get("mps") or {"resources": []}
    replicas = {each["name"]: each["replicas"] for each in shared["resources"]}
    suffix = ".shared" if shared.get("renameByDefault") else ""
    return {f"{name}{suffix}" if name in replicas else name: number * replicas.get(name, 1) for name, number in devices.items()}
