"""The merge of a class of GPU nodes into a user's `talconfig.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...arguments.errors import Argument, InPython, Phrase, Refusal, wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text, texts
from ...arguments.spelling import did_you_mean
from ...nodes.fabric_manager import fabric_manager_fault
from ...upstream.talos.extension_names import FABRIC_MANAGER, MODULES, PREFIX, TOOLKIT
from ...upstream.talos.features import CUSTOMIZATION_PATH, IMAGE_FACTORY
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from ...yaml.block import Verbatim
from ...yaml.load import YamlError, place_of_error, problem_of
from ...yaml.splice import Splice, compose, entry, plain
from ..config.kernel_settings import refuse_nvidia_extension
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic
from .talhelper import talhelper_node

_TRUE = {"true", "yes", "on", "y"}
_DRIVER = {*MODULES.values(), TOOLKIT, FABRIC_MANAGER}
# Talos appends to lists, and a node with two of these entries does not boot or join: see the comments in `patch_parts`.
_ONCE = (CUSTOMIZATION_PATH, "registerWithTaints")
_CHANGE = "change the talconfig.yaml or the GpuNodes"


def effective(talconfig: Mapping[str, Any], node: Mapping[str, Any], field: str) -> Any:
    """The value of a field in talhelper: of the node, or of its group for a node without the field
    (pkg/config/nodeconfigs.go).

    talhelper applies the `patches` of both. So the patches of the group are not part of the node, except with
    `overridePatches`.
    """
    own = node.get(field)
    if own not in (None, "") or (field == "patches" and not _is_true(node.get("overridePatches"))):
        return own
    return _group(talconfig, node).get(field)


def merged(
    talconfig: Mapping[str, Any], node: Mapping[str, Any], fields: Mapping[str, Any], schematic: Schematic | ExistingSchematic
) -> Any:
    """The fields of a node that change, each with its new value."""
    at = f"nodes[{node['hostname']}]"
    image = {"schematic", "talosImageURL"} if _has_image(at, talconfig, node, schematic) else set()
    changed = {}
    for field, value in fields.items():
        if field in image:
            continue
        had, ours, path = effective(talconfig, node, field), _as_read(value), f"{at}.{field}"
        if field == "patches":
            after = _patches(path, had, ours, _elsewhere(talconfig, node))
        else:
            after = _modules(path, had, ours) if field == "kernelModules" else _both(path, had, ours)
        if field == "schematic" and isinstance(schematic, Schematic):
            _check_extensions(path, after, schematic)
        if after != had:
            changed[field] = after
    return changed


def _group(talconfig: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings for all nodes of the same role (talhelper pkg/config/loader.go)."""
    return talconfig.get("controlPlane" if _is_true(node.get("controlPlane")) else "worker") or {}


def _is_true(value: object) -> bool:
    return str(value).lower() in _TRUE


