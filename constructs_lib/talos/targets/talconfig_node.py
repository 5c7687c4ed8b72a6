"""The merge of GPU fields into one node of a `talconfig.yaml`, as plain data. Contradictions are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...upstream.talos.extension_names import FABRIC_MANAGER, MODULES, PREFIX, TOOLKIT
from ...upstream.talos.features import CUSTOMIZATION_PATH
from ...yaml.block import Verbatim
from ...yaml.load import YamlError
from ...yaml.splice import compose, plain
from ..config.kernel_settings import refuse_nvidia_extension
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic

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
    if isinstance(ours, Mapping):
        _check_kind(path, theirs, Mapping, "a mapping")
        return {**theirs, **{key: _both(f"{path}.{key}", theirs.get(key), value) for key, value in ours.items()}}
    if isinstance(ours, list):
        _check_kind(path, theirs, list, "a list")
        return [*theirs, *(item for item in ours if item not in theirs)]
    if theirs != ours:
        raise wrong(path, f"'{ours}', the value for these nodes", theirs, _CHANGE)
    return theirs


def _check_kind(path: str, theirs: Any, kind: type, rule: str) -> None:
    if not isinstance(theirs, kind):
        raise wrong(path, f"{rule}, written out", theirs)


def _check_extensions(path: str, after: Any, schematic: Schematic) -> None:
    """Refuse NVIDIA extensions of another flavour or track than those of the schematic, and all of them where virtual
    machines have the GPUs."""
    for name in after["customization"].get("systemExtensions", {}).get("officialExtensions", []):
        short = str(name).removeprefix(PREFIX)
        kind, _, track = (short, "", "") if short in _DRIVER else short.rpartition("-")
        if schematic.nodes.passthrough is not None:
            refuse_nvidia_extension(f"{path}.customization.systemExtensions.officialExtensions", str(name))
        other_driver = kind in MODULES.values() or (kind in _DRIVER and track != schematic.nodes.track)
        if other_driver and name not in schematic.official_extensions:
            ours = " and ".join(schematic.official_extensions)
            raise wrong(f"{path}.customization.systemExtensions.officialExtensions", f"without another driver than {ours}", name, _CHANGE)


def _modules(path: str, theirs: Any, ours: list[Any]) -> list[Any]:
    """The modules, merged by name. The kernel treats '-' and '_' in a name alike."""
    result = list(_both(path, theirs, []))
    for module in ours:
        index = next((index for index, each in enumerate(result) if _module_name(path, each) == module["name"]), None)
        if index is None:
            result.append(module)
        elif "parameters" in module:
            had = result[index].get("parameters") or []
            for parameter in module["parameters"]:
                other = [each for each in had if each.partition("=")[0] == parameter.partition("=")[0] and each != parameter]
                if other:
                    raise wrong(f"{path}[{module['name']}].parameters", f"with '{parameter}', the value for these nodes", other[0], _CHANGE)
            result[index] = {**result[index], "parameters": _both(f"{path}[{module['name']}].parameters", had, module["parameters"])}
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
    """The patches, with new patches at the end. A patch with the same content is not added again; patches in other
    files are not read."""
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
