"""The differences between a cluster and its file, as reports print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NOT_READ = "not read"
_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a node or an object that the cluster has in another way than the file."""

    place: str
    described: str
    observed: str

    def __str__(self) -> str:
        return f"{self.place}: described {self.described}, observed {self.observed}"

    @property
    def is_unknown(self) -> bool:
        """Whether the cluster's side was not read, so that both may be equal."""
        return self.observed == NOT_READ


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences from a cluster file. Without a file there are none."""

    file: str = ""
    found: Sequence[Difference] = ()

    @property
    def title(self) -> str:
        """The title of the section of a report."""
        return f"compared with {self.file}"

    @property
    def lines(self) -> list[str]:
        """The sentences of a report: each difference, or that there is none, and the number of places that were not
        read."""
        if not self.file:
            return []
        differing = [str(each) for each in self.found if not each.is_unknown]
        unknown, more = len(self.found) - len(differing), len(differing) - _SHOWN
        return [
            *(differing[:_SHOWN] or ["no difference in what was read"]),
            *([f"{more} more with --format json"] if more > 0 else []),
            *([f"not read: {unknown} of the described nodes, objects and fields; talos-gpu verify reads them"] if unknown else []),
        ]
