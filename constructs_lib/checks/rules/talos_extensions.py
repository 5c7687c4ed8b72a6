"""The NVIDIA extensions of a node's image: their nodes, versions, flavours and tracks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...observed.model import Inputs, at, contains, known_text, mappings
from ...observed.nodes.node_extensions import Extension, drivers, nvidia_extensions, official_name, without_version
from ...observed.nodes.node_settings import talos_of
from ...upstream.talos.extension_names import MODULES, PREFIX
from ...upstream.talos.features import NFS_UTILS_BREAKS
from ..edit import removal, set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import OPEN, once

_NFS = f"{PREFIX}nfs-utils"
# The Talos release at the end of a tag: `installer:v1.13.9`, `nonfree-kmod-nvidia-lts:580.126.20-v1.13.9`.
_TALOS = re.compile(r"[:-]v(\d+\.\d+\.\d+[\w.-]*)(?:@|$)")


def _for_all(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        if config.scope == "group" and drivers(config):
            yield Violation(
                severity=Severity.WARNING,
                message=f"every node of {config.name} gets {drivers(config)[0].name}. On a node without a card ext-nvidia-persistenced waits for "
                "/dev/nvidia0, and Talos reboots the node about every 70 minutes",
                about=config,
                path=drivers(config)[0].path,
            )


@once
def _pinned(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        pinned = [
            (index, written, name)
            for index, written in enumerate(config.extensions or ())
            if isinstance(written, str) and without_version(written) != written and (name := official_name(written))
        ]
        if pinned:
            path = config.paths["extensions"]
            yield Violation(
                severity=Severity.ERROR,
                message=f"{', '.join(written for _, written, _ in pinned)} name{'s' if len(pinned) == 1 else ''} a version. The Image Factory has no "
                "extension with such a name",
                about=config,
                path=(*path, pinned[0][0]),
                edits=tuple(edit for index, _, name in pinned for edit in set_to(name, (*path, index))),
                fix=f"Write {', '.join(name for _, _, name in pinned)}. The version follows from the Talos version",
            )
        for document, body in config.documents:
            for index, extension in mappings(at(body, "machine", "install", "extensions")):
                image = at(extension, "image")
                if contains(image, "nvidia").is_yes:
                    severity, effect = _beside_the_installer(known_text(image), known_text(config.image))
                    yield Violation(
                        severity=severity,
                        message=f"{image} is pinned beside the installer{effect}",
                        about=config,
                        path=("documents", document, "machine", "install", "extensions", index),
                    )


def _beside_the_installer(extension: str, installer: str) -> tuple[Severity, str]:
    """How sure it is that the image's kernel refuses a pinned extension, and why: kernel modules are built for one release of Talos."""
    built, runs = (_TALOS.search(name) for name in (extension, installer))
    if not any(module in extension for module in MODULES.values()) or not built or not runs:
        return Severity.WARNING, ". The kernel refuses the modules if they are built for another release of Talos than the image"
    if built[1] == runs[1]:
        return Severity.INFO, f". An upgrade has to change {installer} and the extension together"
    return (
        Severity.ERROR,
        f" {installer}. The modules are built for Talos {built[1]}, and the kernel of Talos {runs[1]} refuses them (key was rejected)",
    )


@once
def _mixed(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        found = nvidia_extensions(config)
        kernel = [each for each in found if each.flavour]
        tracked = [each for each in found if each.track]
        other_flavour = next((each for each in kernel if each.flavour != kernel[0].flavour), None)
        other_track = next((each for each in tracked if each.track != tracked[0].track), None)
        if other_flavour:
            yield Violation(
                severity=Severity.ERROR,
                message=f"{kernel[0].name} and {other_flavour.name} bring the same modules in two flavours, open and proprietary. A node can have "
                "only one flavour",
                about=config,
                path=other_flavour.path,
            )
        if other_track:
            yield Violation(
                severity=Severity.ERROR,
                message=f"{_with_track(tracked[0])} and {_with_track(other_track)} have different driver versions. The libraries refuse the modules "
                "(Driver/library version mismatch)",
                about=config,
                path=other_track.path,
                edits=set_to(f"{PREFIX}{other_track.kind}-{tracked[0].track}", safe=False),
            )
        bare = [each for each in found if each.is_bare]
        if bare and not other_track:
            yield Violation(
                severity=Severity.INFO,
                message=f"{', '.join(each.name for each in bare)} names no track. The Image Factory uses the track -lts",
                about=config,
                path=bare[0].path,
                edits=tuple(edit for each in bare for edit in set_to(f"{each.name}-lts", each.path, safe=False)),
                fix=f"Write {', '.join(f'{each.name}-lts' for each in bare)}",
            )


def _with_track(extension: Extension) -> str:
    return f"{extension.name}, which stands for -lts," if extension.is_bare else extension.name


@once
def _nfs(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        names = [each if isinstance(each, str) else "" for each in config.extensions or ()]
        if _NFS in names and nvidia_extensions(config):
            yield Violation(
                severity=Severity.WARNING,
                message=f"the image has {_NFS} beside {nvidia_extensions(config)[0].name}. On Talos {talos} rpc-statd was seen to crash in a "
                "loop and to corrupt containerd's database (boltdb). Then containerd does not start, and the node is NotReady",
                about=config,
                path=(*config.paths["extensions"], names.index(_NFS)),
                edits=removal(safe=False),
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
        **WORDS["TG070"],
        severity=Severity.WARNING,
        check=_for_all,
        failing=Example(yaml=_GROUP % ("", "")),
        passing=Example(yaml=_GROUP % ("", _OF_ITS_OWN)),
    ),
    Rule(
        **WORDS["TG072"],
        severity=Severity.ERROR,
        check=_pinned,
        failing=Example(yaml=_image(*(f"{name}:595.58.03-v1.13.0" for name in OPEN))),
        passing=Example(yaml=_image(*OPEN)),
    ),
    Rule(
        **WORDS["TG080"],
        severity=Severity.ERROR,
        check=_mixed,
        failing=Example(yaml=_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-production")),
        passing=Example(yaml=_image("nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-gdrdrv-device")),
    ),
    Rule(
        **WORDS["TG082"],
        severity=Severity.WARNING,
        check=_nfs,
        failing=Example(yaml=_image(*OPEN, "nfs-utils"), talos="1.12"),
        passing=Example(yaml=_image(*OPEN, "nfs-utils"), talos="1.13"),
        talos=NFS_UTILS_BREAKS,
    ),
)
