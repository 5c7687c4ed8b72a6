"""The NVIDIA extensions of a node's image: their nodes, versions, flavours, tracks and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....arguments.patterns import pattern
from ....nodes.factory_ids import id_of_written
from ....nodes.talos_version import dated
from ....observed.model import Inputs, NodeConfig, at, contains, known_list, known_text, mappings
from ....observed.nodes.node_extensions import Extension, drivers, nvidia_extensions, official_name, without_version
from ....observed.nodes.node_settings import talos_of
from ....upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV, MODULES, PREFIX, TOOLKIT, extension_names, is_whole
from ....upstream.talos.features import GDRCOPY, NFS_UTILS_BREAKS
from ...halves import talos_of_nodes
from ...rule import Example, Rule, Severity, Violation, Witness, removal, set_to
from .._shared import OPEN, each_node

_NFS = f"{PREFIX}nfs-utils"
# The Talos release at the end of a tag: `installer:v1.13.9`, `nonfree-kmod-nvidia-lts:580.126.20-v1.13.9`.
_TALOS = pattern(r"[:-]v(\d+\.\d+\.\d+[\w.-]*)(?:@|$)")

_GROUP = """\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.10:6443
nodes:
  - {hostname: gpu-1, ipAddress: 10.0.0.30%s}
  - {hostname: web-1, ipAddress: 10.0.0.31%s}
worker:
  kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
  schematic:
    customization:
      systemExtensions:
        officialExtensions:
          - siderolabs/nvidia-open-gpu-kernel-modules-production
          - siderolabs/nvidia-container-toolkit-production
"""
_OF_ITS_OWN = ", kernelModules: [{name: nbd}], schematic: {customization: {}}"


@Rule(
    id="TG070",
    claim="Only nodes with a card have NVIDIA's extensions in their image",
    symptom='a node reboots about every 70 minutes; service "ext-nvidia-persistenced" waiting for file '
    '"/dev/nvidia0" to exist; boot timeout',
    fix="Move the extensions to the nodes with a card. talhelper: "
    "nodes[].schematic.customization.systemExtensions. Omni: systemExtensions of a Workers document with only "
    "these machines",
    source="siderolabs/talos#14373; siderolabs/extensions#888",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(_GROUP % ("", "")),
    passing=Example(_GROUP % ("", _OF_ITS_OWN)),
)
@each_node
def _for_all(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    if config.scope == "group" and drivers(config):
        message = (
            f"every node of {config.name} gets {drivers(config)[0].name}. On a node without a card ext-nvidia-persistenced waits for "
            "/dev/nvidia0, and Talos reboots the node about every 70 minutes"
        )
        yield Violation(Severity.WARNING, message, config, drivers(config)[0].path)


_SCHEMATIC = """\
customization:
  systemExtensions:
    officialExtensions:
%s"""


def _image(*names: str) -> str:
    return _SCHEMATIC % "".join(f"      - siderolabs/{name}\n" for name in names)


@Rule(
    id="TG072",
    claim="Extensions are named without a version: the Image Factory uses the version of the image's Talos",
    symptom='official extension "siderolabs/…" is not available for Talos version; module nvidia: key was rejected by service',
    fix="Remove the extension from machine.install.extensions, and add it to the schematic of the Image Factory",
    source="mitchross/talos-argocd-proxmox omni/cluster-template; siderolabs/talos#7174",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(_image(*(f"{name}:595.58.03-v1.13.0" for name in OPEN))),
    passing=Example(_image(*OPEN)),
)
@each_node
def _pinned(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    pinned = [
        (index, written, name)
        for index, written in enumerate(config.extensions or ())
        if isinstance(written, str) and without_version(written) != written and (name := official_name(written))
    ]
    if pinned:
        listed = config.paths["extensions"]
        message = (
            f"{', '.join(written for _, written, _ in pinned)} name{'s' if len(pinned) == 1 else ''} a version. The Image Factory has no "
            "extension with such a name"
        )
        fix = f"Write {', '.join(name for _, _, name in pinned)}. The version follows from the Talos version"
        edits = tuple(edit for index, _, name in pinned for edit in set_to(name, (*listed, index)))
        yield Violation(Severity.ERROR, message, config, (*listed, pinned[0][0]), fix=fix, edits=edits)
    for document, body in config.documents:
        for index, extension in mappings(at(body, "machine", "install", "extensions")):
            image = at(extension, "image")
            if contains(image, "nvidia").is_yes:
                severity, effect = _beside_the_installer(known_text(image), known_text(config.image))
                message = f"{image} is pinned beside the installer{effect}"
                path = ("documents", document, "machine", "install", "extensions", index)
                yield Violation(severity, message, config, path, related=((config, config.paths.get("image", ())),))


def _beside_the_installer(extension: str, installer: str) -> tuple[Severity, str]:
    """How sure it is that a pinned extension does not fit the image, and why: kernel modules are built for one release of
    Talos, and the driver's libraries and programs for one version of the modules."""
    if any(each in extension for each in (TOOLKIT, FABRIC_MANAGER)):
        return (
            Severity.WARNING,
            ". Its driver has to have the version of the kernel modules, which refuse another one: 'Driver/library version mismatch'",
        )
    built, runs = (_TALOS.search(name) for name in (extension, installer))
    if not any(module in extension for module in MODULES.values()) or not built or not runs:
        return Severity.WARNING, ". The kernel refuses the modules if they are built for another release of Talos than the image"
    if built[1] == runs[1]:
        return Severity.INFO, f". An upgrade has to change {installer} and the extension together"
    return (
        Severity.ERROR,
        f" {installer}. The modules are built for Talos {built[1]}, and the kernel of Talos {runs[1]} refuses them (key was rejected)",
    )