def _as_read(value: Any) -> Any:
    """A value in the form of `plain`: a scalar that is no string is `Verbatim`."""
    if isinstance(value, Mapping):
        return {key: _as_read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    return value if isinstance(value, str) else Verbatim(json.dumps(value))


def _has_image(at: str, talconfig: Mapping[str, Any], node: Mapping[str, Any], schematic: Schematic | ExistingSchematic) -> bool:
    """Whether the node has the image of this schematic. An image of another schematic is refused."""
    url, other = effective(talconfig, node, "talosImageURL"), effective(talconfig, node, "schematic")
    if url and schematic.id not in url:
        raise wrong(f"{at}.talosImageURL", f"of schematic {schematic.id}", url, "talhelper installs this image and ignores 'schematic'")
    if other and not url and isinstance(schematic, ExistingSchematic):
        hint = "only the ID of an existing schematic is known, so its extensions can't be merged: use a Schematic"
        raise wrong(f"{at}.schematic", f"left out beside schematic {schematic.id}", other, hint)
    return bool(url)


def _both(path: str, theirs: Any, ours: Any) -> Any:
    if theirs is None:
        return ours
    if isinstance(ours, Mapping | list) and not isinstance(theirs, Mapping if isinstance(ours, Mapping) else list):
        raise wrong(path, f"a {'mapping' if isinstance(ours, Mapping) else 'list'}, written out", theirs)
    if isinstance(ours, Mapping):
        return {**theirs, **{key: _both(f"{path}.{key}", theirs.get(key), value) for key, value in ours.items()}}
    if isinstance(ours, list):
        return [*theirs, *(item for item in ours if item not in theirs)]
    if theirs != ours:
        raise wrong(path, f"'{ours}', the value for these nodes", theirs, _CHANGE)
    return theirs


def _check_extensions(path: str, after: Any, schematic: Schematic) -> None:
    """Refuse NVIDIA extensions of another flavour or track; and all of them where virtual machines have the GPUs."""
    path = f"{path}.customization.systemExtensions.officialExtensions"
    for name in after["customization"].get("systemExtensions", {}).get("officialExtensions", []):
        short = str(name).removeprefix(PREFIX)
        kind, _, track = (short, "", "") if short in _DRIVER else short.rpartition("-")
        if schematic.nodes.passthrough is not None:
            refuse_nvidia_extension(path, str(name))
        other_driver = kind in MODULES.values() or (kind in _DRIVER and track != schematic.nodes.track)
        if other_driver and name not in schematic.official_extensions:
            raise wrong(path, f"without another driver than {' and '.join(schematic.official_extensions)}", name, _CHANGE)


def _modules(path: str, theirs: Any, ours: list[Any]) -> list[Any]:
    """The modules, merged by name. The kernel treats '-' and '_' in a name alike."""
    result = list(_both(path, theirs, []))
    for module in ours:
        index = next((index for index, each in enumerate(result) if _module_name(path, each) == module["name"]), None)
        if index is None:
            result.append(module)
        elif "parameters" in module:
            had, at = result[index].get("parameters") or [], f"{path}[{module['name']}].parameters"
            for parameter in module["parameters"]:
                if other := [each for each in had if each.partition("=")[0] == parameter.partition("=")[0] and each != parameter]:
                    raise wrong(at, f"with '{parameter}', the value for these nodes", other[0], _CHANGE)
            result[index] = {**result[index], "parameters": _both(at, had, module["parameters"])}
    return result


def _module_name(path: str, module: Any) -> str:
    if not isinstance(module, Mapping) or "name" not in module:
        raise wrong(path, "a list of modules, each with its 'name'", module)
    return str(module["name"]).replace("-", "_")


def _elsewhere(talconfig: Mapping[str, Any], node: Mapping[str, Any]) -> list[str]:
    """The other patches of a node, and the paths of its `machineFiles`."""
    patches = [*(talconfig.get("patches") or []), *(_group(talconfig, node).get("patches") or [])]
    files = effective(talconfig, node, "machineFiles") or []
    return [*(str(patch) for patch in patches), *(str(file.get("path")) for file in files if isinstance(file, Mapping))]


def _patches(path: str, theirs: Any, ours: list[str], elsewhere: list[str]) -> list[str] | None:
    """The patches with new ones at the end, each content once. Patches in other files are not read."""
    there = [*(str(patch) for patch in _both(path, theirs, [])), *elsewhere]
    known = [_content(patch) for patch in there]
    new = [patch for patch in ours if _content(patch) not in known]
    for once in _ONCE:
        for patch in new:
            if other := once in patch and next((each for each in there if once in each), None):
                raise wrong(path, f"without a second {once}", other, "merge both into one patch")
    return [*(theirs or []), *new] if new else theirs


def _content(patch: str) -> Any:
    try:
        node = compose(patch)
    except YamlError:
        return patch
    return node and plain(node)


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
        rule = f"for the Image Factory of the 'schematic', '{schematic.factory}'"
        raise wrong("talconfig", rule, f"registryURL: {factory}", "the file has another 'registryURL'")


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
