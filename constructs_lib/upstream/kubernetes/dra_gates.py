"""The feature gates of dynamic resource allocation in Kubernetes, and the API versions of its objects that came later."""

from __future__ import annotations

from typing import NamedTuple


class Gate(NamedTuple):
    """The minors of Kubernetes 1.x that first have a feature gate, and that first have it on by default."""

    since: int
    on_since: int


DRA_GATES = {
    "DRAAdminAccess": Gate(32, 34),
    "DRAConsumableCapacity": Gate(34, 36),
    "DRADeviceTaintRules": Gate(35, 37),
    "DRADeviceTaints": Gate(33, 36),
    "DRAExtendedResource": Gate(34, 36),
    "DRAPartitionableDevices": Gate(33, 36),
    "ResourceHealthStatus": Gate(31, 36),
}
"""The feature gates that GPUs by claims may need. A program that does not have a gate refuses to start with it.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.37.2 (2026-11-28)
"""

KUBELET_GATES = frozenset({"DRAExtendedResource", "ResourceHealthStatus"})
"""The gates that the kubelet reads; the others are those of the control plane alone.

Source: kubernetes/kubernetes pkg/kubelet/cm/dra and pkg/kubelet/cm/devicemanager at v1.37.2 (2026-11-28)
"""

TAINT_RULES_SINCE = 35
_TAINT_RULE_APIS = {35: "resource.k8s.io/v1alpha3", 36: "resource.k8s.io/v1beta2", 37: "resource.k8s.io/v1"}
"""The API version of a DeviceTaintRule that selects devices by driver, pool and name, by the minor of Kubernetes that
first has it. Older Kubernetes selects by expressions too, which 1.35 removed.

Source: k8s.io/api resource/v1alpha3/types.go at v0.34.0 and v0.35.3, resource/v1beta2/types.go at v0.36.3,
resource/v1/types.go at v0.37.2 (2026-11-28)
"""


def taint_rule_api(minor: int) -> str:
    """The newest API version of a DeviceTaintRule in Kubernetes 1.`minor`, which is 1.35 or newer."""
    return _TAINT_RULE_APIS[min(minor, max(_TAINT_RULE_APIS))]


def has_taint_rules(version: str, minor: int) -> bool | None:
    """Whether an API server has DeviceTaintRules in a version of resource.k8s.io: True by default, False never, None
    only by `runtime-config`."""
    first = next((since for since, api in _TAINT_RULE_APIS.items() if api.endswith(f"/{version}")), None)
    if first is None or minor < DRA_GATES["DRADeviceTaints"].since or (minor < first and version != "v1alpha3"):
        return False
    return True if version == "v1" else None
