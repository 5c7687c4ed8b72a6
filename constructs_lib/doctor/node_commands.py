"""The commands by which the faults of a node are mended, with the Talos, the flavour and the track of the node."""

from __future__ import annotations

import re

from ..upstream.driver_branches import DriverTrack, KernelModules
from ..upstream.extension_names import FABRIC_MANAGER, GDRDRV, PREFIX, every_extension
from ..upstream.version import Version
from .gpu_node import GpuNode
from .nvidia_extensions import nvidia_extensions

_ID = re.compile(r"[0-9a-f]{64}")
_NO_EXTENSIONS = {"schematic", "modules.dep"}
"""Entries that Talos lists beside the extensions."""

EXTENSIONS = "talosctl --nodes ADDRESS get extensions"
LOADED_MODULES = "talosctl --nodes ADDRESS read /proc/modules"
KERNEL_LOG = "talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia"
DRIVER_VERSION = "talosctl --nodes ADDRESS read /proc/driver/nvidia/version"
PCI_DEVICES = "talosctl --nodes ADDRESS get pcidevices"
SERVICES = "talosctl --nodes ADDRESS services"
SMI = "kubectl exec -n NAMESPACE POD -- nvidia-smi -q"
REBOOT = """kubectl drain NODE --ignore-daemonsets --delete-emptydir-data &&
talosctl --nodes ADDRESS reboot &&
kubectl uncordon NODE"""
"""The reboot of a node, only if its pods could be moved away."""


def new_image(node: GpuNode, *, flavour: KernelModules | None = None, fabric_manager: bool = False, talos: str = "") -> str:
    """The commands that upgrade a node to an image with one set of NVIDIA's extensions, after comments on what the image does not take over from the present one."""
    names = {each.name for each in nvidia_extensions(node)}
    others = (node.extensions or {}).keys() & set(every_extension()) - names
    is_secure = node.machine is not None and node.machine.is_secure_boot is not None and node.machine.is_secure_boot.value == "true"
    flags = [_class_flags(node, flavour=flavour, talos=talos)]
    flags += ["--fabric-manager"] if fabric_manager or any(name.startswith(FABRIC_MANAGER) for name in names) else []
    flags += ["--gdrcopy" if each == GDRDRV else f"--extension {PREFIX}{each}" for each in sorted(others)]
    flags += ["--secureboot"] if is_secure else []
    return f"""{_left_out(node, names)}
IMAGE=$(talos-gpu schematic {" ".join(flags)} --print installer) &&
talosctl --nodes ADDRESS upgrade --image "$IMAGE\""""


def _left_out(node: GpuNode, nvidia: set[str]) -> str:
    """Comments on the parts of the present image that the commands do not take over: custom extensions, and all that only its schematic has."""
    custom = sorted((node.extensions or {}).keys() - nvidia - set(every_extension()) - _NO_EXTENSIONS)
    schematic = node.machine.schematic.value if node.machine and node.machine.schematic else ""
    shown = f"curl --fail https://factory.talos.dev/schematics/{schematic if _ID.fullmatch(schematic) else 'ID'}"
    lines = [f"# the new image lacks {', '.join(custom)}: the Image Factory has no such official extension"] if custom else []
    lines.append(
        f"# compare with the present schematic: {shown}   # add its kernel arguments (--kernel-arg), platform (--platform) and overlay"
    )
    return "\n".join(lines)


def image_without_nvidia(node: GpuNode) -> str:
    """The step that takes NVIDIA's extensions out of the image of a node."""
    names = ", ".join(each.name for each in nvidia_extensions(node))
    return f"""# take {names} out of the schematic of the node, and use the new schematic's ID
talosctl --nodes ADDRESS upgrade --image factory.talos.dev/metal-installer/ID:v{_talos(node)}"""


def loaded_modules(node: GpuNode) -> str:
    """The commands that name the kernel modules in the configuration of a node."""
    return f"""talos-gpu patch {_class_flags(node)} --output nvidia-patch.yaml
talosctl --nodes ADDRESS patch machineconfig --patch @nvidia-patch.yaml"""


def _class_flags(node: GpuNode, *, flavour: KernelModules | None = None, talos: str = "") -> str:
    """The flags of a class of nodes: its Talos, and the flavour and the track of its extensions where one of each is known."""
    read = nvidia_extensions(node)
    modules = [each for each in read if each.flavour]
    flavour = flavour or (modules[0].flavour if len(modules) == 1 else None)
    track = next((each.track for each in [*modules, *read] if each.track), None)
    words = [f"--talos {talos or _talos(node)}"]
    words += [f"--kernel-modules {flavour}"] if flavour is KernelModules.PROPRIETARY else []
    words += [f"--driver-track {track}"] if track not in (None, DriverTrack.PRODUCTION) else []
    return " ".join(words)


def _talos(node: GpuNode) -> str:
    version = Version.parse(node.talos_version.value) if node.talos_version else None
    return str(version) if version is not None and version.patch is not None else "VERSION"
