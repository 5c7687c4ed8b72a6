"""The command `upgrade`: the plan that brings the nodes to another Talos, and the objects to delete on the way."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import warn, wrong
from ..arguments.printable import json_text, printable
from .cluster_files import needs_of_class
from .command_parser import Commands, add_nodes_verb
from .flags import add_flag
from .image_flags import (
    CONFIG_FLAGS,
    IMAGE_FLAGS,
    add_config_flags,
    add_image_flags,
    boot_of,
    config_of,
    nodes_with_image,
    refuse_documents,
    refuse_flags,
    schematic_of,
    take_over,
)
from .nodes_flags import file_class
from .texts import read_text

if TYPE_CHECKING:
    from ..observed.model import Inputs
    from ..talos.upgrade.plan import UpgradePlan

_EXAMPLES = """\
examples:
  talos-gpu upgrade cluster.yaml --to 1.14.6 > upgrade.md
  talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --route operator > upgrade.md
  talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --for omni --manifests manifests/ > upgrade.md
  talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --leftovers manifests/"""


def add_upgrade(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the steps that upgrade the nodes to another Talos, in order"
    parser = add_nodes_verb(commands, upgrade, about, _EXAMPLES)
    add_image_flags(parser, of_arch=", with --for terraform")
    add_config_flags(parser)
    add_flag(parser, "--to VERSION", "required; the new Talos of the nodes, such as 1.13.9")
    add_flag(
        parser,
        "--route ROUTE",
        "the component that advertises the GPUs now: standalone or operator; default: that of the cluster file, else standalone",
    )
    add_flag(parser, "--new-route ROUTE", "the component that advertises the GPUs after the upgrade; default: the same")
    add_flag(parser, "--for TOOL", "the tool that manages the nodes: talosctl, omni, talhelper, terraform or capi; default: talosctl")
    add_flag(
        parser,
        "--manifests PATH",
        "the files or folders of your manifests: the plan names their images without support for the new driver, and its commands apply them; default: $MANIFESTS",
        nargs="+",
    )
    add_flag(parser, "--leftovers PATH", "list the objects to remove in these files or folders of manifests", nargs="+")
    add_flag(parser, "--verbose", "also print the reason and the way back of each step")
    add_flag(parser, "--format", "default: markdown", choices=("markdown", "json"), default="markdown")


def upgrade(options: argparse.Namespace) -> str:
    """The plan, or with `--leftovers` the objects to delete."""
    from ..nodes.fabric_manager import with_working_fabric_manager
    from ..talos.config.machine_config import MachineConfigPatch
    from ..talos.upgrade.plan import UpgradePlan

    _refuse(options)
    refuse_documents(options)
    nodes = nodes_with_image(options)
    of_file = None if options.file is None else file_class(options)[0]
    take_over(options, nodes)
    # The plan installs the image on the Talos to come, so a fault of the present one does not matter.
    working = with_working_fabric_manager(nodes)
    image = schematic_of(options, working)
    settings = config_of(options)
    has_operator, gates = needs_of_class(options, settings.get("kubelet_feature_gates", ()))
    settings |= gates
    config = (
        MachineConfigPatch(nodes=working, fabric_manager=options.fabric_manager, gdrcopy=options.gdrcopy, **settings) if settings else None
    )
    images = None
    if options.manifests is not None:
        images = gpu_images(options.manifests)
    plan = UpgradePlan(
        nodes=nodes,
        **({} if options.to is None else {"to": options.to}),
        route=options.route or ("operator" if has_operator else "standalone"),
        new_route=options.new_route,
        schematic=image,
        patch=config,
        **({} if options.tool is None else {"tool": options.tool}),
        images=images,
        manifests=options.manifests or [],
        addresses=() if of_file is None else of_file.addresses,
        node_names=() if of_file is None else of_file.node_names,
        **boot_of(options),
    )
    if options.leftovers:
        return leftovers_text(plan, options.leftovers, as_json=options.format == "json")
    if options.format == "json":
        return json.dumps([asdict(step) for step in plan.steps], indent=2) + "\n"
    from .fitted import fitted  # deferred: a plan in another form needs no lines

    return fitted(plan.markdown if options.verbose else plan.checklist, options)


def _refuse(options: argparse.Namespace) -> None:
    """Refuse flags without an effect on the plan of the tool, or on the leftovers."""
    if options.leftovers:
        refuse_flags(options, IMAGE_FLAGS, "with --leftovers", "leftovers do not depend on the image")
        refuse_flags(options, CONFIG_FLAGS, "with --leftovers", "leftovers do not depend on the machine configuration")
        refuse_flags(options, ("tool",), "with --leftovers", "leftovers do not depend on the tool")
        refuse_flags(options, ("manifests",), "with --leftovers", "--leftovers names the manifests")
    if options.tool != "terraform":
        refuse_flags(
            options, ("arch",), f"of a plan for {options.tool or 'talosctl'}", "the installer image is the same for both architectures"
        )
    if options.tool == "omni":
        hint = "Omni chooses the installer and the disk image of a machine by itself"
        refuse_flags(options, ("sector_size", "embedded_config", "platform"), "of a plan for omni", hint)


def leftovers_text(plan: UpgradePlan, written: list[str], *, as_json: bool) -> str:
    """The commands that remove the leftovers, or JSON with the leftovers; a warning for every object that can't be
    checked."""
    from ..talos.upgrade.leftovers import search
    from ..talos.upgrade.plan import move_of

    leftovers, unread = search(move_of(plan), read_given("leftovers", written))
    if as_json:
        return json_text([leftover._asdict() for leftover in leftovers])
    nothing = "# no leftovers in the files that were read; see the warnings for the others\n" if unread else "# no leftovers\n"
    return "".join(printable(f"{leftover.command}  # {leftover.reason}") + "\n" for leftover in leftovers) or nothing


def read_given(flag: str, written: list[str]) -> Inputs:
    """Read the files and folders of a flag. A file that is named by the user and can't be read is refused."""
    from ..observed.model import Skipped
    from ..observed.read.files import LARGEST, is_folder
    from ..observed.read.repository import read

    if "" in written:
        raise wrong(flag, "files or folders of manifests", "")
    paths = [Path(path) for path in written]
    files = [path for path in paths if not is_folder(path)]
    for path in files:
        read_text(flag, str(path), LARGEST)
    inputs = read(paths)
    held = {read_object.file for read_object in (*inputs.objects, *inputs.releases, *inputs.node_configs)}
    for path in files:
        skipped = next((skip for skip in inputs.skipped if skip.file == str(path)), None)
        if skipped and str(path) not in held:
            line = f"line {skipped.line}: " if skipped.line else ""
            raise wrong(flag, "files of manifests", str(path), line + skipped.reason.partition("; ")[0])
    templates = (
        Skipped(file=file, reason="a template: only rendered manifests are checked") for file in _templates(paths) if file not in held
    )
    return replace(inputs, skipped=(*inputs.skipped, *templates))


def gpu_images(written: list[str]) -> tuple[str, ...]:
    """The images of the containers with GPUs in the files and folders of --manifests; a warning for each file that was
    not read."""
    from ..checks.report_words import place
    from ..observed.pods.workloads import gpu_workloads

    inputs = read_given("manifests", written)
    for skipped in inputs.skipped:
        warn(f"{place(skipped.file, skipped.line)} was not read: {skipped.reason.partition('; ')[0]}")
    images = (container.image for workload in gpu_workloads(inputs) for container in workload.containers if container.gpus)
    return tuple(dict.fromkeys(image for image in images if isinstance(image, str) and image.isprintable() and image.split() == [image]))


def _templates(paths: list[Path]) -> Iterator[str]:
    """The templates of manifests in the folders, which are not rendered."""
    from ..observed.read.files import Files, is_folder, is_template

    files = Files(paths)
    for folder in filter(is_folder, paths):
        for _, names in files.below(folder):
            yield from (files.shown(path) for path in names if is_template(path.name) and "apiVersion" in files.text(path))
