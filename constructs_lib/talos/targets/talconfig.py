"""The merge of a class of GPU nodes into a user's `talconfig.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...arguments.errors import Argument, InPython, Phrase, Refusal, wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text, texts
from ...arguments.spelling import did_you_mean
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from ...yaml.load import YamlError, place_of_error, problem_of
from ...yaml.splice import Splice, compose, entry, plain
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.fabric_manager import fabric_manager_fault
from ..image.schematic import Schematic
from .talconfig_node import effective, merged
from .talhelper import talhelper_node


@named_arguments(
    talconfig="the text of the file is needed",
    hostnames="the nodes in the file are found by hostname",
    schematic="the nodes need its extensions",
    patch="the nodes need its configuration",
)
def merge_into_talconfig(
    talconfig: str, *, hostnames: Sequence[str], schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch
) -> str:
    r"""Merge GPU nodes into the text of a `talconfig.yaml`. Every line that need not change is kept, byte for byte.

    In talhelper the `nodeLabels`, `kernelModules` and `schematic` of a node replace those of its group
    (`controlPlane:`, `worker:`). So values from the group, or from a YAML merge key, are repeated in the node before
    new values are added. Existing values are not added again: a second merge gives the same text.

    Args:
        talconfig: The text of the file, before talhelper replaces variables.
        hostnames: The GPU nodes, by their `hostname`.
        schematic: The image of the nodes. Further extensions of a node are kept, and change the ID of the schematic.
        patch: The machine configuration of the nodes, of style `fields`.

    Raises:
        TypeError, ValueError: `'hostnames' must be …` for a node that is not in the file;
            `'nodes[gpu-1].nodeTaints.dedicated' must be …` for a value that contradicts the file;
            `'talconfig' must be …` with the line for a file that can't be changed safely.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", labels={"role": "gpu"})
        >>> talconfig = "nodes:\n  - hostname: gpu-1  # under the desk\n    nodeLabels:\n      rack: a\n"
        >>> merged = merge_into_talconfig(
        ...     talconfig, hostnames=["gpu-1"], schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes)
        ... )
        >>> print("\n".join(merged.splitlines()[:5]))
        nodes:
          - hostname: gpu-1  # under the desk
            nodeLabels:
              rack: a
              role: gpu

    https://budimanjojo.github.io/talhelper/latest/reference/configuration/
    """
    fields = talhelper_node(schematic=schematic, patch=patch)
    splice = _read(text("talconfig", talconfig))
    contents = plain(splice.root)
    _check_file(contents, schematic, patch)
    for index in _indexes(hostnames, contents["nodes"]):
        node, had = entry(splice.root, "nodes")[1].value[index], contents["nodes"][index]
        try:
            if isinstance(schematic, ExistingSchematic):
                fields = talhelper_node(schematic=schematic, patch=patch, **_machine(contents, had))
            changed = merged(contents, had, fields, schematic)
        except Refusal as error:
            raise error.noting(f"the node begins in line {node.start_mark.line + 1}") from None
        splice.grow(node, changed)
        contents["nodes"][index] = {**had, **changed}
    return _checked(splice.result(), contents)


def _read(talconfig: str) -> Splice:
    try:
        splice = Splice(talconfig)
        contents = splice.root and plain(splice.root)
    except YamlError as error:
        line, column = place_of_error(error)
        raise _refused(talconfig, line - 1, f"column {column}: {problem_of(error)}") from None
    except TypeError:
        raise _refused(talconfig, 0, "a key of the file is not a string") from None
    if not isinstance(contents, Mapping) or not entry(splice.root, "nodes"):
        is_path = talconfig.strip().endswith((".yaml", ".yml"))
        raise _refused(talconfig, 0, "the file has no 'nodes'" + ("; give the text of the file, not its path" if is_path else ""))
    for key in ("nodes", "controlPlane", "worker", "imageFactory"):
        nodes = entry(splice.root, key)
        if nodes and contents[key] is not None and not isinstance(contents[key], list if key == "nodes" else Mapping):
            raise _refused(talconfig, nodes[0].start_mark.line, f"'{key}' must be written out")
    for node in entry(splice.root, "nodes")[1].value or ():
        if node.id != "mapping" or splice.is_alias(node) or not plain(node).get("hostname"):
            raise _refused(talconfig, node.start_mark.line, "every node must be written out, with its hostname")
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise _refused(talconfig, node.start_mark.line, "the node has a duplicate key")
    return splice


def _refused(talconfig: str, line: int, why: str) -> ValueError:
    lines = talconfig.splitlines()
    return wrong("talconfig", "a talconfig.yaml", lines[min(line, len(lines) - 1)].strip(), f"line {line + 1}: {why}")


def _check_file(contents: Mapping[str, Any], schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """Check the settings for all nodes of a file. A variable is not checked."""
    talos, written = patch.nodes.talos_version, str(contents.get("talosVersion"))
    minor = re.match(r"v?1\.(\d+)(\.|$)", written)
    release = Version.parse(written)
    if minor and int(minor[1]) != talos.minor:
        version = Argument("talos_version", written if release else f"1.{minor[1]}")
        hint = Phrase("the driver and the configuration of the nodes depend on Talos: give ", version, InPython(" to GpuNodes"))
        raise wrong("talconfig", f"of Talos {talos.minor_version}, the Talos of the nodes", f"talosVersion: {written}", hint)
    fault = fabric_manager_fault(release) if release else None
    if fault and schematic.fabric_manager:
        rule = f"of Talos {fault.fixed_in} or newer for a 'schematic' with fabric manager"
        raise wrong("talconfig", rule, f"talosVersion: {written}", fault.reason)
    factory = (contents.get("imageFactory") or {}).get("registryURL") or IMAGE_FACTORY
    if factory != schematic.factory and "$" not in factory:
        raise wrong(
            "talconfig",
            f"for the Image Factory of the 'schematic', '{schematic.factory}'",
            f"registryURL: {factory}",
            "the file has another 'registryURL'",
        )


def _indexes(hostnames: Sequence[str], nodes: list[dict[str, Any]]) -> list[int]:
    rule = "a list of hostnames of the talconfig's nodes"
    known = [node["hostname"] for node in nodes or ()]
    wanted = list(dict.fromkeys(texts("hostnames", hostnames)))
    if not wanted:
        raise wrong("hostnames", rule, wanted)
    for name in wanted:
        if name not in known:
            raise wrong("hostnames", rule, name, did_you_mean(name, known) or f"the file has {known}")
        if known.count(name) > 1:
            raise wrong("hostnames", rule, name, "two nodes have this hostname")
    return [known.index(name) for name in wanted]


def _machine(contents: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """The platform and Secure Boot of a node in the file. The name of an existing image depends on both."""
    spec = effective(contents, node, "machineSpec") or {}
    if not isinstance(spec, Mapping):
        raise wrong(f"nodes[{node['hostname']}].machineSpec", "a mapping, written out", spec)
    return {"platform": str(spec.get("mode") or Platform.METAL), "secureboot": spec.get("secureboot") == "true"}


def _checked(changed: str, expected: Mapping[str, Any]) -> str:
    """The result, after a comparison with the expected data: an anchor may copy the values of one node to others."""
    try:
        contents = plain(compose(changed))
    except YamlError:
        contents = None
    if contents != expected:
        others = (
            [node["hostname"] for node, wanted in zip(contents["nodes"], expected["nodes"], strict=True) if node != wanted]
            if contents
            else []
        )
        hint = "the merge would change other nodes, by a shared anchor, or because the file does not end with a line break"
        raise wrong("talconfig", "a file in which each node can be changed by itself", others, hint)
    return changed
