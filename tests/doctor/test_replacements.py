"""Pods and Jobs that are past: the diagnosis is about what runs or should run now."""

import pytest
from doctor.pod_parts import cluster, crashing, event, node, pod, running, thing, workload

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.symptoms.link import POD_LINKS

ENDED = {"containerStatuses": [{"name": "llm", "ready": False, "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}
EVICTED = {"reason": "Evicted", "message": "The node was low on resource: ephemeral-storage."}
QUOTA = 'Error creating: pods "a" is forbidden: exceeded quota: gpu, requested: requests.nvidia.com/gpu=1'


def made_at(of, time, **metadata):
    return LiveObject({**of.body, "metadata": {**of.body["metadata"], "creationTimestamp": time, **metadata}}, of.source)


def run(job, phase, time):
    """A pod of a Job."""
    return made_at(pod(f"{job}-x", on="gpu-1", phase=phase, owner=("Job", job), status=ENDED if phase == "Failed" else {}), time)


def job(name, *, cron="", **body):
    owners = [{"kind": "CronJob", "name": cron, "controller": True}] if cron else []
    of = workload("Job", name, {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]})
    metadata = {**of.body["metadata"], "ownerReferences": owners}
    return LiveObject({**of.body, **body, "metadata": metadata, "spec": {**of.body["spec"], **body.get("spec", {})}}, of.source)


def causes(*objects):
    """The causes at pods; the node of these clusters has no device plugin."""
    found = diagnose(cluster(node(), *objects)).causes
    return [(each.fault.name, each.subjects) for each in found if each.link in POD_LINKS]


def judged(*objects):
    return [each.about.name for each in cluster(node(), *objects).pods]


def test_an_evicted_pod_of_an_older_replica_set_is_past_once_the_deployment_runs():
    evicted = pod("llm-5d9c8b7f6d-zzzzz", on="gpu-1", phase="Failed", owner=("ReplicaSet", "llm-5d9c8b7f6d"), status=EVICTED)
    serving = pod(on="gpu-1", phase="Running", status={"containerStatuses": [running()]})

    assert judged(evicted, serving) == ["llm-6d5f7c9b8-abcde"]
    assert judged(evicted) == ["llm-5d9c8b7f6d-zzzzz"]


def test_an_evicted_pod_is_not_replaced_by_another_that_is_being_deleted_or_that_another_deployment_made():
    evicted = pod("llm-5d9c8b7f6d-zzzzz", on="gpu-1", phase="Failed", owner=("ReplicaSet", "llm-5d9c8b7f6d"), status=EVICTED)
    ending = made_at(pod(on="gpu-1", phase="Running"), "2026-11-22T08:00:00Z", deletionTimestamp="2026-11-22T09:00:00Z")
    other = pod("web-6d5f7c9b8-abcde", on="gpu-1", phase="Running", owner=("ReplicaSet", "web-6d5f7c9b8"))

    assert judged(evicted, ending, other) == ["llm-5d9c8b7f6d-zzzzz", "web-6d5f7c9b8-abcde"]


def test_a_pod_that_is_being_deleted_is_past_and_the_report_names_it():
    deleted = made_at(pod(on="gpu-1", status=crashing(137)), "2026-11-22T08:00:00Z", deletionTimestamp="2026-11-22T09:00:00Z")

    assert judged(deleted) == []
    read = doctor_report(diagnose(cluster(node(), deleted))).what_was_read
    assert read.endswith("; left out, because they were deleted or replaced: pod gpu/llm-6d5f7c9b8-abcde")
    assert "left out" not in doctor_report(diagnose(cluster(node()))).what_was_read


@pytest.mark.parametrize("phase", ["Succeeded", "Running", "Pending"])
def test_a_failed_run_of_a_cron_job_is_past_once_a_later_run_has_a_pod(phase):
    first, second = run("nightly-29381760", "Failed", "2026-08-01T00:00:00Z"), run("nightly-29383200", phase, "2026-11-21T00:00:00Z")
    jobs = (job("nightly-29381760", cron="nightly"), job("nightly-29383200", cron="nightly"))

    assert "nightly-29381760-x" not in judged(first, second)
    assert "nightly-29381760-x" not in judged(first, second, *jobs)


def test_the_last_run_of_a_cron_job_is_judged_if_it_failed():
    first, second = run("nightly-29381760", "Succeeded", "2026-08-01T00:00:00Z"), run("nightly-29383200", "Failed", "2026-11-21T00:00:00Z")

    assert judged(first, second) == ["nightly-29383200-x"]


def test_a_failed_job_is_not_replaced_by_a_job_of_a_similar_name_that_no_cron_job_made():
    first, second = run("train-1", "Failed", "2026-08-01T00:00:00Z"), run("train-2", "Succeeded", "2026-11-21T00:00:00Z")

    assert judged(first, second, job("train-1"), job("train-2")) == ["train-1-x"]


@pytest.mark.parametrize(
    "body",
    [
        {"spec": {"suspend": True}},
        {"status": {"failed": 1, "conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]}},
        {"status": {"conditions": [{"type": "Complete", "status": "True"}]}},
        {"status": {"succeeded": 1}},
    ],
    ids=["suspended", "failed", "complete", "succeeded"],
)
def test_a_job_that_makes_no_pods_any_more_is_no_cause(body):
    of = job("train", **body)

    assert causes(of, event(of, "FailedCreate", QUOTA)) == []


def test_a_job_that_can_not_make_its_pods_is_a_cause():
    of = job("train", status={"conditions": [{"type": "Failed", "status": "False"}]})
    quota = thing("ResourceQuota", "gpu", {"spec": {}}, namespace="gpu")

    assert causes(of, quota, event(of, "FailedCreate", QUOTA)) == [("quota-exceeded", ["Job gpu/train (without pods)"])]
