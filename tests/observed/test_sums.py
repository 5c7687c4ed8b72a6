"""The sum of each class of nodes: offered, held, handed out, at most and left."""

from constructs_lib import Dra, GpuNodes, TimeSlicing
from constructs_lib.observed.pods.pod_counts import Count
from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.sums import sums

NODES = GpuNodes(talos_version="1.14", name="h100", count=2, gpus_per_node=8)
OTHER = GpuNodes(talos_version="1.14", name="rtx", count=1, gpus_per_node=4)
ON = "nodeSelector: {nvidia.com/device-plugin.config: h100}, "


def workload(name="a", gpus=2, replicas="2", kind="Deployment", labels="", pod=ON, strategy="Recreate", resource="nvidia.com/gpu"):
    own = f"parallelism: {replicas}" if kind == "Job" else f"replicas: {replicas}, strategy: {{type: {strategy}}}"
    return f"""\
---
apiVersion: {"batch/v1" if kind == "Job" else "apps/v1"}
kind: {kind}
metadata: {{name: {name}, namespace: ai, labels: {{{labels}}}}}
spec: {{{own}, template: {{spec: {{{pod}containers: [{{name: main, image: "a/b:1", resources: {{limits: {{{resource}: {gpus}}}}}}}]}}}}}}
"""


SCALER = """\
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: a, namespace: ai}
spec: {scaleTargetRef: {name: a}, minReplicaCount: 1, maxReplicaCount: 3}
"""
QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100}
spec: {nodeLabels: {%s}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: gpus}
spec: {resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 6}]}]}]}
"""
FLAVOR = QUEUE % "nvidia.com/device-plugin.config: h100"
QUEUED = "kueue.x-k8s.io/queue-name: gpus"


def only(text, *classes):
    return next(each for each in sums(read_text(text, nodes=classes or (NODES,))))


def numbers(text, *classes):
    """Offered, held at least and at most, handed out, at most in all, and left."""
    each = only(text, *classes)
    left = each.left[0] if each.left and each.left[0] == each.left[1] else each.left
    return each.offered, each.held.least, each.held.most, each.handed_out.least, each.most, left


def test_servers_hold_and_jobs_wait():
    assert numbers(workload()) == (16, 4, 4, 0, 4, 12)
    assert numbers(workload() + workload("train", kind="Job")) == (16, 4, 4, 0, 8, 12)


def test_an_autoscaler_takes_its_maximum_at_most():
    assert numbers(workload(replicas="null") + SCALER) == (16, 2, 6, 0, 6, (10, 14))


def test_a_rolling_update_takes_more_than_the_pods():
    assert numbers(workload(replicas="2", strategy="RollingUpdate")) == (16, 4, 4, 0, 6, 12)


def test_a_queue_hands_out_its_quota_whatever_stands_in_it():
    assert numbers(FLAVOR + workload() + workload("train", kind="Job", labels=QUEUED)) == (16, 4, 4, 6, 10, 6)
    assert numbers(FLAVOR + workload(labels=QUEUED)) == (16, 0, 0, 6, 6, 10)


def test_a_workload_whose_queue_cannot_be_read_may_hold_or_not():
    assert numbers(FLAVOR + workload(labels="kueue.x-k8s.io/queue-name: '${QUEUE}'")) == (16, 0, 4, 6, 10, (6, 10))


def test_pods_and_flavors_of_several_classes_may_take_of_each():
    assert numbers(workload(pod=""), NODES, OTHER) == (16, 0, 4, 0, 4, (12, 16))
    assert numbers(QUEUE % "" + workload(), NODES, OTHER) == (16, 4, 4, 0, 10, (6, 12))


def test_an_amount_that_is_not_known_leaves_no_number():
    assert numbers(workload(gpus="'${GPUS}'")) == (16, 0, None, 0, None, None)
    assert numbers(workload(), GpuNodes(talos_version="1.14", name="h100")) == (None, 4, 4, 0, 4, None)


def test_shares_partitions_and_claims_have_sums_of_their_own():
    shared = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=1, sharing=TimeSlicing(replicas=4))
    cut = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=2, mig_devices=[{"1g.10gb": 7}, {}])
    claimed = GpuNodes(talos_version="1.14", name="h100", count=1, gpus_per_node=2, dra=Dra())
    inputs = read_text(workload(resource="nvidia.com/mig-1g.10gb") + workload("b", replicas="1", gpus=1), nodes=[cut])

    assert numbers(workload(gpus=1), shared) == (4, 2, 2, 0, 2, 2)
    assert [(each.resource, each.offered, each.left and each.left[0]) for each in sums(inputs)] == [
        ("nvidia.com/gpu", 1, 0),
        ("nvidia.com/mig-1g.10gb", 7, 3),
    ]
    assert [each.offered for each in sums(read_text("a: 1", nodes=[claimed]))] == [2]


def test_the_largest_number_goes_through_sums_and_products():
    several = Count(1, "scaled", 3)

    assert (several.most, Count(2).most, Count(2, "?").most) == (3, 2, None)
    assert (several.times(Count(4)).most, several.plus(Count(4)).most, several.plus(Count(1, "?")).most) == (12, 7, None)
    assert Count(0).times(Count(1, "?")).most == 0
