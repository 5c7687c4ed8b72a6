"""The Kubernetes versions and feature gates that claims need.

https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...arguments.errors import wrong, wrong_kind
from ...arguments.plain_values import text, texts
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.kubernetes.api import DRA_GATES_ON_SINCE, DRA_SINCE


def check_kubernetes(value: object, classes: Iterable[GpuNodes]) -> int | None:
    """The minor version of a Kubernetes that supports claims and that every class's Talos runs; None where no version
    was given."""
    if value is None:
        return None
    rule = f"a Kubernetes version such as '1.{DRA_SINCE}'"
    if not isinstance(value, str):
        raise wrong_kind("kubernetes_version", rule, value, f"quote it: '{value}'" if isinstance(value, float) else "")
    match = re.fullmatch(r"v?1\.(\d{1,3})(\.\d{1,3})?", text("kubernetes_version", value, rule))
    if not match:
        raise wrong("kubernetes_version", rule, value)
    minor = int(match[1])
    if minor < DRA_SINCE:
        hint = "older Kubernetes has no resource.k8s.io/v1, and has dynamic resource allocation off; upgrade Kubernetes first"
        raise wrong("kubernetes_version", f"at least '1.{DRA_SINCE}'", value, hint)
    for nodes in classes:
        known = nodes.talos_version.release.kubernetes_versions
        if f"1.{minor}" not in known:
            raise wrong("kubernetes_version", f"one that Talos {nodes.talos_version} runs, up to '{known[-1]}'", value)
    return minor


def to_cluster_gates(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """The feature gates that are switched on in the cluster, among the gates that claims need."""
    gates = texts(argument, value)
    for gate in gates:
        if gate not in DRA_GATES_ON_SINCE:
            rule = "a list of " + ", ".join(f"'{known}'" for known in DRA_GATES_ON_SINCE)
            raise wrong(argument, rule, gate, did_you_mean(gate, DRA_GATES_ON_SINCE))
    return tuple(gates)


def check_needed_gates(minor: int | None, switched_on: Iterable[str], needed: Mapping[str, str]) -> None:
    """Refuse a feature that needs a gate that this Kubernetes has off; `needed` names the feature that needs each
    gate."""
    for gate, purpose in needed.items():
        since = DRA_GATES_ON_SINCE[gate]
        if minor is not None and minor < since and gate not in switched_on:
            hint = f"or switch the feature gate {gate} on in the cluster, and name the gate in 'kubernetes_feature_gates'"
            raise wrong("kubernetes_version", f"at least '1.{since}' for {purpose}", f"1.{minor}", hint)
