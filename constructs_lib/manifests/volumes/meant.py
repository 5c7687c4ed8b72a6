"""The volume that a user meant by a value of another type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...arguments.meant import of_object
from .sources import ConfigMapFiles, ExistingClaim, HostPath, Memory, Nfs, OciImage, SecretFiles
from .volume import Volume

# The kinds of cdk8s and cdk8s-plus, by the names of their classes.
_OBJECTS = {"PersistentVolumeClaim": ExistingClaim, "ConfigMap": ConfigMapFiles, "Secret": SecretFiles}
_SOURCES: Iterable[type[Volume]] = (ConfigMapFiles, ExistingClaim, Nfs, OciImage, SecretFiles)


def volume_meant(value: object) -> str:
    """The volume of a size, of a path on the node, of Kubernetes' fields, or of an object of cdk8s-plus."""
    if isinstance(value, str):
        return (
            f"did you mean {HostPath.__name__ if value.startswith('/') else 'Persistent'}({value!r})?" if value[:1] in "/0123456789" else ""
        )
    if isinstance(value, Mapping):
        return _of_fields(value)
    kind = _OBJECTS.get(type(value).__name__)
    name = of_object(value).rpartition(" ")[2]
    return f"did you mean {kind.__name__}({name})?" if kind and name else ""


def _of_fields(fields: Mapping[object, object]) -> str:
    if "emptyDir" in fields:
        return f"did you mean Empty(), or {Memory.__name__}('2Gi')?"
    if "hostPath" in fields:
        return f"did you mean {HostPath.__name__}('/var/…')?"
    for kind in _SOURCES:
        source, arguments = kind.kubernetes
        if source in fields or fields.keys() & {*arguments} - {"name", "path"}:
            return f"did you mean {kind.__name__}({', '.join(f'{name}=…' for name in arguments.values())})?"
    return ""
