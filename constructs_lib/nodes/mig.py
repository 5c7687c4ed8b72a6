"""MIG: the partitions that a card is cut into, in the words of NVIDIA's own tool for it, nvidia-mig-parted.

https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from .._arguments.errors import Argument, Phrase, wrong, wrong_kind
from .._arguments.plain_values import mapping, text, whole_number
from ..upstream.plugin_words import MigStrategy

Layout = Mapping[str, int]
"""What one GPU is cut into: how many partitions of each profile. Empty: it stays whole."""

_PROFILE = r"[1-9]\d*g\.[1-9]\d*gb(\+(me|me\.all|gfx)|-me)?"
# As people write one: with the resource's name before it, without its dot, with the resource's dot in place of the plus.
_NEARLY = r"(?:nvidia\.com/)?(?:mig-)?(\d+)g[^a-z0-9]?(\d+)gb?(?:[+. ](me\.all|me|gfx)|(-me))?"


def mig_profile(argument: str, value: object) -> str:
    """A profile as `nvidia-smi mig -lgip` and nvidia-mig-parted name it; which of them a card has depends on its driver too."""
    rule = "a MIG profile such as '1g.10gb' or '1g.10gb+me'"
    profile = text(argument, value, rule)
    if not re.fullmatch(_PROFILE, profile):
        raise wrong(argument, rule, profile, _similar(profile))
    return profile


def _similar(profile: str) -> str:
    found = re.fullmatch(_NEARLY, profile.strip().lower())
    if not found:
        return ""
    slices, memory, attribute, without = found.groups()
    return f"did you mean '{slices}g.{memory}gb{f'+{attribute}' if attribute else without or ''}'?"


def to_mig_devices(value: Layout | Iterable[Layout] | None, argument: str = "") -> Layout | tuple[Layout, ...] | None:
    """One layout for every GPU, or one for each, by its index."""
    if value is None:
        return None
    rule = "a mapping of MIG profiles to numbers, such as {'1g.10gb': 7}, or a list of one for each GPU"
    if isinstance(value, Mapping):
        layouts: tuple[Layout, ...] = (_layout(argument, value),)
    elif isinstance(value, list | tuple):
        layouts = tuple(_layout(f"{argument}[{index}]", each) for index, each in enumerate(value))
    else:
        raise wrong_kind(argument, rule, value)
    if not any(layouts):
        raise wrong(argument, rule, value, "whole GPUs need none")
    return layouts[0] if isinstance(value, Mapping) else layouts


def _layout(argument: str, value: object) -> Layout:
    numbers = mapping(argument, value, "a mapping of MIG profiles to numbers")
    return MappingProxyType({mig_profile(argument, name): whole_number(f"{argument}[{name}]", each) for name, each in numbers.items()})


def plain_devices(devices: Layout | tuple[Layout, ...] | None) -> Any:
    """The same as it was given: what is printed, copied and pickled."""
    if isinstance(devices, tuple):
        return [dict(layout) for layout in devices]
    return devices if devices is None else dict(devices)


def layouts_of(devices: Layout | tuple[Layout, ...] | None) -> tuple[Layout, ...]:
    """Each layout that a GPU of the node may have."""
    if devices is None:
        return ()
    return devices if isinstance(devices, tuple) else (devices,)


def check_devices(strategy: str, devices: Layout | tuple[Layout, ...], gpus_per_node: int | None) -> None:
    """Refuse a layout that the strategy does not advertise, or that is of another number of GPUs."""
    written, layouts = plain_devices(devices), layouts_of(devices)
    if strategy == MigStrategy.NONE:
        hint = "'mixed' advertises each partition by its profile, 'single' as a GPU; 'none' sees whole GPUs alone"
        raise wrong("mig_strategy", Phrase("'single' or 'mixed' with ", Argument("mig_devices")), str(strategy), hint)
    if strategy == MigStrategy.SINGLE and not (all(layouts) and len({name for layout in layouts for name in layout}) == 1):
        hint = "the device plugin starts with no other; use 'mixed'"
        raise wrong("mig_devices", Phrase("one profile on every GPU with ", Argument("mig_strategy", "single")), written, hint)
    if isinstance(devices, tuple) and gpus_per_node not in (None, len(devices)):
        raise wrong("mig_devices", f"one mapping for all GPUs, or one for each of {gpus_per_node}", written)


def devices_per_node(
    strategy: str, devices: Layout | tuple[Layout, ...] | None, gpus_per_node: int | None, profile: str | None
) -> int | None:
    """How many GPUs, or partitions of a profile, one node has, where that is known."""
    if strategy == MigStrategy.NONE:
        return gpus_per_node
    if isinstance(devices, tuple):
        return sum(_offered(strategy, layout, profile) for layout in devices)
    if devices is None or gpus_per_node is None:
        return None
    return gpus_per_node * _offered(strategy, devices, profile)


def _offered(strategy: str, layout: Layout, profile: str | None) -> int:
    if profile is not None:
        return layout.get(profile, 0)
    return sum(layout.values()) if strategy == MigStrategy.SINGLE else int(not layout)
