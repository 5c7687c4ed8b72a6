"""Kueue's queue: flavors with the labels and taints of the classes, quotas by count, everything covered that a pod requests, and what is refused."""

import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, Passthrough, Taint, TimeSlicing
from constructs_lib.manifests.objects import MAIN
from constructs_lib.manifests.queues.kueue_objects import KueueQueueSettings, kueue_flavor, kueue_queue

RTX = GpuNodes(talos_version="1.13", name="rtx", gpus_per_node=2, count=3, sharing=TimeSlicing(replicas=4, rename_by_default=True))
H100 = GpuNodes(
    talos_version="1.13", name="h100", gpus_per_node=8, count=2, taints=[Taint("dedicated", "llm"), Taint("slow", effect="NoExecute")]
)
MIXED = GpuNodes(talos_version="1.13", name="mixed", count=2, mig_devices=[{}, {"1g.10gb": 3}])
SINGLE = GpuNodes(talos_version="1.13", name="single", count=2, mig_strategy="single", gpus_per_node=1, mig_devices={"1g.10gb": 7})
CUT = GpuNodes(talos_version="1.13", name="cut", mig_devices={"1g.10gb": 7})
CLAIMED = GpuNodes(talos_version="1.13", name="claimed", gpus_per_node=4, count=1, dra=Dra())
SIZELESS = GpuNodes(talos_version="1.13")


def settings(*nodes, **arguments):
    return KueueQueueSettings(nodes=nodes, **{"name": "gpus", "namespaces": ["ai"], **arguments})


def quotas(*nodes, **arguments):
    """The quotas of the GPU resources of each flavor."""
    (group,) = kueue_queue(settings(*nodes, **arguments))[MAIN]["spec"]["resourceGroups"]
    assert [[each["name"] for each in flavor["resources"]] for flavor in group["flavors"]] == [group["coveredResources"]] * len(nodes)
    return {
        flavor["name"]: {each["name"]: each["nominalQuota"] for each in flavor["resources"] if "/" in each["name"]}
        for flavor in group["flavors"]
    }


def test_a_flavor_has_the_labels_and_the_taints_of_its_class():
    assert kueue_flavor(H100)["ResourceFlavor-h100"] == {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "h100"},
        "spec": {
            "nodeLabels": {"nvidia.com/device-plugin.config": "h100"},
            "nodeTaints": [{"key": "dedicated", "value": "llm", "effect": "NoSchedule"}, {"key": "slow", "effect": "NoExecute"}],
        },
    }
    assert (kueue_flavor(SIZELESS)["ResourceFlavor-gpu"]["metadata"]["name"], kueue_flavor(SIZELESS)["ResourceFlavor-gpu"]["spec"]) == (
        "gpu",
        {},
    )


@pytest.mark.parametrize(
    ("nodes", "arguments", "expected"),
    [
        ([RTX], {}, {"rtx": {"nvidia.com/gpu.shared": "24"}}),
        ([MIXED], {}, {"mixed": {"nvidia.com/gpu": "2", "nvidia.com/mig-1g.10gb": "6"}}),
        ([MIXED], {"gpus": 1}, {"mixed": {"nvidia.com/gpu": "1", "nvidia.com/mig-1g.10gb": "6"}}),
        ([SINGLE], {}, {"single": {"nvidia.com/gpu": "14"}}),
        ([CLAIMED], {}, {"claimed": {"nvidia.com/gpu": "4"}}),
        ([SIZELESS], {"gpus": 5}, {"gpu": {"nvidia.com/gpu": "5"}}),
        (
            [RTX, H100],
            {"gpus": {"h100": 4}},
            {"rtx": {"nvidia.com/gpu.shared": "24", "nvidia.com/gpu": "0"}, "h100": {"nvidia.com/gpu.shared": "0", "nvidia.com/gpu": "4"}},
        ),
    ],
)
def test_the_quota_is_the_count_by_what_a_node_advertises_or_the_given_number(nodes, arguments, expected):
    assert quotas(*nodes, **arguments) == expected


def test_the_queue_covers_what_a_gpu_pod_requests_beside_its_gpus():
    (group,) = kueue_queue(settings(H100, resources={"cpu": 64, "hugepages-2Mi": "1Gi"}))[MAIN]["spec"]["resourceGroups"]

    assert group["coveredResources"] == ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "nvidia.com/gpu"]
    assert [each["nominalQuota"] for each in group["flavors"][0]["resources"]] == ["64", "1Pi", "1Pi", "1Gi", "16"]


