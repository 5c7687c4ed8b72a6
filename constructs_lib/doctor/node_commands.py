"""The commands by which the faults of a node are mended, with its Talos, its flavour and its track, and those of a Helm
release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from ..arguments.commands import Command, command, comment
from ..arguments.patterns import pattern
from ..observed.model.live_object import LiveObject
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV
from ..upstream.talos.features import IMAGE_FACTORY
from ..upstream.talos.installer_images import installer_name, only_nvidia
from ..upstream.talos.platforms import Platform
from ..upstream.version import Version
from .gpu_node import GpuNode
from .node_image import boot_of, custom_extensions, installer_of, nvidia_extensions, official_others, schematic_id

_PRESENT = "present.yaml"
_UPGRADE = command('talosctl --nodes ADDRESS upgrade --image "$IMAGE"')

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
_REBOOTS = comment("talosctl upgrade drains and reboots the node: its pods end, what they have in volumes of kind emptyDir is deleted")


def new_image(node: GpuNode, *, flavour: KernelModules | None = None, fabric_manager: bool = False, talos: str = "") -> Command:
    """The commands that upgrade a node to an image with one set of NVIDIA's extensions, and all else that its present
    image has."""
    flags = _class_flags(node, flavour=flavour, talos=talos)
    flags += ["--fabric-manager"] if fabric_manager or any(each.kind == FABRIC_MANAGER for each in nvidia_extensions(node)) else []
    flags += ["--gdrcopy"] if GDRDRV in (node.extensions or {}) else []
    has_schematic = bool(schematic_id(node))
    flags += ["--from", _PRESENT] if has_schematic else [word for name in official_others(node) for word in ("--extension", name)]
    platform, is_secure = boot_of(node)
    boot = ["--platform", platform] if platform not in ("", Platform.METAL) else []
    boot += ["--secureboot"] if is_secure else []
    send = command(
        "talos-gpu schematic {*flags} | curl --fail --data-binary @- https://{factory}/schematics", flags=flags, factory=IMAGE_FACTORY
    )
    name = command("IMAGE=$(talos-gpu schematic {*flags} --print installer)", flags=[*flags, *boot])
    upgrade = send.then(name).then(_UPGRADE)
    return _lines(*_left_out(node), _REBOOTS, _without_nvidia(node).then(upgrade) if has_schematic else upgrade)


def first_image(talos: str) -> Command:
    """The commands that upgrade a node of which nothing was read to an image with NVIDIA's extensions."""
    name = command("IMAGE=$(talos-gpu schematic --talos {version} --print installer)", version=talos)
    return _lines(comment(only_nvidia("--extension, or give --from")), _REBOOTS, name.then(_UPGRADE))


def image_without_nvidia(node: GpuNode) -> Command:
    """The commands that upgrade a node to its present image without NVIDIA's extensions."""
    platform, is_secure = boot_of(node)
    send = command(
        "ID=$(curl --fail --data-binary @{file} https://{factory}/schematics | grep -o '[0-9a-f]\\{64\\}')",
        file=_PRESENT,
        factory=IMAGE_FACTORY,
    )
    name = installer_name(node.minor, platform=platform or Platform.METAL, is_secure=bool(is_secure))
    upgrade = command('talosctl --nodes ADDRESS upgrade --image {name}/"$ID":v{version}', name=name, version=_talos(node))
    return _lines(*_left_out(node, name), _REBOOTS, _without_nvidia(node).then(send).then(upgrade))


def _lines(*commands: Command) -> Command:
    """The commands one after the other."""
    return reduce(Command.followed_by, commands)


def _without_nvidia(node: GpuNode) -> Command:
    """The command that writes the present schematic without NVIDIA's extensions into a file. The factory answers with
    one extension a line."""
    return command(
        "curl --fail https://{factory}/schematics/{id} | grep -v 'siderolabs/.*nvidia' > {file}",
        factory=IMAGE_FACTORY,
        id=schematic_id(node),
        file=_PRESENT,
    )


def _left_out(node: GpuNode, name: str = "") -> Iterator[Command]:
    """Comments on what the commands do not take over from the present image: it was not read, or the Image Factory does
    not have it. `name` is the name of the new image, if the commands have it."""
    if custom := custom_extensions(node):
        yield comment(f"the new image lacks {', '.join(custom)}: the Image Factory has no such official extension")
    if not schematic_id(node):
        if not node.extensions and not name:
            yield comment(only_nvidia("--extension"))
        took = "put it in the place of ID" if name else f"write it to {_PRESENT}, and give it by --from {_PRESENT}"
        yield comment(f"the schematic, with kernel arguments, overlay and META, was not read: {EXTENSIONS} shows its ID; {took}")
    installer, (platform, is_secure) = installer_of(node), boot_of(node)
    if installer and installer.factory != IMAGE_FACTORY:
        yield comment(f"the present image comes from {installer.factory}: use this factory in the place of {IMAGE_FACTORY}")
    if not platform:
        metal = (
            f"{name} is the name for a metal machine"
            if name
            else "add --platform to the command with --print unless the machine is a metal one"
        )
        yield comment(f"the platform was not read: {metal}")
    if is_secure is None:
        secure = f"{name} is the name without it" if name else "add --secureboot to the command with --print for a machine with it"
        yield comment(f"Secure Boot was not read: {secure}; talosctl --nodes ADDRESS get securitystate shows it")


def loaded_modules(node: GpuNode) -> Command:
    """The commands that name the kernel modules in the configuration of a node."""
    return command(
        """talos-gpu patch {*flags} --output nvidia-patch.yaml
talosctl --nodes ADDRESS patch machineconfig --patch @nvidia-patch.yaml   # may reboot the node; with --dry-run it says so, and changes nothing""",
        flags=_class_flags(node),
    )


def _class_flags(node: GpuNode, *, flavour: KernelModules | None = None, talos: str = "") -> list[str]:
    """The flags of a class of nodes: its Talos, and the flavour and the track of its extensions where one of each is
    known."""
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


_CHART_LABEL = "helm.sh/chart"
"""The label of Helm's charts with the name and the version of the chart:
https://helm.sh/docs/chart_best_practices/labels/ (read 2026-11-23)."""
_VERSION = pattern(r"v?\d+\.\d+\.\d+(?:[-+._](?!devel)[0-9A-Za-z.+_-]*)?")


def helm_value(chart: str, repository: str, value: str, objects: Iterable[LiveObject | None]) -> Command:
    """The command that sets a value (`KEY=VALUE`) in a release of the name of its chart, in the namespace of this name.
    `objects` are of the release, and may name its version."""
    version = running_version(chart, objects)
    key, _, setting = value.partition("=")
    upgrade = command(
        "helm upgrade {release} {repository} --namespace {release} --version {version} --reuse-values --set {value}",
        release=chart,
        repository=repository,
        version=version or "VERSION",
        value=value,
    )
    unknown = comment(f"VERSION: that of the running chart, in the output of: helm list --namespace {chart}")
    delivered = comment(f"Flux and Argo CD undo this. There set in the values of the HelmRelease or Application: {key}: {setting}")
    return delivered.followed_by(upgrade) if version else delivered.followed_by(unknown).followed_by(upgrade)


def running_version(chart: str, objects: Iterable[LiveObject | None]) -> str:
    """The version of the chart that made these objects; empty where none of them names it."""
    for each in objects:
        name, _, version = str(each.labels.get(_CHART_LABEL) or "").partition(f"{chart}-") if each is not None else ("", "", "")
        if not name and _VERSION.fullmatch(version):
            return version
    return ""
