"""A rule and its words; what it finds: a violation with the edits of its fix, and the finding that a report shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs, Path, Read
from ..upstream.choice import Choice
from ..upstream.talos.minors import EVERY_TALOS, Minors

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ..nodes.gpu_nodes import GpuNodes


class Severity(Choice):
    """How sure the check is, worst first."""

    ERROR = "error"
    """Both halves of a contradiction were read: the setup can't work."""
    WARNING = "warning"
    """One half of a contradiction was read; the missing half is usually in the repository."""
    INFO = "remark"
    """The cluster may well work."""

    @property
    def lowered(self) -> Severity:
        """The severity of a violation that is in doubt: one step less, and never none."""
        return Severity.WARNING if self is Severity.ERROR else Severity.INFO


FAIL_ON = ("error", "warning", "remark", "never")
"""The words of users for the least severity that makes a report fail."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Half:
    """One half of a contradiction: a place that was read, and what it says: `Node gpu-1 spec.taints[0]: {key: dedicated,
    effect: NoSchedule}`.

    `origin` are the places by which the value came to its place, the nearest first, each in words: a patch `replaces the
    value of apps/ollama.yaml:12`.
    """

    file: str
    line: int | None
    text: str
    origin: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A violation of one rule at one place.

    `file` is a file's path, or the path of a construct in an app; `line` counts from 1 and is None for a place without
    lines. `object` is `Kind namespace/name`, the name of a chart's release, or the name of a node. `ignored` is the
    reason with which the author silenced the finding.

    Example:
        >>> found = Finding(rule="TG045", severity=Severity.ERROR, message="half a GPU", fix="Ask for 1", file="pod.yaml", line=7)
        >>> f"{found.file}:{found.line} {found.severity}: {found.message}"
        'pod.yaml:7 error: half a GPU'

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """

    rule: str
    severity: Severity
    message: str
    fix: str
    file: str
    line: int | None = None
    object: str = ""
    ignored: str | None = None
    is_doubt: bool = False
    """Whether the rule concluded nothing, because an object may install what seems missing."""
    fixed_by: str = field(default="", compare=False)
    """The flags with which the fix is tried; empty for a finding without a fix of one value, one line or one manifest."""
    find_halves: Callable[[], tuple[Half, ...]] = field(default=tuple, compare=False, repr=False)
    """Finds the halves, for the findings that are shown."""

    @property
    def halves(self) -> tuple[Half, ...]:
        """The places that were read: the finding's own place, then the other places of the contradiction."""
        return self.find_halves()

    @property
    def related(self) -> tuple[Half, ...]:
        """The other places of the contradiction."""
        return self.halves[1:]


SAFE, UNSAFE = "--fix", "--fix --unsafe-fixes"


class Action(Enum):
    """The kinds of edits of the value at a path."""

    SET = "set"
    """The value is replaced, or the key is added."""
    QUOTE = "quote"
    """The text of the value, as the file has it, becomes a string."""
    REMOVE = "remove"
    """The key of the mapping, or the item of the list, is removed."""
    APPEND = "append"
    """The items are added to the list, or the key is added with the list."""
    MANIFEST = "manifest"
    """The object that the cluster lacks is added to the file, before its documents."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """An edit of the body in which a violation is.

    `path` is the path of the value; None stands for the violation's own path. `inside` continues the path in a value
    that is a text with YAML. `is_safe` says that the value is certain, and that nothing else in the cluster changes.
    Only the edits of errors are safe.
    """

    action: Action
    value: Any = None
    path: Path | None = None
    inside: Path = ()
    is_safe: bool = True


def set_to(value: Any, path: Path | None = None, *, inside: Path = (), safe: bool = True) -> tuple[Edit, ...]:
    """The edit that sets a value."""
    return (Edit(action=Action.SET, value=value, path=path, inside=inside, is_safe=safe),)


def quoted(value: Any) -> tuple[Edit, ...]:
    """The edit that makes a string of the text of a number or a bool: `022` is 18, and becomes `"022"`."""
    return (Edit(action=Action.QUOTE, value=f"{value}"),)


def removal(path: Path | None = None, *, inside: Path = (), safe: bool = True) -> tuple[Edit, ...]:
    """The edit that removes a key or an item."""
    return (Edit(action=Action.REMOVE, path=path, inside=inside, is_safe=safe),)


def addition(*items: Any, path: Path | None = None, safe: bool = True) -> tuple[Edit, ...]:
    """The edit that adds items to a list."""
    return (Edit(action=Action.APPEND, value=list(items), path=path, is_safe=safe),)


def manifest(body: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edit that adds an object that the cluster lacks."""
    return (Edit(action=Action.MANIFEST, value=body, is_safe=False),)