@Rule(
    id="TG080",
    claim="NVIDIA's extensions of a node have one flavour and one track",
    symptom="Failed to initialize NVML: Driver/library version mismatch",
    fix="Use one track for kernel modules, container toolkit and fabric manager, such as "
    "siderolabs/nvidia-container-toolkit-production with one of "
    "siderolabs/nvidia-open-gpu-kernel-modules-production and siderolabs/nonfree-kmod-nvidia-production",
    source="siderolabs/extensions nvidia-gpu; siderolabs/image-factory internal/profile/profile.go",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=Example(_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-production")),
    passing=Example(_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-gdrdrv-device")),
)
@each_node
def _mixed(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    found = nvidia_extensions(config)
    kernel = [each for each in found if each.flavour]
    tracked = [each for each in found if each.track]
    other_flavour = next((each for each in kernel if each.flavour != kernel[0].flavour), None)
    other_track = next((each for each in tracked if each.track != tracked[0].track), None)
    if other_flavour:
        message = (
            f"{kernel[0].name} and {other_flavour.name} bring the same modules in two flavours, open and proprietary. A node can have "
            "only one flavour"
        )
        yield Violation(Severity.ERROR, message, config, other_flavour.path, related=((config, kernel[0].path),))
    if other_track:
        message = (
            f"{_with_track(tracked[0])} and {_with_track(other_track)} have different driver versions. The libraries refuse the modules "
            "(Driver/library version mismatch)"
        )
        edits = set_to(f"{PREFIX}{other_track.kind}-{tracked[0].track}", safe=False)
        yield Violation(Severity.ERROR, message, config, other_track.path, edits=edits, related=((config, tracked[0].path),))
    bare = [each for each in found if each.is_bare]
    if bare and not other_track:
        message = f"{', '.join(each.name for each in bare)} names no track. The Image Factory uses the track -lts"
        fix = f"Write {', '.join(f'{each.name}-lts' for each in bare)}"
        edits = tuple(edit for each in bare for edit in set_to(f"{each.name}-lts", each.path, safe=False))
        yield Violation(Severity.INFO, message, config, bare[0].path, fix=fix, edits=edits)


def _with_track(extension: Extension) -> str:
    return f"{extension.name}, which stands for -lts," if extension.is_bare else extension.name


@Rule(
    id="TG082",
    claim="On Talos 1.12 a node with NVIDIA's extensions has no nfs-utils",
    symptom="rpc-statd restarts in a loop; containerd does not start: boltdb; the node is NotReady",
    fix="Remove siderolabs/nfs-utils from the image of these nodes, or upgrade to Talos 1.13",
    source="siderolabs/talos#12667; siderolabs/extensions#1021",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(_image(*OPEN, "nfs-utils"), talos="1.12"),
    passing=Example(_image(*OPEN, "nfs-utils"), talos="1.13"),
    talos=NFS_UTILS_BREAKS,
)
@each_node
def _nfs(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos = talos_of(config, inputs)
    names = [each if isinstance(each, str) else "" for each in config.extensions or ()]
    if _NFS in names and nvidia_extensions(config):
        message = (
            f"the image has {_NFS} beside {nvidia_extensions(config)[0].name}. On Talos {talos} rpc-statd was seen to crash in a "
            "loop and to corrupt containerd's database (boltdb). Then containerd does not start, and the node is NotReady"
        )
        yield Violation(Severity.WARNING, message, config, (*config.paths["extensions"], names.index(_NFS)), edits=removal(safe=False))


def _schematic(*names: str) -> str:
    listed = "".join(f"      - siderolabs/{name}\n" for name in names)
    return f"customization:\n  systemExtensions:\n    officialExtensions:\n{listed}"


@Rule(
    id="TG089",
    claim="The Image Factory has every NVIDIA extension of a node",
    symptom='official extension "siderolabs/nvidia-driver" is not available for Talos version v1.11.1',
    fix="Use siderolabs/nvidia-open-gpu-kernel-modules-production or siderolabs/nonfree-kmod-nvidia-production "
    "for the driver, and siderolabs/nvidia-container-toolkit-production; or all of them with -lts",
    source="siderolabs/extensions nvidia-gpu; siderolabs/image-factory internal/profile/profile.go",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(_schematic("nvidia-driver", "nvidia-container-toolkit-production"), talos="1.11"),
    passing=Example(_schematic(*OPEN, "nvidia-gdrdrv-device"), talos="1.12"),
)
@each_node
def _no_such(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos = talos_of(config, inputs)
    for each in nvidia_extensions(config):
        if each.written != each.name and without_version(each.written) == each.written:
            message = f"the Image Factory has no extension with the name {each.written}, and builds no image with it. The name begins with {PREFIX}"
            yield Violation(Severity.ERROR, message, config, each.path, fix=f"Write {each.name}", edits=set_to(each.name))
        if each.track or (each.kind == GDRDRV if talos is None else each.kind in extension_names(talos.minor)):
            continue
        known = talos is not None and is_whole(talos.version)
        unknown = dated(f"the extension {each.name} is not known{f' for Talos {talos}' if talos else ''}")
        message = f"the extension {each.name} does not exist for Talos {talos}" if known else unknown
        message = f"{message}. The Image Factory builds no image with {'it' if known else 'an extension that does not exist'}"
        fix = f"Remove {each.name}: the extension exists from Talos {GDRCOPY.first} on" if each.kind == GDRDRV else None
        severity, related = Severity.ERROR if known else Severity.WARNING, talos_of_nodes(inputs, config)
        yield Violation(severity, message, config, each.path, fix=fix, related=related)


_BESIDE_IMAGE = ("image_settings", "beside_image")
_IGNORED = """\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
%s    kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
    schematic:
      customization:
        systemExtensions:
          officialExtensions:
            - siderolabs/nvidia-open-gpu-kernel-modules-lts
            - siderolabs/nvidia-container-toolkit-lts
"""


@Rule(
    id="TG160",
    claim="The image of a node is that of the schematic beside it",
    symptom="An extension that was added to schematic does not come to the node: talhelper installs talosImageURL",
    fix="Compare the schematic with `talosctl get extensions` of the node. Then remove talosImageURL, and talhelper installs the image of the schematic; "
    "or remove the schematic",
    source="budimanjojo/talhelper pkg/talos/nodeconfig.go",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(_IGNORED % f"    talosImageURL: factory.talos.dev/metal-installer/{'a' * 64}\n"),
    passing=Example(_IGNORED % ""),
)
@each_node
def _ignored_schematic(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
    ignored = config.at(*_BESIDE_IMAGE)
    listed = at(ignored, "customization", "systemExtensions", "officialExtensions")
    written = id_of_written(ignored) if isinstance(ignored, Mapping) else None
    if not any(contains(each, "nvidia").is_yes for each in known_list(listed)) or not contains(config.image, f"/{written}").is_no:
        return
    message = (
        f"the node gets {config.image}: talhelper ignores a schematic beside talosImageURL, and what it lists does not come to the node"
    )
    # The ID of a schematic with fields that are not known here can't be compared.
    severity = Severity.INFO if written is None else Severity.WARNING
    yield Violation(severity, message, config, _BESIDE_IMAGE, related=((config, config.paths.get("image", ())),))
