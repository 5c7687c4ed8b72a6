"""Who asks for which GPUs and how much of their memory, against what the nodes have: TG095 to TG099, and the table."""

from typing import Any

import pytest

from constructs_lib import Dra, GpuNodes, Taint, TimeSlicing
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.formats.capacity_table import capacity_json, capacity_text
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.pods.pod_counts import Count
from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.gpu_usage import gibibytes, offers, usage
from constructs_lib.upstream.nvidia.plugin_words import MigStrategy


def nodes(count: int | None = 1, gpus_per_node: int | None = 1, **given) -> GpuNodes:
    return GpuNodes(talos_version="1.13", count=count, gpus_per_node=gpus_per_node, **given)


SHARED = nodes(memory_per_gpu="16Gi", sharing=TimeSlicing(replicas=5))


def said(rule: str, yaml: str, *classes: GpuNodes) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, nodes=classes))]


def severities(rule: str, yaml: str, *classes: GpuNodes) -> list[str]:
    return [severity for severity, _ in said(rule, yaml, *classes)]


def workload(
    name: str = "ollama",
    gpus: object = 1,
    kind: str = "Deployment",
    spec: str = "replicas: 1\n  strategy: {type: Recreate}",
    memory: str | None = None,
    pod: str = "",
    resource: str = "nvidia.com/gpu",
) -> str:
    annotations = f"annotations: {{talos-gpu/gpu-memory: {memory}}}, " if memory else ""
    return f"""\
---
apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}, namespace: ai}}
spec:
  {spec}
  template:
    metadata: {{{annotations}labels: {{app: {name}}}}}
    spec:
      {pod or "restartPolicy: Always"}
      containers: [{{name: main, image: a/b:1, resources: {{limits: {{{resource}: {gpus}}}}}}}]
"""


# Whose nodes a workload may run on.

RTX = nodes(name="rtx", labels={"role": "rtx"}, sharing=TimeSlicing(replicas=4), memory_per_gpu="16Gi")
H100 = nodes(name="h100", labels={"role": "h100"}, gpus_per_node=2)


def classes(yaml: str, *given: GpuNodes) -> list[list[str | None]]:
    return [[each.name for each in row.nodes] for row in usage(read_text(yaml, nodes=given))]


def test_a_selector_tells_the_class():
    assert classes(workload(pod="nodeSelector: {role: h100}"), RTX, H100) == [["h100"]]
    assert classes(workload(), RTX, H100) == [["rtx", "h100"]]
    assert classes(workload(pod="nodeSelector: {kubernetes.io/os: linux}"), RTX, H100) == [["rtx", "h100"]]
    assert classes(workload(pod="nodeSelector: {role: a100}"), RTX, H100) == [[]]
    assert classes(workload(pod='nodeSelector: {role: "${ROLE}"}'), RTX, H100) == [["rtx", "h100"]]


def test_a_label_of_another_class_is_not_on_this_one():
    plain = nodes(name="plain", labels={"pool": "a"})

    assert classes(workload(pod="nodeSelector: {role: h100}"), plain, H100) == [["h100"]]


def test_an_affinity_tells_it_too():
    affinity = (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: role, operator: In, values: [rtx]}]}]}}}"
    )

    assert classes(workload(pod=affinity), RTX, H100) == [["rtx"]]


def test_a_taint_keeps_it_off():
    tainted = nodes(name="tainted", labels={"role": "t"}, taints=[Taint("dedicated", "ai")])

    assert classes(workload(), RTX, tainted) == [["rtx"]]
    assert classes(workload(pod="tolerations: [{operator: Exists}]"), RTX, tainted) == [["rtx", "tainted"]]


def test_the_resource_tells_it():
    renamed = nodes(name="renamed", sharing=TimeSlicing(replicas=2, rename_by_default=True))
    mixed = nodes(name="mixed", mig_strategy=MigStrategy.MIXED, mig_devices={"1g.10gb": 7})

    assert classes(workload(resource="nvidia.com/gpu.shared"), RTX, renamed) == [["renamed"]]
    assert classes(workload(resource="nvidia.com/mig-1g.10gb"), RTX, mixed) == [["mixed"]]
    assert classes(workload(resource="nvidia.com/mig-2g.20gb"), RTX, mixed) == [[]]


def test_a_daemon_set_has_a_pod_on_each_node():
    (row,) = usage(read_text(workload(kind="DaemonSet", spec="selector: {}"), nodes=[nodes(count=3)]))
    (unknown,) = usage(read_text(workload(kind="DaemonSet", spec="selector: {}"), nodes=[nodes(count=None)]))

    assert (row.pods, row.total) == (Count(3), Count(3))
    assert (unknown.pods, unknown.total) == (
        Count(0, "the number of its nodes is not known"),
        Count(0, "the number of its nodes is not known"),
    )


# TG095.


def test_one_pod_has_to_fit_onto_one_node():
    assert said("TG095", workload(gpus=2), nodes()) == [
        ("error", "the pod requests 2 nvidia.com/gpu, but one node of the GPU nodes offers 1. The pod stays Pending")
    ]
    assert said("TG095", workload(gpus=2), nodes(gpus_per_node=2)) == []
    assert said("TG095", workload(gpus=5), SHARED) == []
    assert severities("TG095", workload(gpus=6), SHARED) == ["error"]
    assert said("TG095", workload(gpus=2), nodes(), nodes(gpus_per_node=2)) == []


@pytest.mark.parametrize("given", [nodes(gpus_per_node=None), nodes(count=None, gpus_per_node=None)])
def test_a_number_that_is_not_known_is_not_compared(given):
    assert said("TG095", workload(gpus=8), given) == []
    assert said("TG096", workload(gpus=8), given) == []


def test_more_nodes_do_not_make_a_pod_fit():
    assert severities("TG095", workload(gpus=2), nodes(count=4)) == ["error"]


