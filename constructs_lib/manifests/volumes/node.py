"""Volumes of the node: `HostPath`, and the warning for folders that Talos does not keep."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, text
from ...upstream.choice import Choice
from ...upstream.talos.folders import IMAGE_FOLDERS, KEPT_FOLDERS, MEMORY_FOLDERS, SYSTEM_FOLDERS, USER_VOLUMES
from .volume import Volume


class HostPathType(Choice):
    """The type that a path of the node must have."""

    DIRECTORY = "Directory"
    DIRECTORY_OR_CREATE = "DirectoryOrCreate"
    FILE = "File"
    FILE_OR_CREATE = "FileOrCreate"
    SOCKET = "Socket"
    CHAR_DEVICE = "CharDevice"
    BLOCK_DEVICE = "BlockDevice"


_CREATING = {HostPathType.DIRECTORY_OR_CREATE, HostPathType.FILE_OR_CREATE}


def _to_host_path(value: str, argument: str = "") -> str:
    if not text(argument, value).startswith("/") or ".." in value.split("/"):
        raise wrong(argument, "an absolute path on the node, without '..'", value)
    return value


def _to_host_path_type(value: HostPathType | str, argument: str = "") -> HostPathType:
    return choice(argument, value, HostPathType)


@named_arguments()
@attrs.frozen(field_transformer=named)
class HostPath(Volume):
    """A folder or file of the node. On Talos only /var is writable and kept, and the pod's namespace must be
    privileged.

    Args:
        path: The path on the node.
        type: What the path must be. Default: `Directory`.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Raises:
        TypeError, ValueError: `'path' must be an absolute path on the node …`; likewise for every other argument.

    Warns:
        TalosGpuWarning: For a path that Talos does not have, such as /data; for a folder of Talos' read-only image
            without `read_only`; and for a folder that is lost at the next boot.

    Example:
        >>> HostPath("/var/mnt/models").path
        '/var/mnt/models'
    """

    path: str = attrs.field(converter=_to_host_path)
    type: HostPathType = attrs.field(default=HostPathType.DIRECTORY, converter=_to_host_path_type)

    def __attrs_post_init__(self) -> None:
        if problem := _problem(self.path, self.type, self.read_only):
            warn(f"HostPath({self.path!r}): {problem}")

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"hostPath": {"path": self.path, "type": str(self.type)}}


def _problem(path: str, kind: HostPathType, read_only: bool) -> str:
    """The problem of a path on Talos; empty for a path that works."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    path = "/" + "/".join(parts)
    volume = f"{USER_VOLUMES}/{parts[-1]}" if parts else f"{USER_VOLUMES}/data"
    kept = f"use a path under {KEPT_FOLDERS[0]}, such as the user volume {volume}"
    if _is_in(path, (*KEPT_FOLDERS, *SYSTEM_FOLDERS)):
        return ""
    if _is_in(path, MEMORY_FOLDERS):
        return "" if read_only else f"Talos keeps this folder in memory, so its files are lost at the next boot; {kept}"
    if not parts or _is_in(path, IMAGE_FOLDERS):
        if read_only and kind not in _CREATING:
            return ""
        return f"this folder is in Talos' read-only image, so a write fails with 'read-only file system'; set read_only=True, or {kept}"
    return f"Talos does not have this path and can't make it, because its root is read-only, so the pod stays in ContainerCreating; {kept}"


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
