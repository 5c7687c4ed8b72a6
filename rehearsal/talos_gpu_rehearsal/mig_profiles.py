"""The MIG profiles of cards, and where their instances lie on a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NVML = {"1g": 0, "2g": 1, "3g": 2, "4g": 3, "7g": 4, "1g+me": 7, "2g+me": 8}
"""The number by which NVML asks for a profile: NVML_GPU_INSTANCE_PROFILE_…

Source: NVIDIA/go-nvml gen/nvml/nvml.h at v0.13.0-1 (2026-11-23)
"""

_MEMORY_SLICES = 8  # of an A100 and an H100


@dataclass(frozen=True, kw_only=True)
class MigProfile:
    """A profile of a GPU instance, as `nvidia-smi mig -lgip` and `-lgipp` list it."""

    name: str
    id: int
    memory_mib: int
    size: int
    """The memory slices that an instance takes."""
    starts: tuple[int, ...]
    """The memory slices at which an instance may begin."""
    count: int
    """How many instances fit on an empty card."""
    multiprocessors: int
    copy_engines: int
    decoders: int = 0
    encoders: int = 0
    jpegs: int = 0
    ofas: int = 0

    @property
    def slices(self) -> int:
        """The compute slices of an instance."""
        return int(self.name.partition("g.")[0])

    @property
    def nvml(self) -> int:
        """The number by which NVML asks for the profile."""
        if self.slices == 1 and self.size > 1:
            return 9  # NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV2: one compute slice with the memory of two
        return _NVML[f"{self.slices}g{'+me' if self.name.endswith('+me') else ''}"]


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A GPU instance with one compute instance that fills it: one MIG device."""

    profile: MigProfile
    gi: int
    start: int


def _seven(unit: int, rows: Sequence[tuple[int, int, int, int, int, int, int]]) -> tuple[MigProfile, ...]:
    """The profiles of a card with seven compute and eight memory slices. A row has memory, multiprocessors, copy
    engines, decoders, JPEG engines, OFAs and the number of instances."""
    shapes = (
        (f"1g.{unit}gb", 19, 1, (0, 1, 2, 3, 4, 5, 6)),
        (f"1g.{unit}gb+me", 20, 1, (0, 1, 2, 3, 4, 5, 6)),
        (f"1g.{2 * unit}gb", 15, 2, (0, 2, 4, 6)),
        (f"2g.{2 * unit}gb", 14, 2, (0, 2, 4)),
        (f"3g.{4 * unit}gb", 9, 4, (0, 4)),
        (f"4g.{4 * unit}gb", 5, 4, (0,)),
        (f"7g.{8 * unit}gb", 0, 8, (0,)),
    )
    return tuple(
        MigProfile(
            name=name,
            id=number,
            size=size,
            starts=starts,
            memory_mib=row[0],
            multiprocessors=row[1],
            copy_engines=row[2],
            decoders=row[3],
            jpegs=row[4],
            ofas=row[5],
            count=row[6],
        )
        for (name, number, size, starts), row in zip(shapes, rows, strict=True)
    )


A100_40GB = _seven(
    5,
    (
        (4864, 14, 1, 0, 0, 0, 7),
        (4864, 14, 1, 1, 1, 1, 1),
        (9856, 14, 1, 1, 0, 0, 4),
        (9856, 28, 2, 1, 0, 0, 3),
        (19968, 42, 3, 2, 0, 0, 2),
        (19968, 56, 4, 2, 0, 0, 1),
        (40192, 98, 7, 5, 1, 1, 1),
    ),
)
"""Source: NVIDIA/go-nvml pkg/nvml/mock/dgxa100/mig-profile.go at v0.13.0-1 for memory, engines and placements;
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/ for the IDs (2026-11-23)
"""

A100_80GB = _seven(
    10,
    (
        (9728, 14, 1, 0, 0, 0, 7),
        (9728, 14, 1, 1, 1, 1, 1),
        (19968, 14, 1, 1, 0, 0, 4),
        (19968, 28, 2, 1, 0, 0, 3),
        (40192, 42, 3, 2, 0, 0, 2),
        (40192, 56, 4, 2, 0, 0, 1),
        (80640, 98, 7, 5, 1, 1, 1),
    ),
)
"""Source: names, counts and engines as of the A100 40GB, by the guide above, "Supported MIG Profiles"; memory of 9.50, 19.50, 39.25
and 78.75 GiB as `nvidia-smi mig -lgip` of an A100 80GB lists it (Project-HAMi/HAMi#1847; 2026-11-24)
"""

H100_80GB = _seven(
    10,
    (
        (9984, 16, 1, 1, 1, 0, 7),
        (9984, 16, 1, 1, 1, 1, 1),
        (20096, 26, 1, 1, 1, 0, 4),
        (20096, 32, 2, 2, 2, 0, 3),
        (40448, 60, 3, 3, 3, 0, 2),
        (40448, 64, 4, 4, 4, 0, 1),
        (81152, 132, 8, 7, 7, 1, 1),
    ),
)
"""Source: https://docs.nvidia.com/datacenter/tesla/mig-user-guide/; `nvidia-smi mig -lgip` of an H100 at
https://jbarrow.ai/field_notes/nvidia-mig/ (2026-11-23)
"""


def place(profiles: Sequence[MigProfile], names: Sequence[str]) -> tuple[Instance, ...]:
    """The instances of some profiles on an empty card, in the order of their IDs.

    Raises:
        ValueError: The card has no such profile, or too little room.
    """
    by_name = {profile.name: profile for profile in profiles}
    for name in names:
        if name not in by_name:
            raise ValueError(f"'mig' must name profiles of the card, {', '.join(by_name) or 'which has none'} (got {name!r})")
    wanted = sorted((by_name[name] for name in names), key=lambda profile: -profile.size)
    starts = _starts(wanted, frozenset()) if _are_few(wanted) else None
    if starts is None:
        raise ValueError(f"'mig' must be profiles that fit on one card (got {list(names)!r}); leave some of them out")
    instances = (
        Instance(profile=profile, gi=instance_id(start, profile.size), start=start) for profile, start in zip(wanted, starts, strict=True)
    )
    return tuple(sorted(instances, key=lambda instance: instance.gi))


def _are_few(wanted: Sequence[MigProfile]) -> bool:
    """Whether the card has compute slices for all, and allows so many of each."""
    return sum(profile.slices for profile in wanted) < _MEMORY_SLICES and all(wanted.count(profile) <= profile.count for profile in wanted)


def _starts(wanted: Sequence[MigProfile], taken: frozenset[int]) -> list[int] | None:
    """The first memory slice of each instance, the larger ones first and each as low as all find room; None if they don't."""
    if not wanted:
        return []
    for start in wanted[0].starts:
        slices = frozenset(range(start, start + wanted[0].size))
        rest = None if taken & slices else _starts(wanted[1:], taken | slices)
        if rest is not None:
            return [start, *rest]
    return None


def instance_id(start: int, size: int) -> int:
    """The ID of a GPU instance by its place.

    The driver numbers halves, quarters and eighths of the card one after the other, and of each the upper half of the
    card first: seven of `1g.5gb` have 7, 8, 9, 11, 12, 13 and 14, two of `3g.20gb` have 1 and 2.

    The IDs are assumed, and compared with no listing; programs take them as they come.
    """
    parts = _MEMORY_SLICES // size
    return parts - 1 + (start + _MEMORY_SLICES // 2) % _MEMORY_SLICES // size if parts > 1 else 0
