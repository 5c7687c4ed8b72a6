"""Volumes of a workload: small values, used as `volumes={"/mount/path": value}`. This module has their base class, and
the claim that a workload makes."""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ...arguments.docstrings import documented
from ...arguments.errors import wrong
from ...arguments.fields import named, to_flag
from ...arguments.keywords import named_arguments
from ...arguments.names import dns_label, dns_subdomain
from ...arguments.plain_values import choice, text
from ...arguments.quantities import byte_quantity
from ...upstream.choice import Choice

if TYPE_CHECKING:
    from ...nodes.gpu_nodes import GpuNodes


class AccessMode(Choice):
    """The access modes of a PersistentVolumeClaim."""

    READ_WRITE_ONCE = "ReadWriteOnce"
    READ_WRITE_ONCE_POD = "ReadWriteOncePod"
    READ_WRITE_MANY = "ReadWriteMany"
    READ_ONLY_MANY = "ReadOnlyMany"


def _to_sub_path(value: str | None, argument: str = "") -> str | None:
    if value is not None and (text(argument, value).startswith("/") or ".." in value.split("/")):
        raise wrong(argument, "a path inside the volume, without a leading '/' and without '..'", value)
    return value


def _to_size(value: str, argument: str = "") -> str:
    return byte_quantity(argument, value, "100Gi")


def _to_name(value: str | None, argument: str = "") -> str | None:
    return None if value is None else dns_label(argument, value)


def _to_storage_class(value: str | None, argument: str = "") -> str | None:
    return value if value in (None, "") else dns_subdomain(argument, value)


def _to_access_mode(value: AccessMode | str, argument: str = "") -> AccessMode:
    return choice(argument, value, AccessMode)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class Volume(ABC):
    """The base class of the volumes.

    Args:
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.
    """

    # Whether each mount makes its own volume. Otherwise the volume exists before the pod, and several mounts of it are
    # one volume.
    is_made: ClassVar[bool] = False
    kubernetes: ClassVar[tuple[str, Mapping[str, str]]]
    """The key of the volume in a pod, and the argument of each of its fields."""

    name: str | None = attrs.field(default=None, converter=_to_name)
    sub_path: str | None = attrs.field(default=None, converter=_to_sub_path)
    read_only: bool = attrs.field(default=False, converter=to_flag)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = documented(cls.__doc__, (*inspect.get_annotations(cls), *inspect.get_annotations(Volume)), Volume.__doc__)

    @property
    def mount(self) -> dict[str, Any]:
        """The fields of the volume mount beside its name and path."""
        return {**({"subPath": self.sub_path} if self.sub_path else {}), **({"readOnly": True} if self.read_only else {})}

    @property
    def claim(self) -> dict[str, Any] | None:
        """The spec of the PersistentVolumeClaim that the workload makes; None where it makes none."""
        return None

    @property
    def shared_name(self) -> str | None:
        """The given name, under which several mounts are parts of one volume; None where no name was given."""
        return self.name

    @property
    def single_node_mode(self) -> str | None:
        """The access mode, where it lets only one node at a time mount the volume; otherwise None."""
        return None

    @property
    def size_in_memory(self) -> str | None:
        """The size limit of a volume in memory; None for every other volume."""
        return None

    def check(self, argument: str, nodes: GpuNodes) -> None:  # noqa: B027  # most volumes mount on all nodes
        """Refuse nodes that can't mount the volume."""

    def source(self, claim: str) -> dict[str, Any]:  # only `Persistent` makes a claim
        """The volume without its name; `claim` is the name of the claim that the workload makes."""
        kind, fields = self.kubernetes
        return {kind: {field: getattr(self, name) for field, name in fields.items()}}


@named_arguments()
@attrs.frozen(field_transformer=named)
class Persistent(Volume):
    """A PersistentVolumeClaim that the workload makes and keeps, for models, caches and other data that must outlive
    the pod.

    Args:
        size: The requested size, such as "100Gi".
        storage_class: The StorageClass. An empty string asks for a volume without a class, which is made by hand.
            Default: the cluster's default class.
        access_mode: The access mode. Default: `ReadWriteOnce`, which one node at a time can mount.

    Raises:
        TypeError, ValueError: `'size' must be a Kubernetes quantity …`; likewise for every other argument.

    Example:
        >>> Persistent("100Gi").access_mode
        'ReadWriteOnce'

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/
    """

    is_made: ClassVar[bool] = True

    size: str = attrs.field(converter=_to_size)
    storage_class: str | None = attrs.field(default=None, converter=_to_storage_class)
    access_mode: AccessMode = attrs.field(default=AccessMode.READ_WRITE_ONCE, converter=_to_access_mode)

    @property
    def single_node_mode(self) -> str | None:
        """The access mode, where it lets only one node at a time mount the volume; otherwise None."""
        return str(self.access_mode) if self.access_mode in (AccessMode.READ_WRITE_ONCE, AccessMode.READ_WRITE_ONCE_POD) else None

    @property
    def claim(self) -> dict[str, Any]:
        """The spec of the PersistentVolumeClaim."""
        spec: dict[str, Any] = {"accessModes": [str(self.access_mode)], "resources": {"requests": {"storage": self.size}}}
        return {**spec, "storageClassName": self.storage_class} if self.storage_class is not None else spec

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"persistentVolumeClaim": {"claimName": claim}}
