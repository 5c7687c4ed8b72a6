"""The flags that a recipe derives from its arguments, and what several GPUs need."""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments.errors import wrong
from ..manifests.workload.ports import port_of
from ..manifests.workload.settings import GpuWorkloadSettings
from .gpu_share import has_whole_gpus


def check_flags(settings: GpuWorkloadSettings, derived: Mapping[str, str], *, abbreviated: bool = False) -> None:
    """Refuse a flag in `args` that the recipe derives from an argument: the server would take one of two values.
    `derived` maps flags to arguments.

    Underscores are dashes in long flags. With `abbreviated`, as for a parser of Python, the beginning of a flag is the
    flag.
    """
    for word in settings.args:
        flag = plain_flag(word)
        known = next((each for each in (flag, *derived) if each in derived and (each == flag or _begins(flag, each, abbreviated))), None)
        if known is not None:
            raise wrong("args", f"without {known}", word, f"give '{derived[known]}'")


def plain_flag(word: str) -> str:
    """The flag of a word, without a value, and with dashes for underscores as the servers read it."""
    flag = word.partition("=")[0]
    return flag.replace("_", "-") if flag.startswith("--") else flag


def _begins(flag: str, known: str, abbreviated: bool) -> bool:
    return abbreviated and bool(flag.lstrip("-")) and flag.startswith("-") and known.startswith(flag)


def words_of(flags: Mapping[str, object]) -> list[str]:
    """Flags with their values as words of a command. A flag of None is left out, and a flag of True has no value."""
    given = {flag: value for flag, value in flags.items() if value is not None}
    return [str(word) for flag, value in given.items() for word in ((flag,) if value is True else (flag, value))]


def port_number(settings: GpuWorkloadSettings, default: int) -> int:
    """The port that the server opens: the first that the user gave, or its own."""
    return port_of(next(iter(settings.port.values()))).number if settings.port else default


def check_parallel(settings: GpuWorkloadSettings) -> None:
    """Refuse several GPUs for one server where the GPUs may be shares of one card, or are partitions, between which
    NCCL does not run."""
    if settings.gpus > 1 and not has_whole_gpus(settings):
        raise wrong("gpus", "1 where pods have shares or partitions of cards", settings.gpus, "one model runs on several whole cards only")


def shared_memory_of(settings: GpuWorkloadSettings, one: str | None, several: str) -> str | None:
    """The size of /dev/shm for one GPU and for several. None on nodes that share by MPS, whose daemon mounts its
    own."""
    return None if settings.nodes.by_mps else several if settings.gpus > 1 else one
