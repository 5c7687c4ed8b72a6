"""The commands by which the faults of a node are mended, with the Talos, the flavour and the track of the node."""

from __future__ import annotations

import re
from functools import reduce

from .._arguments.commands import Command, command, comment
from ..upstream.driver_branches import DriverTrack, KernelModules
from ..upstream.extension_names import FABRIC_MANAGER, GDRDRV, PREFIX, every_extension
from ..upstream.version import Version
from .gpu_node import GpuNode
from .nvidia_extensions import nvidia_extensions

_ID = re.compile(r"[0-9a-f]{64}")
_NO_EXTENSIONS = {"schematic", "modules.dep"}
"""Entries that Talos lists beside the extensions."""

EXTENSIONS = command("talosctl --nodes ADDRESS get extensions")
LOADED_MODULES = command("talosctl --nodes ADDRESS read /proc/modules")
KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia")
DRIVER_VERSION = command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")
PCI_DEVICES = command("talosctl --nodes ADDRESS get pcidevices")
SERVICES = command("talosctl --nodes ADDRESS services")
SMI = command("kubectl exec -n NAMESPACE POD -- nvidia-smi -q")
REBOOT = comment(
    "drains and reboots the node: its pods end, what they have in volumes of kind emptyDir is deleted, and a budget that allows no disruption holds the drain up"
).followed_by(
    command("""kubectl drain NODE --ignore-daemonsets --delete-emptydir-data &&
talosctl --nodes ADDRESS reboot &&
until kubectl uncordon NODE; do sleep 10; done   # the API server of a lone control plane comes back after its node""")
)
"""The reboot of a node, only if its pods could be moved away."""
_UPGRADE = "talosctl upgrade drains and reboots the node: its pods end, what they have in volumes of kind emptyDir is deleted"


def new_image(node: GpuNode, *, flavour: KernelModules | None = None, fabric_manager: bool = False, talos: str = "") -> Command:
    """The commands that upgrade a node to an image with one set of NVIDIA's extensions, after comments on what the image does not take over from the present one."""
    names = {each.name for each in nvidia_extensions(node)}
    others = (node.extensions or {}).keys() & set(every_extension()) - names
    is_secure = node.machine is not None and node.machine.is_secure_boot is not None and node.machine.is_secure_boot.value == "true"
    flags = _class_flags(node, flavour=flavour, talos=talos)
    flags += ["--fabric-manager"] if fabric_manager or any(name.startswith(FABRIC_MANAGER) for name in names) else []
    flags += [word for each in sorted(others) for word in (["--gdrcopy"] if each == GDRDRV else ["--extension", f"{PREFIX}{each}"])]
    flags += ["--secureboot"] if is_secure else []
    upgrade = command(
        'IMAGE=$(talos-gpu schematic {*flags} --print installer) &&\ntalosctl --nodes ADDRESS upgrade --image "$IMAGE"', flags=flags
    )
    return reduce(Command.followed_by, [*_left_out(node, names), comment(_UPGRADE), upgrade])


def _left_out(node: GpuNode, nvidia: set[str]) -> list[Command]:
    """Comments on the parts of the present image that the commands do not take over: custom extensions, and all that only its schematic has."""
    custom = sorted((node.extensions or {}).keys() - nvidia - set(every_extension()) - _NO_EXTENSIONS)
    schematic = node.machine.schematic.value if node.machine and node.machine.schematic else ""
    shown = f"curl --fail https://factory.talos.dev/schematics/{schematic if _ID.fullmatch(schematic) else 'ID'}"
    lines = [comment(f"the new image lacks {', '.join(custom)}: the Image Factory has no such official extension")] if custom else []
    lines.append(
        comment(
            f"compare with the present schematic: {shown}   # add its kernel arguments (--kernel-arg), platform (--platform) and overlay"
        )
    )
    return lines


def image_without_nvidia(node: GpuNode) -> Command:
    """The step that takes NVIDIA's extensions out of the image of a node."""
    names = ", ".join(each.name for each in nvidia_extensions(node))
    upgrade = command("talosctl --nodes ADDRESS upgrade --image factory.talos.dev/metal-installer/ID:v{talos}", talos=_talos(node))
    what = comment(f"take {names} out of the schematic of the node, and use the new schematic's ID")
    return what.followed_by(comment(_UPGRADE)).followed_by(upgrade)


def loaded_modules(node: GpuNode) -> Command:
    """The commands that name the kernel modules in the configuration of a node."""
    return command(
        """talos-gpu patch {*flags} --output nvidia-patch.yaml
talosctl --nodes ADDRESS patch machineconfig --patch @nvidia-patch.yaml   # may reboot the node; with --dry-run it says so, and changes nothing""",
        flags=_class_flags(node),
    )


def _class_flags(node: GpuNode, *, flavour: KernelModules | None = None, talos: str = "") -> list[str]:
    """The flags of a class of nodes: its Talos, and the flavour and the track of its extensions where one of each is known."""
    read = nvidia_extensions(node)
    modules = [each for each in read if each.flavour]
    flavour = flavour or (modules[0].flavour if len(modules) == 1 else None)
    track = next((each.track for each in [*modules, *read] if each.track), None)
    words = ["--talos", talos or _talos(node)]
    words += ["--kernel-modules", str(flavour)] if flavour is KernelModules.PROPRIETARY else []
    words += ["--driver-track", str(track)] if track not in (None, DriverTrack.PRODUCTION) else []
    return words


def _talos(node: GpuNode) -> str:
    version = Version.parse(node.talos_version.value) if node.talos_version else None
    return str(version) if version is not None and version.patch is not None else "VERSION"
