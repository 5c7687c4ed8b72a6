"""A rule: what it claims, what people see when it is broken, how it judges, and an example of each side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.minors import EVERY_TALOS, Minors
from .finding import Severity
from .model import Inputs, Path, Read


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Found:
    """What a rule says about one thing that was read; `path` is where in its body."""

    severity: Severity
    message: str
    about: Read
    path: Path = ()
    fix: str | None = None
    """Where this place is mended otherwise than the rule says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """YAML documents as somebody would write them, for a Talos of this version, or for these nodes, where the rule depends on it."""

    yaml: str
    talos: str | None = None
    chart: str | None = None
    """`gpu-operator@v26.7.0`, where the YAML is a bare values file."""
    nodes: tuple[GpuNodes, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Rule:
    """A failure mode that a manifest can show.

    `claim` is the rule in one line. `symptom` is what people see and search for, in the words of the log. `severity` is the worst that it says. `judge` yields what it finds.
    Outside of `talos` the engine does not ask it, and where no Talos is known only `without_talos`.
    """

    id: str
    claim: str
    symptom: str
    severity: Severity
    fix: str
    source: str
    judge: Callable[[Inputs], Iterator[Found]]
    failing: Example
    passing: Example
    """Right, though it looks like the failing one: what a naive rule would flag."""
    talos: Minors = EVERY_TALOS
    without_talos: bool = False
    """Whether a rule that is about some releases of Talos is asked where nobody says which Talos it is."""

    def applies_to(self, talos: TalosVersion | None) -> bool:
        """Whether it says anything of this Talos, None where that is not known."""
        if talos is None:
            return self.without_talos or self.talos.is_every
        return talos.minor in self.talos
