"""The command `upgrade`: the plan that brings the nodes to another Talos, and the objects to delete on the way."""

from __future__ import annotations

import argparse

from .command_parser import Commands, add_command
from .config_flags import CONFIG_FLAGS, add_config_flags, config_of, refuse_documents
from .image_flags import IMAGE_FLAGS, add_arch_flag, add_boot_flags, add_schematic_flags, boot_of, refuse_flags, schematic_of, take_over
from .nodes_flags import nodes_of


def add_upgrade(commands: Commands) -> None:
    """Add the command and its flags."""
    parser = add_command(commands, "upgrade", upgrade, "print the steps that upgrade the nodes to another Talos, in order", """\
        talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --route operator > upgrade.md
        talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --for omni --manifests manifests/ > upgrade.md
        talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --leftovers manifests/""")  # fmt: skip
    add_schematic_flags(parser)
    add_boot_flags(parser)
    add_arch_flag(parser, ", with --for terraform")
    add_config_flags(parser)
    parser.add_argument("--to", metavar="VERSION", help="required; the new Talos of the nodes, such as 1.13.9")
    parser.add_argument(
        "--route",
        default="standalone",
        metavar="ROUTE",
        help="the component that advertises the GPUs now: standalone or operator; default: standalone",
    )
    parser.add_argument("--new-route", metavar="ROUTE", help="the component that advertises the GPUs after the upgrade; default: the same")
    parser.add_argument(
        "--for",
        dest="tool",
        metavar="TOOL",
        help="the tool that manages the nodes: talosctl, omni, talhelper, terraform or capi; default: talosctl",
    )
    parser.add_argument(
        "--manifests",
        nargs="+",
        metavar="PATH",
        help="the files or folders of your manifests: the plan names the images in them that can't run on a new driver, and its commands "
        "apply them; default: $MANIFESTS",
    )
    parser.add_argument("--leftovers", nargs="+", metavar="PATH", help="list the objects to remove in these files or folders of manifests")
    parser.add_argument("--format", choices=("markdown", "json"), default="markdown", help="default: markdown")


def upgrade(options: argparse.Namespace) -> str:
    """The plan, or with `--leftovers` the objects to delete."""
    import json
    from dataclasses import asdict

    from ..talos.config.machine_config import MachineConfigPatch
    from ..talos.image.fabric_manager import with_working_fabric_manager
    from ..talos.upgrade import UpgradePlan

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
    refuse_documents(options)
    nodes = nodes_of(options)
    take_over(options, nodes)
    # The plan installs the image on the Talos to come, so a fault of the present one does not matter.
    working = with_working_fabric_manager(nodes)
    image = schematic_of(options, working)
    settings = config_of(options)
    config = (
        MachineConfigPatch(nodes=working, fabric_manager=options.fabric_manager, gdrcopy=options.gdrcopy, **settings) if settings else None
    )
    plan = UpgradePlan(
        nodes=nodes,
        **({} if options.to is None else {"to": options.to}),
        route=options.route,
        new_route=options.new_route,
        schematic=image,
        patch=config,
        **({} if options.tool is None else {"tool": options.tool}),
        images=_images(options.manifests),
        manifests=options.manifests or [],
        **boot_of(options),
    )
    if options.leftovers:
        from .leftover_files import leftovers_text

        return leftovers_text(plan, options.leftovers, as_json=options.format == "json")
    if options.format == "json":
        return json.dumps([asdict(step) for step in plan.steps], indent=2) + "\n"
    return plan.markdown


def _images(written: list[str] | None) -> tuple[str, ...] | None:
    if written is None:
        return None
    from ..arguments.talos_warnings import warn
    from ..checks.report import place
    from ..talos.upgrade_images import gpu_images
    from .leftover_files import read_given

    inputs = read_given("manifests", written)
    for skipped in inputs.skipped:
        warn(f"{place(skipped.file, skipped.line)} was not read: {skipped.reason.partition('; ')[0]}")
    return gpu_images(inputs)