def test_each_namespace_has_a_queue_and_no_other_namespace_is_selected():
    main, *local = kueue_queue(settings(H100, namespaces=["ai", "team", "ai"], cohort="all")).values()

    selected = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["ai", "team"]}
    assert (main["kind"], main["metadata"], main["spec"]["namespaceSelector"]) == (
        "ClusterQueue",
        {"name": "gpus"},
        {"matchExpressions": [selected]},
    )
    assert main["spec"]["cohortName"] == "all"
    assert [(each["kind"], each["metadata"], each["spec"]) for each in local] == [
        ("LocalQueue", {"name": "gpus", "namespace": name}, {"clusterQueue": "gpus"}) for name in ("ai", "team")
    ]
    assert settings(H100).labels == {"kueue.x-k8s.io/queue-name": "gpus"}


def test_claims_need_a_mapping_in_the_configuration_of_kueue():
    assert settings(CLAIMED).device_class_mappings == [{"name": "nvidia.com/gpu", "deviceClassNames": ["gpu.nvidia.com"]}]
    assert settings(H100).device_class_mappings == []


def test_a_topology_ends_at_the_node_and_is_that_of_the_flavor():
    topology, flavor = kueue_flavor(H100, settings(H100, topology=["example.com/block", "nvidia.com/gpu.clique"]).topology).values()

    levels = ["example.com/block", "nvidia.com/gpu.clique", "kubernetes.io/hostname"]
    assert (topology["apiVersion"], topology["kind"], topology["metadata"]) == ("kueue.x-k8s.io/v1beta2", "Topology", {"name": "h100"})
    assert topology["spec"] == {"levels": [{"nodeLabel": label} for label in levels]}
    assert flavor["spec"]["topologyName"] == "h100"
    assert settings(H100, topology=levels).topology == tuple(levels)
    assert settings(H100, topology=[]).topology == ("kubernetes.io/hostname",)
    assert "topologyName" not in kueue_flavor(H100)["ResourceFlavor-h100"]["spec"]


def spec(*nodes, **arguments):
    return kueue_queue(settings(*nodes, **arguments))[MAIN]["spec"]


def test_a_queue_has_the_policies_that_are_given_and_no_others():
    given = {"reclaim_within_cohort": "Any", "borrow_within_cohort": "LowerPriority", "max_priority_threshold": -5}

    assert spec(H100, cohort="all", within_cluster_queue="LowerOrNewerEqualPriority", **given)["preemption"] == {
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": -5},
        "withinClusterQueue": "LowerOrNewerEqualPriority",
    }
    assert spec(H100, within_cluster_queue="LowerPriority")["preemption"] == {"withinClusterQueue": "LowerPriority"}
    assert {"preemption", "fairSharing"} & set(spec(H100, cohort="all")) == set()


