"""Plays of the limits in a namespace: quotas and ranges before the pods, evictions of a drain, and priorities."""

from __future__ import annotations

from typing import Any

from rule_objects import GPU, objects, of_kind
from rule_plays import three_nodes
from rule_stage import Stage

from api_server import ApiError
from constructs_lib.checks.rule import Example

_LIMITS = ("ResourceQuota", "LimitRange", "PriorityClass")
NAMESPACE = "ollama"


def limited(stage: Stage, example: Example) -> None:
    """Two GPUs, and the limits of the namespace before its pods: a quota counts what comes after it."""
    three_nodes(stage, {GPU: 2})
    every = objects(example.yaml)
    stage.apply([each for each in every if each["kind"] in _LIMITS])
    stage.lab.eventually(lambda: all(each.get("status", {}).get("hard") for each in stage.lab.list("v1", "ResourceQuota")))
    for each in of_kind(example, "PriorityClass"):
        stage.lab.eventually(lambda each=each: _is_taken(stage, each["metadata"]["name"]))
    stage.apply([each for each in every if each["kind"] not in _LIMITS])


def _is_taken(stage: Stage, priority: str) -> bool:
    """Whether a pod with the priority is taken: the API server learns of a new class a moment later."""
    spec = {"priorityClassName": priority, "containers": [{"name": "a", "image": "a"}]}
    try:
        stage.lab.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "first", "namespace": NAMESPACE}, "spec": spec})
    except ApiError:
        return False
    return True


def uncounted(stage: Stage, example: Example) -> None:
    """What the quota has counted when the pods run."""
    limited(stage, example)
    stage.lab.eventually(stage.healthy)
    for each in stage.lab.list("v1", "ResourceQuota"):
        lacking = [key for key in each["spec"]["hard"] if key not in each["status"].get("used", {})]
        stage.notes += [f"ResourceQuota {each['metadata']['name']} has no used amount of {key}" for key in lacking]


def drained(stage: Stage, example: Example) -> None:
    """The eviction of a pod that runs, as a drain of its node asks for it."""
    limited(stage, example)
    replicas = of_kind(example, "Deployment")[0]["spec"]["replicas"]
    stage.lab.eventually(stage.healthy)
    stage.lab.eventually(lambda: all(each.get("status", {}).get("currentHealthy") == replicas for each in _budgets(stage)))
    name = stage.lab.list("v1", "Pod")[0]["metadata"]["name"]
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NAMESPACE}}
    with stage.refusing():
        stage.lab.post(f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/eviction", eviction)


def _budgets(stage: Stage) -> list[dict[str, Any]]:
    return stage.lab.list("policy/v1", "PodDisruptionBudget")
