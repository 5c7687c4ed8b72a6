"""Which extensions a node's image has, and whether they belong together."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.extension_names import PREFIX
from ...upstream.talos_features import NFS_UTILS_BREAKS
from ..facts.node_extensions import Extension, drivers, nvidia_extensions
from ..facts.node_settings import talos_of
from ..finding import Severity
from ..model import Inputs, at, contains, mappings
from ..rule import Example, Found, Rule
from ._talos import OPEN, once

_NFS = f"{PREFIX}nfs-utils"


def _for_all(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        if config.scope == "group" and drivers(config):
            yield Found(
                severity=Severity.WARNING,
                message=f"every node of {config.name} gets {drivers(config)[0].name}: on one without a card ext-nvidia-persistenced waits for "
                "ever, and Talos reboots the node about every 70 minutes",
                about=config,
                path=drivers(config)[0].path,
            )


@once
def _pinned(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        pinned = [
            (index, name)
            for index, name in enumerate(config.extensions or ())
            if isinstance(name, str) and name.startswith(PREFIX) and (":" in name or "@" in name)
        ]
        if pinned:
            yield Found(
                severity=Severity.ERROR,
                message=f"{', '.join(name for _, name in pinned)} name{'s' if len(pinned) == 1 else ''} a version, and the Image Factory knows no "
                "extension by that name",
                about=config,
                path=(*config.paths["extensions"], pinned[0][0]),
                fix=f"Write {', '.join(name.partition(':')[0].partition('@')[0] for _, name in pinned)}: the version follows from that of Talos",
            )
        for document, body in config.documents:
            for index, extension in mappings(at(body, "machine", "install", "extensions")):
                image = at(extension, "image")
                if contains(image, "nvidia").is_yes:
                    yield Found(
                        severity=Severity.WARNING,
                        message=f"{image} is pinned beside the installer: the kernel refuses its modules when they are of another release "
                        "of Talos than the image",
                        about=config,
                        path=("documents", document, "machine", "install", "extensions", index),
                    )


@once
def _mixed(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        found = nvidia_extensions(config)
        kernel = [each for each in found if each.flavour]
        tracked = [each for each in found if each.track]
        other_flavour = next((each for each in kernel if each.flavour != kernel[0].flavour), None)
        other_track = next((each for each in tracked if each.track != tracked[0].track), None)
        if other_flavour:
            yield Found(
                severity=Severity.ERROR,
                message=f"{kernel[0].name} and {other_flavour.name} bring the same modules of two flavours, open and proprietary, and a node has one",
                about=config,
                path=other_flavour.path,
            )
        if other_track:
            yield Found(
                severity=Severity.ERROR,
                message=f"{_with_track(tracked[0])} and {_with_track(other_track)} are of two driver versions: the libraries refuse the modules "
                "(Driver/library version mismatch)",
                about=config,
                path=other_track.path,
            )
        bare = [each for each in found if each.is_bare]
        if bare and not other_track:
            yield Found(
                severity=Severity.INFO,
                message=f"{', '.join(each.name for each in bare)} without a track: the Image Factory takes it for -lts",
                about=config,
                path=bare[0].path,
                fix=f"Write {', '.join(f'{each.name}-lts' for each in bare)}",
            )


def _with_track(extension: Extension) -> str:
    return f"{extension.name}, which stands for -lts," if extension.is_bare else extension.name


@once
def _nfs(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        names = [each if isinstance(each, str) else "" for each in config.extensions or ()]
        if _NFS in names and nvidia_extensions(config):
            yield Found(
                severity=Severity.WARNING,
                message=f"{_NFS} beside {nvidia_extensions(config)[0].name} on Talos {talos}: rpc-statd crashes in a loop, and takes containerd's "
                "database with it",
                about=config,
                path=(*config.paths["extensions"], names.index(_NFS)),
            )


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
_SCHEMATIC = """\
customization:
  systemExtensions:
    officialExtensions:
%s"""


def _image(*names: str) -> str:
    return _SCHEMATIC % "".join(f"      - siderolabs/{name}\n" for name in names)


RULES = (
    Rule(
        id="TG070",
        claim="NVIDIA's extensions are in the image of nodes with a card only",
        symptom='a node reboots about every hour; service "ext-nvidia-persistenced" waiting for file "/dev/nvidia0" to exist; boot timeout',
        severity=Severity.WARNING,
        fix="Choose the extensions for the nodes with a card: schematic of the node in talhelper, systemExtensions of their Workers in Omni",
        source="siderolabs/talos#14373; siderolabs/extensions#888",
        judge=_for_all,
        failing=Example(yaml=_GROUP % ("", "")),
        passing=Example(yaml=_GROUP % ("", _OF_ITS_OWN)),
    ),
    Rule(
        id="TG072",
        claim="Extensions are named without a version: the Image Factory takes those of the Talos that the image is of",
        symptom='official extension "siderolabs/…" is not available for Talos version; module nvidia: key was rejected by service',
        severity=Severity.ERROR,
        fix="Take it out of machine.install.extensions, and have the Image Factory put the extension into the image",
        source="mitchross/talos-argocd-proxmox omni/cluster-template; siderolabs/talos#7174",
        judge=_pinned,
        failing=Example(yaml=_image(*(f"{name}:595.58.03-v1.13.0" for name in OPEN))),
        passing=Example(yaml=_image(*OPEN)),
    ),
    Rule(
        id="TG080",
        claim="NVIDIA's extensions are of one flavour and one track",
        symptom="Failed to initialize NVML: Driver/library version mismatch",
        severity=Severity.ERROR,
        fix="Take modules, container toolkit and fabric manager of the same track, and one of nvidia-open-gpu-kernel-modules and "
        "nonfree-kmod-nvidia",
        source="siderolabs/extensions nvidia-gpu; siderolabs/image-factory internal/profile/profile.go",
        judge=_mixed,
        failing=Example(yaml=_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-production")),
        passing=Example(yaml=_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-gdrdrv-device")),
    ),
    Rule(
        id="TG082",
        claim="On Talos 1.12 a node with NVIDIA's extensions has no nfs-utils",
        symptom="rpc-statd restarts in a loop; containerd does not start any more: boltdb, the node is NotReady",
        severity=Severity.WARNING,
        fix="Leave siderolabs/nfs-utils out of the image of these nodes, or move to Talos 1.13",
        source="siderolabs/extensions#1021",
        judge=_nfs,
        failing=Example(yaml=_image(*OPEN, "nfs-utils"), talos="1.12"),
        passing=Example(yaml=_image(*OPEN, "nfs-utils"), talos="1.13"),
        talos=NFS_UTILS_BREAKS,
    ),
)
