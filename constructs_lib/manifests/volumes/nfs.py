"""`Nfs`: a volume of an NFS server."""

from __future__ import annotations

import re
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text
from .volume import Volume

# Host names, IPv4 addresses, and IPv6 addresses, also with a zone.
_HOST = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?|(?=.*:)[0-9A-Fa-f:.]+(%[-\w.]+)?"


def _to_server(value: str, argument: str = "") -> str:
    rule = "a host name or an IP address"
    server = text(argument, value, rule)
    if not re.fullmatch(_HOST, server):
        host, slash, path = server.removeprefix("nfs://").partition("/")
        host = host.removesuffix(":")
        is_export = slash and not path.startswith("/") and re.fullmatch(_HOST, host)
        raise wrong(argument, rule, server, f"did you mean Nfs({host!r}, {slash + path!r})?" if is_export else "")
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
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Raises:
        TypeError, ValueError: `'server' must be a host name or an IP address …` and
            `'path' must be an absolute path …`.

    Example:
        >>> Nfs("nas.example.com", "/export/models", read_only=True).server
        'nas.example.com'

    https://kubernetes.io/docs/concepts/storage/volumes/#nfs
    """

    server: str = attrs.field(converter=_to_server)
    path: str = attrs.field(converter=_to_export)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"nfs": {"server": self.server, "path": self.path}}
