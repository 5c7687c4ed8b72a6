"""The pods of a dump, and the agents of the GPU stack with their pods."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..observed.model.live_object import LiveObject
from ..observed.pods.pod_templates import Pod
from ..upstream.nvidia.agent_programs import AgentKind

LivePod = Pod[LiveObject]
"""A pod of a dump, or the controller that should have made one."""


@dataclass(kw_only=True, slots=True)
class LiveAgent:
    """An agent: the DaemonSet or Deployment, and its pods."""

    kind: AgentKind
    workload: LiveObject | None
    """None if only its pods were read."""
    pods: list[LivePod] = field(default_factory=list)

    @property
    def title(self) -> str:
        """`DaemonSet nvidia/nvidia-device-plugin`, or the pod where the DaemonSet was not read."""
        if self.workload is not None:
            return f"{self.workload.kind} {self.workload.full_name}"
        return self.pods[0].title if self.pods else f"the {self.kind}"

    def on(self, node: str) -> list[LivePod]:
        """The pods of the agent on a node."""
        return [each for each in self.pods if each.node == node]
