"""The RuntimeClass by which a pod asks for NVIDIA's container runtime."""

from __future__ import annotations

import attrs

from ..arguments.fields import named, to_dns_subdomain
from ..upstream.talos.features import RUNTIME_CLASS
from .objects import MAIN, Manifests, manifest


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class RuntimeClassSettings:
    """The checked arguments of `NvidiaRuntimeClass`, which documents each argument."""

    name: str = attrs.field(default=RUNTIME_CLASS, converter=to_dns_subdomain)


def runtime_class(settings: RuntimeClassSettings) -> Manifests:
    """The RuntimeClass. Its handler is the only handler of NVIDIA's that Talos' toolkit extension registers with
    containerd."""
    return {MAIN: manifest("node.k8s.io/v1", "RuntimeClass", settings.name, handler=RUNTIME_CLASS)}
