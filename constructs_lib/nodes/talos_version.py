"""`TalosVersion`: which Talos a node runs, and which of the three generations of NVIDIA support that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from .._arguments.errors import wrong, wrong_kind
from .._arguments.spelling import did_you_mean
from ..upstream import talos_releases
from ..upstream.choice import Choice
from ..upstream.talos_features import LEGACY_LAYOUT, NRI_TOOLKIT
from ..upstream.talos_releases import TalosRelease
from ..upstream.version import Version


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


@dataclass(frozen=True, slots=True)
class TalosVersion:
    """A version of Talos: the minor is enough for manifests, the patch is what an installer image needs as well."""

    minor: int
    patch: int | None = None
    pre_release: str = ""

    @classmethod
    def parse(cls, argument: str, value: object) -> Self:
        """Read "1.12", "v1.12" or "v1.12.11"; refuse what is too old for NVIDIA's extensions as they are now.

        A minor release newer than the tables is taken: `is_known` is then False, and whoever builds on it warns.
        """
        supported = list(talos_releases.TALOS)
        rule = f"a Talos version such as '{supported[-2]}', from '{supported[0]}' on, with or without its patch"
        if isinstance(value, cls):
            found: Version | None = value.version
        elif isinstance(value, str):
            found = Version.parse(value)
        else:
            raise wrong_kind(argument, rule, value, _quoted(value))
        if found is None:
            raise wrong(argument, rule, value, did_you_mean(str(value).strip(), supported))
        oldest = Version.parse(supported[0])
        if oldest is not None and found.major == oldest.major and found.minor >= oldest.minor:
            return cls(found.minor, found.patch, found.pre_release)
        if found.major > 1:
            raise wrong(
                argument,
                rule,
                str(value),
                f"nothing is known of a Talos {found.major} (tables of {talos_releases.READ_ON}); upgrade this library",
            )
        hint = "before 1.8 the NVIDIA extensions have no tracks and Talos sets no extension labels on its nodes; upgrade Talos first"
        raise wrong(argument, rule, str(value), hint)

    @property
    def version(self) -> Version:
        """All of its numbers."""
        return Version(1, self.minor, self.patch, self.pre_release)

    @property
    def generation(self) -> Generation:
        """The generation of NVIDIA support that this Talos has."""
        if self.minor in LEGACY_LAYOUT:
            return Generation.LEGACY
        return Generation.NRI if self.minor in NRI_TOOLKIT else Generation.CDI

    @property
    def is_known(self) -> bool:
        """Whether its minor release is in the tables; one that came later is taken for the newest of them."""
        return self.minor_version in talos_releases.TALOS

    @property
    def release(self) -> TalosRelease:
        """What this minor release brings; of one that came after the tables, what the newest of them brings."""
        if self.is_known:
            return talos_releases.TALOS[self.minor_version]
        newest = talos_releases.TALOS[newest_minor()]
        return newest._replace(newest="", kubernetes=(newest.kubernetes[0], _UNBOUNDED))

    @property
    def minor_version(self) -> str:
        """Without the patch, as "1.12"."""
        return f"1.{self.minor}"

    def __str__(self) -> str:
        return str(self.version)


def to_talos_version(value: TalosVersion | str, argument: str = "") -> TalosVersion:
    """A version, as text or as it is."""
    return TalosVersion.parse(argument, value)


_UNBOUNDED = 999


def _quoted(value: object) -> str:
    """What a number was probably meant to be: 1.10 without quotes is 1.1."""
    meant = [known for known in talos_releases.TALOS if float(known) == value]
    return f"quote it: '{meant[0]}'" if meant else ""


def newest_minor() -> str:
    """The newest minor release of Talos in the tables, as "1.15"."""
    return list(talos_releases.TALOS)[-1]


def newer_than_tables(what: str) -> str:
    """The sentence about something that came after the tables."""
    return f"{what} is newer than this library's tables, which were read on {talos_releases.READ_ON}"


def dated(words: str) -> str:
    """The words, which are true of the tables, with the date of the tables."""
    return f"{words} (tables of {talos_releases.READ_ON})"