CLAIMED = nodes(name="claimed", labels={"role": "claimed"}, dra=Dra())
TAINTED = nodes(
    name="tainted", labels={"role": "t"}, taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=2, rename_by_default=True)
)
RENAMED = nodes(name="renamed", labels={"role": "renamed", "tier": "large"}, sharing=TimeSlicing(replicas=2, rename_by_default=True))


def daemon_set(pod: str = "", **given: Any) -> str:
    return workload("agent", kind="DaemonSet", spec="selector: {}", pod=pod, **given)


def affinity(*expressions: str) -> str:
    terms = f"[{{matchExpressions: [{', '.join(expressions)}]}}]"
    return f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"


def test_a_daemon_set_has_pods_on_nodes_without_the_resource_too():
    message = "the DaemonSet has a pod on each node of renamed too, and these nodes offer no nvidia.com/gpu. The pods there stay Pending"

    assert said("TG095", daemon_set(), RTX, RENAMED) == [("error", message)]


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ((RTX, RENAMED), 'Add nodeSelector: {role: "rtx"} to the pods of the DaemonSet'),
        ((RTX, H100, RENAMED), "Set a required node affinity for the labels of rtx or h100"),
        ((nodes(name="plain"), RENAMED), 'Add nodeSelector: {nvidia.com/device-plugin.config: "plain"} to the pods of the DaemonSet'),
    ],
)
def test_the_fix_of_a_daemon_set_on_nodes_without_the_resource_tells_the_nodes_apart(given, fix):
    (violation,) = violations_of(RULES["TG095"], read_text(daemon_set(), nodes=given))

    assert violation.fix == fix


@pytest.mark.parametrize(
    "pod",
    [
        "",
        "nodeSelector: {tier: large}",
        affinity("{key: tier, operator: In, values: [large, small]}"),
        affinity("{key: tier, operator: Exists}"),
        "tolerations: [{key: other, operator: Exists}]",
    ],
)
def test_a_daemon_set_that_surely_selects_other_nodes_has_pods_there(pod):
    large = nodes(name="large", labels={"role": "l", "tier": "large"})

    assert severities("TG095", daemon_set(pod), large, RENAMED) == ["error"]


@pytest.mark.parametrize(
    "pod",
    [
        "nodeSelector: {role: l}",
        "nodeSelector: {unheard.of/label: a}",
        'nodeSelector: {tier: "${TIER}"}',
        'nodeSelector: "${SELECTOR}"',
        affinity("{key: tier, operator: Gt, values: ['1']}"),
        affinity("{key: role, operator: In, values: [l]}"),
        affinity("{key: unheard.of/label, operator: Exists}"),
        affinity("{key: role, operator: NotIn, values: [renamed]}"),
        affinity("{key: tier, operator: Exists}", "{key: role, operator: DoesNotExist}"),
    ],
)
def test_a_daemon_set_that_may_not_select_other_nodes_is_left_alone(pod):
    large = nodes(name="large", labels={"role": "l", "tier": "large"})

    assert said("TG095", daemon_set(pod), large, RENAMED) == []


def test_a_taint_keeps_a_daemon_set_off_nodes_without_the_resource():
    assert said("TG095", daemon_set(), RTX, TAINTED) == []
    assert said("TG095", daemon_set('tolerations: "${TOLERATIONS}"'), RTX, TAINTED) == []
    assert severities("TG095", daemon_set("tolerations: [{key: dedicated, operator: Exists}]"), RTX, TAINTED) == ["error"]


def test_only_pods_of_a_daemon_set_must_run_on_each_node():
    assert said("TG095", workload(), RTX, RENAMED) == []
    assert said("TG095", daemon_set(gpus=0), RTX, RENAMED) == []


def test_a_daemon_set_with_claims_has_pods_on_nodes_without_the_dra_driver_too():
    template = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: ai}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
    claiming = daemon_set("resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]", gpus=0)

    assert said("TG095", template + claiming, CLAIMED, RTX) == [
        ("error", "the DaemonSet has a pod on each node of rtx too, and these nodes offer no gpu.nvidia.com. The pods there stay Pending")
    ]
    assert said("TG095", template + claiming, CLAIMED) == []


CLAIM = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: ai}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""


def sharing(selector: str = "") -> str:
    """A DaemonSet whose pods use one claim."""
    return CLAIM + daemon_set(f"nodeSelector: {{{selector}}}\n      resourceClaims: [{{name: gpu, resourceClaimName: gpu}}]", gpus=0)


def test_the_pods_of_a_daemon_set_on_several_nodes_can_not_share_one_claim():
    message = (
        "the DaemonSet has pods on {} nodes, and all of them use ResourceClaim ai/gpu, whose GPUs are on one node. The pods on the other nodes stay "
        "Pending"
    )
    two = nodes(count=2, name="claimed", labels={"role": "claimed"}, dra=Dra())
    some = nodes(count=None, name="claimed", labels={"role": "claimed"}, dra=Dra())

    assert said("TG095", sharing(), two) == [("error", message.format("2"))]
    assert said("TG095", sharing(), CLAIMED, RTX) == [("error", message.format("2"))]
    assert said("TG095", sharing(), some, RTX) == [("error", message.format("at least 2"))]


def test_the_pods_of_one_node_share_one_claim():
    assert said("TG095", sharing(), CLAIMED) == []
    assert said("TG095", sharing("role: claimed"), CLAIMED, RTX) == []
    assert said("TG095", sharing().replace("kind: DaemonSet", "kind: Deployment"), CLAIMED, RTX) == []


# TG096.


