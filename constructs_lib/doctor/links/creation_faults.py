"""The faults of pods that the API server refuses to create, in the words that their controllers repeat."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from ...arguments.commands import Command, command, comment
from ...observed.model.evidence import Evidence
from ...upstream.kubernetes.scheduler_words import REFUSALS
from ...upstream.talos.features import RUNTIME_CLASS
from ..fault import Advice, Fault, Fix

_Texts = tuple[str, Fix, Command, str, tuple[str, ...]]
_DOCS = "https://kubernetes.io/docs"


def creation_fault(evidence: Evidence, *, is_agent: bool = False) -> Fault:
    """The fault in the words of an event `FailedCreate`."""
    for name, pattern in REFUSALS.items():
        found = pattern.search(evidence.text)
        if found:
            return _fault(name, evidence, _TEXTS[name](found, is_agent))
    text = evidence.text.partition(" is forbidden: ")[2] or evidence.text.partition(" is invalid: ")[2]
    look = command("kubectl describe pods,replicasets,daemonsets,statefulsets,jobs --namespace NAMESPACE")
    cause = f"The API server refuses the pods of the controller{f': {text}' if text else ''}"
    return _fault("pods-refused", evidence, (cause, look, _EVENTS, f"{_DOCS}/reference/access-authn-authz/admission-controllers/", ()))


_EVENTS = command("kubectl get events --namespace NAMESPACE --field-selector reason=FailedCreate")
_PODS = command("kubectl get pods --namespace NAMESPACE")


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
    label = command("kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite")
    detail = re.sub(r"\s*\((?:volumes?|container|containers|pod|pods|restricted)[^)]*\)", "", found["detail"]).strip().rstrip(".")
    return (
        f"Pod Security ({found['level']}) refuses the pods: {detail}",
        label if is_agent else comment("take these fields out of the pod template, or:").followed_by(label),
        command("kubectl get namespace NAMESPACE --show-labels"),
        "siderolabs/talos pkg/machinery/config/generate/init.go",
        ("TG052",),
    )


def _quota(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The ResourceQuota {found['quota']} leaves too little for the pods: {found['detail'].strip().rstrip('.')}",
        command(
            "kubectl edit resourcequota {quota} --namespace NAMESPACE   # raise spec.hard, or end a pod of the namespace",
            quota=found["quota"],
        ),
        command("kubectl describe resourcequota {quota} --namespace NAMESPACE", quota=found["quota"]),
        f"{_DOCS}/concepts/policy/resource-quotas/",
        (),
    )


def _quota_amounts(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].strip().rstrip(".")
    return (
        f"The ResourceQuota {found['quota']} asks each pod for amounts that the pods do not have: {detail}",
        Advice(f"Set these requests and limits in the containers, or give the namespace a LimitRange with defaults: {detail}"),
        command("kubectl describe resourcequota {quota} --namespace NAMESPACE", quota=found["quota"]),
        f"{_DOCS}/concepts/policy/resource-quotas/",
        (),
    )


def _runtime_class(found: re.Match[str], is_agent: bool) -> _Texts:
    name = found["name"]
    manifest = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": RUNTIME_CLASS}
    return (
        f"The RuntimeClass {name} of the pods does not exist",
        command("printf %s {manifest} | kubectl apply -f -", manifest=json.dumps(manifest)),
        command("kubectl get runtimeclass"),
        f"{_DOCS}/concepts/containers/runtime-class/",
        ("TG041",),
    )


def _priority_class(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The PriorityClass {found['name']} of the pods does not exist",
        command(
            "kubectl create priorityclass {name} --value=1000   # or take priorityClassName out of the pod template", name=found["name"]
        ),
        command("kubectl get priorityclasses"),
        f"{_DOCS}/concepts/scheduling-eviction/pod-priority-preemption/",
        (),
    )


def _service_account(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The ServiceAccount {found['name']} of the pods does not exist",
        command(
            "kubectl create serviceaccount {name} --namespace NAMESPACE   # better: apply the chart or the manifests that contain it",
            name=found["name"],
        ),
        command("kubectl get serviceaccounts --namespace NAMESPACE"),
        f"{_DOCS}/concepts/security/service-accounts/",
        (),
    )


def _limit_range(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"A LimitRange of the namespace refuses the pods: {found['detail'].strip().rstrip('.')}",
        command("kubectl get limitranges --namespace NAMESPACE -o yaml   # change the LimitRange, or the amounts of the containers"),
        _PODS,
        f"{_DOCS}/concepts/policy/limit-range/",
        (),
    )


def _webhook_denied(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].lstrip(": ").strip().rstrip(".")
    return (
        f"The admission webhook {found['name']} refuses the pods{f': {detail}' if detail else ''}",
        command("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations   # change what the webhook asks for"),
        _PODS,
        f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        (),
    )


def _webhook_failed(found: re.Match[str], is_agent: bool) -> _Texts:
    return (
        f"The admission webhook {found['name']} does not answer, so no pod is admitted",
        command("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations   # then see the pods of the webhook's Service"),
        _PODS,
        f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        (),
    )


def _policy(found: re.Match[str], is_agent: bool) -> _Texts:
    detail = found["detail"].lstrip(": ").strip().rstrip(".")
    return (
        f"The ValidatingAdmissionPolicy {found['name']} refuses the pods{f': {detail}' if detail else ''}",
        command("kubectl get validatingadmissionpolicy {name} -o yaml", name=found["name"]),
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
