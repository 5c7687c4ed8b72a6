"""Which Talos a node runs, and which of the three generations of NVIDIA support that is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from .._arguments.refusals import Choice, did_you_mean, wrong, wrong_kind
from ..upstream import versions


class Generation(Choice):
    """How the driver's libraries reach a container: what decides which manifests a Talos needs.

    The three are not compatible: siderolabs/extensions c5480f9 and fdd0258 moved every path between the first two.
    """

    LEGACY = "legacy"
    """Talos ≤ 1.12: libraries under /usr/local/glibc, injected by nvidia-container-runtime, which only the RuntimeClass calls."""
    CDI = "cdi"
    """Talos 1.13 and 1.14: libraries at standard paths, CDI specs in /run/cdi; the GPU operator works without a bridge."""
    NRI = "nri"
    """Talos 1.15, a preview: the operator's toolkit injects through containerd's NRI; pods name no RuntimeClass."""


_WRITTEN = r"v?(\d+)\.(\d+)(?:\.(\d+)(-[0-9A-Za-z.-]+)?)?"
_LAST_LEGACY, _LAST_CDI = 12, 14


@dataclass(frozen=True, slots=True)
class TalosVersion:
    """A version of Talos: the minor is enough for manifests, the patch is what an installer image needs as well."""

    minor: int
    patch: int | None = None
    pre_release: str = ""

    @classmethod
    def parse(cls, argument: str, value: object) -> Self:
        """Read "1.12", "v1.12" or "v1.12.11"; refuse what this library has no tested manifests for."""
        supported = list(versions.TALOS)
        rule = f"a Talos version from '{supported[0]}' to '{supported[-1]}', with or without its patch"
        if isinstance(value, cls):
            if value.minor_version not in supported:
                raise wrong(argument, rule, str(value), _why_not(1, value.minor))
            return value
        if not isinstance(value, str):
            raise wrong_kind(argument, rule, value, _quoted(value, supported))
        found = re.fullmatch(_WRITTEN, value.strip())
        if not found:
            raise wrong(argument, rule, value, did_you_mean(value.strip(), supported))
        major, minor, patch, pre_release = found.groups()
        if f"{major}.{minor}" not in supported:
            raise wrong(argument, rule, value, _why_not(int(major), int(minor)))
        return cls(int(minor), int(patch) if patch else None, pre_release or "")

    @property
    def generation(self) -> Generation:
        """The generation of NVIDIA support that this Talos has."""
        if self.minor <= _LAST_LEGACY:
            return Generation.LEGACY
        return Generation.CDI if self.minor <= _LAST_CDI else Generation.NRI

    @property
    def release(self) -> versions.TalosRelease:
        """What this minor release brings."""
        return versions.TALOS[self.minor_version]

    @property
    def minor_version(self) -> str:
        """Without the patch, as "1.12"."""
        return f"1.{self.minor}"

    def __str__(self) -> str:
        return self.minor_version + (f".{self.patch}{self.pre_release}" if self.patch is not None else "")


def _quoted(value: object, supported: list[str]) -> str:
    """What a number was probably meant to be: 1.10 without quotes is 1.1."""
    meant = [known for known in supported if float(known) == value]
    return f"quote it: '{meant[0]}'" if meant else ""


def _why_not(major: int, minor: int) -> str:
    if (major, minor) < (1, 8):
        return "before 1.8 the NVIDIA extensions have no tracks and Talos sets no extension labels on its nodes; upgrade Talos first"
    return "nothing is known yet of how this Talos runs NVIDIA GPUs; upgrade this library first"