def test_a_weight_needs_fair_sharing_in_the_configuration_of_kueue():
    weighed = {"cohort": "all", "fair_sharing_weight": 2}

    assert spec(H100, **weighed)["fairSharing"] == {"weight": "2"}
    assert settings(H100, **weighed).fair_sharing == {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
    assert settings(H100, cohort="all").fair_sharing == {}


def test_limits_are_of_the_gpus_of_each_class():
    (group,) = spec(RTX, H100, cohort="all", borrowing_limit=8, lending_limit=0)["resourceGroups"]

    limits = {
        (flavor["name"], each["name"]): {key: value for key, value in each.items() if key.endswith("Limit")}
        for flavor in group["flavors"]
        for each in flavor["resources"]
    }
    both = {"borrowingLimit": "8", "lendingLimit": "0"}
    assert {place: found for place, found in limits.items() if found} == {
        ("rtx", "nvidia.com/gpu.shared"): both,
        ("h100", "nvidia.com/gpu"): both,
    }


LABELS = {f"label-{number}": "a" for number in range(9)}
TAINTS = [Taint(f"taint-{number}") for number in range(9)]
SIZE = {"gpus_per_node": 1, "count": 1}
NO_CLAIM = "Kueue admits no pod that names a ResourceClaim, and no claim with selectors; it counts the devices of ResourceClaimTemplates"


@pytest.mark.parametrize(
    ("nodes", "arguments", "error", "says"),
    [
        ([SIZELESS], {}, ValueError, "nvidia.com/gpu has no number: give 'count' and 'gpus_per_node' to GpuNodes, or 'gpus' to the queue"),
        ([CUT], {}, ValueError, "nvidia.com/mig-1g.10gb has no number: give 'count' and 'gpus_per_node' to GpuNodes"),
        ([CUT], {"gpus": 1}, ValueError, "(got 1); the quotas of partitions follow from 'mig_devices' and 'count'"),
        ([SIZELESS, H100], {}, ValueError, "a node is of one class: give each class its own 'name', or different 'labels'"),
        (
            [GpuNodes(talos_version="1.13", labels={"role": role}, **SIZE) for role in "ab"],
            {},
            ValueError,
            "the name of the class is that of its ResourceFlavor",
        ),
        ([RTX, H100], {"gpus": 4}, TypeError, "where there are several classes (got 4); such as gpus={'rtx': 4}"),
        ([RTX], {"gpus": {"rxt": 4}}, ValueError, "'gpus' must be a mapping of the names of the given classes (got 'rxt'); did you mean 'rtx'?"),
        ([RTX], {"gpus": -1}, ValueError, "'gpus' must be a whole number of at least 0 (got -1)"),
        ([RTX], {"namespaces": []}, ValueError, "(got []); a workload needs a LocalQueue in its own namespace"),
        ([RTX], {"resources": {"cpu": "many"}}, ValueError, "'resources[cpu]' must be a Kubernetes quantity such as '500m' or '16Gi' (got 'many')"),
        ([GpuNodes(talos_version="1.13", dra=Dra(share="claim"), **SIZE)], {}, ValueError, f"(got Dra(share='claim')); {NO_CLAIM}"),
        ([GpuNodes(talos_version="1.13", dra=Dra(selectors=["true"]), **SIZE)], {}, ValueError, f"(got Dra(selectors=('true',))); {NO_CLAIM}"),
        ([GpuNodes(talos_version="1.13", labels=LABELS, **SIZE)], {}, ValueError, "at most 8 'labels' (got 9); a ResourceFlavor has no more"),
        ([GpuNodes(talos_version="1.13", taints=TAINTS, **SIZE)], {}, ValueError, "at most 8 'taints' (got 9); a ResourceFlavor has no more"),
        ([RTX], {"topology": ["kubernetes.io/hostname", "rack"]}, ValueError, "in which kubernetes.io/hostname is the last one (got ['kubernetes.io/hostname', 'rack']); no domain is smaller than a node"),
        ([RTX], {"topology": ["rack", "rack"]}, ValueError, "'topology' must be a list of different node labels (got ['rack', 'rack']); a label is one level"),
        ([RTX], {"topology": [f"level-{number}" for number in range(16)]}, ValueError, "'topology' must be a list of at most 16 levels with kubernetes.io/hostname (got 17); a Topology has no more"),
        ([CLAIMED], {"topology": ["rack"]}, ValueError, "dra=Dra(), name='claimed')); Kueue does not see the GPUs of DRA when it looks for room on a node"),
        ([GpuNodes(talos_version="1.13", **SIZE)], {"topology": ["rack"]}, ValueError, "Kueue takes a topology only where labels select the nodes of the flavor: give the class a 'name' or 'labels'"),
        ([RTX], {"borrowing_limit": 1}, ValueError, "'borrowing_limit' must be given only with 'cohort' (got 1); a queue shares GPUs with those of its cohort"),
        ([RTX], {"fair_sharing_weight": 1}, ValueError, "'fair_sharing_weight' must be given only with 'cohort' (got '1'); a queue shares GPUs with those of its cohort"),
        ([RTX], {"reclaim_within_cohort": "Any"}, ValueError, "'reclaim_within_cohort' must be given only with 'cohort' (got 'Any'); a queue shares GPUs with those of its cohort"),
        ([RTX], {"cohort": "all", "lending_limit": 25}, ValueError, "'lending_limit' must be at most 24, the quota of rtx (got 25); Kueue refuses a queue that lends more than it has"),
        ([RTX], {"cohort": "all", "borrow_within_cohort": "LowerPriority"}, ValueError, "'borrow_within_cohort' must be left out without 'reclaim_within_cohort' (got 'LowerPriority'); Kueue refuses a queue that preempts only while it borrows"),
        ([RTX], {"cohort": "all", "borrow_within_cohort": "LowerPriority", "reclaim_within_cohort": "Any", "fair_sharing_weight": 2}, ValueError, "'borrow_within_cohort' must be left out with 'fair_sharing_weight' (got 'LowerPriority'); Kueue has it for classic preemption alone"),
        ([RTX], {"cohort": "all", "max_priority_threshold": 5}, ValueError, "'max_priority_threshold' must be given only with borrow_within_cohort='LowerPriority' (got 5); it limits whom a workload preempts while its queue borrows"),
        ([GpuNodes(talos_version="1.13", passthrough=Passthrough(pci_ids=["10de:2204"]))], {}, ValueError, "or leave 'passthrough' of GpuNodes out"),
    ],
)  # fmt: skip
def test_what_kueue_could_not_count_is_refused(nodes, arguments, error, says):
    assert message(lambda: settings(*nodes, **arguments), error).endswith(says)
