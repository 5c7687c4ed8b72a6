"""The column STATUS of `kubectl get pods`: what each of its words says of the pod.

The word is the reason of the last container that waits or has ended, else `status.reason` of the pod, else its phase;
`Init:` stands before the reason of an init container. The kubelet and its image manager write the reasons.

Source: kubernetes/kubernetes pkg/printers/internalversion/printers.go, printPod and printNode;
pkg/kubelet/container/sync_result.go, pkg/kubelet/images/types.go, pkg/kubelet/kuberuntime/kuberuntime_container.go,
pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/eviction/helpers.go at v1.36.3 (2026-11-28)
"""

from __future__ import annotations

import enum
import re

INIT = "Init:"
"""The beginning of a state of an init container.

Source: printers.go, as above (2026-11-28)
"""

NOT_READY, CORDONED = "NotReady", "SchedulingDisabled"
"""The words of a node whose condition Ready is not True, and of one on which nothing is scheduled.

Source: printers.go, as above (2026-11-28)
"""

NONE = "<none>"
"""An empty cell.

Source: printers.go, as above (2026-11-28)
"""

RESTARTED_NOW = re.compile(r"(?:[3-9]|\d\d+) \((?:\d+s|\dm(?:\d+s)?) ago\)")
"""Three restarts or more, the last of them less than ten minutes ago, in the column RESTARTS: the back-off between two
starts is five minutes at most.

Source: printers.go, as above (2026-11-28)
"""


class PodState(enum.Enum):
    """What a status says, with the form of its words."""

    ENDS = re.compile(r"CrashLoopBackOff|Error|ContainerCannotRun|(?:ExitCode|Signal):\d+")
    """A container has ended with an error."""
    OUT_OF_MEMORY = re.compile(r"OOMKilled")
    NO_IMAGE = re.compile(
        r"ImagePullBackOff|ErrImagePull|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable|SignatureValidationFailed"
    )
    NOT_CREATED = re.compile(
        r"CreateContainerConfigError|CreateContainerError|RunContainerError|StartError|PreCreateHookError|PreStartHookError|PostStartHookError"
        r"|CreatePodSandboxError|ConfigPodSandboxError"
    )
    """The runtime or the kubelet can't make a container."""
    REFUSED = re.compile(r"UnexpectedAdmissionError|OutOf\S+|NodeAffinity|NodePorts|TopologyAffinityError|Evicted|NodeShutdown|Preempting")
    """The kubelet did not admit the pod, or has ended it."""
    GATED = re.compile(r"SchedulingGated")
    PENDING = re.compile(r"Pending")
    WAITS = re.compile(r"ContainerCreating|PodInitializing|\d+/\d+")
    """A container was not started yet; of an init container the number of those that have ended well."""
    LOST = re.compile(r"Unknown|ContainerStatusUnknown")
    """The node does not report the pod."""


def pod_state(status: str) -> PodState | None:
    """What a status says; None for the words of a pod that is well or being deleted, and for words that are not known."""
    word = status.removeprefix(INIT)
    return next((each for each in PodState if each.value.fullmatch(word)), None)
