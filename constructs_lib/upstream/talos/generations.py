"""What NVIDIA GPUs need on each generation of Talos: a row for each generation, and the ranges that follow from the rows.

Manifests, rules, messages and pages read this table. tests/upstream/test_generations.py compares with it what docstrings
and pages say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ..choice import Choice
from ..version import Version
from .features import DRIVER_ROOT, LEGACY_LIBRARIES
from .minors import Minors


class Generation(Choice):
    """The way the libraries of the driver reach a container. The generation decides which manifests a Talos needs.

    The three generations are not compatible: siderolabs/extensions c5480f9 and fdd0258 moved every path between the
    first two.

    Source: the rows of this module (2026-11-28)
    """

    LEGACY = "legacy"
    """Talos ≤ 1.12: libraries under /usr/local/glibc, injected for the RuntimeClass by nvidia-container-runtime."""
    CDI = "cdi"
    """Talos 1.13 and 1.14: libraries at standard paths, CDI specs in /run/cdi; the GPU operator needs no bridge."""
    NRI = "nri"
    """Talos 1.15, a preview: containerd injects the CDI devices of the operator's device plugin, and the operator's toolkit
    injects into the operator's own pods through NRI; pods name no RuntimeClass."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """What NVIDIA GPUs need on one generation of Talos."""

    generation: Generation
    talos: Minors
    libraries: str
    """The folder of the node with the driver's libraries."""
    by_class: tuple[str, ...]
    """The device list strategies that only set a variable. NVIDIA's runtime reads it, so a pod needs the RuntimeClass
    `nvidia`. Empty where containerd has no handler of this name: then no agent gets the driver by the RuntimeClass
    either."""
    by_containerd: tuple[str, ...]
    """The device list strategies that name CDI devices to containerd, so that a pod needs no RuntimeClass."""
    operator: str
    """The first GPU operator that works there; empty where every operator of the tables works."""
    has_bridge: bool = False
    """Whether the GPU operator needs the ValidationBridge, because its own validator can't find the driver."""
    has_cdi_service: bool = False
    """Whether a service of the extension writes CDI specs into /run/cdi."""
    has_dra: bool = False
    """Whether the DRA driver is known to find the driver."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The device list strategies that work, the default of this library's device plugin first."""
        return self.by_class + self.by_containerd


LEGACY = Needs(
    generation=Generation.LEGACY,
    talos=Minors(until=12),
    libraries=LEGACY_LIBRARIES,
    by_class=("envvar",),
    by_containerd=(),
    operator="",
    has_bridge=True,
)
"""Talos with the driver's libraries under /usr/local/glibc. A plugin with a CDI strategy finds no libraries there and ends,
and NVIDIA's runtime refuses devices as volume mounts.

Source: siderolabs/extensions c5480f9 and fdd0258, nvidia-gpu/ at v1.12.0; siderolabs/docs public/talos/v1.12
nvidia-gpu.mdx; NVIDIA/gpu-operator#1687; tests/node/test_device_list_strategies.py (2026-11-28)
"""

CDI = Needs(
    generation=Generation.CDI,
    talos=Minors(13, 14),
    libraries=f"{DRIVER_ROOT}/lib",
    by_class=("envvar",),
    by_containerd=("cdi-annotations", "cdi-cri"),
    # The first operator that reads Talos' OS version "v1.13", and that finds the driver under
    # hostPaths.driverInstallDir (NVIDIA/gpu-operator#2244).
    operator="v26.3.1",
    has_cdi_service=True,
    has_dra=True,
)
"""Talos with the driver's libraries and commands below `DRIVER_ROOT`, with CDI on in containerd, and still with NVIDIA's
runtime.

Source: siderolabs/extensions fdd0258, nvidia-gpu/ at v1.13.0-rc.0; siderolabs/talos hack/cri-plugin.part at v1.13.0,
internal/integration/api/testdata/nvidia-gpu-operator.yaml at v1.13.9; siderolabs/docs public/talos/v1.14 nvidia-gpu.mdx;
tests/node/test_device_list_strategies.py (2026-11-28)
"""

NRI = Needs(
    generation=Generation.NRI,
    talos=Minors(since=15),
    libraries=f"{DRIVER_ROOT}/lib",
    by_class=(),
    by_containerd=("cdi-annotations", "cdi-cri"),
    # The first operator whose NRI mode mounts nothing but the NRI socket, as a read-only root needs
    # (NVIDIA/gpu-operator d91f4aa6).
    operator="v26.7.0",
)
"""Talos whose extensions bring no container toolkit: the GPU operator installs its own. Its NRI plugin gives the
operator's pods every card and the driver's libraries; containerd gives other pods the CDI devices that the device
plugin names to the kubelet.

Source: siderolabs/extensions e9498f6, nvidia-gpu/nvidia-container-toolkit/README.md at 08aa5a04;
docs.siderolabs.com/talos/v1.15 nvidia-gpu-proprietary; siderolabs/talos
internal/integration/api/testdata/nvidia-gpu-operator.yaml at 1a27d0c3; NVIDIA/nvidia-container-toolkit
cmd/nvidia-ctk-installer/container/runtime/nri/plugin.go at v1.20.0, NVIDIA/gpu-operator controllers/object_controls.go
at v26.7.0, and tests/node/test_nri.py (2026-11-28)
"""

