"""The rules of `talos-gpu check` over live objects: what the Nodes of a dump have is known to be set, and what was not
listed may exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..arguments.patterns import pattern
from ..checks.engine import run_rules
from ..checks.formats.text import worst_first
from ..checks.rule import Finding, Severity
from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs
from ..observed.model.inputs import RELEASE_KINDS
from ..observed.model.live_object import LiveObject
from ..observed.read.repository import read_manifests
from .gpu_cluster import GpuCluster

_CONTROLLERS = ("Deployment", "DaemonSet", "StatefulSet")
_MAKE_PODS = (*_CONTROLLERS, "Job", "CronJob", "Pod")
_KINDS = (
    *_MAKE_PODS,
    "Node",
    "Namespace",
    "RuntimeClass",
    "ResourceQuota",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ConfigMap",
    "ClusterPolicy",
    "NVIDIADriver",
    "NodeFeatureRule",
)
"""The kinds that somebody writes, or that the rules ask for. Pods and controllers that have an owner are made from
these.
"""
_RUNTIME = "CRICustomizationConfig"
"""The document of Talos that sets the default runtime of a GPU node: a part of the node's machine configuration."""
_ELSEWHERE = ("KubeAdmissionControlConfig", "KubeAPIServerConfig", "KubeVirt", "HyperConverged")
"""Kinds that rules ask for, and that no dump lists whole: documents of Talos, and objects of virtual machines."""
_KUBERNETES = pattern(r"v?(\d+\.\d+)")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LiveRules:
    """The findings about the live objects, errors first, and the inputs of the rules."""

    inputs: Inputs
    findings: tuple[Finding, ...]
    crashes: tuple[str, ...] = ()
    """A sentence about each rule that failed."""


def live_rules(cluster: GpuCluster) -> LiveRules:
    """Apply the rules to the objects of a dump. Remarks are left out: the cluster runs."""
    manifests = [(each.source, _written(each)) for each in _kept(cluster)]
    inputs = read_manifests(manifests, talos=_talos(cluster), kubernetes=_kubernetes(cluster), is_live=True)
    configs = tuple(cluster.node_configs.values())
    inputs = replace(inputs, node_configs=configs, unlisted=frozenset(_unlisted(cluster)), here="that was read")
    crashes: list[str] = []
    findings = [each for each in run_rules(inputs, crashes=crashes) if each.ignored is None]
    return LiveRules(inputs=inputs, findings=tuple(worst_first(findings, least=Severity.WARNING)), crashes=tuple(crashes))


def _kept(cluster: GpuCluster) -> Iterator[LiveObject]:
    """The objects that were read whole, and that nobody else makes or keeps. Where all controllers were listed, what an installer installs is
    among them.
    """
    dump = cluster.dump
    has_all = dump.listed.issuperset(_CONTROLLERS)
    for each in dump.of_kind(*_KINDS, *(() if has_all else RELEASE_KINDS)):
        is_owned = each.kind in _MAKE_PODS and bool(each.mappings("metadata", "ownerReferences"))
        is_whole = (each.kind, each.namespace, each.name) not in dump.partial
        if is_whole and not is_owned and not each.at("metadata", "deletionTimestamp") and not _has_ended(each):
            yield each


def _has_ended(each: LiveObject) -> bool:
    if each.kind == "Job":
        return bool(each.at("status", "completionTime"))
    return each.kind == "Pod" and each.at("status", "phase") in ("Succeeded", "Failed")


def _written(each: LiveObject) -> Mapping[str, Any]:
    """The object as somebody would write it: without what the API server and the scheduler add. Of a Node the status is
    kept.
    """
    metadata = {key: value for key, value in each.mapping("metadata").items() if key not in ("managedFields", "uid", "resourceVersion")}
    body = {key: value for key, value in each.body.items() if key != "status" or each.kind == "Node"}
    if each.kind == "Pod":
        body["spec"] = {key: value for key, value in each.mapping("spec").items() if key not in ("nodeName", "tolerations")}
        body["spec"]["tolerations"] = [
            toleration
            for toleration in each.mappings("spec", "tolerations")
            if not f"{toleration.get('key')}".startswith("node.kubernetes.io/")
        ]
    return {**body, "metadata": metadata}


def _unlisted(cluster: GpuCluster) -> Iterator[str]:
    """The kinds of which objects and documents may exist that were not read."""
    listed = cluster.dump.listed
    yield from {*_KINDS, "Service", *_ELSEWHERE} - listed
    if not cluster.nodes or len(cluster.node_configs) < len(cluster.nodes):
        yield _RUNTIME
    if "Node" not in listed:
        yield "KubeNodeConfig"
    if not listed.issuperset(_CONTROLLERS):
        yield from RELEASE_KINDS


def _talos(cluster: GpuCluster) -> TalosVersion | None:
    """The Talos of the GPU nodes; None if they run several minor versions, or none is known."""
    nodes = cluster.nodes or cluster.all_nodes
    minors = {each.minor for each in nodes}
    seen = nodes[0].talos_version if len(minors) == 1 and None not in minors else None
    return None if seen is None else TalosVersion.parse("talos_version", seen.value)


def _kubernetes(cluster: GpuCluster) -> str | None:
    """The version of the kubelets; None if they have several."""
    versions = {_KUBERNETES.match(f"{each.at('status', 'nodeInfo', 'kubeletVersion')}") for each in cluster.dump.of_kind("Node")}
    numbers = {found[1] for found in versions if found}
    return numbers.pop() if len(numbers) == 1 and None not in versions else None
