"""The budget of one reading: the steps that all of its files together may cause.

Files that are small may name each other, so that the product of their sizes is read, merged or written: a base under
many kustomizations, a patch for many objects, a variable in the value of another. A step is a character of an object
that a kustomization changes.
"""

from __future__ import annotations

MOST = 2_000_000_000
ALIASED = 1000
"""The steps of a value that an alias repeats."""
READ_AGAIN = 10
"""The steps of a character of a manifest, in each kustomization and each deployer that includes the manifest."""
WRITTEN = 100
"""The steps of a character from a variable, a template or a generator, and of a value in a merged patch of Talos."""
SEARCHED = 4000
"""The steps of a file in the folder of a deployer or an ApplicationSet."""
GENERATED = 100_000
"""The steps of a generated Application, and of a dependency of a Helm chart, in each release of the chart."""
