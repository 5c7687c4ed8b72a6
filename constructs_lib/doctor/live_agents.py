"""The agents of the GPU stack that a dump shows: their DaemonSets and their pods, by the image and the command of their containers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..upstream.charts import gpu_operator_chart
from .live_object import LiveObject
from .live_pod import LivePod


class AgentKind(enum.StrEnum):
    """The agents on whose work a GPU node depends."""

    PLUGIN = "device plugin"
    DRA_DRIVER = "DRA driver"
    OPERATOR = "GPU operator"
    VALIDATOR = "operator validator"
    BRIDGE = "validation bridge"
    MPS_DAEMON = "MPS control daemon"
    DISCOVERY = "GPU feature discovery"
    NFD = "node feature discovery"
    EXPORTER = "DCGM exporter"
    DRIVER = "driver installer"
    TOOLKIT = "toolkit installer"


@dataclass(kw_only=True, slots=True)
class Agent:
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


def agent_kind(spec: Mapping[str, Any]) -> AgentKind | None:
    """The agent that a pod spec runs; None for any other program."""
    listed = spec.get("containers")
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, Mapping):
            words = f"{each.get('image', '')} {each.get('command', '')} {each.get('args', '')} {each.get('name', '')}"
            kind = next((kind for kind, signs in _SIGNS if any(sign in words for sign in signs)), None)
            if kind is not None:
                return kind
    return None


_VALIDATOR = gpu_operator_chart.VALIDATOR_LABEL.removeprefix(gpu_operator_chart.DEPLOY_LABEL)

# The images and commands of NVIDIA's charts, of NFD and of this library's bridge; the more special ones first.
_SIGNS: tuple[tuple[AgentKind, tuple[str, ...]], ...] = (
    (AgentKind.MPS_DAEMON, ("mps-control-daemon",)),
    (AgentKind.DISCOVERY, ("gpu-feature-discovery",)),
    (AgentKind.DRA_DRIVER, ("gpu-kubelet-plugin", "compute-domain-kubelet-plugin", "k8s-dra-driver-gpu", "dra-driver-nvidia-gpu")),
    (AgentKind.PLUGIN, ("nvidia-device-plugin", "k8s-device-plugin")),
    (AgentKind.VALIDATOR, (_VALIDATOR, "nvidia-validator")),
    (AgentKind.EXPORTER, ("dcgm-exporter",)),
    (AgentKind.DRIVER, ("nvidia-driver-ctr", "nvcr.io/nvidia/driver")),
    (AgentKind.TOOLKIT, ("nvidia-container-toolkit-ctr", "k8s/container-toolkit")),
    (AgentKind.OPERATOR, ("nvcr.io/nvidia/gpu-operator", "gpu-operator")),
    (AgentKind.NFD, ("node-feature-discovery", "nfd-worker", "nfd-master")),
    (AgentKind.BRIDGE, (gpu_operator_chart.VALIDATIONS,)),
)
