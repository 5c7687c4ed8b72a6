"""The flags of a recipe's server, and the port on which the server listens."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..arguments.errors import wrong
from ..manifests.workload.objects import client_port
from ..manifests.workload.ports import port_of
from ..manifests.workload.settings import GpuWorkloadSettings


def server_port(settings: GpuWorkloadSettings, default: int) -> int:
    """The first port of the user's, which is `http` where there are several, or the program's own."""
    return port_of(next(iter((settings.port or {}).values()), default)).number


def server_address(settings: GpuWorkloadSettings) -> str:
    """The URL of the server for its clients in the namespace."""
    return f"http://{settings.name}:{client_port(settings, next(iter(settings.ports)))}"


def check_port_variable(settings: GpuWorkloadSettings, name: str) -> None:
    """Refuse the port's variable among the user's: Service, probes and clients use the argument `port`."""
    if name in settings.env:
        raise wrong("env", f"without {name}", name, "give 'port': the Service, the probes and the Job of the models use this port")


def check_listens(settings: GpuWorkloadSettings, own: int) -> None:
    """Refuse ports without the one on which the image listens, and which nothing changes. The port becomes the first,
    which the probes use."""
    if settings.port is None:
        return
    if own not in settings.port.values():
        name = next(iter(settings.port))
        hint = f"service={{'ports': [{{'name': {name!r}, 'port': …}}]}} gives the Service another port"
        raise wrong("port", f"with {own}, the port on which the image listens", dict(settings.port), hint)
    object.__setattr__(settings, "port", MappingProxyType(dict(sorted(settings.port.items(), key=lambda each: each[1] != own))))


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


def shared_memory_of(settings: GpuWorkloadSettings, one: str | None, several: str) -> str | None:
    """The size of /dev/shm for one GPU and for several; None under MPS, whose daemon mounts its own."""
    return None if settings.nodes.by_mps else several if settings.gpus > 1 else one
