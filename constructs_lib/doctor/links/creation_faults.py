"""The faults of pods that the API server refuses to create, in the words that their controllers repeat."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ...arguments.commands import Command, command, comment
from ...observed.model.evidence import Evidence
from ...upstream.kubernetes.scheduler_words import REFUSALS
from ...upstream.talos.features import RUNTIME_CLASS
from ..fault import Advice, Fault, Fix

_Texts = tuple[str, Fix, Command, str]
"""The cause, the fix, the verification and the source of a fault."""
_DOCS = "https://kubernetes.io/docs"
_EVENTS = command("kubectl get events --namespace NAMESPACE --field-selector reason=FailedCreate")
_PODS = command("kubectl get pods --namespace NAMESPACE")
_RULES = {"pod-security": ("TG052",), "runtime-class-missing": ("TG041",)}
_FIELD_LISTS = re.compile(r"\s*\((?:volumes?|container|containers|pod|pods|restricted)[^)]*\)")


def creation_fault(evidence: Evidence, *, is_agent: bool = False) -> Fault:
    """The fault in the words of an event `FailedCreate`."""
    name, found = next(((name, found) for name, each in REFUSALS.items() if (found := each.search(evidence.text))), ("pods-refused", None))
    cause, fix, verify, source = _known(name, found.groupdict(), is_agent=is_agent) if found else _unknown(evidence.text)
    return Fault(
        name=name,
        cause=cause,
        evidence=(evidence,),
        consequence="The controller creates no pod",
        fix=fix,
        verify=verify,
        source=source,
        rules=_RULES.get(name, ()),
        is_of_pod=True,
    )


def _unknown(message: str) -> _Texts:
    text = message.partition(" is forbidden: ")[2] or message.partition(" is invalid: ")[2]
    look = command("kubectl describe pods,replicasets,daemonsets,statefulsets,jobs --namespace NAMESPACE")
    cause = f"The API server refuses the pods of the controller{f': {text}' if text else ''}"
    return cause, look, _EVENTS, f"{_DOCS}/reference/access-authn-authz/admission-controllers/"


def _known(fault: str, words: Mapping[str, str], *, is_agent: bool) -> _Texts:
    """The texts of a refusal that is known, with the words of the API server: a table, of which one row is taken."""
    name, quota = words.get("name", ""), words.get("quota", "")
    detail = words.get("detail", "").lstrip(": ").strip().rstrip(".")
    reason = f": {detail}" if detail else ""
    of_quota = command("kubectl describe resourcequota {quota} --namespace NAMESPACE", quota=quota)
    privileged = command("kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite")
    runtime_class = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": RUNTIME_CLASS}
    rows: Mapping[str, _Texts] = {
        "pod-security": (
            f"Pod Security ({words.get('level')}) refuses the pods: {_FIELD_LISTS.sub('', detail).strip().rstrip('.')}",
            privileged if is_agent else comment("take these fields out of the pod template, or:").followed_by(privileged),
            command("kubectl get namespace NAMESPACE --show-labels"),
            "siderolabs/talos pkg/machinery/config/generate/init.go",
        ),
        "quota-exceeded": (
            f"The ResourceQuota {quota} leaves too little for the pods: {detail}",
            command(
                "kubectl edit resourcequota {quota} --namespace NAMESPACE   # raise spec.hard, or end a pod of the namespace", quota=quota
            ),
            of_quota,
            f"{_DOCS}/concepts/policy/resource-quotas/",
        ),
        "quota-needs-amounts": (
            f"The ResourceQuota {quota} asks each pod for amounts that the pods do not have: {detail}",
            Advice(f"Set these requests and limits in the containers, or give the namespace a LimitRange with defaults: {detail}"),
            of_quota,
            f"{_DOCS}/concepts/policy/resource-quotas/",
        ),
        "runtime-class-missing": (
            f"The RuntimeClass {name} of the pods does not exist",
            command("printf %s {manifest} | kubectl apply -f -", manifest=json.dumps(runtime_class)),
            command("kubectl get runtimeclass"),
            f"{_DOCS}/concepts/containers/runtime-class/",
        ),
        "priority-class-missing": (
            f"The PriorityClass {name} of the pods does not exist",
            command("kubectl create priorityclass {name} --value=1000   # or take priorityClassName out of the pod template", name=name),
            command("kubectl get priorityclasses"),
            f"{_DOCS}/concepts/scheduling-eviction/pod-priority-preemption/",
        ),
        "service-account-missing": (
            f"The ServiceAccount {name} of the pods does not exist",
            command(
                "kubectl create serviceaccount {name} --namespace NAMESPACE   # better: apply the chart or the manifests that contain it",
                name=name,
            ),
            command("kubectl get serviceaccounts --namespace NAMESPACE"),
            f"{_DOCS}/concepts/security/service-accounts/",
        ),
        "limit-range": (
            f"A LimitRange of the namespace refuses the pods: {detail}",
            command("kubectl get limitranges --namespace NAMESPACE -o yaml   # change the LimitRange, or the amounts of the containers"),
            _PODS,
            f"{_DOCS}/concepts/policy/limit-range/",
        ),
        "webhook-denied": (
            f"The admission webhook {name} refuses the pods{reason}",
            command("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations   # change what the webhook asks for"),
            _PODS,
            f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        ),
        "webhook-failed": (
            f"The admission webhook {name} does not answer, so no pod is admitted",
            command(
                "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations   # then see the pods of the webhook's Service"
            ),
            _PODS,
            f"{_DOCS}/reference/access-authn-authz/extensible-admission-controllers/",
        ),
        "policy-denied": (
            f"The ValidatingAdmissionPolicy {name} refuses the pods{reason}",
            command("kubectl get validatingadmissionpolicy {name} -o yaml", name=name),
            _PODS,
            f"{_DOCS}/reference/access-authn-authz/validating-admission-policy/",
        ),
    }
    return rows[fault]
