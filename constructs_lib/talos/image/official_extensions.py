"""The system extensions of a class of GPU nodes, and checks of further ones, by their names at the factory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...arguments.errors import Argument, InPython, Phrase, warn, wrong
from ...arguments.plain_values import texts
from ...nodes.fabric_manager import check_fabric_manager
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.image_extensions import driver_extensions
from ...nodes.talos_version import TalosVersion, dated
from ...upstream.nvidia.driver_branches import DriverTrack
from ...upstream.talos.extension_names import (
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
from ..config.kernel_settings import check_gdrcopy, refuse_nvidia_extension


def to_extensions(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Names of extensions, without duplicates."""
    names = texts(argument, value)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise wrong(f"{argument}[{index}]", "named once", name)
    return tuple(names)


def official_extensions(
    nodes: GpuNodes, extensions: Sequence[str] = (), *, fabric_manager: bool = False, gdrcopy: bool = False
) -> list[str]:
    """All extensions in the image of these nodes, in alphabetical order as in the web form of the factory."""
    needed = nvidia_extensions(nodes, fabric_manager=fabric_manager, gdrcopy=gdrcopy)
    for index, name in enumerate(extensions):
        argument = f"extensions[{index}]"
        if nodes.passthrough is not None:
            refuse_nvidia_extension(argument, name)
        if name not in needed:
            _check_official(argument, name, nodes.talos_version, needed)
            _check_nvidia(argument, name.removeprefix(PREFIX), nodes)
    return sorted({*needed, *extensions})


def nvidia_extensions(nodes: GpuNodes, *, fabric_manager: bool = False, gdrcopy: bool = False) -> list[str]:
    """NVIDIA's kernel modules of one flavour and libraries of the same track; none for virtual machines."""
    if nodes.passthrough is not None:
        return []
    track = nodes.track
    if track not in nodes.talos_version.release.drivers:
        hint = f"the extensions of Talos {nodes.talos_version} are not published yet"
        raise wrong("nodes", "of a Talos whose extensions are published", nodes, hint, part="talos_version")
    check_fabric_manager(fabric_manager, nodes)
    check_gdrcopy(gdrcopy, nodes)
    return driver_extensions(nodes, fabric_manager=fabric_manager, gdrcopy=gdrcopy)


def _check_official(argument: str, name: str, talos: TalosVersion, needed: list[str]) -> None:
    official = extension_names(talos.minor)
    short = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and short in official:
        return
    hint = _why_not(name, official, needed)
    is_unheard_of = name.startswith(PREFIX) and short not in {*ALIASES, *NVIDIA_ALIASES} and not first_minor(short)
    if is_unheard_of and not is_whole(talos.version):
        unknown = dated(f" {name!r} is not known as an extension of Talos {talos}")
        parts = hint.parts if isinstance(hint, Phrase) else (hint,)
        given = Argument(argument.partition("[")[0], written=f"'{argument}'")
        warn(Phrase(given, f"{unknown}: the extension is not checked; ", *parts))
        return
    raise wrong(argument, f"an official extension of Talos {talos.minor_version}", name, hint)


def _why_not(name: str, official: set[str], needed: list[str]) -> str | Phrase:
    """A hint for a name that the factory does not have."""
    import difflib  # only an error needs difflib

    short = name.removeprefix(PREFIX)
    if "/" in short:
        return "the Image Factory has only the extensions of siderolabs"
    if short in official or short in ALIASES:
        return f"did you mean '{PREFIX}{short if short in official else ALIASES[short]}'?"
    if since := first_minor(short):
        return f"the extension is new in Talos 1.{since}"
    if "nvidia" in short:
        alias = f"the factory reads the bare name as {PREFIX}{NVIDIA_ALIASES[short]}; " if short in NVIDIA_ALIASES else ""
        choose = f" choose NVIDIA's extensions, here {' and '.join(needed)}"
        return Phrase(alias, Argument("kernel_modules"), " and ", Argument("driver_track", written="'driver_track' of GpuNodes"), choose)
    if close := difflib.get_close_matches(short, sorted(official), n=1):
        return f"did you mean '{PREFIX}{close[0]}'?"
    hint = "no extension of this name is known; for a newer extension give the ID of a schematic"
    return Phrase(hint, InPython(" to ExistingSchematic"))


def _check_nvidia(argument: str, name: str, nodes: GpuNodes) -> None:
    """Refuse an NVIDIA extension that contradicts the extensions of the nodes."""
    kind, _, track = name.rpartition("-")
    if name == GDRDRV:
        raise wrong(argument, "left out", PREFIX + name, Phrase("use ", Argument("gdrcopy", True)))
    if kind not in {*MODULES.values(), TOOLKIT, FABRIC_MANAGER} or track not in set(DriverTrack):
        return  # a track that is newer than the tables
    if kind == FABRIC_MANAGER and track == nodes.track:
        raise wrong(argument, "left out", PREFIX + name, Phrase("use ", Argument("fabric_manager", True)))
    if track != nodes.track:
        rule, field, why = "of the track", Argument("driver_track", nodes.track), "modules and libraries of two tracks don't work together"
    else:
        rule, field, why = "of the flavour", Argument("kernel_modules", nodes.kernel_modules), "a node loads modules of one flavour"
    hint = Phrase(f"{why}; leave the extension out, or change ", Argument(field.name, written=f"'{field.name}' of GpuNodes"))
    raise wrong(argument, Phrase(f"{rule} of nodes with ", field), PREFIX + name, hint)
