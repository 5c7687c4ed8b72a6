"""MIG: the partitions that a card is cut into, in the words of NVIDIA's own tool for it, nvidia-mig-parted.

https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
"""

from __future__ import annotations

import re

from ._validate import text, wrong

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


def mig_resource(profile: str) -> str:
    """The extended resource by which the device plugin advertises a profile with the strategy `mixed` (internal/rm/rm.go)."""
    # Kubernetes takes no plus in a name.
    return f"nvidia.com/mig-{profile.replace('+', '.')}"
