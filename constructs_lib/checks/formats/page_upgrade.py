"""The upgrade on a cluster's page: the command that plans it for each class, with all that the class and its image
are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ...arguments.commands import Command, command
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.nodes_file import class_document, class_flags, is_of_flags
from ...nodes.talos_version import TalosVersion
from ...observed.agents.operators import operators
from ...observed.model import Inputs
from ...observed.usage.usage_rows import name_of
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.installer_images import InstallerImage
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from .markdown_text import code, prose
from .page_images import SCHEMATIC_FILE, NodeImage, node_images


def upgrade_lines(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> Iterator[str]:
    """The command that plans the upgrade to the newest patch, or to the next release of Talos."""
    talos = inputs.talos_version
    if talos is None or not talos.is_known:
        yield "The Talos version is not known here, so no plan can be named: give `--talos`."
        return
    target = _target(talos)
    if target is None:
        yield prose(f"Talos {talos} is the newest release in the tables of {talos_releases.READ_ON}.")
        return
    classes: list[GpuNodes | None] = [each for each in inputs.nodes if each.passthrough is None]
    if len(classes) < len(inputs.nodes):
        names = ", ".join(code(name_of(each)) for each in inputs.nodes if each.passthrough is not None)
        yield f"The nodes of {names} have no driver: stop or move their virtual machines, install the image of the new Talos, and start them again."
        yield ""
    images = node_images(inputs, installers)
    commands = [
        _plan(inputs, talos, target, nodes, _image_of(nodes, images, len(inputs.nodes)))
        for nodes in classes or ([] if inputs.nodes else [None])
    ]
    if commands:
        yield prose(f"The next Talos in the tables of {talos_releases.READ_ON} is {target}. The plan names every step, in order:")
        yield from ("", "```bash", *dict.fromkeys(map(str, commands)), "```")


def _plan(inputs: Inputs, talos: TalosVersion, target: str, nodes: GpuNodes | None, image: NodeImage | None) -> Command:
    """The command that prints the plan for a class. A class that flags can't describe is given as a file."""
    is_omni = any(each.at("resources") is not None for each in inputs.node_configs)
    flags = ["--to", target, "--route", "operator" if operators(inputs) else "standalone", *(["--for", "omni"] if is_omni else [])]
    if folders := dict.fromkeys(each.file.partition("/")[0] for each in inputs.objects):
        flags += ["--manifests", *folders]
    if image is not None:
        flags += ["--from", image.file]
    if image is not None and image.installer is not None:
        flags += ["--platform", str(image.installer.platform)] if image.installer.platform is not Platform.METAL and not is_omni else []
        flags += ["--secureboot"] if image.installer.is_secure else []
    if nodes is not None and not is_of_flags(nodes):
        text = json.dumps({**class_document(nodes), "talos_version": str(talos)})
        return command("printf %s {text} | talos-gpu upgrade --nodes /dev/stdin {*flags}", text=text, flags=flags)
    return command("talos-gpu upgrade {*flags}", flags=["--talos", str(talos), *flags, *(class_flags(nodes) if nodes else [])])


def _image_of(nodes: GpuNodes | None, images: Sequence[NodeImage], number: int) -> NodeImage | None:
    """The image of a class: that of the file with its name, or the only one of the only class."""
    if nodes is not None and nodes.name:
        named = [each for each in images if each.file.rpartition("/")[2] == f"{nodes.name}-{SCHEMATIC_FILE}"]
        if named:
            return named[0]
    return images[0] if len(images) == 1 and number <= 1 else None


def _target(talos: TalosVersion) -> str | None:
    newest = Version.parse(talos.release.newest)
    if newest is not None and talos.version < newest and talos.patch is not None:
        return str(newest)
    after = list(talos_releases.TALOS)
    following = after[after.index(talos.minor_version) + 1 :]
    return talos_releases.TALOS[following[0]].newest if following and following[0] != talos_releases.PREVIEW else None
