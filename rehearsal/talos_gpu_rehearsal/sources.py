"""The programs of a rehearsal, and what each is built from: the folders of `programs/`, and the mock card of `nvml/`."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from . import mock_card
from .go_module import GoModule

HERE = Path(__file__).resolve().parent

KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kubelet")
"""The names by which the one program of `programs/kubernetes` is called."""

NVIDIA_LINKS = "-extldflags=-Wl,-z,lazy"
"""How NVIDIA's programs are linked: they look for libnvidia-ml.so.1 when they first need it, and not when they start.

Source: NVIDIA/nvidia-container-toolkit Makefile at v1.19.1 (2026-11-23)
"""


@dataclass(frozen=True)
class Source:
    """One folder of `programs/`: its Go module, and how Go builds it."""

    name: str
    """The folder, and the name of the program if the folder has a main.go."""
    cgo: bool = False
    """Whether the program is linked with the C library, for which gcc is needed."""
    links: str = ""
    """Further words for the linker."""
    release_of: str = ""
    """The module whose version the programs print as their own."""
    release_in: tuple[str, ...] = ()
    """The variables of Go that hold this version: {v} is 1.37.2, and {major} and {minor} its parts."""
    patch: tuple[str, str, str] | None = None
    """A file of the module `release_of` with words that are replaced, as the distribution that builds it does."""
    texts: tuple[str, ...] = field(default=(), repr=False)
    """Files of the module `release_of` that a rehearsal reads: they lie beside the programs, so that a run needs no module."""
    called: tuple[str, ...] = ()
    """The names beside `name` by which the program is called: links to it."""

    @property
    def folder(self) -> Path:
        """The folder with go.mod and go.sum."""
        return HERE / "programs" / self.name

    @cached_property
    def module(self) -> GoModule:
        """What go.mod says."""
        return GoModule(self.folder)

    @property
    def packages(self) -> tuple[str, ...]:
        """What Go builds: other modules' commands, or the main.go of the folder."""
        return ("tool",) if self.module.tools else (".",)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the built programs."""
        return (*(tool.rpartition("/")[2] for tool in self.module.tools), *self.called) or (self.name,)

    def text(self, path: str) -> Path:
        """The place of one of `texts` among the built programs."""
        return self.built / Path(path).name

    @property
    def release(self) -> str:
        """The version of the programs without a v, or nothing if they have none of their own."""
        return self.module.versions[self.release_of].removeprefix("v") if self.release_of else ""

    @property
    def linked(self) -> str:
        """The words for Go's linker: no tables for debuggers, and the version where the program looks for it."""
        major, minor = (*self.release.split("."), "", "")[:2]
        stamps = (f"-X {variable.format(v=self.release, major=major, minor=minor)}" for variable in self.release_in)
        return " ".join(("-s -w", *filter(None, [self.links]), *stamps))

    @property
    def inputs(self) -> list[Path]:
        """The files that the programs are built from, beside the modules that go.sum names."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    @property
    def key(self) -> str:
        """The hash of everything that decides what is built. It changes with each source, pin and flag."""
        parts = [platform.machine(), repr(self), *self.texts]
        parts += [f"{path.relative_to(HERE)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in self.inputs]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]

    @property
    def built(self) -> Path:
        """The folder of the built programs, whether it is there or not yet."""
        return cache() / f"{self.name}-{self.key}"


@dataclass(frozen=True)
class MockCard(Source):
    """The mock of NVIDIA's library and of nvidia-smi: C, compiled with the header nvml.h of a Go module."""

    @property
    def files(self) -> tuple[str, ...]:
        """The libraries under the names that NVIDIA's programs open, and the program."""
        return mock_card.FILES

    @property
    def inputs(self) -> list[Path]:
        """The C sources, and the pins of the header's module."""
        return sorted([*super().inputs, *mock_card.SOURCES.glob("*.c"), *mock_card.SOURCES.glob("*.h"), Path(mock_card.__file__)])