def test_what_is_asked_for_together():
    two = workload("ollama") + workload("vllm")

    assert said("TG096", two, nodes()) == [
        (
            "error",
            (
                "workloads on the GPU nodes request 2 nvidia.com/gpu, but the nodes offer only 1. Pods stay Pending (Deployment ai/ollama "
                "1, Deployment ai/vllm 1)"
            ),
        )
    ]
    assert said("TG096", two, nodes(count=2)) == []
    assert said("TG096", two, SHARED) == []
    assert said("TG096", two, nodes(count=None)) == []


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("Deployment", "replicas: 2\n  strategy: {type: Recreate}", ["error"]),
        ("StatefulSet", "replicas: 2", ["error"]),
        ("StatefulSet", "replicas: 1", []),
        ("Deployment", "replicas: 0", []),
        ("Job", "parallelism: 2", ["warning"]),
        ("Job", "parallelism: 1", []),
        ("DaemonSet", "selector: {}", []),
    ],
)
def test_pods_are_counted(kind, spec, expected):
    assert severities("TG096", workload(kind=kind, spec=spec), nodes()) == expected


def test_a_job_waits_for_its_turn():
    ((severity, message),) = said("TG096", workload() + workload("train", kind="Job", spec="parallelism: 1"), nodes())

    assert severity == "warning"
    assert "The workload waits until other pods end" in message


def bounded(name="smoke-test", **given):
    """A Job with a deadline."""
    return workload(name, kind="Job", spec="activeDeadlineSeconds: 300", **given)


def test_a_job_with_a_deadline_beside_a_server_is_a_remark():
    (violation,) = violations_of(RULES["TG096"], read_text(bounded() + workload(), nodes=[nodes()]))

    assert str(violation.severity) == "remark"
    assert violation.message == (
        "workloads on the GPU nodes request 2 nvidia.com/gpu, but the nodes offer only 1. The Job with a deadline has to run before the other pods, or "
        "waits until it fails (Deployment ai/ollama 1, Job ai/smoke-test 1)"
    )
    assert violation.fix == (
        "Apply the Job first, and the other workloads when it has ended; to run it again, scale one of them to 0 replicas"
    )


def test_servers_and_other_jobs_keep_their_severity_beside_a_job_with_a_deadline():
    train = workload("train", kind="Job", spec="parallelism: 1")
    cron = bounded("cron").replace("kind: Job", "kind: CronJob").replace("  activeDeadline", "  schedule: '@daily'\n  activeDeadline")

    assert severities("TG096", bounded() + workload() + workload("vllm"), nodes()) == ["error"]
    assert severities("TG096", bounded() + workload() + train, nodes()) == ["warning"]
    assert "remark" not in severities("TG096", cron + workload(), nodes())


def test_a_rolling_update_that_servers_have_no_room_for_is_found_beside_a_job_with_a_deadline():
    servers = workload(spec="replicas: 2")

    assert severities("TG096", servers, nodes(count=2)) == ["warning"]
    assert severities("TG096", bounded() + servers, nodes(count=2)) == ["warning", "remark"]
    assert severities("TG096", bounded() + servers, nodes(count=3)) == []


def test_a_job_with_a_deadline_that_other_pods_can_leave_without_a_node_is_a_remark():
    small = workload("small", spec="replicas: 2\n  strategy: {type: Recreate}")

    assert severities("TG096", small + bounded(gpus=2), nodes(count=2, gpus_per_node=2)) == ["remark"]
    assert severities("TG096", small + workload("job", gpus=2, kind="Job", spec="parallelism: 1"), nodes(count=2, gpus_per_node=2)) == [
        "warning"
    ]


@pytest.mark.parametrize(("policy", "severity"), [("Never", "warning"), ("OnFailure", "warning"), ("Always", "error")])
def test_a_pod_that_ends_waits_for_its_turn(policy, severity):
    pod = f"""\
---
apiVersion: v1
kind: Pod
metadata: {{name: once, namespace: ai}}
spec: {{restartPolicy: {policy}, containers: [{{name: a, image: b, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]}}
"""

    assert severities("TG096", pod + workload(), nodes()) == [severity]


def test_only_the_known_minimum_is_an_error():
    scaled = workload(spec="strategy: {type: Recreate}")
    unknown = workload("unknown", spec='replicas: "${N}"')

    assert said("TG096", scaled + unknown, nodes()) == []
    assert said("TG096", scaled + unknown + workload("vllm"), nodes()) == [
        (
            "error",
            (
                "workloads on the GPU nodes request at least 2 nvidia.com/gpu, but the nodes offer only 1. Pods stay Pending "
                "(Deployment ai/ollama ≥ 1, Deployment ai/vllm 1)"
            ),
        )
    ]


def test_a_minimum_of_an_autoscaler_is_an_error():
    hpa = scaler(9).replace("maxReplicas", "minReplicas: 2, maxReplicas")

    assert severities("TG096", workload() + hpa, nodes()) == ["error"]
    assert severities("TG096", workload(spec="replicas: 2") + scaler(9), nodes()) == []


def test_the_workloads_that_are_named_ask_for_the_sum():
    staying = "".join(workload(name) for name in ("a", "b", "c"))
    jobs = "".join(workload(name, kind="Job", spec="parallelism: 1") for name in ("x", "y"))

    ((_, message),) = said("TG096", staying + jobs, nodes())
    assert message.startswith("workloads on the GPU nodes request 3 nvidia.com/gpu")
    assert message.endswith("(Deployment ai/a 1, Deployment ai/b 1, Deployment ai/c 1)")
    ((_, message),) = said("TG096", staying + jobs, nodes(count=3))
    assert message.startswith("workloads on the GPU nodes request 4 nvidia.com/gpu")
    assert message.endswith("(Deployment ai/a 1, Deployment ai/b 1, Deployment ai/c 1, Job ai/x 1)")


def test_a_cron_job_is_counted_once():
    cron = """\
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: train, namespace: ai}
spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}
"""

    assert said("TG096", cron, nodes()) == []
    assert severities("TG096", cron + workload(), nodes()) == ["warning"]