Part = tuple[Read, Path]
"""A part of what was read, and a path inside its body."""


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
    is_doubt: bool = False
    """Whether an installer puts the violation in doubt."""
    related: tuple[Part, ...] = ()
    """The other halves of the contradiction: what the value at the place contradicts."""

    @property
    def fixed_by(self) -> str:
        """The flags with which the fix is tried."""
        is_safe = self.severity is Severity.ERROR and all(edit.is_safe for edit in self.edits)
        return (SAFE if is_safe else UNSAFE) if self.edits else ""


Check = Callable[[Inputs], Iterator[Violation]]


class Witness(Enum):
    """The witness of a rule: the program or source that shows its symptom, and so could prove the rule."""

    CONTROL_PLANE = "a control plane: tests/lab shows the symptom of the failing example, and none of the passing one"
    DECODER = "a decoder of Talos or Omni: a test shows that it prints the rule's symptom"
    NODE = "a node of the rehearsal: tests/node shows the symptom of the failing example, and none of the passing one"
    TALOS = "Talos itself: its services, its image or its kernel show the symptom, and a node of the rehearsal has none of them"
    CARD = "a card: NVIDIA's driver, or a program that uses a GPU, shows the symptom"
    PROGRAM = "a program in the cluster: the GPU operator, a device plugin, the DRA driver, NFD, a DCGM exporter, Prometheus, KubeVirt or a CSI driver shows the symptom"
    SERVICE = "a tool or a service: Helm with the chart, a chart repository, an image registry, the Image Factory, Argo CD, Flux or Omni shows the symptom"
    LIBRARY = "this library: the rule is about its own input or tables"


@dataclass(frozen=True, slots=True)
class Example:
    """YAML documents as a user would write them, for this Talos or these nodes if the rule depends on them."""

    yaml: str
    talos: str | None = None
    chart: str | None = None
    """The chart of a bare values file, such as `gpu-operator@v26.7.0`."""
    nodes_file: str = ""
    """The nodes, as a cluster file has them."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The other files of the folder, by name, if `yaml` is the text of its kustomization.yaml."""

    @property
    def nodes(self) -> tuple[GpuNodes, ...]:
        """The classes of nodes."""
        from ..nodes.nodes_file import read_nodes  # deferred: a check needs no example

        return tuple(read_nodes(self.nodes_file)) if self.nodes_file else ()


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause that makes a faulty text right for every rule that it touches."""

    title: str
    applied: Callable[[Example], Example]
    """The example with the cause."""


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
    examples: Mapping[str, Example] = field(default_factory=dict)
    """Further correct examples, by the cause that a naive rule would not know: "a runtime of the same name"."""
    causes: tuple[Cause, ...] = ()
    """The causes of several rules that make the failing example right."""
    shown_by: Witness = Witness.LIBRARY
    talos: Minors = EVERY_TALOS
    lists_users: bool = False
    """Whether violations with the same message become one finding at the first place, with the objects listed: they
    have one cause, and one fix."""
    without_talos: bool = False
    """Whether a rule about certain releases of Talos runs without a known Talos, too."""
    check: Check = lambda _: iter(())

    @property
    def also_passing(self) -> Mapping[str, Example]:
        """All further correct examples."""
        return {**self.examples, **{each.title: each.applied(self.failing) for each in self.causes}}

    def __call__(self, check: Check) -> Rule:
        """The rule with its check."""
        return replace(self, check=check)

    def applies_to(self, talos: TalosVersion | None) -> bool:
        """Whether the rule applies to this Talos; None stands for an unknown Talos."""
        if talos is None:
            return self.without_talos or self.talos.is_every
        return talos.minor in self.talos
