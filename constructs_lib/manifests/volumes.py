"""What a workload mounts: each a small value, used as `volumes={"/mount/path": value}`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_label, dns_subdomain
from .._arguments.plain_values import choice, flag, text
from .._arguments.quantities import byte_quantity
from ..upstream.choice import Choice


class AccessMode(Choice):
    """Who may mount a claim at once."""

    READ_WRITE_ONCE = "ReadWriteOnce"
    READ_WRITE_ONCE_POD = "ReadWriteOncePod"
    READ_WRITE_MANY = "ReadWriteMany"
    READ_ONLY_MANY = "ReadOnlyMany"


class HostPathType(Choice):
    """What has to be at a path of the node."""

    DIRECTORY = "Directory"
    DIRECTORY_OR_CREATE = "DirectoryOrCreate"
    FILE = "File"
    FILE_OR_CREATE = "FileOrCreate"
    SOCKET = "Socket"
    CHAR_DEVICE = "CharDevice"
    BLOCK_DEVICE = "BlockDevice"


@dataclass(frozen=True, kw_only=True, slots=True)
class Volume(ABC):
    """What a workload mounts: one of the classes below. Each also takes which part of it is mounted, and whether the pod may write to it."""

    # Whether it is made for its mount, so that two of them are two; else it is there before the pod, and two mounts of it are one volume.
    is_made: ClassVar[bool] = False

    sub_path: str | None = None
    read_only: bool = False

    def __post_init__(self) -> None:
        if self.sub_path is not None:
            path = text("sub_path", self.sub_path)
            if path.startswith("/") or ".." in path.split("/"):
                raise wrong("sub_path", "a path inside the volume, without a leading '/' and without '..'", path)
        flag("read_only", self.read_only)

    @property
    def mount(self) -> dict[str, Any]:
        """The fields of the mount beside its name and path."""
        return {**({"subPath": self.sub_path} if self.sub_path else {}), **({"readOnly": True} if self.read_only else {})}

    @property
    def claim(self) -> dict[str, Any] | None:
        """The spec of the claim that the workload makes for it; None when it makes none."""
        return None

    @property
    def shared_name(self) -> str | None:
        """The name under which several mounts are parts of one volume."""
        return None

    @property
    def single_node_mode(self) -> str | None:
        """The access mode by which one node at a time can mount it; None where several can."""
        return None

    @abstractmethod
    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name; `claim` is the claim that was made for it."""


@named_arguments()
@dataclass(frozen=True, slots=True)
class Persistent(Volume):
    """A claim that the workload makes and keeps: models, caches, whatever has to outlive the pod.

    Args:
        size: How much to ask for, such as "100Gi".
        name: The volume's name, where several mounts are parts of one claim. Default: from the mount path.
        storage_class: Default: the cluster's default class. An empty string wants a volume without a class, made by hand.
        access_mode: Default: `ReadWriteOnce`, which one node at a time can mount.
        sub_path: The part of it that is mounted. Default: all of it.
        read_only: Default: False.

    Raises:
        TypeError, ValueError: `'size' must be a Kubernetes quantity …` and so on.

    Example:
        >>> Persistent("100Gi").access_mode
        'ReadWriteOnce'

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/
    """

    is_made: ClassVar[bool] = True

    size: str
    name: str | None = None
    storage_class: str | None = None
    access_mode: AccessMode | str = AccessMode.READ_WRITE_ONCE

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        byte_quantity("size", self.size, "100Gi")
        if self.name is not None:
            dns_label("name", self.name)
        if self.storage_class not in (None, ""):
            dns_subdomain("storage_class", self.storage_class)
        object.__setattr__(self, "access_mode", choice("access_mode", self.access_mode, AccessMode))

    @property
    def shared_name(self) -> str | None:
        """Its name, where it was given one."""
        return self.name

    @property
    def single_node_mode(self) -> str | None:
        """Its access mode, where that lets one node at a time mount it."""
        return str(self.access_mode) if self.access_mode in (AccessMode.READ_WRITE_ONCE, AccessMode.READ_WRITE_ONCE_POD) else None

    @property
    def claim(self) -> dict[str, Any]:
        """The claim's spec."""
        spec: dict[str, Any] = {"accessModes": [str(self.access_mode)], "resources": {"requests": {"storage": self.size}}}
        return {**spec, "storageClassName": self.storage_class} if self.storage_class is not None else spec

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"persistentVolumeClaim": {"claimName": claim}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class ExistingClaim(Volume):
    """A PersistentVolumeClaim that is there already.

    Example:
        >>> ExistingClaim("models", read_only=True).claim_name
        'models'
    """

    claim_name: str

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        dns_subdomain("claim_name", self.claim_name)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"persistentVolumeClaim": {"claimName": self.claim_name}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class HostPath(Volume):
    """A folder or file of the node. On Talos only /var is writable, and the pod's namespace has to be privileged.

    Args:
        path: The path on the node.
        type: What has to be there. Default: `Directory`.

    Example:
        >>> HostPath("/var/mnt/models").path
        '/var/mnt/models'
    """

    path: str
    type: HostPathType | str = HostPathType.DIRECTORY

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        if not text("path", self.path).startswith("/") or ".." in self.path.split("/"):
            raise wrong("path", "an absolute path on the node, without '..'", self.path)
        object.__setattr__(self, "type", choice("type", self.type, HostPathType))

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"hostPath": {"path": self.path, "type": str(self.type)}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class ConfigMapFiles(Volume):
    """The keys of a ConfigMap as files.

    Example:
        >>> ConfigMapFiles("settings").config_map
        'settings'
    """

    config_map: str

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        dns_subdomain("config_map", self.config_map)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"configMap": {"name": self.config_map}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class SecretFiles(Volume):
    """The keys of a Secret as files.

    Example:
        >>> SecretFiles("tls").secret
        'tls'
    """

    secret: str

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        dns_subdomain("secret", self.secret)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"secret": {"secretName": self.secret}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class Memory(Volume):
    """A folder in the node's memory, which counts as the pod's own; for /dev/shm use `shared_memory` of the workload.

    Example:
        >>> Memory("2Gi").size
        '2Gi'
    """

    is_made: ClassVar[bool] = True

    size: str

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        byte_quantity("size", self.size, "2Gi")

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"emptyDir": {"medium": "Memory", "sizeLimit": self.size}}


@named_arguments()
@dataclass(frozen=True, slots=True)
class Empty(Volume):
    """A folder on the node's disk that is empty at the start and gone with the pod.

    Args:
        size: The most that it may hold; a pod that writes more is evicted. Default: no limit.

    Example:
        >>> Empty().size is None
        True
    """

    is_made: ClassVar[bool] = True

    size: str | None = None

    def __post_init__(self) -> None:
        Volume.__post_init__(self)
        if self.size is not None:
            byte_quantity("size", self.size, "10Gi")

    def source(self, claim: str) -> dict[str, Any]:
        """The volume beside its name."""
        return {"emptyDir": {"sizeLimit": self.size} if self.size else {}}
