"""The volume of a PersistentVolumeClaim that exists already."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.fields import named, to_dns_subdomain
from ...arguments.keywords import named_arguments
from .volume import Volume


@named_arguments()
@attrs.frozen(field_transformer=named)
class ExistingClaim(Volume):
    """A PersistentVolumeClaim that exists already.

    Args:
        claim_name: The claim's name.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The part of the volume that is mounted. Default: the whole volume.
        read_only: Whether the mount is read-only. Default: False.

    Example:
        >>> ExistingClaim("models", read_only=True).claim_name
        'models'
    """

    claim_name: str = attrs.field(converter=to_dns_subdomain)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"persistentVolumeClaim": {"claimName": self.claim_name}}
