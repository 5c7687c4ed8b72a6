"""TG150 to TG152: quotas and ranges of namespaces, and the pods that they refuse."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: a, namespace: ai}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, minReplicas: 1, maxReplicas: 6}
"""


def workload(name="a", gpus="1", replicas="1", kind="Deployment", namespace=", namespace: ai", spec="strategy: {type: Recreate}", pod=""):
    own = f"parallelism: {replicas}" if kind == "Job" else f"replicas: {replicas}"
    return f"""\
---
apiVersion: {"batch/v1" if kind == "Job" else "apps/v1"}
kind: {kind}
metadata: {{name: {name}{namespace}}}
spec:
  {own}
  {spec if kind == "Deployment" else "suspend: false"}
  template:
    spec: {{{pod}containers: [{{name: main, image: "a/b:1", resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}]}}
"""


def quota(most="4", key="requests.nvidia.com/gpu", namespace=", namespace: ai", spec=""):
    return f'---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q{namespace}}}\nspec: {{{spec}hard: {{{key}: "{most}"}}}}\n'


def said(text, rule="TG150"):
    return [(str(each.severity), each.object, each.message, each.fix) for each in run_rules(read_text(text), select=[rule])]


def severities(text, rule="TG150"):
    return [severity for severity, *_ in said(text, rule)]


def test_an_autoscaler_that_may_ask_for_more_than_the_quota_is_named_at_its_maximum():
    assert said(workload(gpus="4") + SCALER + quota()) == [
        (
            "warning",
            "HorizontalPodAutoscaler ai/a",
            (
                "maxReplicas: 6 lets the pods of Deployment ai/a request 24 nvidia.com/gpu, but the ResourceQuota ai/q allows 4. The API server refuses the "
                "other pods"
            ),
            'Lower maxReplicas, or raise requests.nvidia.com/gpu to "24" in the ResourceQuota ai/q',
        )
    ]


def test_what_other_workloads_hold_is_not_left_for_an_autoscaler():
    (found,) = said(workload(replicas="null") + SCALER + workload("b", gpus="3") + quota("8"))

    assert found[2] == (
        "maxReplicas: 6 lets the pods of Deployment ai/a request 6 nvidia.com/gpu beside 3 of other workloads, but the ResourceQuota ai/q allows 8. "
        "The API server refuses the other pods"
    )
    assert severities(workload(replicas="null") + SCALER + workload("b", gpus="3") + quota("9")) == []


def test_servers_that_together_exceed_the_quota_are_an_error_with_every_place():
    (found,) = run_rules(read_text(workload(gpus="3") + workload("b", gpus="2") + quota()), select=["TG150"])

    assert (str(found.severity), found.message) == (
        "error",
        (
            "the workloads of the namespace request 5 nvidia.com/gpu, but the ResourceQuota ai/q allows 4. The API server refuses the pods that are created "
            "last (Deployment ai/a 3, Deployment ai/b 2)"
        ),
    )
    assert [each.text for each in found.related] == [
        "ResourceQuota ai/q spec.hard['requests.nvidia.com/gpu']: 4",
        "Deployment ai/a spec.template.spec.containers[0].resources.limits['nvidia.com/gpu']: 3",
    ]


def test_one_pod_that_is_larger_than_the_quota_is_never_created():
    assert said(workload(gpus="8", replicas='"${N}"') + quota()) == [
        (
            "error",
            "Deployment ai/a",
            "the pod requests 8 nvidia.com/gpu, but the ResourceQuota ai/q allows 4. The API server refuses the pod",
            'Raise requests.nvidia.com/gpu to "8" in the ResourceQuota ai/q',
        )
    ]


def test_a_job_waits_for_the_quota():
    (found,) = said(workload(gpus="3") + workload("train", gpus="2", kind="Job") + quota())

    assert found[::2] == (
        "warning",
        (
            "the workloads of the namespace request 5 nvidia.com/gpu, but the ResourceQuota ai/q allows 4. The Job waits until other pods end "
            "(Deployment ai/a 3, Job ai/train 2)"
        ),
    )


