"""`GpuQuota` and `KueueQueue` as constructs: names, scopes, and the part of other constructs' objects that they share."""

from cdk8s import ApiObject, App, Chart

from conftest import message, one
from constructs_lib import GpuNodes, GpuQuota, GpuStack, GpuWorkload, KueueQueue, Taint, TimeSlicing, check
from constructs_lib.checks.rule import Severity
from constructs_lib.testing import synthesize

NODES = GpuNodes(
    talos_version="1.13", name="rtx", gpus_per_node=2, count=3, sharing=TimeSlicing(replicas=2), taints=[Taint("dedicated", "ai")]
)


def test_the_main_child_is_the_quota_with_the_id_as_its_name(chart):
    quota = GpuQuota(chart, "gpus", nodes=NODES, gpus=4, gpus_per_container=1)

    assert ApiObject.of(quota).kind == "ResourceQuota"
    assert {each.kind: each.name for each in quota.node.children} == {"ResourceQuota": "gpus", "LimitRange": "gpus"}
    assert message(lambda: GpuQuota(chart, "other", name="gpus", nodes=NODES, gpus=1)).startswith(
        "'name' must be unique among the objects of kind ResourceQuota"
    )


def test_the_main_child_is_the_cluster_queue_with_the_id_as_its_name(chart):
    queue = KueueQueue(chart, "gpus", nodes=NODES, namespaces=["ai"])

    assert (ApiObject.of(queue).kind, ApiObject.of(queue).name) == ("ClusterQueue", "gpus")


def test_objects_of_the_cluster_have_no_namespace_in_a_chart_that_has_one():
    app = App()
    KueueQueue(Chart(app, "queues", namespace="kueue"), "gpus", nodes=NODES, namespaces=["ai"])

    assert {each["kind"]: each["metadata"].get("namespace") for each in synthesize(app)} == {
        "ResourceFlavor": None,
        "ClusterQueue": None,
        "LocalQueue": "ai",
    }


def test_two_queues_share_the_flavor_of_a_class_and_no_other_class_has_its_name():
    app = App()
    first, second = (GpuNodes(talos_version="1.13", labels={"role": role}) for role in ("first", "second"))
    for team in ("red", "blue"):
        KueueQueue(Chart(app, team), team, nodes=first, namespaces=[team], gpus=6, cohort="all")

    assert one(synthesize(app), "ResourceFlavor")["metadata"]["name"] == "gpu"
    assert message(lambda: KueueQueue(Chart(app, "third"), "third", nodes=second, namespaces=["third"], gpus=6)) == (
        "'name' must be unique among the objects of kind ResourceFlavor in this app (got 'gpu'); KueueQueue already makes a ResourceFlavor of this "
        "name; the second object would replace the first"
    )


def test_queues_share_the_topology_of_a_class_and_no_queue_has_another_one():
    app = App()
    chart = Chart(app, "queues")
    for name in ("first", "second"):
        KueueQueue(chart, name, nodes=NODES, namespaces=["ai"], topology=["rack"])

    assert [each["kind"] for each in chart.to_json()].count("Topology") == 1
    assert message(lambda: KueueQueue(chart, "third", nodes=NODES, namespaces=["ai"])) == (
        "'topology' must be ['rack', 'kubernetes.io/hostname'], as KueueQueue 'first' has for the ResourceFlavor rtx (got []); "
        "queues share the flavor of a class, and a flavor has one Topology"
    )


def test_a_workload_is_in_the_queue_by_its_label_and_the_checks_find_nothing():
    app = App()
    GpuStack(Chart(app, "gpu"), "gpu-stack", nodes=NODES, discovery=False)
    chart = Chart(app, "ai", namespace="ai")
    queue = KueueQueue(chart, "gpus", nodes=NODES, namespaces=["ai"])
    GpuQuota(chart, "quota", nodes=NODES, gpus=4, gpus_per_container=1)
    GpuWorkload(chart, "train", nodes=NODES, kind="Job", image="example.com/train:1", labels=queue.labels)
    manifests = synthesize(app)

    assert one(manifests, "Job")["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gpus"
    assert [each for each in check(manifests, talos_version="1.13", nodes=[NODES]) if each.severity is not Severity.INFO] == []
