"""MIG: the partitions of a card, in the notation of NVIDIA's tool nvidia-mig-parted.

https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..arguments.errors import Argument, Phrase, wrong, wrong_kind
from ..arguments.plain_values import mapping, text, whole_number
from ..upstream.nvidia.plugin_words import MigStrategy

Layout = Mapping[str, int]
"""The partitions of one GPU: the number of partitions by profile. Empty for a whole GPU."""

_PROFILE = r"[1-9]\d*g\.[1-9]\d*gb(\+(me|me\.all|gfx)|-me)?"
# Common misspellings of a profile: with the prefix of the resource, without the dot, or with the dot of the resource
# for the plus.
_NEARLY = r"(?:nvidia\.com/)?(?:mig-)?(\d+)g[^a-z0-9]?(\d+)gb?(?:[+. ](me\.all|me|gfx)|(-me))?"


def mig_profile(argument: str, value: object) -> str:
    """A MIG profile as nvidia-smi and nvidia-mig-parted write it. The profiles of a card depend on its driver too."""
    rule = "a MIG profile such as '1g.10gb' or '1g.10gb+me'"
    profile = text(argument, value, rule)
    if not re.fullmatch(_PROFILE, profile):
        similar = _similar(profile)
        raise wrong(argument, rule, profile, f"did you mean '{similar}'?" if similar else "")
    return profile


def _similar(profile: str) -> str:
    """The profile that is misspelt, or an empty string."""
    match = re.fullmatch(_NEARLY, profile.strip().lower())
    if not match:
        return ""
    slices, memory, attribute, without = match.groups()
    return f"{slices}g.{memory}gb{f'+{attribute}' if attribute else without or ''}"


def to_mig_devices(value: Layout | Iterable[Layout] | None, argument: str = "") -> Layout | tuple[Layout, ...] | None:
    """One layout for all GPUs, or a list with one layout for each GPU, by index."""
    if value is None:
        return None
    rule = "a mapping of MIG profiles to numbers, such as {'1g.10gb': 7}, or a list of one for each GPU"
    _refuse_names(argument, value, rule)
    if isinstance(value, Mapping):
        layouts: tuple[Layout, ...] = (_layout(argument, value),)
    elif isinstance(value, list | tuple):
        layouts = tuple(_layout(f"{argument}[{index}]", layout) for index, layout in enumerate(value))
    else:
        raise wrong_kind(argument, rule, value)
    if not any(layouts):
        raise wrong(argument, rule, value, "whole GPUs need no 'mig_devices'")
    return layouts[0] if isinstance(value, Mapping) else layouts


def _refuse_names(argument: str, value: object, rule: str) -> None:
    """Refuse profiles without their numbers, and show the mapping."""
    names = [value] if isinstance(value, str) else value
    if isinstance(names, list | tuple) and names and all(isinstance(each, str) for each in names):
        raise wrong_kind(argument, rule, value, _counted(names))


def _counted(profiles: Iterable[str]) -> str | Phrase:
    """The mapping of a list of profiles: how often each stands there."""
    from ..arguments.meant import meant  # deferred: only an error needs it

    found = Counter(profile if re.fullmatch(_PROFILE, profile) else _similar(profile) for profile in map(str, profiles))
    return "" if "" in found else meant(dict(found))


def _layout(argument: str, value: object) -> Layout:
    numbers = mapping(argument, value, "a mapping of MIG profiles to numbers")
    return MappingProxyType({mig_profile(argument, name): whole_number(f"{argument}[{name}]", number) for name, number in numbers.items()})


def plain_devices(devices: Layout | tuple[Layout, ...] | None) -> Any:
    """The layouts as plain dicts and lists, to print, copy and pickle."""
    if isinstance(devices, tuple):
        return [dict(layout) for layout in devices]
    return devices if devices is None else dict(devices)


def layouts_of(devices: Layout | tuple[Layout, ...] | None) -> tuple[Layout, ...]:
    """Every layout of a GPU of the node."""
    if devices is None:
        return ()
    return devices if isinstance(devices, tuple) else (devices,)


def check_devices(strategy: str, devices: Layout | tuple[Layout, ...], gpus_per_node: int | None) -> None:
    """Refuse a layout that the strategy does not advertise, and a list for another number of GPUs."""
    written, layouts = plain_devices(devices), layouts_of(devices)
    if strategy == MigStrategy.NONE:
        hint = "'mixed' advertises a partition by its profile, 'single' as a GPU; 'none' advertises whole GPUs only"
        raise wrong("mig_strategy", Phrase("'single' or 'mixed' with ", Argument("mig_devices")), str(strategy), hint)
    if strategy == MigStrategy.SINGLE and not (all(layouts) and len({name for layout in layouts for name in layout}) == 1):
        hint = "the device plugin does not start with another layout; use 'mixed'"
        raise wrong("mig_devices", Phrase("one profile on every GPU with ", Argument("mig_strategy", "single")), written, hint)
    if isinstance(devices, tuple) and gpus_per_node not in (None, len(devices)):
        raise wrong("mig_devices", f"one mapping for all GPUs, or one for each of {gpus_per_node}", written)


def devices_per_node(
    strategy: str, devices: Layout | tuple[Layout, ...] | None, gpus_per_node: int | None, profile: str | None
) -> int | None:
    """The number of GPUs, or of partitions of a profile, on one node; None when the number is unknown."""
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
