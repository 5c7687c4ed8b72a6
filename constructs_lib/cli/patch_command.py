"""The command `patch`: the machine configuration patch of the nodes, in the form of the tool that applies it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..arguments.errors import Refusal, in_file, warn, wrong
from .cluster_files import needs_of_class
from .command_parser import Commands, add_nodes_verb
from .flags import REPEATABLE, add_flag
from .image_flags import (
    OF_FIELDS,
    add_config_flags,
    add_image_flags,
    boot_of,
    check_release,
    config_of,
    nodes_with_image,
    refuse_documents,
    refuse_flags,
    schematic_of,
    take_over,
)
from .nodes_flags import number
from .texts import read_text

if TYPE_CHECKING:
    from ..talos.config.machine_config import MachineConfigPatch
    from ..talos.image.schematic import Schematic

_TOOLS = ("talosctl", "omni", "talhelper", "terraform", "capi")
# The tools that read the extensions and kernel arguments of an image, and those that read the whole image.
_ALL, _IMAGE = ("omni", "talhelper", "terraform", "capi"), ("talhelper", "terraform", "capi")


def _with(tools: Sequence[str]) -> str:
    return f"with --for {' or '.join(filter(None, (', '.join(tools[:-1]), tools[-1])))}"


_EXAMPLES = """\
examples:
  talos-gpu patch cluster.yaml > gpu.yaml
  talos-gpu patch --talos 1.12.11 --label role=gpu --taint dedicated=ai:NoSchedule > gpu.yaml
  talosctl --nodes 10.0.0.7 patch machineconfig --patch @gpu.yaml"""


def add_patch(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the machine configuration patch of the nodes"
    parser = add_nodes_verb(commands, patch, about, _EXAMPLES)
    add_flag(parser, "--operator", "the GPU operator runs on the nodes")
    add_config_flags(parser)
    of_disk = f", {_with(_IMAGE)}"
    add_image_flags(parser, of_image=f", {_with(_ALL)}", of_disk=of_disk, of_boot=of_disk, of_arch=", with --for talhelper or terraform")
    add_flag(parser, "--for", "the tool that applies the patch; default: talosctl", choices=_TOOLS, default="talosctl")
    group = parser.add_argument_group(
        "for omni", "the machines of the patch: --cluster, alone or with --machine-set or --cluster-machine; or --machine alone"
    )
    add_flag(group, "--cluster NAME")
    add_flag(group, "--machine-set ID")
    add_flag(group, "--cluster-machine UUID")
    add_flag(group, "--machine UUID")
    add_flag(group, "--template", "print the document of a cluster template, which a synchronization keeps, in place of resources")
    add_flag(group, "--weight 0-999", "a patch with a higher weight is applied later", type=number)
    group = parser.add_argument_group("for talhelper", "without these flags the output is the fields of a node")
    add_flag(group, "--talconfig FILE", "a talconfig.yaml to merge the fields into")
    add_flag(group, "--hostname NAME", "a node in the talconfig.yaml; repeatable", **REPEATABLE)


def patch(options: argparse.Namespace) -> str:
    """The patch, in the form of the tool that applies the patch."""
    from ..talos.config.machine_config import ConfigStyle, MachineConfigPatch  # only the answer needs them, and not the flags

    _check_tool(options)
    nodes = nodes_with_image(options)
    take_over(options, nodes)
    settings = config_of(options)
    if options.tool in OF_FIELDS:
        settings.setdefault("style", ConfigStyle.FIELDS)
    has_operator, gates = needs_of_class(options, settings.get("kubelet_feature_gates", ()))
    config = MachineConfigPatch(
        nodes=nodes,
        fabric_manager=options.fabric_manager,
        gdrcopy=options.gdrcopy,
        **{"operator": has_operator, **settings, **gates, **({"operator": True} if options.operator else {})},
    )
    writers: Mapping[str, Callable[[argparse.Namespace, MachineConfigPatch], str]] = {
        "talosctl": lambda _, config: config.text,
        "omni": _for_omni,
        "talhelper": _for_talhelper,
        "terraform": _for_terraform,
        "capi": _for_capi,
    }
    written = writers[options.tool](options, config)
    # The text for talosctl says this in its comments. Cluster API makes new machines.
    for caution in [] if options.tool == "talosctl" else config.cautions(joined=options.tool != "capi"):
        warn(caution)
    return written


# The flags that only some tools read. Omni takes only the extensions and the kernel arguments of an image.
_READ_BY: dict[tuple[str, ...], tuple[str, ...]] = {
    ("omni",): ("cluster", "machine_set", "cluster_machine", "machine", "template", "weight"),
    ("talhelper",): ("talconfig", "hostname"),
    _IMAGE: ("sector_size", "embedded_config", "platform", "secureboot"),
    ("talhelper", "terraform"): ("arch",),
    _ALL: ("extension", "kernel_arg", "from_source"),
}


def _check_tool(options: argparse.Namespace) -> None:
    for tools, names in _READ_BY.items():
        if options.tool not in tools:
            schematic = "with talos-gpu schematic, or " if len(tools) > 1 else ""
            refuse_flags(options, names, f"of a patch for {options.tool}", f"use it {schematic}{_with(tools)}")
    if options.template:
        refuse_flags(options, ("machine",), "with --template", "a template is of one cluster: use --cluster, with --cluster-machine")
        refuse_flags(options, ("weight",), "with --template", "Omni gives the patches of a template their weights")
    if options.tool == "omni" and not options.cluster:
        refuse_flags(options, ("extension", "kernel_arg"), "without --cluster", "Omni makes the image of a machine with its cluster")
    if options.talconfig:
        refuse_flags(options, ("platform", "secureboot", "arch"), "with --talconfig", "the file has them as 'machineSpec' of the node")
    refuse_documents(options)
    if bool(options.hostname) != bool(options.talconfig):
        name = "hostname" if options.talconfig else "talconfig"
        other = "talconfig" if options.talconfig else "hostname"
        raise wrong(name, f"given with --{other}", None, "the nodes in the file are found by hostname")


def _for_omni(options: argparse.Namespace, config: MachineConfigPatch) -> str:
    from ..talos.targets.omni import OmniTarget, omni_config_patch, omni_extensions

    target = OmniTarget(
        cluster=options.cluster, machine_set=options.machine_set, cluster_machine=options.cluster_machine, machine=options.machine
    )  # fmt: skip
    if options.template:
        from ..talos.targets.omni_template import omni_template, template_document

        return omni_template(schematic=schematic_of(options), patch=config, **template_document(target))
    resources = [omni_config_patch(config, target=target, weight=options.weight)]
    # Omni installs extensions only on machines of a cluster. A machine without a cluster gets its extensions with a
    # cluster.
    if options.cluster:
        resources.append(omni_extensions(schematic_of(options), target=target))
    return "---\n".join(resources)


def _for_talhelper(options: argparse.Namespace, config: MachineConfigPatch) -> str:
    image = schematic_of(options)
    if options.talconfig is None:
        from ..talos.targets.talhelper import talhelper_node
        from ..yaml.block import block

        node = block(talhelper_node(schematic=image, patch=config, **boot_of(options)))
        return _grub_comment(options, image) + "\n".join(node) + "\n"
    from ..talos.targets.talconfig import merge_into_talconfig

    _warn_of_grub(options, image)
    talconfig = read_text("talconfig", options.talconfig)
    try:
        return merge_into_talconfig(talconfig, hostnames=options.hostname, schematic=image, patch=config)
    except Refusal as error:
        if error.argument.startswith("nodes["):
            raise in_file(options.talconfig, error) from None
        raise


def _for_terraform(options: argparse.Namespace, config: MachineConfigPatch) -> str:
    from ..talos.targets.infrastructure import terraform_json

    check_release(config.nodes)
    image = schematic_of(options)
    _warn_of_grub(options, image)
    return terraform_json(schematic=image, patch=config, **boot_of(options))


def _for_capi(options: argparse.Namespace, config: MachineConfigPatch) -> str:
    from ..talos.targets.infrastructure import cluster_api_yaml

    check_release(config.nodes)
    image = schematic_of(options)
    return _grub_comment(options, image) + cluster_api_yaml(schematic=image, patch=config, **boot_of(options))


def _grub_note(options: argparse.Namespace, image: Schematic) -> list[str]:
    """The note that a node which boots by GRUB ignores the kernel arguments of the image; empty with Secure Boot, which
    needs UKI."""
    from ..talos.config.kernel_settings import grub_note

    if options.secureboot or not image.extra_kernel_args:
        return []
    arguments = f"kernel argument{'s' * (len(image.extra_kernel_args) > 1)} {' '.join(image.extra_kernel_args)}"
    return [f"The image has the {arguments}.", *grub_note(image.nodes)]


def _grub_comment(options: argparse.Namespace, image: Schematic) -> str:
    return "".join(f"# {line}\n" for line in _grub_note(options, image))


def _warn_of_grub(options: argparse.Namespace, image: Schematic) -> None:
    """The note as a warning, for an output that has no place for a comment."""
    if note := _grub_note(options, image):
        warn(" ".join(note[:2]))
