"""The limits of what one reading generates.

Files that are small may name each other, so that the product of their sizes is read, merged or written: a base under many kustomizations, a
patch for many objects, a variable in the value of another. Each limit is for all files of a reading together.
"""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """The most units of one kind."""

    unit: str
    most: int


ALIASES = Limit("values in aliases", 2_000_000)
READ_AGAIN = Limit("characters of manifests in kustomizations and deployers", 200_000_000)
"""A manifest counts once for each kustomization and each deployer that includes it."""
CHANGED = Limit("characters of objects in changes by kustomizations", 2_000_000_000)
"""The characters of an object count once for each patch, image or label that the kustomization has for its objects."""
SEARCHED = Limit("files in the folders of deployers", 500_000)
DEPENDENCIES = Limit("dependencies of Helm charts in the repository", 5_000)
"""A dependency counts once for each release of its chart: two charts may each depend on the next one twice."""
WRITTEN = Limit("characters from variables, templates and generators", 20_000_000)
SHOWN_AGAIN = Limit("characters of values that several Helm commands of a page share", 500_000)
"""Values count once for each command after the first one. Each command is a release, whose values are all checked."""
MERGED = Limit("values in merged patches of Talos", 20_000_000)
