"""The plans on a cluster's page: the upgrade of each class to the newest patch, or to the next release of Talos."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ...arguments.commands import Command, command
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.nodes_file import class_document, class_flags, is_of_flags
from ...nodes.talos_version import TalosVersion, newer_than_tables
from ...observed.agents.operators import operators
from ...observed.model import Inputs
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.installer_images import InstallerImage
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from .markdown_text import code, prose
from .page_classes import PageClasses, is_of_class
from .page_images import SCHEMATIC_FILE, NodeImage, node_images, talos_of


def upgrade_lines(inputs: Inputs, installers: Mapping[str, InstallerImage], classes: PageClasses) -> Iterator[str]:
    """The commands that plan the upgrade of each class, and a sentence about each class without a plan."""
    images = node_images(inputs, installers)
    sentences: dict[str, list[str]] = {}
    plans: dict[str, dict[str, None]] = {}
    for nodes in inputs.nodes or (None,):
        image = _image_of(nodes, images, len(inputs.nodes))
        talos = talos_of(inputs, nodes, image)
        target = None if talos is None or not talos.is_known else _target(talos)
        if talos is None or target is None:
            sentences.setdefault(_without_plan(talos), []).append("" if nodes is None else code(classes.label(nodes)))
        elif nodes is not None and nodes.passthrough is not None:
            words = "have no driver: stop or move their virtual machines, install the image of the new Talos, and start them again."
            sentences[f"The nodes of {code(classes.label(nodes))} {words}"] = []
        else:
            plans.setdefault(target, {})[f"{_plan(inputs, talos, target, nodes, image, classes)}"] = None
    for sentence, labels in sentences.items():
        is_of_all = len(labels) in (0, len(inputs.nodes or (None,)))
        yield from (sentence if is_of_all else f"{', '.join(labels)}: {sentence}", "")
    for target, commands in plans.items():
        yield prose(f"The next Talos in the tables of {talos_releases.READ_ON} is {target}. The plan names every step, in order:")
        yield from ("", "```bash", *commands, "```", "")


def _without_plan(talos: TalosVersion | None) -> str:
    """Why nodes have no plan."""
    if talos is None:
        return "The Talos version is not known here, so no plan can be named: give `--talos`."
    if not talos.is_known:
        return prose(f"{newer_than_tables(f'Talos {talos}')}, so no plan can be named.")
    return prose(f"Talos {talos} is the newest release in the tables of {talos_releases.READ_ON}.")


def _plan(
    inputs: Inputs, talos: TalosVersion, target: str, nodes: GpuNodes | None, image: NodeImage | None, classes: PageClasses
) -> Command:
    """The command that prints the plan for a class: of its cluster file, else with flags. A class that flags can't describe
    is given as a file."""
    is_omni = any(each.at("resources") is not None for each in inputs.node_configs)
    given = None if nodes is None else classes.of(nodes)
    if given is not None and classes.file:
        flags = [*classes.flags(given), "--to", target, *(["--for", "omni"] if is_omni else [])]
        return command("talos-gpu upgrade {file} {*flags}", file=classes.file, flags=flags)
    flags = ["--to", target, "--route", "operator" if operators(inputs) else "standalone", *(["--for", "omni"] if is_omni else [])]
    if folders := dict.fromkeys(each.file.partition("/")[0] for each in inputs.objects):
        flags += ["--manifests", *folders]
    if image is not None:
        flags += ["--from", image.file]
    if image is not None and image.installer is not None:
        flags += ["--platform", str(image.installer.platform)] if image.installer.platform is not Platform.METAL and not is_omni else []
        flags += ["--secureboot"] if image.installer.is_secure else []
    if nodes is not None and not is_of_flags(nodes):
        text = json.dumps({**class_document(nodes), "talos": str(talos)})
        return command("printf %s {text} | talos-gpu upgrade /dev/stdin {*flags}", text=text, flags=flags)
    return command("talos-gpu upgrade {*flags}", flags=["--talos", str(talos), *flags, *(class_flags(nodes) if nodes else [])])


def _image_of(nodes: GpuNodes | None, images: Sequence[NodeImage], number: int) -> NodeImage | None:
    """The image of a class: that of the file with its name, or the only one of the only class."""
    if nodes is not None and nodes.name:
        named = [each for each in images if is_of_class(each.file, nodes.name, SCHEMATIC_FILE)]
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
