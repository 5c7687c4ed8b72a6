"""The words of Kubernetes about a pod that is not placed: those of the scheduler, of controllers, and of the kubelet's
admission."""

from __future__ import annotations

import re
from collections.abc import Mapping

NODES_REFUSED = re.compile(
    r"\b\d+/\d+ nodes are available: (?P<reasons>.*?)\.?\s*(?:(?:no new claims to deallocate|still not schedulable)[,.]? ?)?(?:preemption: .*)?$",
    re.DOTALL,
)
"""The message of a pod that no node takes: the number of nodes, the reasons, and what preemption would change.

Source: kubernetes/kubernetes pkg/scheduler/framework/types.go, FitError.Error at v1.34.1 (2026-11-22)
"""

# The beginning of the reason of a taint. The taint follows in braces; newer releases write `taint(s)` and name none.
UNTOLERATED = "node(s) had untolerated taint"
# The reason of a node selector or a required node affinity.
UNMATCHED = "node(s) didn't match Pod's node affinity/selector"
# The beginning of the reason of a resource of which a node has too little left; a node that does not offer the
# resource has none left.
INSUFFICIENT = "Insufficient "
# The reason of a node whose free devices do not satisfy the claims of the pod.
UNALLOCATED = "cannot allocate all claims"
# The reason of a claim of a DeviceClass that does not exist.
CLASS_MISSING = re.compile(r"device class (?P<name>\S+) does not exist")
# The reason of a claim that does not exist, or that its template has not become yet.
CLAIM_MISSING = re.compile(
    r'resourceclaim(?:\.resource\.k8s\.io)? "(?P<name>[^"]+)" not found|waiting for .* to create the resourceclaim|ResourceClaim not created yet'
)
# Words of the reasons that concern volumes.
VOLUME_REASONS = re.compile(
    r"persistentvolume|volume node affinity|available persistent volumes|volume limit|volume count|volume mode", re.IGNORECASE
)
"""The reasons in `NODES_REFUSED`.

Source: kubernetes/kubernetes
pkg/scheduler/framework/plugins/{tainttoleration/taint_toleration,nodeaffinity/node_affinity,noderesources/fit,dynamicresources/dynamicresources,volumebinding/binder}.go
at v1.34.1 (2026-11-22)
"""

GATED = "SchedulingGated"
"""The reason of the condition `PodScheduled` of a pod with scheduling gates: the scheduler does not look at the pod.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/ (2026-11-22)
"""

CLAIM_FAILED = "FailedResourceClaimCreation"
"""The reason of the event of a pod whose claim can't be made from its template.

Source: kubernetes/kubernetes pkg/controller/resourceclaim/controller.go at v1.34.1 (2026-11-22)
"""

REFUSALS: Mapping[str, re.Pattern[str]] = {
    "pod-security": re.compile(r'violates PodSecurity "(?P<level>[^":]+)[^"]*": (?P<detail>.*)', re.DOTALL),
    "quota-exceeded": re.compile(r"exceeded quota: (?P<quota>[^,]+), (?P<detail>requested: .*)", re.DOTALL),
    "quota-needs-amounts": re.compile(r"failed quota: (?P<quota>[^:]+): must specify (?P<detail>.*)", re.DOTALL),
    "runtime-class-missing": re.compile(r'RuntimeClass "(?P<name>[^"]+)" not found'),
    "priority-class-missing": re.compile(r"no PriorityClass with name (?P<name>\S+) was found"),
    "service-account-missing": re.compile(r'serviceaccount "(?P<name>[^"]+)" not found'),
    "limit-range": re.compile(
        r"(?P<detail>(?:maximum|minimum) \S+ usage per \w+ is .*|\S+ max limit to request ratio per \w+ is .*)", re.DOTALL
    ),
    "webhook-denied": re.compile(r'admission webhook "(?P<name>[^"]+)" denied the request(?P<detail>.*)', re.DOTALL),
    "webhook-failed": re.compile(r'failed calling webhook "(?P<name>[^"]+)"(?P<detail>.*)', re.DOTALL),
    "policy-denied": re.compile(r"ValidatingAdmissionPolicy '(?P<name>[^']+)'.* denied request(?P<detail>.*)", re.DOTALL),
}
"""The words by which the API server refuses a pod, by the name of the fault. A controller repeats them in its events
FailedCreate.

Source: kubernetes/kubernetes plugin/pkg/admission and staging/src/k8s.io/apiserver/pkg/admission at v1.34.1
(2026-11-22)
"""

JOB_ENDS = frozenset({"Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"})
"""The types of the conditions by which a Job has ended or is about to end; it makes no pods any more.

Source: kubernetes/kubernetes staging/src/k8s.io/api/batch/v1/types.go at v1.34.1 (2026-11-22)
"""

KUBELET_REFUSALS = ("UnexpectedAdmissionError", "NodeAffinity", "TaintToleration", "NodeName", "NodePorts", "OutOf", "PodOS")
"""The beginnings of `status.reason` of a pod that the kubelet refused after the scheduler had placed the pod. `OutOf`
is followed by the resource.

Source: kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/cm/devicemanager/manager.go at v1.34.1
(2026-11-22)
"""

ENDED_BY_NODE = ("Evicted", "Terminated", "NodeShutdown", "Preempting", "NodeLost", "Shutdown")
"""The values of `status.reason` of a pod that its node ended: short of memory or disk, or on its way down.

Source: kubernetes/kubernetes pkg/kubelet/eviction/helpers.go, pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go at
v1.34.1 (2026-11-22)
"""

PULLING = "Pulling"  # The reason of the event of a container whose image the kubelet pulls
PROBED = ("Unhealthy", "Killing")  # The reasons of events of a container whose probe fails
# The reasons of events of a pod whose containers the kubelet can't create yet.
SANDBOX_EVENTS = ("FailedCreatePodSandBox", "FailedPrepareDynamicResources", "FailedMount", "FailedAttachVolume")
# The reasons of events that come after the volumes, the claims and the sandbox of a pod.
SANDBOX_USED = (PULLING, "Pulled", "Created", "Started")
"""The reasons of the kubelet's events about a pod.

Source: kubernetes/kubernetes pkg/kubelet/events/event.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go at v1.34.1
(2026-11-22)
"""

UNKNOWN_HANDLER = re.compile(r'no runtime for "(?P<name>[^"]+)" is configured')
"""The words of containerd that does not know the handler of a RuntimeClass.

Source: containerd/containerd internal/cri/config/config.go at v2.2.9 (2026-11-23)
"""

DRIVER_UNREGISTERED = re.compile(
    r"(?:DRA driver|plugin(?: name)?) (?P<name>\S+) (?:is not registered|not found in the list of registered DRA plugins)"
)
"""The words of the kubelet that knows no kubelet plugin of a DRA driver.

Source: kubernetes/kubernetes pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go at v1.34.1 (2026-11-22)
"""
