"""Merging a class of GPU nodes into somebody's `talconfig.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .._arguments.errors import Argument, InPython, Phrase, wrong
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import text, texts
from .._arguments.spelling import did_you_mean
from .existing_schematic import ExistingSchematic
from .factory_images import IMAGE_FACTORY, Platform
from .machine_config import MachineConfigPatch
from .schematic import Schematic
from .talconfig_node import effective, merged
from .talhelper import talhelper_node
from .yaml_splice import Splice, compose, entry, plain


@named_arguments(
    talconfig="it is the text of the file",
    hostnames="a node of a file is found by its hostname",
    schematic="the nodes need its extensions",
    patch="the nodes need its configuration",
)
def merge_into_talconfig(
    talconfig: str, *, hostnames: Sequence[str], schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch
) -> str:
    r"""The same `talconfig.yaml` with GPU nodes in it: every line that need not change is kept, byte for byte.

    talhelper takes a node's `nodeLabels`, `kernelModules` or `schematic` in place of those of its group (`controlPlane:`, `worker:`), not
    beside them. So where a node has them from its group, or by a YAML merge key, they are repeated in the node before ours are added.
    What is there already is not added again: merging twice gives the same text.

    Args:
        talconfig: The text of the file, before talhelper puts variables in their place.
        hostnames: The nodes that get the GPU, by their `hostname`.
        schematic: The image of the nodes. Further extensions of a node are kept, and change the schematic's ID.
        patch: The machine config of the nodes, of style `fields`.

    Raises:
        TypeError, ValueError: `'hostnames' must be …` for a node that is not there; `'nodes[gpu-1].nodeTaints.dedicated' must be …` for
            whatever contradicts what is there; `'talconfig' must be …` with its line for a file that can't be changed safely.

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
    said = plain(splice.root)
    _check_file(said, schematic, patch)
    for index in _indexes(hostnames, said["nodes"]):
        node, had = entry(splice.root, "nodes")[1].value[index], said["nodes"][index]
        try:
            if isinstance(schematic, ExistingSchematic):
                fields = talhelper_node(schematic=schematic, patch=patch, **_machine(said, had))
            changed = merged(said, had, fields, schematic)
        except ValueError as error:
            raise ValueError(f"{error}; the node begins in line {node.start_mark.line + 1}") from None
        splice.grow(node, changed)
        said["nodes"][index] = {**had, **changed}
    return _checked(splice.result(), said)


def _read(talconfig: str) -> Splice:
    import yaml

    try:
        splice = Splice(talconfig)
        said = splice.root and plain(splice.root)
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        raise _refused(talconfig, mark.line, f"column {mark.column + 1}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise _refused(talconfig, 0, str(error).partition("\n")[0]) from None
    except (RecursionError, TypeError):
        raise _refused(talconfig, 0, "a key in it is no word, or an anchor stands in itself") from None
    if not isinstance(said, Mapping) or not entry(splice.root, "nodes"):
        is_path = talconfig.strip().endswith((".yaml", ".yml"))
        raise _refused(talconfig, 0, "it has no 'nodes'" + ("; give the text of the file, not its path" if is_path else ""))
    for key in ("nodes", "controlPlane", "worker", "imageFactory"):
        found = entry(splice.root, key)
        if found and said[key] is not None and not isinstance(said[key], list if key == "nodes" else Mapping):
            raise _refused(talconfig, found[0].start_mark.line, f"'{key}' must be written out")
    for node in entry(splice.root, "nodes")[1].value or ():
        if node.id != "mapping" or splice.is_alias(node) or not plain(node).get("hostname"):
            raise _refused(talconfig, node.start_mark.line, "each node must be written out, with its hostname")
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise _refused(talconfig, node.start_mark.line, "the node has a key twice")
    return splice


def _refused(talconfig: str, line: int, why: str) -> ValueError:
    lines = talconfig.splitlines()
    return wrong("talconfig", "a talconfig.yaml", lines[min(line, len(lines) - 1)].strip(), f"line {line + 1}: {why}")


def _check_file(said: Mapping[str, Any], schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """What a file says for all of its nodes; a variable says nothing yet."""
    talos, written = patch.nodes.talos_version, str(said.get("talosVersion"))
    found = re.match(r"v?1\.(\d+)(\.|$)", written)
    if found and int(found[1]) != talos.minor:
        version = Argument("talos_version", written)
        hint = Phrase("the nodes' driver and config depend on it: give ", version, InPython(" to GpuNodes"))
        raise wrong("talconfig", f"of Talos {talos.minor_version}, as the nodes are", f"talosVersion: {written}", hint)
    factory = (said.get("imageFactory") or {}).get("registryURL") or IMAGE_FACTORY
    if factory != schematic.factory and "$" not in factory:
        raise wrong("talconfig", f"of the Image Factory that the 'schematic' is for, '{schematic.factory}'", f"registryURL: {factory}")


def _indexes(hostnames: Sequence[str], nodes: list[dict[str, Any]]) -> list[int]:
    rule = "a list of hostnames of the talconfig's nodes"
    known = [node["hostname"] for node in nodes or ()]
    wanted = list(dict.fromkeys(texts("hostnames", hostnames)))
    if not wanted:
        raise wrong("hostnames", rule, wanted)
    for name in wanted:
        if name not in known:
            raise wrong("hostnames", rule, name, did_you_mean(name, known) or f"it has {known}")
        if known.count(name) > 1:
            raise wrong("hostnames", rule, name, "two of its nodes have this one")
    return [known.index(name) for name in wanted]


def _machine(said: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """Where a node runs, as the file says it: the name of an existing image depends on it."""
    spec = effective(said, node, "machineSpec") or {}
    if not isinstance(spec, Mapping):
        raise wrong(f"nodes[{node['hostname']}].machineSpec", "a mapping, written out", spec)
    return {"platform": str(spec.get("mode") or Platform.METAL), "secureboot": spec.get("secureboot") == "true"}


def _checked(changed: str, expected: Mapping[str, Any]) -> str:
    """The result, if it says what it should: an anchor may carry what is added to one node into others."""
    import yaml

    try:
        said = plain(compose(changed))
    except yaml.YAMLError:
        said = None
    if said != expected:
        others = [node["hostname"] for node, wanted in zip(said["nodes"], expected["nodes"], strict=True) if node != wanted] if said else []
        hint = "what is added would change more, by an anchor that others use, or for want of a line break at the end of the file"
        raise wrong("talconfig", "one in which each node can be changed by itself", others, hint)
    return changed
