"""The RuntimeClass by which a pod asks Talos for NVIDIA's container runtime."""

from __future__ import annotations

from dataclasses import dataclass

from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain
from ..upstream.talos_features import RUNTIME_CLASS
from .objects import MAIN, Manifests, manifest


@named_arguments()
@dataclass(kw_only=True, eq=False, repr=False)
class RuntimeClassSettings:
    """The checked arguments of a RuntimeClass."""

    name: str = RUNTIME_CLASS

    def __post_init__(self) -> None:
        dns_subdomain("name", self.name)


def runtime_class(settings: RuntimeClassSettings) -> Manifests:
    """The RuntimeClass; its handler is the one that Talos' toolkit extension registers with containerd, and the only one of NVIDIA's."""
    return {MAIN: manifest("node.k8s.io/v1", "RuntimeClass", settings.name, handler=RUNTIME_CLASS)}