def cache() -> Path:
    """The folder of what was built, of the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "talos-gpu-rehearsal"


def _nvidia(name: str, module: str, stamp: str) -> Source:
    """Programs of NVIDIA, which print the version of their module."""
    return Source(name, cgo=True, links=NVIDIA_LINKS, release_of=module, release_in=(f"{module}/internal/info.version={stamp}",))


def _toolkit(name: str, patch: tuple[str, str, str] | None = None) -> Source:
    """A release of NVIDIA's container toolkit, which prints 1.19.1."""
    return replace(_nvidia(name, "github.com/NVIDIA/nvidia-container-toolkit", "{v}"), patch=patch)


def _device_plugin(minor: str) -> Source:
    """A release of the device plugin with GPU feature discovery and the MPS daemon, which print v0.19.1."""
    return _nvidia(f"device-plugin-{minor}", "github.com/NVIDIA/k8s-device-plugin", "v{v}")


_CNI = "github.com/containernetworking/plugins"
_NFD = "sigs.k8s.io/node-feature-discovery"

_KUBERNETES_VERSION = tuple(
    f"k8s.io/{library}/version.{variable}"
    for library in ("component-base", "client-go/pkg")
    for variable in ("gitVersion=v{v}", "gitMajor={major}", "gitMinor={minor}")
)
"""Where kubernetes has its version: the components' own, and that of their user agents.

Source: kubernetes/kubernetes hack/lib/version.sh at v1.37.2 (2026-11-28)
"""

_NFD_STAMPS = (f"{_NFD}/pkg/version.version=v{{v}}", f"{_NFD}/pkg/utils/hostpath.pathPrefix=/host-")
"""NFD's version, and where its image sees the host: at /host-boot, /host-etc, /host-sys.

Source: kubernetes-sigs/node-feature-discovery Makefile at v0.19.0 (2026-11-23)
"""

NFD_DEFINITIONS = "deployment/base/nfd-crds/nfd-api-crds.yaml"
"""The CustomResourceDefinitions of Node Feature Discovery."""

DRA_PRESTART, DRA_MPS_DAEMON = "hack/kubelet-plugin-prestart.sh", "templates/mps-control-daemon.tmpl.yaml"
"""The script of the DRA driver's init container, and its template of the MPS daemon's Deployment.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/container/Dockerfile at v0.4.1 (2026-11-23)
"""

_CACHE_OF_TALOS = ("internal/ldcache/ldcache.go", '"/etc/ld.so.cache"', '"/usr/local/glibc/etc/ld.so.cache"')
"""Talos' own change of the toolkit up to 1.12: the libraries are those of another cache.

Source: siderolabs/extensions nvidia-gpu/nvidia-container-toolkit/nvidia-container-runtime/patches/ldcache_path.patch at
v1.12.11 (2026-11-23)
"""

_ALL = (
    Source("cni", release_of=_CNI, release_in=(f"{_CNI}/pkg/utils/buildversion.BuildVersion=v{{v}}",)),
    Source(
        "containerd",
        release_of="github.com/containerd/containerd/v2",
        release_in=("github.com/containerd/containerd/v2/version.Version=v{v}",),
    ),
    _device_plugin("0.17"),
    _device_plugin("0.18"),
    _device_plugin("0.19"),
    replace(_nvidia("dra-driver", "sigs.k8s.io/dra-driver-nvidia-gpu", "v{v}"), texts=(DRA_PRESTART, DRA_MPS_DAEMON)),
    Source("etcd"),
    Source("kubernetes", called=KUBERNETES, release_of="k8s.io/kubernetes", release_in=_KUBERNETES_VERSION),
    Source("nfd", release_of=_NFD, release_in=_NFD_STAMPS, texts=(NFD_DEFINITIONS,)),
    MockCard("nvml", cgo=True),
    Source("oci-runtime", called=("runc",)),
    Source("runc", cgo=True),
    Source("stand-in"),
    _toolkit("toolkit"),
    _toolkit("toolkit-1.18", _CACHE_OF_TALOS),
    _toolkit("toolkit-1.20"),
)

SOURCES: Mapping[str, Source] = {source.name: source for source in _ALL}
"""Each program by the name of its folder."""
