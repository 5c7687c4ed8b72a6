"""A row of a table of kubectl, which has a state of its object and no more."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import Evidence

OTHER = "object"


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """A row about a Pod, a Node, a DaemonSet or a Deployment, or about an object of another kind, `OTHER`. A field is empty where the table has no such column."""

    kind: str
    name: str
    namespace: str
    status: str
    """The column STATUS."""
    ready: int | None
    wanted: int | None
    """The numbers of containers or pods that are ready, and that should be."""
    restarts: str
    """The column RESTARTS: `12 (3m1s ago)`."""
    node: str
    selector: str
    """The column NODE SELECTOR."""
    evidence: Evidence
    age: str = ""
    """The column AGE."""

    @property
    def full_name(self) -> str:
        """`NAMESPACE/NAME`, as far as the table has it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