def test_each_class_is_judged_by_what_runs_nowhere_else_and_all_by_everything():
    on_h100 = [workload(f"h{number}", pod="nodeSelector: {role: h100}") for number in range(3)]
    ((_, message),) = said("TG096", "".join(on_h100), RTX, H100)

    assert message.startswith("workloads on h100 request 3 nvidia.com/gpu, but the nodes offer only 2")
    anywhere = [workload(f"a{number}") for number in range(7)]
    ((_, message),) = said("TG096", "".join(anywhere), RTX, H100)
    assert message.startswith("workloads on all classes together request 7 nvidia.com/gpu, but the nodes offer only 6")
    assert said("TG096", "".join(anywhere[:6]), RTX, H100) == []


@pytest.mark.parametrize(
    ("strategy", "count", "gpus"),
    [
        ("{}", 1, 2),  # a quarter of two pods is one more, and none less
        ("{type: Recreate}", 0, 2),
        ("{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", 0, 2),
        ("{rollingUpdate: {maxSurge: 100%, maxUnavailable: 0}}", 1, 3),
        ("{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", 0, 3),
        ('"${STRATEGY}"', 0, 2),
    ],
)
def test_a_rollout_of_several_pods_needs_room(strategy, count, gpus):
    yaml = workload(spec=f"replicas: 2\n  strategy: {strategy}")

    assert severities("TG096", yaml, nodes(count=gpus)) == ["warning"] * count


@pytest.mark.parametrize(
    ("surge", "adds"),
    [("10", 10), ('"12%"', 3), ("50%", 10), ("25%", 5), ("7%", 2), ("100%", 20), ("1", 1)],
)
def test_a_surge_is_a_number_or_a_percentage_of_any_number_of_digits(surge, adds):
    yaml = workload(spec=f"replicas: 20\n  strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: 0}}}}")

    assert said("TG096", yaml, nodes(count=20 + adds)) == []
    ((_, message),) = said("TG096", yaml, nodes(count=20 + adds - 1))
    assert message.startswith(f"a rolling update adds {adds} to 20 pods before it removes one. The workloads need {20 + adds} ")


@pytest.mark.parametrize("unavailable", ["10%", "25%", "10", "1"])
def test_a_rollout_that_removes_pods_first_needs_no_room(unavailable):
    yaml = workload(spec=f"replicas: 20\n  strategy: {{rollingUpdate: {{maxSurge: 10, maxUnavailable: {unavailable}}}}}")

    assert said("TG096", yaml, nodes(count=20)) == []


def test_what_it_says_of_a_rollout():
    ((_, message),) = said("TG096", workload(spec="replicas: 2"), nodes(count=2))

    assert message == (
        "a rolling update adds 1 to 2 pods before it removes one. The workloads need 3 nvidia.com/gpu on the GPU nodes, but "
        "the nodes offer only 2"
    )


# TG097: the second of the five documents ran out of memory so.


def test_two_models_that_do_not_fit_onto_one_card():
    yaml = workload("ollama", memory="8600M") + workload("comfyui", memory="12G")

    assert said("TG097", yaml, SHARED) == [
        (
            "error",
            (
                "the pods that share the GPUs of the GPU nodes declare 19.2Gi of GPU memory, but the GPUs have 16Gi: CUDA out of memory "
                "(Deployment ai/comfyui 1 x 11.2Gi, Deployment ai/ollama 1 x 8Gi)"
            ),
        )
    ]


def test_two_models_that_do():
    yaml = workload("ollama", memory="8Gi") + workload("comfyui", memory="8Gi")

    assert said("TG097", yaml, SHARED) == []
    assert said("TG097", workload("ollama", memory="12Gi") + workload("comfyui"), SHARED) == []


def test_every_pod_declares_its_own():
    assert severities("TG097", workload(spec="replicas: 3", memory="6Gi"), SHARED) == ["error"]
    assert said("TG097", workload(spec="replicas: 2", memory="6Gi"), SHARED) == []


def test_one_pod_has_to_fit_onto_its_own_card():
    whole = nodes(memory_per_gpu="16Gi", gpus_per_node=2)

    assert said("TG097", workload(memory="24Gi"), whole) == [
        ("error", "the pod declares 24Gi of GPU memory, but a GPU of the GPU nodes has 16Gi: CUDA out of memory")
    ]
    assert said("TG097", workload(gpus=2, memory="24Gi"), whole) == []
    assert severities("TG097", workload(memory="24Gi"), SHARED) == ["error"]


def test_nothing_is_shared_where_each_has_a_card_of_its_own():
    yaml = workload("ollama", memory="12Gi") + workload("comfyui", memory="12Gi")

    assert said("TG097", yaml, nodes(memory_per_gpu="16Gi", gpus_per_node=2)) == []


def test_on_several_cards_the_largest_may_meet():
    yaml = workload("ollama", memory="10Gi") + workload("comfyui", memory="10Gi")
    two = nodes(gpus_per_node=2, memory_per_gpu="16Gi", sharing=TimeSlicing(replicas=2))

    assert said("TG097", yaml, two) == [
        (
            "warning",
            (
                "pods that can share one GPU of the GPU nodes declare 20Gi of GPU memory, but the GPU has 16Gi. Time-slicing places "
                "pods by count, not by memory (Deployment ai/comfyui 1 x 10Gi, Deployment ai/ollama 1 x 10Gi)"
            ),
        )
    ]
    assert severities("TG097", yaml + workload("more", memory="15Gi"), two) == ["error"]


@pytest.mark.parametrize(
    "given",
    [
        nodes(count=None, memory_per_gpu="16Gi", sharing=TimeSlicing(replicas=5)),
        nodes(gpus_per_node=None, memory_per_gpu="16Gi", sharing=TimeSlicing(replicas=5)),
        nodes(sharing=TimeSlicing(replicas=5)),
    ],
)
def test_cards_that_are_not_known_are_not_filled(given):
    assert said("TG097", workload("ollama", memory="12Gi") + workload("comfyui", memory="12Gi"), given) == []


