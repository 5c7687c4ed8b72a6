"""The parts of an image's name that may be left out, as containerd reads the name, and Talos' configuration of registry
mirrors."""

from __future__ import annotations

from typing import NamedTuple

from ..talos.minors import Minors

# The registry of a name without one: without a first part that has a dot or a port, or is `localhost`.
DOCKER_HUB = "docker.io"
DOCKER_HUB_BEFORE = "index.docker.io"  # The earlier name of `DOCKER_HUB`, which is read as the present one
# The folder of a name on Docker Hub that has no other: `busybox` is docker.io/library/busybox.
OFFICIAL_IMAGES = "library"
DEFAULT_TAG = "latest"  # The tag of a name without a tag and without a digest. With both, the digest alone counts.
"""The parts of an image's name that may be left out.

Source: distribution/reference normalize.go at 0965666, splitDockerDomain and ParseDockerRef (2026-11-22)
"""


class Reference(NamedTuple):
    """The parts of an image's reference as they are written. A part that is missing is empty, and any text has
    parts."""

    registry: str
    path: str
    """The folders and the name."""
    tag: str
    digest: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def repository(self) -> str:
        """The registry and the path."""
        return f"{self.registry}/{self.path}" if self.registry else self.path

    @property
    def on_hub(self) -> str:
        """The repository, without the names of Docker Hub."""
        return self.path if self.registry in (DOCKER_HUB, DOCKER_HUB_BEFORE) else self.repository

    @property
    def suffix(self) -> str:
        """The tag and the digest, each with its mark."""
        return f"{self.tag and ':'}{self.tag}{self.digest and '@'}{self.digest}"


def split_reference(written: str) -> Reference:
    """The parts of a reference: the only place where the text of an image is cut."""
    named, _, digest = written.partition("@")
    folder, slash, last = named.rpartition("/")
    name, _, tag = last.partition(":")
    first, has_more, rest = f"{folder}{slash}{name}".partition("/")
    if has_more and is_registry(first):
        return Reference(first, rest, tag, digest)
    return Reference("", f"{folder}{slash}{name}", tag, digest)


def is_registry(first: str) -> bool:
    """Whether the first part of a name is a registry, and no folder of Docker Hub."""
    return "." in first or ":" in first or first == "localhost" or first != first.lower()


MIRROR_KIND = "RegistryMirrorConfig"
"""The document by which a node pulls the images of one registry from another one.

Source: siderolabs/talos pkg/machinery/config/types/cri/registry_mirror.go at v1.14.0-rc.1 (2026-11-22)
"""

MIRROR_DOCUMENTS = Minors(since=12)
"""The Talos releases with `MIRROR_KIND`. An older Talos has `machine.registries.mirrors`, with the same fields of a
mirror.

Source: siderolabs/talos pkg/machinery/config/types/cri at v1.12.11;
pkg/machinery/config/types/v1alpha1/v1alpha1_types.go at v1.9.0 and v1.11.6 (2026-11-22)
"""

CATCH_ALL = "*"
"""The name of the mirror for every registry that has no mirror of its own: a registry with its own mirror never asks
this one. Lists of endpoints of two patches are joined.

Source: siderolabs/talos internal/pkg/containers/image/resolver.go, RegistryEndpoints, and
internal/pkg/containers/cri/containerd/hosts.go, hostDirectory, at v1.13.0 and ad88231; containerd
core/remotes/docker/config/hosts.go, hostDirFromRoots (2026-11-23)
"""
