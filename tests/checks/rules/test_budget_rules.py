"""TG155 and TG156: budgets that never let a node be drained, and priorities that do not exist."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: ai}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}, minReplicas: 2, maxReplicas: 4}
"""


def server(name="chat", replicas="1", kind="Deployment", labels="{app: chat}", limit="nvidia.com/gpu: 1", pod=""):
    return f"""\
---
apiVersion: {"batch/v1" if kind == "Job" else "apps/v1"}
kind: {kind}
metadata: {{name: {name}, namespace: ai}}
spec:
  {"suspend: false" if kind in ("Job", "DaemonSet") else f"replicas: {replicas}"}
  template:
    metadata: {{labels: {labels}}}
    spec: {{{pod}containers: [{{name: main, image: "a/b:1", resources: {{limits: {{{limit}}}}}}}]}}
"""


def budget(number="minAvailable: 1", name="budget", selector="{matchLabels: {app: chat}}", namespace=", namespace: ai"):
    return f"---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}{namespace}}}\nspec: {{{number}, selector: {selector}}}\n"


def said(text, rule="TG155"):
    return [(str(each.severity), each.object, each.message) for each in run_rules(read_text(text), select=[rule])]


def severities(text, rule="TG155"):
    return [severity for severity, *_ in said(text, rule)]


def test_a_budget_that_allows_no_eviction_names_the_server():
    (found,) = run_rules(read_text(server() + budget()), select=["TG155"])

    assert (str(found.severity), found.object, found.message) == (
        "warning",
        "PodDisruptionBudget ai/budget",
        "the budget allows no eviction of Deployment ai/chat. A drain of its node never ends, and an upgrade waits for it",
    )
    assert [each.text for each in found.halves] == [
        "PodDisruptionBudget ai/budget spec.minAvailable: 1",
        "Deployment ai/chat spec.template.metadata.labels: {app: chat}",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (server(replicas="2") + budget("maxUnavailable: 0"), ["warning"]),
        (server(replicas="2") + budget('maxUnavailable: "0%"'), ["warning"]),
        (server(replicas="2") + budget('minAvailable: "100%"'), ["warning"]),
        (server(replicas="2") + budget("minAvailable: 2"), ["warning"]),
        (server(kind="StatefulSet") + budget(), ["warning"]),
        (server(replicas="2") + budget(), []),
        (server() + budget("maxUnavailable: 1"), []),
        (server() + budget('maxUnavailable: "25%"'), []),
        (server(replicas="4") + budget('minAvailable: "50%"'), []),
        (server() + budget('minAvailable: "50%"'), ["warning"]),
        (server(replicas="2") + budget('minAvailable: "51%"'), ["warning"]),
        (server(replicas="2") + SCALER + budget('minAvailable: "51%"'), ["remark"]),
        (server() + budget("maxUnavailable: 1") + budget("maxUnavailable: 1"), []),
        (server() + budget("minAvailable: '${LEAST}'"), []),
        (server() + server("more", labels="{app: chat}") + budget(), []),
        (server(replicas="2") + SCALER + budget("minAvailable: 2"), ["remark"]),
        (server(replicas="2") + SCALER + budget("minAvailable: 4"), ["warning"]),
        (server(replicas="'${REPLICAS}'") + budget(), ["remark"]),
        (server(labels="{app: other}") + budget(), []),
        (server() + budget(namespace=", namespace: other"), []),
        (server() + budget(selector="{}"), ["warning"]),
        (server() + budget(selector="{matchExpressions: [{key: app, operator: In, values: [chat]}]}"), ["warning"]),
        (server() + budget(selector="{matchExpressions: [{key: app, operator: NotIn, values: [chat]}]}"), []),
        (server() + budget(selector="null"), []),
        (server(kind="Job") + budget(), []),
        (server(kind="DaemonSet") + budget("maxUnavailable: 0"), []),
        (server(limit="cpu: 1") + budget(), []),
    ],
)
def test_a_budget_is_compared_with_the_pods_that_it_selects(text, expected):
    assert severities(text) == expected


def test_a_budget_may_allow_an_eviction_once_there_are_more_pods():
    assert said(server(replicas="2") + SCALER + budget("minAvailable: 2")) == [
        (
            "remark",
            "PodDisruptionBudget ai/budget",
            (
                "the budget allows no eviction of Deployment ai/chat while it has no more than 2 pods. A drain of its node never ends, and an upgrade waits "
                "for it"
            ),
        )
    ]


def test_two_budgets_of_one_pod_let_nobody_evict_it():
    (found,) = said(server(replicas="2") + budget("maxUnavailable: 1", "a") + budget("maxUnavailable: 1", "b"))

    assert found == (
        "warning",
        "PodDisruptionBudget ai/b",
        (
            "the pods of Deployment ai/chat also have the PodDisruptionBudget ai/a. The API server evicts no pod with two budgets, so a drain of its node "
            "never ends"
        ),
    )


PRIORITY = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: 1000\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (server(pod="priorityClassName: gpu, ") + PRIORITY % "gpus", ["warning"]),
        (server(pod="priorityClassName: gpu, "), ["remark"]),
        (server(pod="priorityClassName: gpu, ") + PRIORITY % "gpu", []),
        (server(pod="priorityClassName: gpu, ") + PRIORITY % "'${NAME}'", []),
        (server(pod="priorityClassName: '${CLASS}', ") + PRIORITY % "gpus", []),
        (server(pod="priorityClassName: system-cluster-critical, ") + PRIORITY % "gpus", []),
        (server() + PRIORITY % "gpus", []),
        (server(pod="priorityClassName: gpu, ", limit="cpu: 1") + PRIORITY % "gpus", []),
    ],
)
def test_a_priority_of_a_gpu_pod_exists(text, expected):
    assert severities(text, "TG156") == expected


def test_a_missing_priority_names_the_classes_that_exist():
    (found,) = run_rules(read_text(server(pod="priorityClassName: gpu, ") + PRIORITY % "gpus"), select=["TG156"])

    assert found.message == "nothing in these files creates the PriorityClass gpu. Without the class the API server refuses the pods"
    assert [each.text for each in found.related] == ["PriorityClass gpus metadata.name: gpus"]
