"""What talhelper needs to know of a GPU node: the fields of one node in its `talconfig.yaml`."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._arguments.errors import Argument, Phrase, wrong
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, flag
from .block_yaml import block
from .existing_schematic import ExistingSchematic
from .factory_images import Platform
from .machine_config import ConfigStyle, MachineConfigPatch
from .same_nodes import check_same_nodes
from .schematic import Schematic

# talhelper puts a variable in the place of `$NAME` in the whole file and fails where it is not set (pkg/substitute/envsubst.go); labels
# and patches are Go templates (pkg/talos/nodeconfig.go, pkg/patcher/patcher.go).
_REPLACED = r"\$|\{\{|\}\}"


_STYLE = Argument("style", str(ConfigStyle.FIELDS), written="MachineConfigPatch(…, style='fields')")


@named_arguments(schematic="the nodes need its extensions", patch="the nodes need its configuration")
def talhelper_node(
    *,
    schematic: Schematic | ExistingSchematic,
    patch: MachineConfigPatch,
    platform: Platform | str = Platform.METAL,
    secureboot: bool = False,
) -> dict[str, Any]:
    """The fields that make a node of `talconfig.yaml` one of a class of GPU nodes, in plain data.

    A `Schematic` becomes `schematic`, which talhelper sends to the Image Factory by itself. Of an existing one only the ID is known, so it
    becomes `talosImageURL`: without a tag, because talhelper adds its `talosVersion`. Never both: beside the URL talhelper ignores the
    schematic.

    Modules, labels and taints become talhelper's own fields; what it has no field for goes into `patches`. So the patch is of style
    `fields` on every Talos: talhelper 3.1.16 is built with Talos 1.14.0-alpha.2, which has none of the documents of 1.14 for a node, and
    Talos refuses a config in which both forms of one thing meet.

    Args:
        schematic: The image of the nodes.
        patch: The machine config of the nodes, of style `fields`.
        platform: Where the nodes run. Default: `metal`.
        secureboot: Whether they boot with Secure Boot. Default: False.

    Raises:
        TypeError, ValueError: `'patch' must be of style 'fields' …`, and so for each argument.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", name="rtx")
        >>> node = talhelper_node(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes))
        >>> list(node), node["nodeLabels"]
        (['schematic', 'kernelModules', 'nodeLabels'], {'nvidia.com/device-plugin.config': 'rtx'})

    https://budimanjojo.github.io/talhelper/latest/reference/configuration/#node
    """
    check_same_nodes(schematic, patch)
    if patch.style is not ConfigStyle.FIELDS:
        hint = Phrase("it knows no others yet, and Talos 1.14 takes these as well: ", _STYLE)
        raise wrong("patch", f"of style '{ConfigStyle.FIELDS}' for talhelper", str(patch.style), hint, part="style")
    fields = _image(schematic, patch, choice("platform", platform, Platform), secureboot=flag("secureboot", secureboot))
    rest = copy.deepcopy(patch.documents[0])
    machine = rest["machine"]
    fields["kernelModules"] = machine.pop("kernel")["modules"]
    fields |= {key: machine.pop(key) for key in ("nodeLabels", "nodeTaints") if key in machine}
    if machine:
        fields["patches"] = ["\n".join(block(rest)) + "\n"]
    for said in _strings(fields):
        if re.search(_REPLACED, said):
            raise wrong("patch", "without '$', '{{' and '}}' for talhelper", said, "it takes them for variables and templates")
    return fields


def _image(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch, platform: Platform, *, secureboot: bool) -> dict[str, Any]:
    if isinstance(schematic, Schematic):
        # talhelper's words for both, from which it makes the name of the image (pkg/talos/schematic.go).
        spec: dict[str, Any] = {} if platform is Platform.METAL else {"mode": str(platform)}
        if secureboot:
            spec["secureboot"] = True
        return {"schematic": schematic.document, **({"machineSpec": spec} if spec else {})}
    any_release = f"{patch.nodes.talos_version.minor_version}.0"
    tagged = schematic.installer_image(any_release, platform=platform, secureboot=secureboot)
    return {"talosImageURL": tagged.rpartition(":")[0]}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from (key, *_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
