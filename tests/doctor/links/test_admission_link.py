"""The link `admitted`: refusals of the API server and of the kubelet, gates, and claims without a template."""

import json
import shlex

import pytest
from doctor.dump_parts import command, healthy_line
from doctor.pod_parts import agent_spec, claim_spec, cluster, event, live, node, only_fault, pod, pod_body, shown, thing, workload

from constructs_lib.doctor.links.admission_link import admitted

SPEC = pod_body()["spec"]
REPLICA_SET = workload("ReplicaSet", "llm-6d5f7c9b8", SPEC, status={"replicas": 0})
BODY = 'Error creating: pods "llm-6d5f7c9b8-x2z4q" is forbidden: '


def state_of(about, *objects, listed=""):
    return admitted(cluster(about, *objects, listed=listed), live(about), {})


def refusal(words):
    return only_fault(state_of(REPLICA_SET, event(REPLICA_SET, "FailedCreate", words)))


def test_a_pod_that_exists_is_admitted():
    assert healthy_line(state_of(pod(on="gpu-1", phase="Running"))) == "phase: Running"


@pytest.mark.parametrize(
    ("words", "name", "cause"),
    [
        (
            BODY
            + 'violates PodSecurity "baseline:latest": hostPath volumes (volume "dev"), privileged (container "llm" must not set securityContext.privileged=true)',
            "pod-security",
            "Pod Security (baseline) refuses the pods: hostPath volumes, privileged",
        ),
        (
            BODY
            + "exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=4",
            "quota-exceeded",
            "The ResourceQuota gpus leaves too little for the pods: requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=4",
        ),
        (
            BODY + "failed quota: amounts: must specify limits.memory for: llm; requests.cpu for: llm",
            "quota-needs-amounts",
            "The ResourceQuota amounts asks each pod for amounts that the pods do not have: limits.memory for: llm; requests.cpu for: llm",
        ),
        (
            BODY + 'pod rejected: RuntimeClass "nvidia" not found',
            "runtime-class-missing",
            "The RuntimeClass nvidia of the pods does not exist",
        ),
        (
            BODY + "no PriorityClass with name gpu-high was found",
            "priority-class-missing",
            "The PriorityClass gpu-high of the pods does not exist",
        ),
        (
            BODY + 'error looking up service account gpu/llm: serviceaccount "llm" not found',
            "service-account-missing",
            "The ServiceAccount llm of the pods does not exist",
        ),
        (
            BODY + "maximum memory usage per Container is 8Gi, but limit is 64Gi",
            "limit-range",
            "A LimitRange of the namespace refuses the pods: maximum memory usage per Container is 8Gi, but limit is 64Gi",
        ),
        (
            'Error creating: admission webhook "validate.kyverno.svc-fail" denied the request: no latest tag',
            "webhook-denied",
            "The admission webhook validate.kyverno.svc-fail refuses the pods: no latest tag",
        ),
        (
            'Error creating: Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: connection refused',
            "webhook-failed",
            "The admission webhook mpod.kb.io does not answer, so no pod is admitted",
        ),
        (BODY + "something new", "pods-refused", "The API server refuses the pods of the controller: something new"),
    ],
)
def test_the_words_by_which_pods_are_refused_tell_the_cause_without_the_pods_name(words, name, cause):
    fault = refusal(words)

    assert (fault.name, fault.cause) == (name, cause)
    assert shown(fault).startswith(f"{words} | Event ")
    assert fault.is_of_pod


def test_the_newest_refusal_is_told():
    old = event(REPLICA_SET, "FailedCreate", BODY + "no PriorityClass with name a was found", at="2026-11-22T07:00:00Z")
    new = event(REPLICA_SET, "FailedCreate", BODY + 'pod rejected: RuntimeClass "nvidia" not found', at="2026-11-22T08:00:00Z")

    assert only_fault(state_of(REPLICA_SET, new, old)).name == "runtime-class-missing"


def test_a_missing_runtime_class_is_mended_by_a_command_that_can_be_pasted():
    printf, form, manifest, *pipe = shlex.split(str(refusal(BODY + 'pod rejected: RuntimeClass "nvidia" not found').fix))

    assert [printf, form, *pipe] == ["printf", "%s", "|", "kubectl", "apply", "-f", "-"]
    assert json.loads(manifest) == {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }


def test_a_controller_without_events_is_not_judged():
    assert "reason=FailedCreate" in command(state_of(REPLICA_SET))