def test_a_partition_has_less_than_its_card():
    mixed = nodes(mig_strategy=MigStrategy.MIXED, mig_devices={"1g.10gb": 7}, memory_per_gpu="80Gi")

    assert said("TG097", workload(memory="90Gi", resource="nvidia.com/mig-1g.10gb"), mixed) == []


def test_the_annotation_may_be_on_the_object():
    yaml = workload("comfyui", memory="12Gi") + workload("ollama").replace(
        "metadata: {name: ollama, namespace: ai}", "metadata: {name: ollama, namespace: ai, annotations: {talos-gpu/gpu-memory: 8Gi}}"
    )
    (found,) = violations_of(RULES["TG097"], read_text(yaml, nodes=[SHARED]))

    assert found.path == ("metadata", "annotations", "talos-gpu/gpu-memory")


def test_the_annotation_of_a_template_is_where_it_is_found():
    (found,) = violations_of(RULES["TG097"], read_text(workload(memory="17Gi"), nodes=[SHARED]))

    assert found.path == ("spec", "template", "metadata", "annotations", "talos-gpu/gpu-memory")


# TG099.


@pytest.mark.parametrize("memory", ["six", "6", '"6GB"', "-1Gi"])
def test_an_annotation_that_is_no_amount(memory):
    assert severities("TG099", workload(memory=memory)) == ["warning"]


@pytest.mark.parametrize("memory", ["6Gi", "8600M", '"${MEMORY}"'])
def test_an_annotation_that_is_one_or_may_be(memory):
    assert said("TG099", workload(memory=memory)) == []


# TG098.


def scaler(most: object = 3, kind: str = "HorizontalPodAutoscaler", name: str = "ollama") -> str:
    key = "maxReplicas" if kind == "HorizontalPodAutoscaler" else "maxReplicaCount"
    return f"---\napiVersion: a/v1\nkind: {kind}\nmetadata: {{name: s, namespace: ai}}\nspec: {{scaleTargetRef: {{name: {name}}}, {key}: {most}}}\n"


@pytest.mark.parametrize("kind", ["HorizontalPodAutoscaler", "ScaledObject"])
def test_a_scaler_above_what_is_offered(kind):
    field = "maxReplicas" if kind == "HorizontalPodAutoscaler" else "maxReplicaCount"

    assert said("TG098", workload() + scaler(kind=kind), nodes()) == [
        (
            "warning",
            f"{field}: 3 scales Deployment ai/ollama to 3 pods, which request 3 nvidia.com/gpu, but the nodes offer 1. The other pods stay Pending",
        )
    ]
    assert said("TG098", workload() + scaler(3, kind), SHARED) == []
    assert said("TG098", workload() + scaler(6, kind), nodes(count=None)) == []
    assert said("TG098", workload() + scaler(kind=kind, name="other"), nodes()) == []
    assert said("TG098", workload() + scaler('"${MOST}"', kind), nodes()) == []


def test_an_autoscaler_gets_only_what_other_workloads_leave():
    text = workload() + workload("other", gpus=2) + scaler(3)

    assert said("TG098", text, nodes(gpus_per_node=4)) == [
        (
            "warning",
            (
                "maxReplicas: 3 scales Deployment ai/ollama to 3 pods, which request 3 nvidia.com/gpu, but the nodes offer 4, of which other workloads hold 2 "
                "(Deployment ai/other 2). The other pods stay Pending"
            ),
        )
    ]
    assert said("TG098", text, nodes(gpus_per_node=5)) == []
    (found,) = violations_of(RULES["TG098"], read_text(text, nodes=[nodes(gpus_per_node=4)]))
    assert [each.label for each, _ in found.related] == ["Deployment ai/ollama", "Deployment ai/other"]


def test_a_scaler_counts_the_gpus_of_each_pod():
    (found,) = violations_of(RULES["TG098"], read_text(workload(gpus=2) + scaler(4), nodes=[nodes(count=3, gpus_per_node=2)]))

    assert found.fix == "Set maxReplicas: 3"


def test_a_scaler_of_a_pod_that_fits_on_no_node_is_not_set_to_zero():
    (found,) = violations_of(RULES["TG098"], read_text(workload(gpus=2) + scaler(4), nodes=[nodes()]))

    assert found.fix == "Lower the pod's limit of nvidia.com/gpu to the number that one node offers"


# The table.


def test_the_table_says_who_asks_for_what():
    yaml = workload("ollama", memory="8600M") + workload("train", kind="Job", spec="parallelism: ${PODS}", pod="nodeSelector: {role: h100}")

    assert (
        capacity_text(read_text(yaml, nodes=[RTX, H100]))
        == """\
CLASS  WORKLOAD              GPUS              MEMORY
rtx    (offers)              4 nvidia.com/gpu  16Gi a GPU
rtx    Deployment ai/ollama  1 nvidia.com/gpu  8Gi a pod
h100   (offers)              2 nvidia.com/gpu
h100   Deployment ai/ollama  1 nvidia.com/gpu  8Gi a pod
h100   Job ai/train          ? nvidia.com/gpu
not counted: Job ai/train, because the number of pods can't be read
"""
    )


def test_a_number_of_which_the_minimum_is_known_is_marked():
    yaml = workload("a", spec="selector: {}") + workload("b", spec="selector: {}") + workload("lost", resource="nvidia.com/mig-1g.10gb")

    assert (
        capacity_text(read_text(yaml, nodes=[nodes(name="rtx")]))
        == """\
CLASS  WORKLOAD            GPUS                      MEMORY
rtx    (offers)            1 nvidia.com/gpu
rtx    Deployment ai/a     ≥ 1 nvidia.com/gpu
rtx    Deployment ai/b     ≥ 1 nvidia.com/gpu
-      Deployment ai/lost  1 nvidia.com/mig-1g.10gb
counted as a minimum: Deployment ai/a, Deployment ai/b, because replicas is not set, so an autoscaler may set it
not compared: Deployment ai/lost, because no described class of nodes offers nvidia.com/mig-1g.10gb to its pods
"""
    )


