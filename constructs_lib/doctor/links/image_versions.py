"""Contradictions between NVIDIA's extensions of one image: two flavours, two tracks, two drivers, two releases of
Talos."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.nvidia.driver_branches import KernelModules
from ..fault import Fault
from ..gpu_node import GpuNode
from ..node_commands import EXTENSIONS, new_image
from ..nvidia_extensions import NvidiaExtension, is_built_for_another, nvidia_extensions

_MISMATCH = 'Libraries and kernel modules have different versions: "Failed to initialize NVML: Driver/library version mismatch"'
_SOURCE = "NVIDIA/k8s-device-plugin#1431; siderolabs/extensions nvidia-gpu"


def version_faults(node: GpuNode, *, is_loaded: bool) -> Iterator[Fault]:
    """The contradictions, the one that explains the others first."""
    extensions = nvidia_extensions(node)
    modules = [each for each in extensions if each.flavour]
    talos = node.talos_version
    other = next((each for each in modules if talos and is_built_for_another(each, talos.value)), None)
    if other is not None and talos is not None and not is_loaded:
        yield Fault(
            name="extension-of-another-talos",
            cause=f"{other.name} was built for Talos {other.talos.removeprefix('v')}, and Talos {talos.value.removeprefix('v')} runs",
            evidence=(other.evidence, talos.evidence),
            consequence='The kernel refuses the signature of the modules: "key was rejected by service"',
            fix=new_image(node),
            verify=EXTENSIONS,
            source="siderolabs/talos#7174; siderolabs/talos#7043",
            rules=("TG072",),
        )
    if {each.flavour for each in modules} == set(KernelModules):
        yield _contradiction(
            node,
            "both-flavours",
            f"The image has open and proprietary kernel modules: {_names(modules)}",
            modules,
            "Both extensions have modules of the same names, and the kernel loads one of the two",
        )
    elif len({each.track for each in extensions if each.track}) > 1:
        yield _contradiction(
            node, "tracks-differ", f"NVIDIA's extensions are of different tracks: {_names(extensions)}", extensions, _MISMATCH
        )
    elif len({each.driver for each in extensions if each.driver}) > 1:
        drivers = ", ".join(f"{each.name} {each.driver}" for each in extensions if each.driver)
        yield _contradiction(node, "drivers-differ", f"NVIDIA's extensions have different drivers: {drivers}", extensions, _MISMATCH)


def _contradiction(node: GpuNode, name: str, cause: str, extensions: list[NvidiaExtension], consequence: str) -> Fault:
    return Fault(
        name=name,
        cause=cause,
        evidence=tuple(each.evidence for each in extensions),
        consequence=consequence,
        fix=new_image(node),
        verify=EXTENSIONS,
        source=_SOURCE,
        rules=("TG080",),
    )


def _names(extensions: list[NvidiaExtension]) -> str:
    return ", ".join(each.name for each in extensions)
