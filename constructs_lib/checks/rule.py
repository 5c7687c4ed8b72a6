"""A rule: its claim, the symptom of a violation, the check, and a failing and a passing example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs, Path, Read
from ..upstream.talos.minors import EVERY_TALOS, Minors
from .edit import Edit
from .finding import Severity


@dataclass(frozen=True, slots=True, eq=False)
class Violation:
    """A violation of a rule: its severity and message, and the place: `path` in the body of `about`."""

    severity: Severity
    message: str
    about: Read
    path: Path = ()
    fix: str | None = None
    """The fix of this place, if it differs from the rule's."""
    edits: tuple[Edit, ...] = ()
    """The fix as edits of files; empty for a fix that is more than one value or one line. All of them belong
    together."""


Check = Callable[[Inputs], Iterator[Violation]]


class Witness(Enum):
    """The witness of a rule: the program or source that shows its symptom, and so could prove the rule."""

    CONTROL_PLANE = "a control plane: tests/lab shows the symptom of the failing example, and none of the passing one"
    DECODER = "a decoder of Talos or Omni: a test shows that it says the words of the rule"
    NODE = "a node: Talos, the kubelet or containerd shows the symptom"
    CARD = "a card: NVIDIA's driver, or a program that uses a GPU, shows the symptom"
    PROGRAM = "a program in the cluster: the GPU operator, a device plugin, the DRA driver, NFD, a DCGM exporter, Prometheus or KubeVirt shows the symptom"
    SERVICE = "a tool or a service: Helm with the chart, a chart repository, the Image Factory, Argo CD, Flux or Omni shows the symptom"
    LIBRARY = "this library: the rule is about its own input or tables"


@dataclass(frozen=True, slots=True)
class Example:
    """YAML documents as a user would write them, for this Talos or these nodes if the rule depends on them."""

    yaml: str
    talos: str | None = None
    chart: str | None = None
    """The chart of a bare values file, such as `gpu-operator@v26.7.0`."""
    nodes: tuple[GpuNodes, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Rule:
    """A failure mode that a manifest can show.

    `claim` is the rule in one line, `symptom` the log line or the state that users see and search for, `severity` the
    worst severity of a violation. A rule is the decorator of its `check`, which yields the violations. The engine runs
    the rule only for the releases in `talos`, and without a known Talos only with `without_talos`.
    """

    id: str
    claim: str
    symptom: str
    severity: Severity
    fix: str
    source: str
    failing: Example
    passing: Example
    """A correct example that looks like the failing one: a naive rule would flag it."""
    shown_by: Witness = Witness.LIBRARY
    talos: Minors = EVERY_TALOS
    lists_users: bool = False
    """Whether violations with the same message become one finding at the first place, with the objects listed: they
    have one cause, and one fix."""
    without_talos: bool = False
    """Whether a rule about certain releases of Talos runs without a known Talos, too."""
    check: Check = lambda _: iter(())

    def __call__(self, check: Check) -> Rule:
        """The rule with its check."""
        return replace(self, check=check)

    def applies_to(self, talos: TalosVersion | None) -> bool:
        """Whether the rule applies to this Talos; None stands for an unknown Talos."""
        if talos is None:
            return self.without_talos or self.talos.is_every
        return talos.minor in self.talos