def test_many_workloads_of_one_gap_are_one_line():
    lines = capacity_text(read_text("".join(workload(f"w{number}", spec="selector: {}") for number in range(12)))).splitlines()

    assert lines[-1].startswith("counted as a minimum: Deployment ai/w0, ")
    assert lines[-1].endswith("Deployment ai/w7, and 2 more, because replicas is not set, so an autoscaler may set it")


def test_the_json_has_the_table_and_the_gaps():
    yaml = workload("a", spec="selector: {}", memory="8Gi") + workload("train", kind="Job", spec="parallelism: 2")

    assert capacity_json(read_text(yaml, nodes=[nodes(name="rtx", memory_per_gpu="16Gi")])) == {
        "classes": [{"name": "rtx", "offers": [{"resource": "nvidia.com/gpu", "amount": 1}], "memory_per_gpu": "16Gi"}],
        "requests": [
            {
                "workload": "Deployment ai/a",
                "classes": ["rtx"],
                "resource": "nvidia.com/gpu",
                "amount": None,
                "minimum": 1,
                "memory_bytes_per_pod": 8 * 2**30,
                "may_wait": False,
            },
            {
                "workload": "Job ai/train",
                "classes": ["rtx"],
                "resource": "nvidia.com/gpu",
                "amount": 2,
                "minimum": 2,
                "memory_bytes_per_pod": None,
                "may_wait": True,
            },
        ],
        "gaps": [
            {"kind": "counted as a minimum", "workload": "Deployment ai/a", "reason": "replicas is not set, so an autoscaler may set it"}
        ],
    }


def test_the_table_without_nodes_shows_the_workloads():
    expected = "CLASS  WORKLOAD              GPUS              MEMORY\n-      Deployment ai/ollama  1 nvidia.com/gpu\n"

    assert capacity_text(read_text(workload())) == expected


@pytest.mark.parametrize(("written", "shown"), [(2**30, "1Gi"), (8_600_000_000, "8Gi"), (12_000_000_000, "11.2Gi")])
def test_memory_is_shown_as_people_compare_it(written, shown):
    assert gibibytes(written) == shown


def test_partitions_of_which_nobody_says_the_layout_are_offered_and_nothing_else():
    nodes = GpuNodes(talos_version="1.14", mig_strategy="mixed")

    assert offers(nodes, "nvidia.com/mig-1g.10gb")
    assert not offers(nodes, "example.com/foo")


# GPUs that are enough in all, but not on each node.


def two_on_one_node(name: str = "large", gpus: int = 2, pods: int = 1, kind: str = "Deployment") -> str:
    number = f"replicas: {pods}\n  strategy: {{type: Recreate}}" if kind == "Deployment" else f"parallelism: {pods}"
    return workload(name, gpus=gpus, kind=kind, spec=number)


def test_pods_that_no_placement_fits_are_an_error():
    assert said("TG096", two_on_one_node(pods=3), nodes(count=2, gpus_per_node=3)) == [
        (
            "error",
            (
                "the nodes offer as many nvidia.com/gpu as the workloads request, but no placement of all pods exists. Pods stay Pending "
                "(Deployment ai/large 6)"
            ),
        )
    ]
    assert said("TG096", two_on_one_node(pods=2), nodes(count=2, gpus_per_node=3)) == []


def test_a_pod_that_smaller_pods_can_leave_without_a_node_is_a_warning():
    small = two_on_one_node("small", gpus=1, pods=2)

    assert said("TG096", two_on_one_node() + small, nodes(count=2, gpus_per_node=2)) == [
        (
            "warning",
            (
                "the nodes offer as many nvidia.com/gpu as the workloads request, but a pod of Deployment ai/large needs 2 on one node. If the "
                "scheduler places the other pods first, the pod can stay Pending (Deployment ai/large 2, Deployment ai/small 2)"
            ),
        )
    ]
    assert said("TG096", two_on_one_node() + small, nodes(count=3, gpus_per_node=2)) == []


def test_pods_without_a_selector_can_take_the_only_nodes_of_others():
    pinned, free = workload("pinned", pod="nodeSelector: {role: h100}"), two_on_one_node("free", gpus=1)
    one, other = nodes(name="one", labels={"role": "h100"}), nodes(name="other", labels={"role": "rtx"})

    assert severities("TG096", pinned + free, one, other) == ["warning"]
    assert severities("TG096", pinned + workload("apart", pod="nodeSelector: {role: rtx}"), one, other) == []


def test_jobs_that_do_not_fit_beside_long_running_pods_wait():
    ((severity, message),) = said("TG096", two_on_one_node() + two_on_one_node("job", pods=2, kind="Job"), nodes(count=2, gpus_per_node=3))

    assert severity == "warning"
    assert "no placement of all pods exists. Pods wait until other pods end" in message
    ((severity, message),) = said(
        "TG096", two_on_one_node() + two_on_one_node("job", gpus=1, pods=2, kind="Job"), nodes(count=2, gpus_per_node=2)
    )
    assert severity == "warning"
    assert "the pod can wait until other pods end" in message


def test_the_classes_of_a_workload_are_summed_without_the_others():
    pools = [nodes(name=name, labels={"pool": name}, count=count) for name, count in (("a", 1), ("b", 1), ("c", 4))]
    affinity = (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: pool, operator: In, values: [a, b]}]}]}}}"
    )

    ((severity, message),) = said("TG096", workload(spec="replicas: 3\n  strategy: {type: Recreate}", pod=affinity), *pools)

    assert severity == "error"
    assert message.startswith("workloads on a and b request 3 nvidia.com/gpu, but the nodes offer only 2")


