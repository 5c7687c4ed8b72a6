"""Which system extensions a class of GPU nodes needs, and which exist: by the names that the Image Factory knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._arguments.errors import Argument, Phrase, wrong
from .._arguments.plain_values import texts
from .._arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream import talos_releases
from ..upstream.extension_names import (
    ALIASES,
    FABRIC_MANAGER,
    GDRDRV,
    MODULES,
    NVIDIA_ALIASES,
    PREFIX,
    TOOLKIT,
    extension_names,
    first_minor,
    is_whole,
)
from .kernel_settings import check_gdrcopy


def to_extensions(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Names of extensions, each once."""
    names = texts(argument, value)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise wrong(f"{argument}[{index}]", "named once", name)
    return tuple(names)


def official_extensions(
    nodes: GpuNodes, extensions: Sequence[str] = (), *, fabric_manager: bool = False, gdrcopy: bool = False
) -> list[str]:
    """Everything that the image of these nodes carries, in the alphabetical order of the factory's own form."""
    needed = nvidia_extensions(nodes, fabric_manager=fabric_manager, gdrcopy=gdrcopy)
    for index, name in enumerate(extensions):
        argument = f"extensions[{index}]"
        if name not in needed:
            _check_official(argument, name, nodes.talos_version, needed)
            _check_nvidia(argument, name.removeprefix(PREFIX), nodes)
    return sorted({*needed, *extensions})


def nvidia_extensions(nodes: GpuNodes, *, fabric_manager: bool = False, gdrcopy: bool = False) -> list[str]:
    """What NVIDIA's driver needs: modules of one flavour and libraries of the same track."""
    track = nodes.driver_track
    if track not in nodes.talos_version.release.drivers:
        raise wrong(
            "nodes",
            "of a Talos whose extensions are published",
            nodes,
            f"those of Talos {nodes.talos_version} are not yet",
            part="talos_version",
        )
    names = [f"{MODULES[nodes.kernel_modules]}-{track}", f"{TOOLKIT}-{track}"]
    if fabric_manager:
        names.append(f"{FABRIC_MANAGER}-{track}")
    if gdrcopy:
        check_gdrcopy(gdrcopy, nodes)
        names.append(GDRDRV)
    return [PREFIX + name for name in names]


def _check_official(argument: str, name: str, talos: TalosVersion, needed: list[str]) -> None:
    official = extension_names(talos.minor)
    short = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and short in official:
        return
    hint = _why_not(name, official, needed)
    is_unheard_of = name.startswith(PREFIX) and short not in {*ALIASES, *NVIDIA_ALIASES} and not first_minor(short)
    if is_unheard_of and not is_whole(talos.version):
        warn(
            f"'{argument}' {name!r} is not known as an extension of Talos {talos} (tables of {talos_releases.READ_ON}), so it is not checked; {hint}"
        )
        return
    raise wrong(argument, f"an official extension of Talos {talos.minor_version}", name, hint)


def _why_not(name: str, official: set[str], needed: list[str]) -> str | Phrase:
    """What was probably meant by a name that is not the factory's."""
    import difflib  # what goes well never needs it

    short = name.removeprefix(PREFIX)
    if "/" in short:
        return "the Image Factory has the extensions of siderolabs alone"
    if short in official or short in ALIASES:
        return f"did you mean '{PREFIX}{short if short in official else ALIASES[short]}'?"
    if since := first_minor(short):
        return f"it came with Talos 1.{since}"
    if "nvidia" in short:
        alias = f"the factory takes the bare name for {PREFIX}{NVIDIA_ALIASES[short]}; " if short in NVIDIA_ALIASES else ""
        choose = f" choose NVIDIA's extensions, here {' and '.join(needed)}"
        return Phrase(alias, Argument("kernel_modules"), " and ", Argument("driver_track", written="'driver_track' of GpuNodes"), choose)
    if close := difflib.get_close_matches(short, sorted(official), n=1):
        return f"did you mean '{PREFIX}{close[0]}'?"
    return "no extension of that name is known; give the ID of a schematic with a newer one to existing_schematic"


def _check_nvidia(argument: str, name: str, nodes: GpuNodes) -> None:
    """Refuse an NVIDIA extension beside those that the nodes need."""
    kind, _, track = name.rpartition("-")
    if name == GDRDRV:
        raise wrong(argument, "left out", PREFIX + name, Phrase("use ", Argument("gdrcopy", True)))
    if kind not in {*MODULES.values(), TOOLKIT, FABRIC_MANAGER}:
        return
    if track != nodes.driver_track:
        rule = Phrase("of the track of nodes with ", Argument("driver_track", nodes.driver_track))
        hint = Phrase(
            "modules and libraries of two tracks don't work together; leave it out, or change ",
            Argument("driver_track", written="'driver_track' of GpuNodes"),
        )
        raise wrong(argument, rule, PREFIX + name, hint)
    if kind == FABRIC_MANAGER:
        raise wrong(argument, "left out", PREFIX + name, Phrase("use ", Argument("fabric_manager", True)))
    rule = Phrase("of the flavour of nodes with ", Argument("kernel_modules", nodes.kernel_modules))
    hint = Phrase(
        "a node loads modules of one flavour; leave it out, or change ", Argument("kernel_modules", written="'kernel_modules' of GpuNodes")
    )
    raise wrong(argument, rule, PREFIX + name, hint)