def test_a_rollout_needs_one_more_gpu_than_the_quota_has():
    rolling = workload(replicas="4", spec="strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}")
    (found,) = said(rolling + quota())

    assert found[::2] == (
        "warning",
        (
            "a rolling update adds 1 to 4 pods before it removes one. The workloads of the namespace then request 5 nvidia.com/gpu, but the ResourceQuota "
            "ai/q allows 4. The API server refuses the new pod, and the rollout never ends"
        ),
    )
    assert said(rolling + quota("5")) == []
    assert said(workload(replicas="4") + quota()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (workload(gpus="5", namespace="") + quota(namespace=""), ["warning"]),
        (workload(gpus="5", namespace="") + quota(), ["remark"]),
        (workload(gpus="5", namespace=', namespace: "${NS}"') + quota(), ["remark"]),
        (workload(gpus="5", namespace=", namespace: other") + quota(), []),
        (workload(gpus='"${GPUS}"') + quota(), []),
        (workload(gpus="5") + quota("${MOST}"), []),
        (workload(gpus="5") + quota(key="requests.nvidia.com/gpu.shared"), []),
        (workload(gpus="5") + workload("b", gpus="1", namespace="") + quota(), ["error"]),
    ],
)
def test_a_namespace_that_is_not_known_lowers_the_severity(text, expected):
    assert severities(text) == expected


SCOPE = "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: %s}]}, "


@pytest.mark.parametrize(
    ("spec", "pod", "expected"),
    [
        (SCOPE % "In, values: [low]", "priorityClassName: low, ", ["error"]),
        (SCOPE % "In, values: [low]", "priorityClassName: high, ", []),
        (SCOPE % "In, values: [low]", "", []),
        (SCOPE % "NotIn, values: [low]", "", ["remark"]),
        (SCOPE % "Exists", "priorityClassName: low, ", ["error"]),
        (SCOPE % "Exists", "", []),
        (SCOPE % "DoesNotExist", "", ["remark"]),
        (SCOPE % "Later", "", ["remark"]),
        ("scopes: [Terminating], ", "", []),
        ("scopes: [Terminating], ", "activeDeadlineSeconds: 60, ", ["error"]),
        ("scopes: [NotTerminating], ", "", ["error"]),
        ("scopes: [NotBestEffort], ", "", ["remark"]),
        ('scopes: "${SCOPES}", ', "", ["remark"]),
    ],
)
def test_a_quota_with_scopes_counts_the_pods_in_them(spec, pod, expected):
    assert severities(workload(gpus="5", pod=pod) + quota(spec=spec)) == expected


def claiming(count):
    template = f"devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu.nvidia.com, count: {count}}}}}]}}"
    return f"""\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpu, namespace: ai}}
spec: {{spec: {{{template}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: a, namespace: ai}}
spec:
  replicas: 2
  strategy: {{type: Recreate}}
  template:
    spec:
      resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpu}}]
      containers: [{{name: main, image: "a/b:1", resources: {{claims: [{{name: gpu}}]}}}}]
"""


def test_a_quota_of_a_device_class_counts_the_devices_of_claims():
    by_class = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
    (found,) = said(claiming(2) + quota("3", key=by_class))

    assert found[2] == (
        "the workloads of the namespace request 4 gpu.nvidia.com, but the ResourceQuota ai/q allows 3. The API server refuses the pods that are created "
        "last (Deployment ai/a 4)"
    )
    assert said(claiming(2) + quota("4", key=by_class)) == said(claiming(2) + quota("3")) == []
    assert said(claiming(2) + quota("1", key=by_class, spec="scopes: [NotTerminating], ")) == []


RANGE = '---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r%s}\nspec: {limits: [{type: %s, max: {nvidia.com/gpu: "2"}, default: {nvidia.com/gpu: "0"}}]}\n'


@pytest.mark.parametrize(
    ("namespace", "kind", "gpus", "expected"),
    [
        (", namespace: ai", "Container", "4", ["error"]),
        (", namespace: ai", "Container", "2", []),
        (", namespace: ai", "Pod", "4", []),
        (", namespace: ai", "Container", '"${GPUS}"', []),
        (", namespace: other", "Container", "4", []),
        ("", "Container", "4", ["remark"]),
    ],
)
def test_a_range_limits_each_container(namespace, kind, gpus, expected):
    assert severities(workload(gpus=gpus) + RANGE % (namespace, kind), "TG151") == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("nvidia.com/gpu", ["error"]),
        ("limits.nvidia.com/gpu", ["error"]),
        ("nvidia.com/mig-1g.10gb", ["error"]),
        ("requests.nvidia.com/gpu", []),
        ("limits.cpu", []),
        ("gpu.nvidia.com.deviceclass.resource.k8s.io/devices", []),
        ('"nvidia.com/gpu": "1", requests.nvidia.com/gpu', ["remark"]),
    ],
)
def test_a_name_without_its_prefix_counts_nothing(key, expected):
    assert severities(quota(key=key), "TG152") == expected


