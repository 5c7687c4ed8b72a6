"""TG153, TG154 and TG157: Kueue's quotas against the nodes, workloads that no queue ever admits, and queues that do not exist."""

import pytest

from constructs_lib import Dra, GpuNodes, TimeSlicing
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

NODES = GpuNodes(talos_version="1.14", name="h100", count=4, gpus_per_node=8)
OTHER = GpuNodes(talos_version="1.14", name="rtx", count=1, gpus_per_node=2)
LABEL = "kueue.x-k8s.io/queue-name"
ON_H100 = "nodeSelector: {nvidia.com/device-plugin.config: h100}, "


def workload(name="chat", gpus="1", replicas="1", kind="Deployment", queue="", annotation="", pod=ON_H100, claim=""):
    labels = f", labels: {{{LABEL}: {queue}}}" if queue else ""
    annotations = f", annotations: {{{annotation}}}" if annotation else ""
    own = f"parallelism: {replicas}" if kind == "Job" else f"replicas: {replicas}"
    update = "\n  strategy: {type: Recreate}" if kind == "Deployment" else ""
    return f"""\
---
apiVersion: {"batch/v1" if kind == "Job" else "apps/v1"}
kind: {kind}
metadata: {{name: {name}, namespace: ai{labels}{annotations}}}
spec:
  {own}{update}
  template:
    spec: {{{pod}containers: [{{name: main, image: "a/b:1", resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}]}}
"""


def flavor(name="h100", labels="{nvidia.com/device-plugin.config: h100}"):
    return f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {{name: {name}}}\nspec: {{nodeLabels: {labels}}}\n"


def queue(nominal="32", name="gpus", limits="", spec="", resource="nvidia.com/gpu", flavors=("h100",), selector="{}"):
    listed = "".join(
        f"        - {{name: {each}, resources: [{{name: {resource}, nominalQuota: {nominal}{limits}}}]}}\n" for each in flavors
    )
    return f"""\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  namespaceSelector: {selector}
  {spec or "queueingStrategy: BestEffortFIFO"}
  resourceGroups:
    - coveredResources: [{resource}]
      flavors:
{listed}"""


def local(name="gpus", target="gpus", namespace="ai"):
    return f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{clusterQueue: {target}}}\n"


SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: ai}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}, minReplicas: 1, maxReplicas: 3}
"""
COHORT = "cohortName: all"
QUEUES = flavor() + local()


def said(text, rule="TG153", nodes=(NODES,)):
    return [(str(each.severity), each.object, each.message) for each in run_rules(read_text(text, nodes=nodes), select=[rule])]


def severities(text, rule="TG153", nodes=(NODES,)):
    return [severity for severity, *_ in said(text, rule, nodes)]


def test_gpus_that_a_server_outside_of_the_queue_holds_are_handed_out_a_second_time():
    (found,) = run_rules(read_text(QUEUES + queue("24") + workload(gpus="8", replicas="2"), nodes=[NODES]), select=["TG153"])

    assert (str(found.severity), found.object, found.message, found.fix) == (
        "error",
        "ClusterQueue gpus",
        (
            "the queue hands out 24 nvidia.com/gpu on h100, and pods outside of the queues request 16 (Deployment ai/chat 16), but the nodes offer only 32. "
            "Kueue admits workloads whose pods then stay Pending"
        ),
        f"Lower nominalQuota to 16, or give the pods outside the label {LABEL}",
    )
    assert [each.text for each in found.halves] == [
        "ClusterQueue gpus spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: 24",
        "Deployment ai/chat spec.template.spec.containers[0].resources.limits['nvidia.com/gpu']: 8",
    ]


def test_a_queue_of_more_than_the_nodes_have_is_an_error_alone():
    assert said(QUEUES + queue("33")) == [
        (
            "error",
            "ClusterQueue gpus",
            "the queue hands out 33 nvidia.com/gpu on h100, but the nodes offer only 32. Kueue admits workloads whose pods then stay Pending",
        )
    ]
    assert said(QUEUES + queue("32")) == []


def test_queues_that_overcommit_together_are_a_warning():
    assert said(QUEUES + queue("24") + queue("16", "other")) == [
        (
            "warning",
            "ClusterQueue gpus",
            (
                "ClusterQueue gpus and ClusterQueue other hand out 40 nvidia.com/gpu on h100, but the nodes offer only 32. Kueue admits workloads whose pods "
                "then stay Pending"
            ),
        )
    ]


def test_what_a_cohort_lends_is_handed_out_once():
    assert said(QUEUES + queue("16", spec=COHORT, limits=", borrowingLimit: 16") + queue("16", "other", spec=COHORT)) == []


def test_an_autoscaler_outside_of_the_queue_may_take_what_kueue_hands_out():
    assert said(QUEUES + queue("24") + workload(gpus="8", replicas="null") + SCALER) == [
        (
            "warning",
            "ClusterQueue gpus",
            (
                "the queue hands out 24 nvidia.com/gpu on h100, and pods outside of the queues request 24 at the maximum of their autoscalers "
                "(Deployment ai/chat ≥ 8), but the nodes offer only 32. Kueue admits workloads whose pods then stay Pending"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUEUES + queue("24") + workload(gpus="8", replicas="2", queue="gpus"), []),
        (QUEUES + queue("24") + workload(gpus="8", replicas="2", queue='"${QUEUE}"'), []),
        (QUEUES + queue("24") + workload(gpus="8", replicas="2") + local("default"), []),
        (QUEUES + queue("24") + workload(gpus="8", replicas="2") + local("default", namespace="other"), ["error"]),
        (QUEUES + queue("24") + workload(gpus="8", replicas="2", kind="Job"), []),
        (QUEUES + queue("24") + workload(gpus="8"), []),
        (QUEUES + queue('"${GPUS}"') + workload(gpus="8", replicas="4"), []),
        (QUEUES + queue("24", spec="admissionChecks: [nodes]") + workload(gpus="8", replicas="2"), ["warning"]),
        (flavor(labels="{zone: a}") + local() + queue("33"), ["warning"]),
        (local() + queue("33"), []),
    ],
    ids=[
        "queued",
        "perhaps queued",
        "default queue",
        "default queue elsewhere",
        "job",
        "enough",
        "unread",
        "nodes are added",
        "unknown label",
        "no flavor",
    ],
)
def test_only_what_surely_stays_outside_is_counted(text, expected):
    assert severities(text) == expected


def test_a_rolling_update_outside_of_the_queue_waits_while_the_queue_is_full():
    rolling = workload(gpus="8").replace("{type: Recreate}", "{type: RollingUpdate}")

    assert said(QUEUES + queue("24") + rolling) == [
        (
            "remark",
            "ClusterQueue gpus",
            (
                "the queue hands out 24 nvidia.com/gpu on h100, and pods outside of the queues request 16 in a rolling update (Deployment ai/chat 8), but "
                "the nodes offer only 32. Kueue admits workloads whose pods then stay Pending"
            ),
        )
    ]
    assert said(QUEUES + queue("16") + rolling) == []


@pytest.mark.parametrize("rule", ["TG153", "TG154"])
def test_a_queue_that_is_stopped_hands_out_nothing(rule):
    stopped = queue("33", spec="stopPolicy: Hold") + train("5")

    assert said(QUEUES + stopped, rule) == []
    assert len(said(QUEUES + stopped.replace("Hold", "None"), rule)) == 1


def test_each_flavor_is_counted_on_the_nodes_of_its_own_class():
    both = QUEUES + flavor("rtx", "{nvidia.com/device-plugin.config: rtx}")

    assert severities(both + queue("2", flavors=("h100", "rtx")) + workload(gpus="8", replicas="3"), nodes=(NODES, OTHER)) == []
    assert [each[2] for each in said(both + queue("3", flavors=("h100", "rtx")), nodes=(NODES, OTHER))] == [
        "the queue hands out 3 nvidia.com/gpu on rtx, but the nodes offer only 2. Kueue admits workloads whose pods then stay Pending"
    ]


def test_shares_and_claims_are_counted_as_the_queue_counts_them():
    shared = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=2, sharing=TimeSlicing(replicas=4, rename_by_default=True))
    claimed = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=2, dra=Dra())
    cut = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=2, mig_devices={"1g.10gb": 7})

    assert severities(QUEUES + queue("8", resource="nvidia.com/gpu.shared"), nodes=[shared]) == []
    assert severities(QUEUES + queue("9", resource="nvidia.com/gpu.shared"), nodes=[shared]) == ["error"]
    assert severities(QUEUES + queue("3"), nodes=[claimed]) == ["error"]
    assert severities(QUEUES + queue("14", resource="nvidia.com/mig-1g.10gb"), nodes=[cut]) == []
    assert severities(QUEUES + queue("15", resource="nvidia.com/mig-1g.10gb"), nodes=[cut]) == ["error"]


def train(parallelism="4", **given):
    return workload("train", "8", parallelism, kind="Job", **{"queue": "gpus", **given})


def test_a_workload_that_is_larger_than_its_queue_waits_for_ever():
    assert said(QUEUES + queue("16") + train(), "TG154") == [
        (
            "error",
            "Job ai/train",
            "Kueue admits the workload with 32 nvidia.com/gpu at once, but the ClusterQueue gpus hands out at most 16 of a flavor. The workload waits for ever",
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (queue("32") + train(), []),
        (queue("16") + train(annotation='kueue.x-k8s.io/job-min-parallelism: "1"'), []),
        (queue("16", spec=COHORT) + queue("16", "other", spec=COHORT) + train(), []),
        (queue("16", spec=COHORT) + queue("8", "other", spec=COHORT) + train(), ["warning"]),
        (queue("16", spec="cohort: all") + queue("16", "other", spec="cohort: all") + train(), []),
        (queue("16", spec=COHORT, limits=", borrowingLimit: 8") + queue("16", "other", spec=COHORT) + train(), ["warning"]),
        (queue("16", spec=COHORT) + queue("16", "other", spec=COHORT, limits=", lendingLimit: 8") + train(), ["warning"]),
        (queue("16", spec=COHORT, limits=", lendingLimit: 0") + queue("16", "other", spec=COHORT) + train(), []),
        (queue("16", spec=COHORT) + queue('"${GPUS}"', "other", spec=COHORT) + train(), []),
        (queue("16", spec=COHORT) + "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: all}\n" + train(), []),
        (queue("16") + workload("chat", "8", "3", queue="gpus"), ["error"]),
        (queue("16") + workload("chat", "8", "2", queue="gpus"), []),
        (queue("4") + workload("chat", "8", queue="gpus"), ["error"]),
        (queue("16") + workload("chat", "8", "3", kind="StatefulSet", queue="gpus"), ["error"]),
        (queue("16", resource="nvidia.com/gpu.shared") + train("1"), ["warning"]),
        (queue("16") + train('"${PODS}"'), []),
        (queue("16") + train(queue="other"), []),
    ],
)
def test_a_queue_hands_out_its_quota_and_what_its_cohort_lends(text, expected):
    assert severities(QUEUES + text, "TG154", nodes=()) == expected


def test_the_names_of_queues_and_flavors_are_followed():
    lone = train("1")
    for text, message in {
        flavor()
        + queue()
        + local("other")
        + lone: "nothing in these files creates the LocalQueue gpus in the namespace ai. Without the queue the workload waits for ever",
        flavor()
        + queue()
        + local(namespace="other")
        + lone: "nothing in these files creates the LocalQueue gpus in the namespace ai. Without the queue the workload waits for ever",
        QUEUES
        + queue(name="other")
        + lone: "nothing in these files creates the ClusterQueue gpus. Without it no workload of the LocalQueue ai/gpus starts",
        flavor("other")
        + local()
        + queue()
        + lone: "nothing in these files creates the ResourceFlavor h100. Without the flavor the ClusterQueue gpus admits no workload",
        QUEUES
        + queue(selector="{matchLabels: {kubernetes.io/metadata.name: team}}")
        + lone: "the namespaceSelector of the ClusterQueue gpus does not select "
        "the namespace ai. Kueue admits no workload of the namespace",
    }.items():
        assert [(severity, each) for severity, _, each in said(text, "TG157")] == [("warning", message)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUEUES + queue() + train("1"), []),
        (train("1"), ["remark"]),
        (QUEUES + queue() + train("1", queue='"${QUEUE}"'), []),
        (QUEUES + queue(selector="{matchLabels: {team: ai}}") + train("1"), []),
        (
            QUEUES
            + queue(selector="{matchLabels: {team: ai}}")
            + train("1")
            + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ai, labels: {}}\n",
            ["warning"],
        ),
        (QUEUES + queue(selector="null") + train("1"), ["warning"]),
    ],
)
def test_what_another_repository_may_have_is_a_remark(text, expected):
    assert severities(text, "TG157") == expected


def test_a_flavor_with_a_topology_leaves_out_what_pods_outside_of_the_queue_hold():
    text = QUEUES.replace("spec: {nodeLabels", "spec: {topologyName: default, nodeLabels") + queue("100") + workload(gpus="8")

    assert said(text) == []


def test_an_empty_name_of_a_queue_is_none():
    assert severities(QUEUES + queue("32") + workload(gpus="8", queue='""')) == ["error"]


def test_the_parts_of_a_jobset_are_admitted_together():
    part = "{name: %s, replicas: 3, template: {spec: {template: {spec: {containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}"
    jobs = f"""\
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: ai, labels: {{{LABEL}: gpus}}}}
spec: {{replicatedJobs: [{part % "a"}, {part % "b"}]}}
"""
    ((severity, label, message),) = said(QUEUES + queue("4") + jobs, "TG154")

    assert (severity, label) == ("error", "JobSet ai/train")
    assert message.startswith("Kueue admits the workload with 6 nvidia.com/gpu at once, but the ClusterQueue gpus hands out at most 4. ")
    assert said(QUEUES + queue("6") + jobs, "TG154") == []


def test_each_group_of_a_leader_worker_set_is_admitted_alone():
    template = "{spec: {containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 2}}}]}}"
    gang = f"""\
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: vllm, namespace: ai, labels: {{{LABEL}: gpus}}}}
spec: {{replicas: 2, leaderWorkerTemplate: {{size: 3, leaderTemplate: {template}, workerTemplate: {template}}}}}
"""
    messages = [message for *_, message in said(QUEUES + queue("5") + gang, "TG154")]

    assert messages[0] == (
        "Kueue admits the workload with 6 nvidia.com/gpu at once, but the ClusterQueue gpus hands out at most 5. The workload waits for ever "
        "(LeaderWorkerSet ai/vllm (leaderTemplate) 4, LeaderWorkerSet ai/vllm (workerTemplate) 8)"
    )
    assert next(message for *_, message in said(QUEUES + queue("3") + gang, "TG154")).startswith(
        "Kueue admits the workload with 4 nvidia.com/gpu at once, but the ClusterQueue gpus hands out at most 3"
    )
    assert severities(QUEUES + queue("6") + gang, "TG154") == ["error"]
    assert said(QUEUES + queue("12") + gang, "TG154") == []
    assert said(QUEUES + queue("0") + gang.replace("replicas: 2", "replicas: 0"), "TG154") == []


def test_more_queued_jobs_than_gpus_are_what_a_queue_is_for():
    jobs = "".join(workload(f"t{number}", gpus="8", replicas="4", kind="Job", queue="gpus") for number in range(2))

    assert said(jobs, "TG096") == said(QUEUES + queue("32") + jobs, "TG096") == []
    assert severities(jobs.replace(LABEL, "other"), "TG096") == ["warning"]


def test_the_maximum_of_an_autoscaler_stays_above_its_minimum():
    scaled = workload(gpus="8", replicas="2") + SCALER.replace("minReplicas: 1, maxReplicas: 3", "minReplicas: 2, maxReplicas: 4")
    (found,) = run_rules(read_text(scaled + workload("other", gpus="8", replicas="3"), nodes=[NODES]), select=["TG098"])

    assert found.fix == "Lower the minimum of the HorizontalPodAutoscaler, which is 2, and set maxReplicas: 1, or add nodes"


def test_a_paused_scaled_object_starts_no_pods():
    paused = """\
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: ai, annotations: {autoscaling.keda.sh/paused-replicas: "0"}}
spec: {scaleTargetRef: {name: chat}, maxReplicaCount: 9}
"""
    assert said(workload(gpus="8") + paused, "TG098") == []
    assert severities(workload(gpus="8") + paused.replace("paused-replicas", "other"), "TG098") == ["warning"]


LOW, HIGH = (f"{ON_H100}priorityClassName: {name}, " for name in ("low", "high"))


def priority(name, value, kind="PriorityClass", api="scheduling.k8s.io/v1"):
    return f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}}}\nvalue: {value}\n"


PRIORITIES = priority("low", -10) + priority("high", 10)
FULL = QUEUES + queue("32") + workload(gpus="8", pod=LOW)


def test_a_server_that_the_pods_of_the_queue_preempt_holds_nothing_against_the_queue():
    start = "the queue hands out 32 nvidia.com/gpu on h100, and pods outside of the queues request 8 (Deployment ai/chat 8), but the nodes offer only 32. "

    assert said(FULL + PRIORITIES + train("1")) == [
        (
            "remark",
            "ClusterQueue gpus",
            f"{start}Kueue admits workloads whose pods preempt those of a lower priority, which then stay Pending",
        )
    ]
    assert said(FULL + PRIORITIES) == [
        ("warning", "ClusterQueue gpus", f"{start}Kueue admits workloads whose pods then stay Pending, if they have no higher priority")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FULL + train("1"), "warning"),
        (FULL + PRIORITIES + train("1", pod=LOW), "error"),
        (FULL + PRIORITIES + train("1") + train("1", pod=LOW).replace("name: train", "name: other"), "error"),
        (FULL.replace(LOW, HIGH) + PRIORITIES, "error"),
        (FULL.replace(LOW, HIGH) + PRIORITIES + train("1"), "error"),
        (FULL + PRIORITIES + train("1") + workload("more", gpus="8"), "error"),
    ],
    ids=["not read", "equal", "one of two is equal", "higher", "higher than the queue's", "another server"],
)
def test_a_server_that_some_pods_of_the_queue_do_not_preempt_holds_its_gpus(text, expected):
    assert severities(text) == [expected]


KUEUES = priority("urgent", 5, "WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2")
URGENT = "gpus, kueue.x-k8s.io/priority-class: urgent"


def preempting(policy="LowerPriority", key="withinClusterQueue"):
    return queue("16", spec=f"preemption: {{{key}: {policy}}}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (preempting() + workload("b", "16", queue="gpus", pod=LOW) + PRIORITIES, "warning"),
        (preempting() + workload("b", "16", queue="gpus", pod=HIGH) + PRIORITIES, "warning"),
        (preempting() + workload("b", "16", queue=URGENT) + KUEUES, "warning"),
        (preempting() + workload("b", "16", queue=URGENT), "warning"),
        (preempting('"${POLICY}"') + workload("b", "16", queue=URGENT) + KUEUES, "warning"),
        (preempting() + workload("b", "16", queue="gpus"), "error"),
        (preempting("Never") + workload("b", "16", queue=URGENT) + KUEUES, "error"),
        (queue("16") + workload("b", "16", queue=URGENT) + KUEUES, "error"),
        (preempting(key="reclaimWithinCohort") + workload("b", "16", queue=URGENT) + KUEUES, "error"),
        (preempting() + workload("b", "16", queue=URGENT) + workload("c", "16", queue="gpus") + KUEUES, "error"),
        (preempting() + workload("b", "32", queue=URGENT), "error"),
        (preempting() + workload("b", "16", queue=URGENT) + workload("c", "16", queue=URGENT) + KUEUES, "error"),
    ],
)
def test_a_queue_that_preempts_by_priority_never_admits_the_lowest(text, expected):
    assert severities(QUEUES + workload("a", "16", queue="gpus") + text, "TG154", nodes=()) == [expected]


def test_what_it_says_of_the_priorities_of_pods_that_never_end():
    both = QUEUES + workload("a", "16", queue="gpus") + preempting() + workload("b", "16", queue=URGENT)
    start = "the pods in the ClusterQueue gpus that never end request 32 nvidia.com/gpu, but the queue hands out at most 16. The last ones"
    end = "(Deployment ai/a 16, Deployment ai/b 16)"

    assert [message for *_, message in said(both + KUEUES, "TG154", ())] == [
        f"{start}, or those of the lowest priority, are never admitted {end}"
    ]
    assert [message for *_, message in said(both, "TG154", ())] == [f"{start} are never admitted, if they have no higher priority {end}"]
    assert [message for *_, message in said(both.replace("LowerPriority", "Never"), "TG154", ())] == [f"{start} are never admitted {end}"]


@pytest.mark.parametrize(
    ("queues", "expected"),
    [
        (queue("32", spec=f"{COHORT}\n  preemption: {{reclaimWithinCohort: Any}}"), ["remark"]),
        (queue("32", spec="cohortName: another\n  preemption: {reclaimWithinCohort: Any}"), ["warning"]),
        (queue("32", spec=COHORT), ["warning"]),
    ],
)
def test_a_queue_may_take_back_what_another_one_of_its_cohort_has(queues, expected):
    two = workload(gpus="8", replicas="null", queue="gpus") + SCALER + workload("other", gpus="8", replicas="2", queue="others")
    both = QUEUES + queues + queue("32", "others", spec=COHORT) + local("others", "others")

    assert severities(both + two, "TG098") == expected
