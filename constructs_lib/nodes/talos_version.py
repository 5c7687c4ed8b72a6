"""`TalosVersion`: the Talos of a node, and its generation of NVIDIA support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ..arguments.errors import wrong, wrong_kind
from ..arguments.spelling import did_you_mean
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.generations import Generation, Needs, needs_of
from ..upstream.talos.releases import TalosRelease
from ..upstream.version import Version


@dataclass(frozen=True, slots=True)
class TalosVersion:
    """A version of Talos. The minor is enough for manifests; an installer image needs the patch as well."""

    minor: int
    patch: int | None = None
    pre_release: str = ""

    @classmethod
    def parse(cls, argument: str, value: object) -> Self:
        """Read "1.12", "v1.12" or "v1.12.11". A version before 1.8 is refused: its extensions have other names.

        A minor release that is newer than the tables is accepted. `is_known` is then False, and `GpuNodes` warns.
        """
        supported = list(talos_releases.TALOS)
        rule = f"a Talos version such as '{supported[-2]}', from '{supported[0]}' on, with or without its patch"
        if isinstance(value, cls):
            version: Version | None = value.version
        elif isinstance(value, str):
            version = Version.parse(value)
        else:
            meant = [known for known in supported if float(known) == value]  # 1.10 without quotes is 1.1
            raise wrong_kind(argument, rule, value, f"quote it: '{meant[0]}'" if meant else "")
        if version is None:
            raise wrong(argument, rule, value, did_you_mean(str(value).strip(), supported))
        oldest = Version.parse(supported[0])
        if oldest is not None and version.major == oldest.major and version.minor >= oldest.minor:
            return cls(version.minor, version.patch, version.pre_release)
        if version.major > 1:
            raise wrong(argument, rule, str(value), f"{dated(f'Talos {version.major} is not known')}; upgrade this library")
        hint = "before Talos 1.8 the NVIDIA extensions have no tracks, and nodes have no labels for their extensions; upgrade Talos first"
        raise wrong(argument, rule, str(value), hint)

    @property
    def version(self) -> Version:
        """The version with all of its numbers."""
        return Version(1, self.minor, self.patch, self.pre_release)

    @property
    def needs(self) -> Needs:
        """What NVIDIA GPUs need on this Talos."""
        return needs_of(self.minor)

    @property
    def generation(self) -> Generation:
        """The generation of NVIDIA support that this Talos has."""
        return needs_of(self.minor).generation

    @property
    def is_known(self) -> bool:
        """Whether the minor release is in the tables. A newer one is treated as the newest release in the tables."""
        return self.minor_version in talos_releases.TALOS

    @property
    def follows_preview(self) -> bool:
        """Whether this is a release of a minor of which the tables have only pre-releases, and is newer than those."""
        newest = Version.parse(self.release.newest)
        return self.minor_version == talos_releases.PREVIEW and self.patch is not None and newest is not None and self.version > newest

    @property
    def release(self) -> TalosRelease:
        """The components of this minor release; for a release newer than the tables, those of the newest known one."""
        if self.is_known:
            return talos_releases.TALOS[self.minor_version]
        newest = talos_releases.TALOS[newest_minor()]
        return newest._replace(newest="", kubernetes=(newest.kubernetes[0], 999))  # the last Kubernetes is not known

    @property
    def minor_version(self) -> str:
        """The version without its patch, as "1.12"."""
        return f"1.{self.minor}"

    def __str__(self) -> str:
        return str(self.version)


def is_too_old(written: object) -> bool:
    """Whether a text is the version of a Talos before the oldest one in the tables, as `v1.7.6`."""
    version = Version.parse(written) if isinstance(written, str) else None
    return version is not None and version.major == 1 and version.minor < int(oldest_minor().partition(".")[2])


def oldest_minor() -> str:
    """The oldest minor release of Talos in the tables, as "1.8"."""
    return next(iter(talos_releases.TALOS))


def to_talos_version(value: TalosVersion | str, argument: str = "") -> TalosVersion:
    """A `TalosVersion`, from a string or a `TalosVersion`."""
    return TalosVersion.parse(argument, value)


def newest_minor() -> str:
    """The newest minor release of Talos in the tables, as "1.15"."""
    return list(talos_releases.TALOS)[-1]


def newer_than_tables(what: str) -> str:
    """The sentence about a version that is newer than the tables."""
    return f"{what} is newer than this library's tables, which were read on {talos_releases.READ_ON}"


def dated(words: str) -> str:
    """The words, which are true of the tables, with the date of the tables."""
    return f"{words} (tables of {talos_releases.READ_ON})"
