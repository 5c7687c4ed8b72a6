"""The part `PrivilegedNamespace`."""

from __future__ import annotations

from ..arguments.names import namespace_name
from ..manifests.namespace_object import NamespaceSettings, privileged_namespace
from .part import Part

PRIVILEGED_NAMESPACE = Part(
    "PrivilegedNamespace",
    NamespaceSettings,
    lambda _, settings: privileged_namespace(settings),
    defaults={"name": lambda _, place: namespace_name("id", place)},
)
