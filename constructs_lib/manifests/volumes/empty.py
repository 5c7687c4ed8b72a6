"""Volumes of a workload that are empty at the start of a pod, and deleted with the pod."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.quantities import byte_quantity
from .volume import Volume


def _to_memory_size(value: str, argument: str = "") -> str:
    return byte_quantity(argument, value, "2Gi")


def _to_limit(value: str | None, argument: str = "") -> str | None:
    return None if value is None else byte_quantity(argument, value, "10Gi")


@named_arguments()
@attrs.frozen(field_transformer=named)
class Memory(Volume):
    """A folder in memory (tmpfs), which counts towards the pod's memory. For /dev/shm use `shared_memory` of the
    workload.

    Args:
        size: The size limit, such as "2Gi".
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Example:
        >>> Memory("2Gi").size
        '2Gi'
    """

    is_made: ClassVar[bool] = True

    size: str = attrs.field(converter=_to_memory_size)

    @property
    def size_in_memory(self) -> str:
        """The size limit."""
        return self.size

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"emptyDir": {"medium": "Memory", "sizeLimit": self.size}}


@named_arguments()
@attrs.frozen(field_transformer=named)
class Empty(Volume):
    """A folder on the node's disk that is empty at the start and deleted with the pod.

    Args:
        size: The size limit, such as "10Gi"; a pod that writes more is evicted. Default: no limit.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Example:
        >>> Empty().size is None
        True
    """

    is_made: ClassVar[bool] = True

    size: str | None = attrs.field(default=None, converter=_to_limit)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"emptyDir": {"sizeLimit": self.size} if self.size else {}}
