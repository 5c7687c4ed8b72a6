"""Volumes of a workload whose files are the keys of a ConfigMap or a Secret."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.fields import named, to_dns_subdomain
from ...arguments.keywords import named_arguments
from .volume import Volume


@named_arguments()
@attrs.frozen(field_transformer=named)
class ConfigMapFiles(Volume):
    """The keys of a ConfigMap as files.

    Args:
        config_map: The ConfigMap's name.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Example:
        >>> ConfigMapFiles("settings").config_map
        'settings'
    """

    config_map: str = attrs.field(converter=to_dns_subdomain)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"configMap": {"name": self.config_map}}


@named_arguments()
@attrs.frozen(field_transformer=named)
class SecretFiles(Volume):
    """The keys of a Secret as files.

    Args:
        secret: The Secret's name.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Example:
        >>> SecretFiles("tls").secret
        'tls'
    """

    secret: str = attrs.field(converter=to_dns_subdomain)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"secret": {"secretName": self.secret}}
