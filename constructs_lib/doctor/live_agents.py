"""The agents of the GPU stack that a dump shows: their DaemonSets and their pods, by the image and the command of their containers."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..observed.model.live_object import LiveObject
from ..upstream.charts import gpu_operator_chart
from ..upstream.charts.device_plugin_chart import KUBELET_SOCKETS
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
    """The agent of NVIDIA's stack that a pod spec runs; None for any other program."""
    listed = spec.get("containers")
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, Mapping):
            words = _words(each)
            kind = next((kind for kind, signs in _SIGNS if any(sign in words for sign in signs)), None)
            if kind is not None:
                return kind
            if gpu_operator_chart.VALIDATIONS in f"{each.get('command', '')} {each.get('args', '')}":
                return AgentKind.BRIDGE
    return None


def _words(container: Mapping[str, Any]) -> str:
    """The repository of the image without its registry, the program and the name of a container. Arguments may name any other program."""
    path = repository(str(container.get("image", "")))
    if any(part in _OTHER_VENDORS for part in re.split(r"[/._-]", path.rpartition("/")[0])):
        return ""
    command = container.get("command")
    program = str(command[0]).rpartition("/")[2] if isinstance(command, list) and command else ""
    return f"/{path} {program} {container.get('name', '')}"


def repository(image: str) -> str:
    """The repository of an image without its registry, tag and digest: `nvidia/k8s-device-plugin`."""
    path = image.partition("@")[0]
    registry, slash, rest = path.partition("/")
    if slash and ("." in registry or ":" in registry or registry == "localhost"):
        path = rest
    folder, slash, last = path.rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def is_unknown_plugin(workload: LiveObject) -> bool:
    """Whether a DaemonSet that is no known agent registers GPUs with the kubelet, as far as its folder of sockets and its names tell."""
    pod = LivePod(object=workload)
    listed = pod.spec.get("volumes")
    volumes = [each.get("hostPath") for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    paths = [str(each.get("path", "")).rstrip("/") for each in volumes if isinstance(each, Mapping)]
    if KUBELET_SOCKETS not in paths or agent_kind(pod.spec) is not None:
        return False
    words = [_words(container) for _, container in pod.containers]
    return all(words) and any(_OF_GPUS.search(each) for each in (*words, workload.name))


# Parts of the repositories of other vendors, whose operators and plugins have the same names as NVIDIA's.
_OTHER_VENDORS = frozenset(
    {"rocm", "amd", "intel", "habana", "habanalabs", "ascend", "huawei", "cambricon", "mthreads", "metax", "hygon", "iluvatar"}
)
_OF_GPUS = re.compile(r"gpu|nvidia|cuda|hami|volcano", re.IGNORECASE)
_VALIDATOR = gpu_operator_chart.VALIDATOR_LABEL.removeprefix(gpu_operator_chart.DEPLOY_LABEL)

# The images and commands of NVIDIA's charts, of NFD and of this library's bridge; the more special ones first.
_SIGNS: tuple[tuple[AgentKind, tuple[str, ...]], ...] = (
    (AgentKind.MPS_DAEMON, ("mps-control-daemon",)),
    (AgentKind.DISCOVERY, ("gpu-feature-discovery",)),
    (AgentKind.DRA_DRIVER, ("gpu-kubelet-plugin", "compute-domain-kubelet-plugin", "k8s-dra-driver-gpu", "dra-driver-nvidia-gpu")),
    (AgentKind.PLUGIN, ("nvidia-device-plugin", "/k8s-device-plugin ")),
    (AgentKind.VALIDATOR, (_VALIDATOR, "nvidia-validator")),
    (AgentKind.EXPORTER, ("dcgm-exporter",)),
    (AgentKind.DRIVER, ("nvidia-driver-ctr", "/nvidia/driver ")),
    (AgentKind.TOOLKIT, ("nvidia-container-toolkit-ctr", "k8s/container-toolkit")),
    (AgentKind.OPERATOR, ("/gpu-operator ",)),
    (AgentKind.NFD, ("node-feature-discovery", "nfd-worker", "nfd-master")),
)
