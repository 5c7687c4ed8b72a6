"""The faults of pods that the API server refuses to create, in the words that their controllers repeat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ...upstream.scheduler_words import REFUSALS
from ...upstream.talos_features import RUNTIME_CLASS
from ..evidence import Evidence
from ..fault import Fault

_Texts = tuple[str, str, str, str, tuple[str, ...]]
_DOCS = "https://kubernetes.io/docs"


def creation_fault(evidence: Evidence, *, is_agent: bool = False) -> Fault:
    """The fault in the words of an event `FailedCreate`."""
    for name, pattern in REFUSALS.items():
        found = pattern.search(evidence.text)
        if found:
            return _fault(name, evidence, _TEXTS[name](found, is_agent))
    text = evidence.text.partition(" is forbidden: ")[2] or evidence.text.partition(" is invalid: ")[2]
    verb = "kubectl describe pods,replicasets,daemonsets,statefulsets,jobs --namespace NAMESPACE"
    cause = f"The API server refuses the pods of the controller{f': {text}' if text else ''}"
    return _fault("pods-refused", evidence, (cause, verb, _EVENTS, f"{_DOCS}/reference/access-authn-authz/admission-controllers/", ()))


_EVENTS = "kubectl get events --namespace NAMESPACE --field-selector reason=FailedCreate"
_PODS = "kubectl get pods --namespace NAMESPACE"


def _fault(name: str, evidence: Evidence, texts: _Texts) -> Fault:
    cause, fix, verify, source, rules = texts
    return Fault(
        name=name,
        cause=cause,
        evidence=(evidence,),
        consequence="The controller creates no pod",
        fix=fix,
        verify=verify,
        source=source,
        rules=rules,
        is_of_pod=True,
    )


def _pod_security(found: re.Match[str], is_agent: bool) -> _Texts:
    label = "kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite"
    detail = re.sub(r"\s*\((?:volumes?|container|containers|pod|pods|restricted)[^)]*\)", "", found["detail"]).strip().rstrip(".")
    return (
        f"Pod Security ({found['level']}) refuses the pods: {detail}",
        label if is_agent else f"Take these fields out of the pod template, or: {label}",
        "kubectl get namespace NAMESPACE --show-labels",
        "siderolabs/talos pkg/machinery/config/generate/init.go",
        ("TG052",),
    )


def _quota(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The ResourceQuota {found['quota']} leaves too little for the pods: {found['detail'].strip().rstrip('.')}",
        f"kubectl edit resourcequota {found['quota']} --namespace NAMESPACE   # raise spec.hard, or end a pod of the namespace",
        f"kubectl describe resourcequota {found['quota']} --namespace NAMESPACE",
        f"{_DOCS}/concepts/policy/resource-quotas/",
        (),
    )


def _quota_amounts(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].strip().rstrip(".")
    return (
        f"The ResourceQuota {found['quota']} asks each pod for amounts that the pods do not have: {detail}",
        f"Set these requests and limits in the containers, or give the namespace a LimitRange with defaults: {detail}",
        f"kubectl describe resourcequota {found['quota']} --namespace NAMESPACE",
        f"{_DOCS}/concepts/policy/resource-quotas/",
        (),
    )


def _runtime_class(found: re.Match[str], is_agent: bool) -> _Texts:
    name = found["name"]
    return (
        f"The RuntimeClass {name} of the pods does not exist",
        f"kubectl apply -f - <<'EOF'\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: {name}\nhandler: {RUNTIME_CLASS}\nEOF",
        "kubectl get runtimeclass",
        f"{_DOCS}/concepts/containers/runtime-class/",
        ("TG041",),
    )


def _priority_class(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The PriorityClass {found['name']} of the pods does not exist",
        f"kubectl create priorityclass {found['name']} --value=1000   # or take priorityClassName out of the pod template",
        "kubectl get priorityclasses",
        f"{_DOCS}/concepts/scheduling-eviction/pod-priority-preemption/",
        (),
    )


def _service_account(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The ServiceAccount {found['name']} of the pods does not exist",
        f"kubectl create serviceaccount {found['name']} --namespace NAMESPACE   # better: apply the chart or the manifests that contain it",
        "kubectl get serviceaccounts --namespace NAMESPACE",
        f"{_DOCS}/concepts/security/service-accounts/",
        (),
    )


def _limit_range(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"A LimitRange of the namespace refuses the pods: {found['detail'].strip().rstrip('.')}",
        "kubectl get limitranges --namespace NAMESPACE -o yaml   # change the LimitRange, or the amounts of the containers",
        _PODS,
        f"{_DOCS}/concepts/policy/limit-range/",
        (),
    )


def _webhook_denied(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].lstrip(": ").strip().rstrip(".")
    return (
        f"The admission webhook {found['name']} refuses the pods{f': {detail}' if detail else ''}",
        "Change what the webhook asks for: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        _PODS,
        f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        (),
    )


def _webhook_failed(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The admission webhook {found['name']} does not answer, so no pod is admitted",
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations   # then see the pods of the webhook's Service",
        _PODS,
        f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        (),
    )


def _policy(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].lstrip(": ").strip().rstrip(".")
    return (
        f"The ValidatingAdmissionPolicy {found['name']} refuses the pods{f': {detail}' if detail else ''}",
        f"kubectl get validatingadmissionpolicy {found['name']} -o yaml",
        _PODS,
        f"{_DOCS}/reference/access-authn-authz/validating-admission-policy/",
        (),
    )


_TEXTS: Mapping[str, Callable[[re.Match[str], bool], _Texts]] = {
    "pod-security": _pod_security,
    "quota-exceeded": _quota,
    "quota-needs-amounts": _quota_amounts,
    "runtime-class-missing": _runtime_class,
    "priority-class-missing": _priority_class,
    "service-account-missing": _service_account,
    "limit-range": _limit_range,
    "webhook-denied": _webhook_denied,
    "webhook-failed": _webhook_failed,
    "policy-denied": _policy,
}
