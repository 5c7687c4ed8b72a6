"""What is said of the files themselves: keys that stand twice, texts and builds that fail, comments for Renovate, and
objects that two deployers apply."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...yaml.unknown import known_str
from .input_kinds import Read


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatedKey(Read):
    """A key that stands twice in one mapping. `read_by` is the reader of the document: Talos, kustomize, or empty."""

    key: str
    first_line: int
    read_by: str

    @property
    def label(self) -> str:
        """The name of the document in reports."""
        return " ".join(text for path in (("kind",), ("metadata", "name")) if (text := known_str(self.at(*path))))


@dataclass(frozen=True, kw_only=True, eq=False)
class BrokenText(Read):
    """A text that is no YAML, with the reason."""

    reason: str
    names_nvidia: bool

    @property
    def label(self) -> str:
        """The name in reports: the file."""
        return self.file


@dataclass(frozen=True, kw_only=True, eq=False)
class FailedBuild(Read):
    """A kustomization that kustomize refuses. `maker` is the tool that may make what is missing, `by_flux` what Flux does
    instead of a refusal; both may be empty. `held` are the places of what the build would have held."""

    reason: str
    maker: str = ""
    by_flux: str = ""
    held: set[tuple[str, int]] = field(default_factory=set)

    @property
    def label(self) -> str:
        """The name in reports: the file."""
        return self.file


@dataclass(frozen=True, kw_only=True, eq=False)
class WatchedImage(Read):
    """An image of which a comment tells Renovate to propose the newer versions. `is_tag` says whether the version below
    the comment is the tag of this image."""

    image: str
    is_tag: bool = False

    @property
    def label(self) -> str:
        """The name in reports."""
        return f"Renovate's comment about {self.image}"


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedObject(Read):
    """An object of the GPU stack that two deployers apply: Kustomizations or ResourceSets of Flux, or Applications.
    Each deployer is its kind and name.
    """

    deployers: tuple[str, str]

    @property
    def label(self) -> str:
        """The name in reports: `Kind name`."""
        return f"{self.at('kind')} {self.at('metadata', 'name')}"