def test_a_daemon_set_takes_its_gpu_of_each_node():
    daemons = workload("agent", kind="DaemonSet", spec="selector: {}")

    assert severities("TG096", daemons + two_on_one_node(), nodes(count=2, gpus_per_node=2)) == ["error"]
    assert severities("TG096", daemons + two_on_one_node(), nodes(count=2, gpus_per_node=3)) == []


@pytest.mark.parametrize("given", [{"count": None}, {"gpus_per_node": None}, {"count": 1001}])
def test_nodes_that_are_not_known_or_too_many_are_not_placed(given):
    assert said("TG096", two_on_one_node(pods=3), nodes(**{"count": 2, "gpus_per_node": 3, **given})) == []


def test_a_pod_that_preempts_the_pods_in_its_way_is_a_remark():
    small = two_on_one_node("small", gpus=1, pods=2)

    assert said("TG096", prioritized("large", gpus=2) + priority(1000) + small, nodes(count=2, gpus_per_node=2)) == [
        (
            "remark",
            (
                "the nodes offer as many nvidia.com/gpu as the workloads request, but a pod of Deployment ai/large needs 2 on one node. If the "
                "scheduler places the other pods first, the pod can preempt some of them (Deployment ai/large 2, Deployment ai/small 2)"
            ),
        )
    ]
    assert severities("TG096", prioritized("large", gpus=2) + priority(-1) + small, nodes(count=2, gpus_per_node=2)) == ["warning"]


def prioritized(name: str = "ollama", **given: Any) -> str:
    return workload(name, pod="priorityClassName: important", **given)


def priority(value: object, name: str = "important", more: str = "") -> str:
    return f"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\nvalue: {value}\n{more}"


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (priority(1000), "remark"),
        (priority(-1), "warning"),
        (priority(0), "warning"),
        ("", "remark"),
        (priority(1000, more="preemptionPolicy: Never\n"), "warning"),
        (priority(1000) + priority(1000, "usual", "globalDefault: true\n"), "warning"),
        (priority('"${VALUE}"'), "remark"),
        (priority(1000) + priority(10, "usual", "globalDefault: ${DEFAULT}\n"), "remark"),
    ],
    ids=["higher", "lower", "equal", "not read", "never preempts", "the default is equal", "unread value", "unread default"],
)
def test_an_autoscaler_whose_pods_preempt_the_others_is_a_remark(text, severity):
    both = prioritized() + workload("other", gpus=2) + text

    assert severities("TG098", both + scaler(3), nodes(gpus_per_node=4)) == [severity]
    assert severities("TG098", both + scaler(2), nodes(gpus_per_node=4)) == []


def test_what_it_says_of_pods_that_are_preempted():
    both = prioritized() + workload("other", gpus=2) + scaler(3)
    start = (
        "maxReplicas: 3 scales Deployment ai/ollama to 3 pods, which request 3 nvidia.com/gpu, but the nodes offer 4, of which other workloads hold 2 "
        "(Deployment ai/other 2). "
    )

    assert said("TG098", both + priority(1000), nodes(gpus_per_node=4)) == [
        ("remark", f"{start}The pods preempt those of a lower priority, which then stay Pending")
    ]
    assert said("TG098", both, nodes(gpus_per_node=4)) == [
        ("remark", f"{start}The other pods stay Pending, if they have no higher priority")
    ]


def test_the_scheduler_frees_no_claim_of_a_lower_priority():
    dra = GpuNodes(talos_version="1.14", count=1, gpus_per_node=4, dra=Dra())

    assert severities("TG098", prioritized() + workload("other", gpus=2) + priority(1000) + scaler(3), dra) == ["warning"]


@pytest.mark.parametrize("name", ["system-node-critical", "system-cluster-critical"])
def test_the_classes_of_every_cluster_have_their_priority(name):
    critical = workload(pod=f"priorityClassName: {name}") + workload("other", gpus=2)

    assert severities("TG098", critical + scaler(3), nodes(gpus_per_node=4)) == ["remark"]


def test_servers_of_which_some_are_preempted_are_a_warning():
    both = prioritized(gpus=2) + workload("other", gpus=2)

    assert said("TG096", both + priority(-1), nodes(gpus_per_node=3)) == [
        (
            "warning",
            (
                "workloads on the GPU nodes request 4 nvidia.com/gpu, but the nodes offer only 3. Pods of the lowest priority stay Pending, or are preempted "
                "(Deployment ai/ollama 2, Deployment ai/other 2)"
            ),
        )
    ]
    assert said("TG096", both, nodes(gpus_per_node=3)) == [
        (
            "warning",
            (
                "workloads on the GPU nodes request 4 nvidia.com/gpu, but the nodes offer only 3. Pods stay Pending, if they have no higher priority "
                "(Deployment ai/ollama 2, Deployment ai/other 2)"
            ),
        )
    ]
    assert severities("TG096", both + priority(-1) + workload("more", gpus=2), nodes(gpus_per_node=3)) == ["error"]
    assert severities("TG096", both + priority(0), nodes(gpus_per_node=3)) == ["error"]


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (prioritized() + two_on_one_node("many", gpus=1, pods=4) + priority(1000), "error"),
        (prioritized() + two_on_one_node("many", gpus=1, pods=3) + priority(1000), "warning"),
        (prioritized() + workload("two", gpus=2) + workload("more", gpus=2) + priority(1000), "error"),
        (prioritized("many", spec="replicas: 4\n  strategy: {type: Recreate}") + workload("one"), "error"),
        (prioritized("two", gpus=2) + prioritized("more", gpus=2) + workload("one"), "error"),
        (prioritized() + prioritized("none", gpus=2).replace("important", "none") + workload("one") + priority(1000), "warning"),
    ],
    ids=["one workload", "both together", "two of one priority", "an unread class", "two of an unread class", "an unread class between"],
)
def test_pods_of_one_priority_that_exceed_the_nodes_alone_are_an_error(text, severity):
    assert severities("TG096", text, nodes(gpus_per_node=3)) == [severity]


