"""The outcome of a rehearsal: what came up on the nodes, as plain values that the report prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .manifests import LeftOut


@dataclass(frozen=True)
class NodeOutcome:
    """A node as the API server has it."""

    name: str
    talos: str
    cards: str
    ready: bool
    allocatable: Mapping[str, str]
    """The resources of NVIDIA; a resource without healthy devices is "0"."""
    labels: Mapping[str, str]
    taints: tuple[str, ...] = ()
    claimable: tuple[str, ...] = ()
    """The devices that a DRA driver publishes for claims."""


@dataclass(frozen=True)
class Seen:
    """What the stand-in program of a container sees at its start."""

    pod: str
    container: str
    asked: Mapping[str, str]
    """The resources of NVIDIA that the container asks for; a claim is named `claim NAME`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    shm_bytes: int | None = None
    smi: str = ""
    """The answer of nvidia-smi -L inside of the container."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class PodOutcome:
    """A pod with its phase, and the reason where it does not run."""

    name: str
    """`namespace/name`."""
    node: str
    phase: str
    ready: bool
    reasons: tuple[str, ...] = ()
    """The words of the scheduler, the kubelet and the containers' last lines."""
    restarts: int = 0

    @property
    def is_well(self) -> bool:
        """Whether the pod runs and is ready, or has ended well."""
        return self.phase == "Succeeded" or (self.phase == "Running" and self.ready)


@dataclass(frozen=True)
class SmokeTest:
    """The smoke test of a class: the lines of its log."""

    node: str
    passed: bool
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """Everything that a rehearsal saw."""

    nodes: tuple[NodeOutcome, ...] = ()
    pods: tuple[PodOutcome, ...] = ()
    containers: tuple[Seen, ...] = ()
    refusals: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    """The DaemonSets that no node takes: by the labels that they select, or by taints that they do not tolerate."""
    smoke_tests: tuple[SmokeTest, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    mocked: tuple[str, ...] = ()
    settled: bool = True

    @property
    def is_well(self) -> bool:
        """Whether everything came up: nodes, pods and smoke tests, without a refusal."""
        pods = all(each.is_well for each in self.pods)
        return pods and not self.refusals and all(each.ready for each in self.nodes) and all(each.passed for each in self.smoke_tests)
