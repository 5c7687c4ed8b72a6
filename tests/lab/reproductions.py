"""The rules that the laboratory reproduces: the words that the cluster shows of each failing example, and the play that brings an example there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from limit_plays import drained, limited, uncounted
from rule_plays import (
    advertised_by_its_plugin,
    applied,
    beside_the_operator,
    claimed,
    claimed_on_its_talos,
    compared_by_argo_cd,
    configured,
    counted,
    discovered_by_nfd,
    hooked,
    in_both_ways,
    loading,
    on_a_tainted_node,
    on_its_nodes,
    orphaned,
    rolled_out,
    scaled_up,
    served_twice,
    with_its_nodes,
)
from rule_stage import Stage

from constructs_lib.checks.rule import Example

SELECTOR = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector"
INSUFFICIENT = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu"


@dataclass(frozen=True)
class Reproduction:
    """The words that the cluster shows of a failing example, and the play that brings an example into the cluster."""

    words: tuple[str, ...]
    play: Callable[[Stage, Example], None]
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Further words of the symptom, each with the replacements in the failing example by which the cluster shows them."""


REPRODUCTIONS: dict[str, Reproduction] = {
    "TG007": Reproduction(("DESIRED 0", SELECTOR), discovered_by_nfd),
    "TG014": Reproduction(
        # From Kubernetes 1.37 on the refused value is null in these words.
        ('RuntimeClass.node.k8s.io "nvidia" is invalid: handler: Invalid value: ', ": field is immutable"), beside_the_operator
    ),
    "TG015": Reproduction(
        ("Application gpu-operator OutOfSync: ClusterPolicy cluster-policy spec.cdi.default", "spec.cdi.nriPluginEnabled", "spec.hostPaths.kubeletRootDir"),
        compared_by_argo_cd,
    ),
    "TG034": Reproduction(("one GPU to two pods",), served_twice),
    "TG036": Reproduction(("error looking up service account gpu-operator/gpu-operator-upgrade-crd-hook-sa: " + 'serviceaccount "gpu-operator-upgrade-crd-hook-sa" not found',), hooked),
    "TG041": Reproduction(('pod rejected: RuntimeClass "nvidia" not found',), applied),
    "TG045": Reproduction(
        ('spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer',),
        applied,
        {
            "Limit must be set for non overcommitable resources": {"limits: {nvidia.com/gpu: 0.5}": "requests: {nvidia.com/gpu: 1}"},
            "must be equal to nvidia.com/gpu limit": {"{limits: {nvidia.com/gpu: 0.5}}": "{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 1}}"},
        },
    ),
    "TG047": Reproduction((INSUFFICIENT,), advertised_by_its_plugin),
    "TG048": Reproduction((INSUFFICIENT,), rolled_out),
    "TG049": Reproduction((SELECTOR,), applied),
    "TG052": Reproduction(('is forbidden: violates PodSecurity "baseline:latest": hostPath volumes',), applied),
    "TG053": Reproduction(("DESIRED 0", "0/3 nodes are available: 1 node(s) had untolerated taint(s)"), on_a_tainted_node),
    "TG054": Reproduction(
        ('Not found: "card": must be one of the names in pod.spec.resourceClaims',),
        claimed,
        {
            'PodResourceClaim gpu: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found': {
                "claims: [{name: card}]": "claims: [{name: gpu}]", "metadata: {name: gpu, ": "metadata: {name: other, "
            }
        },
    ),
    "TG055": Reproduction(("A pod holds two GPUs",), counted),
    "TG056": Reproduction(("0/3 nodes are available: request gpu: device class gpu.nvidia.com does not exist",), claimed),
    "TG058": Reproduction(
        ("kubectl logs of one DaemonSet shows the pods of another", "the wrong DaemonSet adopts an orphaned pod"), orphaned
    ),
    "TG079": Reproduction(('nodes "gpu-1" is forbidden: node "gpu-1" is not allowed to modify taints',), configured),
    "TG093": Reproduction(("0/3 nodes are available: 3 cannot allocate all claims",), claimed_on_its_talos),
    "TG094": Reproduction(
        (
            'strict decoding error: unknown field "spec.spec.devices.requests[0].deviceClassName"',
            ".spec.spec.devices.requests[0].deviceClassName: field not declared in schema",
        ),
        in_both_ways,
    ),
    "TG095": Reproduction((INSUFFICIENT,), on_its_nodes),
    "TG096": Reproduction((INSUFFICIENT,), on_its_nodes),
    "TG098": Reproduction((INSUFFICIENT,), scaled_up),
    "TG110": Reproduction(('nodes "gpu-1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/gpu',), configured),
    "TG122": Reproduction(
        ("cannot set `allowPrivilegeEscalation` to false and `privileged` to true",),
        applied,
        {
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN": {
                "privileged: true": "capabilities: {add: [CAP_SYS_ADMIN]}"
            }
        },
    ),
    "TG123": Reproduction(("0/2 nodes are available: 1 Insufficient nvidia.com/gpu",), with_its_nodes),
    "TG137": Reproduction(("ProgressDeadlineExceeded",), loading),
    "TG139": Reproduction(("cannot unmarshal number into Go struct field",), applied),
    "TG150": Reproduction(
        ("exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: requests.nvidia.com/gpu=1",), limited
    ),
    "TG151": Reproduction(
        ("maximum nvidia.com/gpu usage per Container is 1, but limit is 2",),
        limited,
        {
            "Limit must be set for non overcommitable resources": {
                "limits: {nvidia.com/gpu: 2}": "limits: {cpu: 1}",
                '{nvidia.com/gpu: "1"}\n      default: {nvidia.com/gpu: "0"}\n      defaultRequest: {nvidia.com/gpu: "0"}': '{cpu: "1"}\n      '
                'min: {nvidia.com/gpu: "1"}',
            }
        },
    ),
    "TG152": Reproduction(("ResourceQuota gpus has no used amount of nvidia.com/gpu",), uncounted),
    "TG155": Reproduction(
        ("Cannot evict pod as it would violate the pod's disruption budget",),
        drained,
        {
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support": {
                "minAvailable: 1, selector: {matchLabels: {app: ollama}}}": "maxUnavailable: 1, selector: {matchLabels: {app: ollama}}}\n---\n"
                "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: second, namespace: ollama}\n"
                "spec: {maxUnavailable: 1, selector: {matchLabels: {app: ollama}}}"
            }
        },
    ),
    "TG156": Reproduction(("no PriorityClass with name gpu-servers was found",), limited),
}  # fmt: skip