REFUSED = {
    "UnexpectedAdmissionError": "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0, which is unexpected",
    "OutOfnvidia.com/gpu": "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 1, capacity: 1",
    "NodeAffinity": "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_pod_that_the_kubelet_refuses_is_told_with_the_kubelets_words(reason):
    refused = pod(on="gpu-1", phase="Failed", owner=None, status={"reason": reason, "message": REFUSED[reason]})

    fault = only_fault(state_of(refused, node()))

    assert fault.name in ("admission-error", "kubelet-refusal", "node-affinity")
    assert f"{reason}: {REFUSED[reason]} | Pod gpu/llm-6d5f7c9b8-abcde, status" in shown(fault)
    assert not fault.is_of_pod


NO_HEALTHY_DEVICE = "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected"


def test_a_pod_that_came_before_the_device_plugin_is_to_be_deleted_and_no_card_is_blamed():
    """The kubelet has the same words for a plugin that has not registered again after a reboot, and for GPUs that are unhealthy."""
    refused = pod(on="gpu-1", phase="Failed", owner=None, status={"reason": "UnexpectedAdmissionError", "message": NO_HEALTHY_DEVICE})

    fault = only_fault(state_of(refused, node()))

    assert (fault.name, fault.is_hardware) == ("admission-error", False)
    assert str(fault.fix).startswith("kubectl delete pod POD --namespace NAMESPACE")
    assert "the device plugin was not registered" in fault.cause.lower()


def test_a_request_for_two_shared_gpus_is_a_fault_of_the_pod():
    message = "Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = invalid request: maximum request size for shared resources is 1; found 2, which is unexpected"
    refused = pod(on="gpu-1", phase="Failed", owner=None, gpus=2, status={"reason": "UnexpectedAdmissionError", "message": message})

    fault = only_fault(state_of(refused, node()))

    assert (fault.name, fault.is_of_pod) == ("request-of-shared-gpus", True)


def test_a_pod_that_has_failed_by_itself_is_admitted():
    assert healthy_line(state_of(pod(on="gpu-1", phase="Failed", status={"reason": "Error"}), node())) == "phase: Failed"


def test_a_refused_pod_that_its_controller_has_replaced_is_left_out():
    refused = pod("llm-1", on="gpu-1", phase="Failed", status={"reason": "UnexpectedAdmissionError", "message": "a"})
    replacement = pod("llm-2", on="gpu-1", phase="Running")

    assert [each.about.name for each in cluster(refused, replacement, node()).pods] == ["llm-2"]
    assert [each.about.name for each in cluster(refused, node()).pods] == ["llm-1"]


def gated(*gates):
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }
    return pod(spec={"schedulingGates": [{"name": each} for each in gates]}, status={"conditions": [condition]})


def test_a_gate_of_kueue_holds_the_pod():
    fault = only_fault(state_of(gated("kueue.x-k8s.io/admission")))

    assert fault.name == "scheduling-gate"
    assert fault.cause == "The scheduling gate kueue.x-k8s.io/admission holds the pod: Kueue has not admitted its workload"
    assert str(fault.fix).startswith("kubectl get workloads.kueue.x-k8s.io")


def test_a_gate_of_another_controller_is_named_alone():
    assert only_fault(state_of(gated("example.com/wait"))).cause == "The scheduling gate example.com/wait holds the pod"


CLAIMING = pod(gpus=None, spec=claim_spec())
MISSING = 'PodResourceClaim gpu: resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found'


def test_a_missing_claim_template_is_told_by_its_event():
    fault = only_fault(state_of(CLAIMING, event(CLAIMING, "FailedResourceClaimCreation", MISSING)))

    assert fault.name == "claim-template-missing"
    assert fault.evidence[0].text == MISSING


def test_a_missing_claim_template_is_told_by_the_list_of_templates():
    fault = only_fault(state_of(CLAIMING, listed="ResourceClaimTemplate"))

    assert fault.cause == "The ResourceClaimTemplate one-gpu of the pod does not exist in its namespace"


def test_a_template_in_another_namespace_does_not_help():
    elsewhere = thing("ResourceClaimTemplate", "one-gpu", {"spec": {}}, namespace="other")

    assert only_fault(state_of(CLAIMING, elsewhere)).name == "claim-template-missing"


def test_a_template_that_exists_now_settles_an_old_event():
    template = thing("ResourceClaimTemplate", "one-gpu", {"spec": {}}, namespace="gpu")

    assert healthy_line(state_of(CLAIMING, template, event(CLAIMING, "FailedResourceClaimCreation", MISSING))) == "phase: Pending"


def test_nothing_is_said_of_templates_that_were_not_listed():
    assert healthy_line(state_of(CLAIMING)) == "phase: Pending"


def test_an_agent_without_pods_is_no_gpu_pod():
    agent = workload("DaemonSet", "nvidia-device-plugin", agent_spec(), status={"desiredNumberScheduled": 1, "currentNumberScheduled": 0})

    assert cluster(agent, event(agent, "FailedCreate", BODY + "a")).pods == []
