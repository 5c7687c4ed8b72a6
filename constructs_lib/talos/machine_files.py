"""`machine.files`, of which Talos takes less than its schema: what it refuses while booting is refused here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._arguments.errors import wrong, wrong_kind
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, mapping, text
from .._arguments.spelling import did_you_mean
from ..upstream.talos_features import CUSTOMIZATION_PATH
from ..upstream.talos_file_writes import FileOperation, may_be_created

_KEYS = ("path", "op", "content", "permissions")


@named_arguments(files="they are the list of machine.files")
def check_machine_files(files: Sequence[Mapping[str, Any]], argument: str = "files") -> list[dict[str, Any]]:
    """Files as Talos can write them; an entry that keeps a node from booting is refused.

    Talos writes them while it boots, and reboots when one fails: so a wrong entry is a node in a boot loop (siderolabs/talos#5147).

    Args:
        files: The list of `machine.files`: mappings of `path`, `op`, `content` and `permissions`.
        argument: What the list is called in an error. Default: `files`.

    Raises:
        TypeError, ValueError: `'files[0].op' must be one of …`; for a path that Talos doesn't create, and for a second
            /etc/cri/conf.d/20-customization.part.

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
        hint = "put all of it into one: Talos 1.13 and older reboot over the second (EtcFileSpecs … already exists), newer ones drop it"
        raise wrong(argument, f"without a second {CUSTOMIZATION_PATH}", customizations, hint)
    return checked


def _file(argument: str, value: object) -> dict[str, Any]:
    entry = mapping(argument, value, "a mapping of 'path', 'op', 'content' and 'permissions'")
    for key in entry:
        if key not in _KEYS:
            raise wrong(argument, "made of 'path', 'op', 'content' and 'permissions'", key, did_you_mean(key, _KEYS))
    path = text(f"{argument}.path", entry.get("path"), "an absolute path")
    if not path.startswith("/"):
        raise wrong(f"{argument}.path", "an absolute path", path)
    if "op" not in entry:
        rule = "one of 'create', 'overwrite', 'append'"
        raise ValueError(f"'{argument}.op' must be {rule} (got nothing); without it Talos fails while booting: unknown operation for file")
    operation = choice(f"{argument}.op", entry["op"], FileOperation)
    if not isinstance(entry.get("content", ""), str):
        raise wrong_kind(f"{argument}.content", "a string", entry["content"])
    if path == CUSTOMIZATION_PATH:
        if operation is not FileOperation.CREATE:
            raise wrong(f"{argument}.op", f"'create' for {CUSTOMIZATION_PATH}", str(operation), "Talos has no such file to change")
    elif operation is FileOperation.CREATE and not may_be_created(path):
        hint = f"create operation not allowed outside of /var, says Talos while booting; the one other file is {CUSTOMIZATION_PATH}"
        raise wrong(f"{argument}.path", "in /var", path, hint)
    return {**entry, "op": str(operation)}
