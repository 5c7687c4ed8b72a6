"""Policies that change pods at admission: what a pod lacks in its file, a policy may give it.

Source: https://kyverno.io/docs/policy-types/cluster-policy/mutate/, https://kyverno.io/docs/policy-types/mutating-policy/,
https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/,
https://open-policy-agent.github.io/gatekeeper/website/docs/mutation (2026-11-28)
"""

from __future__ import annotations

from typing import Any

from ..model import Inputs, KubernetesObject, mappings, question, starts_with

_KINDS = {
    "kyverno.io/": ("ClusterPolicy", "Policy"),
    "policies.kyverno.io/": ("MutatingPolicy", "NamespacedMutatingPolicy"),
    "admissionregistration.k8s.io/": ("MutatingAdmissionPolicy",),
    "mutations.gatekeeper.sh/": ("Assign", "ModifySet"),
}


@question
def _changes(inputs: Inputs) -> list[tuple[KubernetesObject, str]]:
    """Every policy that changes objects, with what it says about the change."""
    policies = [each for group, kinds in _KINDS.items() for each in inputs.of_kind(*kinds) if starts_with(each.api_version, group).is_yes]
    return [(each, text) for each in policies if (text := _text(each))]


def _text(policy: KubernetesObject) -> str:
    if not starts_with(policy.api_version, "kyverno.io/").is_yes:
        return f"{policy.at('spec')}"
    mutations: list[Any] = [rule.get("mutate") for _, rule in mappings(policy.at("spec", "rules"))]
    return "".join(f"{each}" for each in mutations if each is not None)


def doubt_of_policies(inputs: Inputs, field: str) -> str:
    """The doubt of a message about a pod without this field: a policy of these files sets it. Empty without one."""
    setter = next((policy.label for policy, text in _changes(inputs) if field in text), "")
    return f". Unless the {setter} sets {field}" if setter else ""