GENERATIONS = (LEGACY, CDI, NRI)
"""The rows, the oldest Talos first.

Source: the rows above (2026-11-28)
"""


def _where(test: Callable[[Needs], object]) -> Minors:
    """The Talos releases of the rows that pass a test; such rows follow each other."""
    rows = [row.talos for row in GENERATIONS if test(row)]
    return Minors(rows[0].since, rows[-1].until)


LEGACY_LAYOUT = LEGACY.talos  # The driver's libraries are under /usr/local/glibc
CDI_LAYOUT = _where(lambda row: row.libraries != LEGACY.libraries)  # The driver's libraries are below `DRIVER_ROOT`
CLASS_ONLY = _where(lambda row: not row.by_containerd)  # Only the RuntimeClass `nvidia` gives a pod of a plugin its GPU
CLASS_HANDLER = _where(lambda row: row.by_class)  # containerd has the handler `nvidia`, by which agents get the driver
BY_CONTAINERD = _where(lambda row: row.by_containerd)  # containerd can inject by CDI, without a RuntimeClass
NRI_TOOLKIT = NRI.talos  # The operator's toolkit replaces that of the extension
BRIDGED = _where(lambda row: row.has_bridge)  # The GPU operator needs the ValidationBridge
UNBRIDGED = _where(lambda row: not row.has_bridge)  # The GPU operator's validator finds the driver
CDI_SERVICE = _where(lambda row: row.has_cdi_service)  # The service ext-nvidia-cdi-gen writes CDI specs
"""The Talos releases in which something is so.

Source: the rows above (2026-11-28)
"""

NRI_ENABLED = Minors(since=14)
"""The Talos releases whose containerd has NRI on, so that a plugin of containerd can change containers.

Source: siderolabs/talos 9ae260b55, hack/cri-plugin.part at v1.13.9 and v1.14.0-rc.1 (2026-08-22)
"""

JUST_IN_TIME = Minors(since=12)
"""The Talos releases whose NVIDIA runtime makes a CDI specification for each container just in time. In such a container
NVIDIA_VISIBLE_DEVICES is `void`, as under every CDI specification of NVIDIA's.

Source: siderolabs/extensions nvidia-gpu/vars.yaml at v1.11.6 and v1.12.0; NVIDIA/nvidia-container-toolkit
internal/modifier/mode.go and pkg/nvcdi/wrapper.go at v1.18.2 and v1.19.1 (2026-11-23)
"""

LEGACY_PRE_RELEASES = ("1.13.0-alpha.0", "1.13.0-alpha.1", "1.13.0-alpha.2", "1.13.0-beta.0", "1.13.0-beta.1")
"""The pre-releases of Talos 1.13 with the libraries under /usr/local/glibc. The betas have CDI as well. 1.13.0-rc.0 is
the first without.

Source: siderolabs/extensions nvidia-gpu/ and siderolabs/talos hack/cri-plugin.part at these tags (2026-11-20)
"""


@cache
def needs_of(minor: int) -> Needs:
    """The row of a minor release of Talos."""
    return next(row for row in GENERATIONS if minor in row.talos)


def has_legacy_root(talos: Version) -> bool:
    """Whether this Talos release has the driver's libraries under /usr/local/glibc."""
    return talos.minor in LEGACY_LAYOUT or str(talos) in LEGACY_PRE_RELEASES


def talos_with(strategy: str) -> Minors:
    """The Talos releases on which a device list strategy works."""
    return _where(lambda row: strategy in row.strategies)


def working_strategies(minor: int | None) -> tuple[str, ...]:
    """The device list strategies that work on a minor release of Talos; on any, if the release is not known."""
    rows = GENERATIONS if minor is None else (needs_of(minor),)
    return tuple(dict.fromkeys(strategy for row in rows for strategy in row.strategies))


def strategy_words() -> str:
    """The device list strategies with the Talos releases on which each works."""
    by_talos: dict[Minors, list[str]] = {}
    for strategy in working_strategies(None):
        by_talos.setdefault(talos_with(strategy), []).append(strategy)
    return ", and ".join(f"{' or '.join(strategies)} {talos.when}" for talos, strategies in by_talos.items())
