"""The sources of a workload's volumes beside claims of its own: folders of the node, empty folders, claims that exist,
files of ConfigMaps and Secrets, NFS, images."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named, to_dns_subdomain, to_image
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, text
from ...arguments.quantities import byte_quantity
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.choice import Choice
from ...upstream.kubernetes.api import IMAGE_VOLUMES_SINCE
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

    Example:
        >>> Empty().size is None
        True
    """

    is_made: ClassVar[bool] = True

    size: str | None = attrs.field(default=None, converter=_to_limit)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"emptyDir": {"sizeLimit": self.size} if self.size else {}}


@named_arguments()
@attrs.frozen(field_transformer=named)
class ExistingClaim(Volume):
    """A PersistentVolumeClaim that exists already.

    Args:
        claim_name: The claim's name.

    Example:
        >>> ExistingClaim("models", read_only=True).claim_name
        'models'
    """

    kubernetes = ("persistentVolumeClaim", {"claimName": "claim_name"})

    claim_name: str = attrs.field(converter=to_dns_subdomain)


@named_arguments()
@attrs.frozen(field_transformer=named)
class ConfigMapFiles(Volume):
    """The keys of a ConfigMap as files.

    Args:
        config_map: The ConfigMap's name.

    Example:
        >>> ConfigMapFiles("settings").config_map
        'settings'
    """

    kubernetes = ("configMap", {"name": "config_map"})

    config_map: str = attrs.field(converter=to_dns_subdomain)


@named_arguments()
@attrs.frozen(field_transformer=named)
class SecretFiles(Volume):
    """The keys of a Secret as files.

    Args:
        secret: The Secret's name.

    Example:
        >>> SecretFiles("tls").secret
        'tls'
    """

    kubernetes = ("secret", {"secretName": "secret"})

    secret: str = attrs.field(converter=to_dns_subdomain)


# Host names, IPv4 addresses, and IPv6 addresses, also with a zone.
_HOST = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?|(?=.*:)[0-9A-Fa-f:.]+(%[-\w.]+)?"


def _to_server(value: str, argument: str = "") -> str:
    rule = "a host name or an IP address"
    server = text(argument, value, rule)
    if not re.fullmatch(_HOST, server):
        host, slash, path = server.removeprefix("nfs://").partition("/")
        host = host.removesuffix(":")
        is_export = slash and not path.startswith("/") and re.fullmatch(_HOST, host)
        hint = f"did you mean Nfs({host!r}, {slash + path!r})?" if is_export else ""
        if server.startswith("/"):
            hint = f"the server comes before its folder: Nfs('nas.example.com', {server!r})"
        raise wrong(argument, rule, server, hint)
    return server


def _to_export(value: str, argument: str = "") -> str:
    if not text(argument, value).startswith("/") or ".." in value.split("/"):
        raise wrong(argument, "an absolute path on the server, without '..'", value)
    return value


@named_arguments()
@attrs.frozen(field_transformer=named)
class Nfs(Volume):
    """A folder of an NFS server, which the node mounts. For mount options, such as `nfsvers`, use an `ExistingClaim`.

    Args:
        server: The server's host name or IP address.
        path: The exported folder.

    Raises:
        TypeError, ValueError: `'server' must be a host name or an IP address …` and
            `'path' must be an absolute path …`.

    Example:
        >>> Nfs("nas.example.com", "/export/models", read_only=True).server
        'nas.example.com'

    https://kubernetes.io/docs/concepts/storage/volumes/#nfs
    """

    kubernetes = ("nfs", {"server": "server", "path": "path"})

    server: str = attrs.field(converter=_to_server)
    path: str = attrs.field(converter=_to_export)


@named_arguments()
@attrs.frozen(field_transformer=named)
class OciImage(Volume):
    """The files of an image, or of another artifact of an OCI registry, such as a model. The kubelet pulls the image,
    and the volume is read-only.

    Needs Kubernetes 1.35 or newer, which Talos runs from 1.12 on.

    Args:
        image: The image, with a tag or a digest.
        sub_path: The folder of the image that is mounted. Default: the whole image.
        read_only: Whether the mount says that it is read-only; no container can write to the volume in any case.
            Default: False.

    Raises:
        TypeError, ValueError: `'image' must be …`; from `GpuWorkload` `'volumes[…]' must be …` for nodes whose Talos
            runs no such Kubernetes.

    Example:
        >>> OciImage("registry.example.com/models/qwen3-8b:1", sub_path="models").image
        'registry.example.com/models/qwen3-8b:1'

    https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/
    """

    kubernetes = ("image", {"reference": "image"})

    image: str = attrs.field(converter=to_image)

    def check(self, argument: str, nodes: GpuNodes) -> None:
        """Refuse nodes whose Talos runs no Kubernetes with image volumes."""
        newest = nodes.talos_version.release.kubernetes[1]
        if newest < IMAGE_VOLUMES_SINCE:
            hint = f"the kubelet mounts images from Kubernetes 1.{IMAGE_VOLUMES_SINCE} on, and the newest of Talos {nodes.talos_version} is 1.{newest}"
            raise wrong(argument, "another volume than an OciImage on these nodes", self, hint)
