"""Facts about the cards that drivers and kernel modules run, each with its grade: who says so.

`card_names.py` and `driver_branches.py` hold the values. The rows here hold the sentences for people. Facts may
contradict each other: then all are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..choice import Choice
from ..talos.minors import EVERY_RELEASE, Releases
from ..version import Version
from .card_names import GB10, OPEN_ONLY, WITHOUT_GSP, Architecture, plain_name
from .driver_branches import KernelModules


class Grade(Choice):
    """Who says that a fact is so.

    Source: the sources of `CARD_FACTS` (2026-11-23)
    """

    DOCUMENTED = "documented"
    """A document or the source code of upstream says so."""
    REPORTED = "reported"
    """Somebody saw it on a machine, and wrote so in public."""
    TESTED = "tested"
    """A test of this library saw it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardFact:
    """A fact about cards. It is about the architectures `kinds` and the cards whose `plain_name` has the pattern
    `names`."""

    claim: str
    grade: Grade
    source: str
    kinds: tuple[Architecture, ...] = ()
    names: str = ""
    modules: KernelModules | None = None
    """The kernel modules that the fact is about; None for both."""
    releases: Releases = EVERY_RELEASE
    values: tuple[str, ...] = ()
    """The constants of the two modules that say the same as a value."""

    @property
    def said(self) -> str:
        """The claim, with its grade and its source."""
        return f"{self.claim} ({self.grade}: {self.source})"

    @property
    def is_about_modules(self) -> bool:
        """Whether the fact is an answer to the question which kernel modules a card needs."""
        return self.modules is not None or "OPEN_ONLY" in self.values

    def is_about(self, product: str, kind: Architecture | None) -> bool:
        """Whether the fact is about a card."""
        return kind in self.kinds or bool(self.names and re.search(self.names, plain_name(product)))


_NVIDIA_README = "NVIDIA/open-gpu-kernel-modules README.md at 595.45.04"
_WITH_GSP = tuple(each for each in Architecture if each not in (*WITHOUT_GSP, *OPEN_ONLY))

CARD_FACTS = (
    CardFact(
        claim="Maxwell, Pascal and Volta run on the proprietary kernel modules only, with a driver of at most 580",
        grade=Grade.DOCUMENTED,
        source=f"{_NVIDIA_README}; siderolabs/talos#9430",
        kinds=WITHOUT_GSP,
        values=("WITHOUT_GSP", "LAST_WITHOUT_GSP"),
    ),
    CardFact(
        claim="The libraries of CUDA 13 have no code for Maxwell, Pascal and Volta",
        grade=Grade.DOCUMENTED,
        source="https://docs.nvidia.com/cuda/archive/13.0.0/cuda-toolkit-release-notes/index.html",
        kinds=WITHOUT_GSP,
        values=("CUDA_WITHOUT_GSP",),
    ),
    CardFact(
        claim="Turing, Ampere, Ada and Hopper run on the open and on the proprietary kernel modules",
        grade=Grade.DOCUMENTED,
        source=_NVIDIA_README,
        kinds=_WITH_GSP,
    ),
    CardFact(
        claim="Blackwell runs on the open kernel modules only, with a driver of at least 570 (GB10, B300 and GB300: 580)",
        grade=Grade.DOCUMENTED,
        source="NVIDIA/open-gpu-kernel-modules README.md at 550.163.01 to 595.45.04",
        kinds=(Architecture.BLACKWELL,),
        values=("OPEN_ONLY", "FIRST_BLACKWELL", "FIRST_LATE_BLACKWELL", "LATE_BLACKWELL"),
    ),
    CardFact(
        claim="A Rubin card was seen with the driver 615, whose extension has open kernel modules only",
        grade=Grade.REPORTED,
        source="NVIDIA/k8s-test-infra#872; siderolabs/extensions discussions/1325",
        kinds=(Architecture.RUBIN,),
        values=("FIRST_RUBIN",),
    ),
    CardFact(
        claim="A GB10 needs the proprietary kernel modules, and does not work with the open ones",
        grade=Grade.DOCUMENTED,
        source="siderolabs/docs public/talos/v1.14 nvidia-gpu.mdx",
        names=GB10,
        modules=KernelModules.PROPRIETARY,
        releases=Releases(("1.13.0", "")),
        values=("GB10",),
    ),
    CardFact(
        claim="Three GB10 run in a cluster with the proprietary kernel modules of the production track",
        grade=Grade.REPORTED,
        source="nicolerenee/infra",
        names=GB10,
        modules=KernelModules.PROPRIETARY,
        releases=Releases(("1.13.8", "1.13.8")),
    ),
    CardFact(
        claim="A GB10 does not start with the proprietary kernel modules 580.173.02 (Xid 169, RmInitAdapter failed), and starts with the open ones of the "
        "same driver, and with the proprietary ones of 580.159.03; seen on another distribution than Talos",
        grade=Grade.REPORTED,
        source="Start9Labs/start-technologies#3693 and #3465",
        names=GB10,
        modules=KernelModules.OPEN,
    ),
    CardFact(
        claim="The kernel is built without CONFIG_ARM_SMMU_V3_SVA: nvidia-smi shows a GB10, and every CUDA program fails with error 3 (initialization error)",
        grade=Grade.REPORTED,
        source="siderolabs/talos#14087; siderolabs/pkgs kernel/build/config-arm64 at v1.4.0 to v1.14.0",
        names=GB10,
        releases=Releases(("", "1.13.9"), ("1.14.0", "1.14.0")),
    ),
    CardFact(
        claim="A GB10 passed a conformance run with an accelerator on Talos 1.14.1; whether a 1.13 newer than 1.13.9 runs CUDA on it is not known",
        grade=Grade.REPORTED,
        source="cncf/k8s-ai-conformance#144",
        names=GB10,
        releases=Releases(("1.14.1", "")),
    ),
)
"""The facts about cards, the general ones first.

Source: the sources of the rows (2026-11-23)
"""

CUDA_FAILS = next(each for each in CARD_FACTS if "ARM_SMMU_V3_SVA" in each.claim)
"""The releases of Talos on which CUDA fails on a GB10.

Source: siderolabs/talos#14087; siderolabs/pkgs kernel/build/config-arm64 at v1.4.0 to v1.14.0 (2026-11-23)
"""


def facts_about(product: str, kind: Architecture | None, talos: Version | None = None) -> list[CardFact]:
    """The facts about a card, on one release of Talos or on all.

    Example:
        >>> [str(each.grade) for each in facts_about("VR200", Architecture.RUBIN)]
        ['reported']
    """
    return [each for each in CARD_FACTS if each.is_about(product, kind) and (talos is None or talos in each.releases)]
