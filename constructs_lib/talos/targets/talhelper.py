"""The fields of a GPU node in talhelper's `talconfig.yaml`."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, flag
from ...upstream.talos.platforms import Arch, Platform
from ...yaml.block import block
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.factory_images import installer_repository
from ..image.schematic import Schematic
from . import check_fields, check_same_nodes

# talhelper replaces `$NAME` by a variable in the whole file, and fails for a variable that is not set
# (pkg/substitute/envsubst.go). Labels and patches are Go templates (pkg/talos/nodeconfig.go, pkg/patcher/patcher.go).
_REPLACED = r"\$|\{\{|\}\}"


@named_arguments(schematic="the nodes need its extensions", patch="the nodes need its configuration")
def talhelper_node(
    *,
    schematic: Schematic | ExistingSchematic,
    patch: MachineConfigPatch,
    platform: Platform | str = Platform.METAL,
    secureboot: bool = False,
) -> dict[str, Any]:
    """The fields that make a node of `talconfig.yaml` one of a class of GPU nodes, in plain data.

    A `Schematic` becomes `schematic`, which talhelper sends to the Image Factory. An existing schematic becomes
    `talosImageURL`, because only its ID is known. The URL has no tag: talhelper adds its `talosVersion`. The fields
    contain only one of the two, because talhelper ignores `schematic` beside `talosImageURL`.

    Modules, labels and taints become fields of talhelper; the other settings become `patches`. The patch must have
    style `fields` on every Talos: talhelper 3.1.16 is built with Talos 1.14.0-alpha.2, which does not know the
    documents of 1.14 for a node, and Talos refuses a configuration with a setting that is both a field and a document.

    Args:
        schematic: The image of the nodes.
        patch: The machine configuration of the nodes, of style `fields`.
        platform: The platform of the nodes. Default: `metal`.
        secureboot: Whether the nodes boot with Secure Boot. Default: False.

    Raises:
        TypeError, ValueError: `'patch' must be of style 'fields' …`, and a similar error for every argument.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", name="rtx")
        >>> node = talhelper_node(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes))
        >>> list(node), node["nodeLabels"]
        (['schematic', 'kernelModules', 'nodeLabels'], {'nvidia.com/device-plugin.config': 'rtx'})

    https://budimanjojo.github.io/talhelper/latest/reference/configuration/#node
    """
    check_same_nodes(schematic, patch)
    check_fields(patch, "talhelper", "talhelper knows")
    fields = _image(schematic, patch, choice("platform", platform, Platform), secureboot=flag("secureboot", secureboot))
    rest = copy.deepcopy(patch.documents[0])
    machine = rest["machine"]
    fields["kernelModules"] = machine.pop("kernel")["modules"]
    fields |= {key: machine.pop(key) for key in ("nodeLabels", "nodeTaints") if key in machine}
    if machine:
        fields["patches"] = ["\n".join(block(rest)) + "\n"]
    for string in _strings(fields):
        if re.search(_REPLACED, string):
            raise wrong("patch", "without '$', '{{' and '}}' for talhelper", string, "talhelper reads them as variables and templates")
    return fields


def _image(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch, platform: Platform, *, secureboot: bool) -> dict[str, Any]:
    if isinstance(schematic, Schematic):
        # talhelper builds the names of the images from these fields (pkg/talos/schematic.go).
        spec: dict[str, Any] = {} if platform is Platform.METAL else {"mode": str(platform)}
        if secureboot:
            spec["secureboot"] = True
        if schematic.arch is not Arch.AMD64:
            spec["arch"] = str(schematic.arch)
        return {"schematic": schematic.document, **({"machineSpec": spec} if spec else {})}
    return {"talosImageURL": installer_repository(schematic, patch.nodes.talos_version, platform=platform, secureboot=secureboot)}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from (key, *_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
