"""The commands of the OS layer: `schematic`, `patch` and `upgrade`."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from .._arguments.errors import wrong
from ..nodes.gpu_nodes import GpuNodes
from ..talos.factory_images import Platform
from ..talos.machine_config import ConfigStyle, MachineConfigPatch
from ..talos.schematic import Schematic
from .nodes_flags import add_nodes_flags, nodes_of, number, read_text

_Commands = Any  # argparse has no public name for it


def add_commands(commands: _Commands) -> None:
    """Each with an example of its own."""
    _schematic_flags(_command(commands, "schematic", schematic, "the Image Factory's schematic of the nodes, its ID and its images", """\
        talos-gpu schematic --talos 1.13.9 --driver-track lts > schematic.yaml
        talos-gpu schematic --talos 1.13.9 --driver-track lts --print installer"""))  # fmt: skip
    _patch_flags(_command(commands, "patch", patch, "the machine configuration patch of the nodes", """\
        talos-gpu patch --talos 1.12.11 --label role=gpu --taint dedicated=ai:NoSchedule > gpu.yaml
        talosctl --nodes 10.0.0.7 patch machineconfig --patch @gpu.yaml"""))  # fmt: skip
    _upgrade_flags(_command(commands, "upgrade", upgrade, "what to do, in which order, to bring the nodes to another Talos", """\
        talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --route operator > upgrade.md
        talos-gpu upgrade --talos 1.12.11 --to 1.13.9 --leftovers manifests/"""))  # fmt: skip


def _command(commands: _Commands, name: str, run: Callable[[argparse.Namespace], str], about: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".",
        epilog="example:\n" + textwrap.indent(textwrap.dedent(example), "  "), formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )  # fmt: skip
    parser.set_defaults(run=run)
    add_nodes_flags(parser)
    parser.add_argument("--output", metavar="FILE", help="write it into this file; default: standard output")
    return parser


def _image_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--extension", action="append", default=[], metavar="NAME", help="a further official extension; may be given again")
    parser.add_argument("--fabric-manager", action="store_true", help="NVIDIA's fabric manager, for machines with NVSwitch")
    parser.add_argument("--gdrcopy", action="store_true", help="gdrcopy's device and module: open modules, Talos 1.12 or newer")
    parser.add_argument(
        "--kernel-arg",
        action="append",
        default=[],
        metavar="ARGUMENT",
        help="a kernel argument; --kernel-arg=-console drops one of Talos' own; may be given again",
    )


def _schematic_of(given: argparse.Namespace) -> Schematic:
    return Schematic(
        nodes=nodes_of(given),
        extensions=given.extension,
        fabric_manager=given.fabric_manager,
        gdrcopy=given.gdrcopy,
        extra_kernel_args=given.kernel_arg,
    )


def _boot_flags(parser: argparse.ArgumentParser, read: str = "") -> None:
    parser.add_argument("--platform", metavar="PLATFORM", help=f"where the nodes run{read}; default: metal")
    parser.add_argument("--secureboot", action="store_true", help=f"images with Secure Boot{read}")


def _boot_of(given: argparse.Namespace) -> dict[str, Any]:
    return {"platform": Platform.METAL if given.platform is None else given.platform, "secureboot": given.secureboot}


_OF_IMAGES = ("extension", "fabric_manager", "gdrcopy", "kernel_arg", "platform", "secureboot")


def _refuse(given: argparse.Namespace, names: Iterable[str], rule: str, hint: str = "") -> None:
    """Whichever of these flags is given: what is asked for does not depend on them."""
    for name in names:
        value = getattr(given, name)
        if value is not None and value is not False and value != []:
            raise wrong(name, f"given {rule}", value, hint)


def _schematic_flags(parser: argparse.ArgumentParser) -> None:
    _image_flags(parser)
    _boot_flags(parser, ", with --print installer, iso or pxe")
    parser.add_argument("--print", choices=_PRINTED, default="yaml", dest="printed", help="what to print; default: yaml")


_PRINTED = ("yaml", "id", "installer", "iso", "pxe")


def schematic(given: argparse.Namespace) -> str:
    """The schematic, or what follows from it."""
    if given.printed in ("yaml", "id"):
        _refuse(given, ("platform", "secureboot"), "with --print installer, iso or pxe", "a schematic is the same for all of them")
    made = _schematic_of(given)
    if given.printed == "yaml":
        return made.text
    if given.printed == "id":
        return f"{made.id}\n"
    _check_release(made.nodes)
    address = {"installer": made.installer_image, "iso": made.iso, "pxe": made.pxe}[given.printed]
    return address(**_boot_of(given)) + "\n"


def _check_release(nodes: GpuNodes) -> None:
    if nodes.talos_version.patch is None:
        rule = "a Talos release with its patch, such as 'v1.12.11'"
        raise wrong("talos_version", rule, str(nodes.talos_version), "an image is of one release")


def _patch_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--style", metavar="STYLE", help="fields or documents; default: documents from Talos 1.14 on, else fields")
    parser.add_argument("--operator", action="store_true", help="the GPU operator runs on the nodes")
    parser.add_argument("--default-runtime", action="store_true", help="run every container by NVIDIA's runtime")
    _image_flags(parser)
    _boot_flags(parser, ", with --for talhelper or terraform")
    parser.add_argument("--for", choices=_TOOLS, default="talosctl", dest="tool", help="who applies it; default: talosctl")
    group = parser.add_argument_group("for omni", "whom the patch is for: --cluster and one of the others, or --machine alone")
    group.add_argument("--cluster", metavar="NAME")
    group.add_argument("--machine-set", metavar="ID")
    group.add_argument("--cluster-machine", metavar="UUID")
    group.add_argument("--machine", metavar="UUID")
    group.add_argument("--weight", type=number, metavar="0-999", help="a higher one is applied later")
    group = parser.add_argument_group("for talhelper", "without these the fields of a node are printed")
    group.add_argument("--talconfig", metavar="FILE", help="a talconfig.yaml to merge them into")
    group.add_argument("--hostname", action="append", default=[], metavar="NAME", help="a node of it; may be given again")


_TOOLS = ("talosctl", "omni", "talhelper", "terraform")


def patch(given: argparse.Namespace) -> str:
    """The patch, as the tool takes it that applies it."""
    _check_tool(given)
    nodes = nodes_of(given)
    # What talhelper writes has the older form of configuration.
    style = given.style or (ConfigStyle.FIELDS if given.tool == "talhelper" else None)
    made = MachineConfigPatch(
        nodes=nodes, style=style, operator=given.operator, default_runtime=given.default_runtime, gdrcopy=given.gdrcopy
    )  # fmt: skip
    return {"talosctl": _for_talosctl, "omni": _for_omni, "talhelper": _for_talhelper, "terraform": _for_terraform}[given.tool](given, made)


# The flags that some of the tools alone read. Of an image Omni takes the extensions and nothing else.
_READ_BY: dict[tuple[str, ...], tuple[str, ...]] = {
    ("omni",): ("cluster", "machine_set", "cluster_machine", "machine", "weight"),
    ("talhelper",): ("talconfig", "hostname"),
    ("talhelper", "terraform"): ("kernel_arg", "platform", "secureboot"),
    ("omni", "talhelper", "terraform"): ("extension", "fabric_manager"),
}


def _check_tool(given: argparse.Namespace) -> None:
    for tools, names in _READ_BY.items():
        if given.tool not in tools:
            _refuse(given, names, f"with --for {' or '.join(tools)}")
    if given.tool == "omni" and not given.cluster:
        _refuse(given, ("extension", "fabric_manager"), "with --cluster", "Omni has extensions for the machines of a cluster alone")
    if given.talconfig:
        _refuse(given, ("platform", "secureboot"), "without --talconfig", "the file says it, as 'machineSpec' of the node")
    if given.tool == "talhelper" and given.style == ConfigStyle.DOCUMENTS:
        raise wrong(
            "style", "'fields' with --for talhelper", given.style, "it knows no documents yet, and Talos 1.14 takes the fields as well"
        )
    if bool(given.hostname) != bool(given.talconfig):
        name = "hostname" if given.talconfig else "talconfig"
        other = "talconfig" if given.talconfig else "hostname"
        raise wrong(name, f"given with --{other}", None, "a node of a file is found by its hostname")


def _for_talosctl(_: argparse.Namespace, made: MachineConfigPatch) -> str:
    return made.text


def _for_omni(given: argparse.Namespace, made: MachineConfigPatch) -> str:
    from ..talos.omni import OmniTarget, omni_config_patch, omni_extensions

    target = OmniTarget(
        cluster=given.cluster, machine_set=given.machine_set, cluster_machine=given.cluster_machine, machine=given.machine
    )  # fmt: skip
    resources = [omni_config_patch(made, target=target, weight=given.weight)]
    # Omni has extensions for the machines of a cluster only; those of a machine by itself come with its cluster.
    if given.cluster:
        resources.append(omni_extensions(_schematic_of(given), target=target))
    return "---\n".join(resources)


def _for_talhelper(given: argparse.Namespace, made: MachineConfigPatch) -> str:
    image = _schematic_of(given)
    if given.talconfig is None:
        from ..talos.block_yaml import block
        from ..talos.talhelper import talhelper_node

        return "\n".join(block(talhelper_node(schematic=image, patch=made, **_boot_of(given)))) + "\n"
    from ..talos.talconfig import merge_into_talconfig

    talconfig = read_text("talconfig", given.talconfig)
    return merge_into_talconfig(talconfig, hostnames=given.hostname, schematic=image, patch=made)


def _for_terraform(given: argparse.Namespace, made: MachineConfigPatch) -> str:
    from ..talos.terraform import terraform_json

    _check_release(made.nodes)
    return terraform_json(schematic=_schematic_of(given), patch=made, **_boot_of(given))


def _upgrade_flags(parser: argparse.ArgumentParser) -> None:
    _image_flags(parser)
    _boot_flags(parser)
    parser.add_argument("--to", required=True, metavar="VERSION", help="the Talos that the nodes are to run, such as 1.13.9")
    parser.add_argument(
        "--route", default="standalone", metavar="ROUTE", help="what advertises the GPUs now: standalone or operator; default: standalone"
    )
    parser.add_argument("--new-route", metavar="ROUTE", help="what is to advertise them afterwards; default: the same")
    parser.add_argument(
        "--leftovers", nargs="+", metavar="PATH", help="files or folders of manifests: list which of their objects have to go"
    )
    parser.add_argument("--format", choices=("markdown", "json"), default="markdown", help="default: markdown")


def upgrade(given: argparse.Namespace) -> str:
    """The plan, or the objects that have to go."""
    import json
    from dataclasses import asdict

    from ..talos.upgrade import UpgradePlan

    if given.leftovers:
        _refuse(given, _OF_IMAGES, "without --leftovers", "what has to go does not depend on the image")
    image = _schematic_of(given)
    plan = UpgradePlan(
        nodes=image.nodes,
        to=given.to,
        route=given.route,
        new_route=given.new_route,
        schematic=image,
        **_boot_of(given),
    )
    if given.leftovers:
        from .leftover_files import leftovers_text

        return leftovers_text(plan, given.leftovers, as_json=given.format == "json")
    return json.dumps([asdict(step) for step in plan.steps], indent=2) + "\n" if given.format == "json" else plan.markdown