PRIORITY = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: normal}\nvalue: 1\nglobalDefault: %s\n"


def test_a_pod_without_a_priority_gets_the_default_class_of_the_cluster():
    text = workload(gpus="5") + quota(spec=SCOPE % "NotIn, values: [normal]")

    assert severities(text + PRIORITY % "true") == severities(text) == ["remark"]
    assert severities(text + PRIORITY % "false") == ["error"]


def test_jobs_that_run_one_after_the_other_under_a_quota_are_a_remark():
    assert severities(workload(replicas="8", kind="Job") + quota("2")) == ["remark"]
    assert severities(workload("a", gpus="2", kind="Job") + workload("b", gpus="2", kind="Job") + quota("2")) == ["remark"]


def gang(rollout="{maxSurge: 1, maxUnavailable: 0}"):
    template = "{spec: {containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
    return f"""\
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: g, namespace: ai}}
spec:
  replicas: 2
  rolloutStrategy: {{rollingUpdateConfiguration: {rollout}}}
  leaderWorkerTemplate: {{size: 2, leaderTemplate: {template}, workerTemplate: {template}}}
"""


def test_a_group_that_an_update_of_a_leader_worker_set_adds_counts_towards_the_quota():
    (found,) = said(gang() + quota("5"))

    assert (found[0], *found[2:]) == (
        "warning",
        (
            "a rolling update adds 2 to 4 pods before it removes one. The workloads of the namespace then request 6 nvidia.com/gpu, but the ResourceQuota "
            "ai/q allows 5. The API server refuses the new pod, and the rollout never ends"
        ),
        'Set rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 0, maxUnavailable: 1}}, or raise requests.nvidia.com/gpu to "6" in the ResourceQuota ai/q',
    )
    assert said(gang() + quota("6")) == said(gang("{maxSurge: 1}") + quota("4")) == []
    assert severities(gang() + quota("3")) == ["error"]


@pytest.mark.parametrize(
    ("rollout", "requested"),
    [
        ("{maxSurge: 1, partition: 2}", 6),  # both old groups stay, and the surge stays with them
        ("{maxSurge: 1, partition: 9}", 6),
        ("{maxSurge: 2, maxUnavailable: 1, partition: 2}", 6),  # one of two old groups is within maxUnavailable
        ("{maxSurge: 1, partition: 1}", 4),
        ("{maxSurge: 1, partition: 0}", 4),
        ("{partition: 2}", 4),
        ("{maxSurge: 1, maxUnavailable: '${UNAVAILABLE}', partition: 1}", 4),
    ],
)
def test_a_leader_worker_set_keeps_the_groups_of_its_surge_while_its_partition_keeps_old_ones(rollout, requested):
    assert said(gang(rollout) + quota(str(requested))) == []
    assert severities(gang(rollout) + quota(str(requested - 1))) == ["warning" if requested > 4 else "error"]


def test_a_suspended_job_outside_of_a_queue_counts_nothing():
    job = workload("train", gpus="2", kind="Job").replace("suspend: false", "suspend: true")
    queued = job.replace("namespace: ai}", "namespace: ai, labels: {kueue.x-k8s.io/queue-name: gpus}}")

    assert severities(workload(gpus="3") + job + quota()) == []
    assert severities(workload(gpus="3") + queued + quota()) == ["warning"]


