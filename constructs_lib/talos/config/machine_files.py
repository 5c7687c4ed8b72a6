"""Checks of `machine.files`: Talos accepts less at boot than its schema allows, and these errors come earlier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...arguments.errors import wrong, wrong_kind
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, mapping, text
from ...arguments.spelling import did_you_mean
from ...upstream.talos.features import CUSTOMIZATION_PATH
from ...upstream.talos.folders import FileOperation, may_be_created

_KEYS = ("path", "op", "content", "permissions")


@named_arguments(files="the list of machine.files is needed")
def check_machine_files(files: Sequence[Mapping[str, Any]], argument: str = "files") -> list[dict[str, Any]]:
    """Check the entries of `machine.files`; an entry that keeps a node from booting is refused.

    Talos writes the files at boot, and reboots when a file fails. A wrong entry is a boot loop (siderolabs/talos#5147).

    Args:
        files: The list of `machine.files`: mappings of `path`, `op`, `content` and `permissions`.
        argument: The name of the list in an error. Default: `files`.

    Raises:
        TypeError, ValueError: `'files[0].op' must be one of …`, `'files[0].path' must be in /var …`, and
            `'files' must be without a second /etc/cri/conf.d/20-customization.part …`.

    Example:
        >>> check_machine_files([{"path": "/var/lib/models/README", "op": "create", "content": "models"}])
        [{'path': '/var/lib/models/README', 'op': 'create', 'content': 'models'}]

    https://docs.siderolabs.com/talos/v1.13/reference/configuration/v1alpha1/config
    """
    rule = "a list of mappings with 'path', 'op' and 'content'"
    if isinstance(files, str | Mapping) or not isinstance(files, Sequence):
        raise wrong_kind(argument, rule, files)
    checked = [_file(f"{argument}[{index}]", entry) for index, entry in enumerate(files)]
    customizations = [index for index, entry in enumerate(checked) if entry["path"] == CUSTOMIZATION_PATH]
    if len(customizations) > 1:
        hint = "merge both entries into one: Talos 1.13 and older reboot at the second entry (EtcFileSpecs … already exists), newer Talos ignores the entry"
        raise wrong(argument, f"without a second {CUSTOMIZATION_PATH}", customizations, hint)
    return checked


def _file(argument: str, value: object) -> dict[str, Any]:
    entry = mapping(argument, value, "a mapping of 'path', 'op', 'content' and 'permissions'")
    for key in entry:
        if key not in _KEYS:
            raise wrong(argument, "a mapping of 'path', 'op', 'content' and 'permissions'", key, did_you_mean(key, _KEYS))
    path = text(f"{argument}.path", entry.get("path"), "an absolute path")
    if not path.startswith("/"):
        raise wrong(f"{argument}.path", "an absolute path", path)
    if "op" not in entry:
        rule = "one of 'create', 'overwrite', 'append'"
        raise ValueError(f"'{argument}.op' must be {rule} (got nothing); without 'op' Talos fails at boot: unknown operation for file")
    operation = choice(f"{argument}.op", entry["op"], FileOperation)
    if not isinstance(entry.get("content", ""), str):
        raise wrong_kind(f"{argument}.content", "a string", entry["content"])
    if path == CUSTOMIZATION_PATH:
        if operation is not FileOperation.CREATE:
            raise wrong(f"{argument}.op", f"'create' for {CUSTOMIZATION_PATH}", str(operation), "Talos has no file at this path to change")
    elif operation is FileOperation.CREATE and not may_be_created(path):
        hint = f"Talos fails at boot: create operation not allowed outside of /var; the only other file is {CUSTOMIZATION_PATH}"
        raise wrong(f"{argument}.path", "in /var", path, hint)
    return {**entry, "op": str(operation)}