def test_a_job_beside_pods_of_a_priority_that_is_not_read():
    job = workload("train", gpus=2, kind="Job", spec="parallelism: 1").replace("apps/v1", "batch/v1").replace("Always", "Never")

    assert said("TG096", prioritized(gpus=2) + job, nodes(gpus_per_node=3)) == [
        (
            "warning",
            (
                "workloads on the GPU nodes request 4 nvidia.com/gpu, but the nodes offer only 3. The workload waits until other pods end, if it has no "
                "higher priority (Deployment ai/ollama 2, Job ai/train 2)"
            ),
        )
    ]


def test_no_placement_for_pods_of_which_some_are_preempted_is_a_warning():
    both = prioritized("low", gpus=2) + two_on_one_node(pods=2)

    def effects(text: str) -> list[tuple[str, str]]:
        found = said("TG096", text, nodes(count=2, gpus_per_node=3))
        return [(severity, message.partition("no placement of all pods exists. ")[2].partition(" (")[0]) for severity, message in found]

    assert effects(both + priority(-1)) == [("warning", "Pods of the lowest priority stay Pending, or are preempted")]
    assert effects(both) == [("warning", "Pods stay Pending, if they have no higher priority")]
    assert effects(both + priority(0)) == [("error", "Pods stay Pending")]


def test_no_placement_for_pods_of_one_priority_is_an_error_beside_a_higher_one():
    both = prioritized("high") + two_on_one_node(pods=4) + priority(1000)

    assert severities("TG096", both, nodes(count=3, gpus_per_node=3)) == ["error"]


def test_a_pod_of_several_resources_is_placed_for_each_resource_alone():
    mixed = nodes(count=2, gpus_per_node=2, mig_strategy=MigStrategy.MIXED, mig_devices=[{"1g.10gb": 1}, {}])
    both = two_on_one_node("both", gpus=1).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 1, nvidia.com/mig-1g.10gb: 1")

    assert said("TG096", both + workload("part", resource="nvidia.com/mig-1g.10gb"), mixed) == []


def gang(replicas: object = 2, size: object = 3, rollout: str = "", leader: str = "", labels: str = "{}") -> str:
    """A LeaderWorkerSet with one GPU for each pod, or a leader without a GPU."""
    template = "{spec: {containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: %s}}}]}}"
    leaders = f"leaderTemplate: {template % leader}, " if leader else ""
    update = f"rolloutStrategy: {{rollingUpdateConfiguration: {{{rollout}}}}}, " if rollout else ""
    spec = f"{{replicas: {replicas}, {update}leaderWorkerTemplate: {{size: {size}, {leaders}workerTemplate: {template % 1}}}}}"
    return f"""\
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: vllm, namespace: ai, labels: {labels}}}
spec: {spec}
"""


SURGE = "maxSurge: 1, maxUnavailable: 0"


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        (gang(), 6),
        (gang(rollout=SURGE), 9),
        (gang(replicas=1, rollout=SURGE), 6),
        (gang(rollout="maxSurge: 9, maxUnavailable: 0"), 12),
        (gang(replicas=4, rollout='maxSurge: "30%", maxUnavailable: 0'), 18),
        (gang(rollout="maxSurge: 1"), 6),
        (gang(rollout="maxSurge: 1, maxUnavailable: 1"), 6),
        (gang(replicas=4, rollout='maxSurge: 1, maxUnavailable: "20%"'), 15),
        (gang(rollout='maxSurge: "${SURGE}", maxUnavailable: 0'), 6),
        (gang(rollout=SURGE, leader="1"), 9),
        (gang(rollout=SURGE, leader="0"), 6),
        (gang(rollout=SURGE, leader="2"), 12),
        (gang(size=1, rollout=SURGE, leader="1"), 3),
    ],
)
def test_a_leader_worker_set_updates_whole_groups(text: str, gpus: int) -> None:
    assert severities("TG096", text, nodes(gpus_per_node=gpus)) == []
    assert severities("TG096", text, nodes(gpus_per_node=gpus - 1)) != []


def test_what_it_says_of_a_leader_worker_set_that_adds_a_group() -> None:
    (found,) = violations_of(RULES["TG096"], read_text(gang(rollout=SURGE, leader="1"), nodes=[nodes(gpus_per_node=8)]))

    assert (str(found.severity), found.message, found.fix) == (
        "warning",
        "a rolling update adds 3 to 6 pods before it removes one. The workloads need 9 nvidia.com/gpu on the GPU nodes, but the nodes offer only 8",
        "Set rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 0, maxUnavailable: 1}}",
    )


JOB_SET = """\
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ai, labels: %s}
spec:
  suspend: %s
  replicatedJobs:
    - {name: a, replicas: 2, template: {spec: {template: {spec: {containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}
"""
QUEUED = "{kueue.x-k8s.io/queue-name: gpus}"


@pytest.mark.parametrize(
    ("labels", "suspend", "pods"),
    [
        ("{}", "true", Count(0)),
        ("{}", "false", Count(2)),
        ("{}", "null", Count(2)),
        ("{}", "${SUSPEND}", Count(0, "suspend can't be read")),
        (QUEUED, "true", Count(2)),
        ('{kueue.x-k8s.io/queue-name: "${QUEUE}"}', "true", Count(2)),
    ],
)
def test_a_suspended_job_set_holds_nothing_unless_a_queue_admits_it(labels: str, suspend: str, pods: Count) -> None:
    (row,) = usage(read_text(JOB_SET % (labels, suspend), nodes=[nodes()]))

    assert (row.pods, row.pods.most) == (pods, pods.most if pods.is_exact else 2)


def test_a_suspended_job_that_can_not_be_read_counts_at_most() -> None:
    job = workload("train", kind="Job", spec="suspend: ${SUSPEND}\n  parallelism: 3")
    (row,) = usage(read_text(job, nodes=[nodes()]))

    assert (row.pods, row.pods.most) == (Count(0, "suspend can't be read"), 3)