def test_a_bare_pod_beyond_the_quota_is_refused_and_does_not_wait():
    pod = """\
---
apiVersion: v1
kind: Pod
metadata: {name: debug, namespace: ai}
spec: {restartPolicy: Never, containers: [{name: main, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
    (found,) = said(workload(gpus="4") + pod + quota())

    assert found[::2] == (
        "warning",
        (
            "the workloads of the namespace request 5 nvidia.com/gpu, but the ResourceQuota ai/q allows 4. The API server refuses the pods that are created "
            "last (Deployment ai/a 4, Pod ai/debug 1)"
        ),
    )


def test_a_maximum_without_a_default_gives_every_container_gpus():
    given = (RANGE % (", namespace: ai", "Container")).replace(', default: {nvidia.com/gpu: "0"}', "")
    (found,) = said(workload().replace("nvidia.com/gpu", "cpu") + given, "TG151")

    assert found == (
        "warning",
        "LimitRange ai/r",
        (
            "the LimitRange ai/r gives each container of the namespace that names no nvidia.com/gpu a limit of 2. Pods that need no GPU take one, or stay "
            "Pending"
        ),
        'Set default: {nvidia.com/gpu: "0"} and defaultRequest: {nvidia.com/gpu: "0"} beside max',
    )
    assert severities(workload() + given, "TG151") == ["remark"]


FREE = workload().replace("limits: {nvidia.com/gpu: 1}", "limits: {cpu: 1}")


def limits(numbers):
    return (
        f"---\napiVersion: v1\nkind: LimitRange\nmetadata: {{name: r, namespace: ai}}\nspec: {{limits: [{{type: Container, {numbers}}}]}}\n"
    )


@pytest.mark.parametrize(
    ("numbers", "key", "severity"),
    [
        ('default: {nvidia.com/gpu: "1"}', "default", "warning"),
        ('defaultRequest: {nvidia.com/gpu: "1"}, default: {nvidia.com/gpu: "1"}', "default", "warning"),
        ('max: {nvidia.com/gpu: "1"}', "max", "warning"),
        ('max: {nvidia.com/gpu: "2"}, default: {nvidia.com/gpu: "1"}', "default", "warning"),
        ('defaultRequest: {nvidia.com/gpu: "1"}', "defaultRequest", "error"),
        ('defaultRequest: {nvidia.com/gpu: "0"}', "defaultRequest", "error"),
        ('min: {nvidia.com/gpu: "1"}', "min", "error"),
        ('default: {nvidia.com/gpu: "0"}', None, None),
        ('min: {nvidia.com/gpu: "1"}, default: {nvidia.com/gpu: "${GPUS}"}', None, None),
        ('min: {nvidia.com/gpu: "1"}, "${MORE}": {nvidia.com/gpu: "1"}, default: "${DEFAULT}"', None, None),
        ('default: {cpu: "1"}', None, None),
    ],
)
def test_what_a_range_gives_to_containers_that_name_no_gpu_is_found_at_its_number(numbers, key, severity):
    found = run_rules(read_text(FREE + limits(numbers)), select=["TG151"])

    assert [(str(each.severity), each.halves[0].text.split(":")[0]) for each in found] == (
        [(severity, f"LimitRange ai/r spec.limits[0].{key}['nvidia.com/gpu']")] if key else []
    )
    assert severities(workload() + limits(numbers), "TG151") == (["remark"] if key else [])


def test_what_it_says_of_a_request_without_a_limit():
    (found,) = said(FREE + limits('min: {nvidia.com/gpu: "1"}'), "TG151")

    assert found[2:] == (
        "the LimitRange ai/r gives each container of the namespace that names no nvidia.com/gpu a request without a limit. The API server refuses these pods",
        "Remove min",
    )


ZERO = 'default: {nvidia.com/gpu: "0"} and defaultRequest: {nvidia.com/gpu: "0"}'


@pytest.mark.parametrize(
    ("numbers", "fix"),
    [
        ('min: {nvidia.com/gpu: "1"}, max: {nvidia.com/gpu: "4"}', f"Remove min, and set {ZERO} beside max"),
        ('min: {nvidia.com/gpu: "1"}, default: {nvidia.com/gpu: "1"}', f"Remove min, and set {ZERO}"),
        ('min: {nvidia.com/gpu: "1"}, defaultRequest: {nvidia.com/gpu: "1"}', f"Remove min, and set {ZERO}"),
        ('min: {nvidia.com/gpu: "${LEAST}"}', "Remove min"),
        ('min: {nvidia.com/gpu: "0"}', f"Set {ZERO}, or remove min"),
        ('min: {nvidia.com/gpu: "0"}, max: {nvidia.com/gpu: "4"}', f"Set {ZERO} beside max"),
        ('min: {nvidia.com/gpu: "0"}, default: {nvidia.com/gpu: "1"}, max: {nvidia.com/gpu: "4"}', f"Set {ZERO}"),
        ('defaultRequest: {nvidia.com/gpu: "1"}', f"Set {ZERO}, or remove defaultRequest"),
    ],
)
def test_the_fix_of_a_range_sets_no_default_below_its_minimum(numbers, fix):
    (found,) = said(FREE + limits(numbers), "TG151")

    assert found[3] == fix
