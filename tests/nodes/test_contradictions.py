"""Contradictions of two classes that can mean the same nodes."""

import attrs
import pytest

from constructs_lib import Dra, GpuNodes, Mps, Passthrough, Taint, TimeSlicing
from constructs_lib.nodes.contradictions import contradiction


def nodes(**given):
    return GpuNodes(**{"talos_version": "1.14", **given})


MIXED = {"mig_strategy": "mixed"}
CUT = {"1g.10gb": 7}
VIRTUAL = Passthrough(pci_ids=["10de:2204"])
CONTRADICTING = [
    ("talos_version", {}, {"talos_version": "1.13"}, "1.14", "1.13"),
    ("talos_version", {"talos_version": "1.14.1"}, {"talos_version": "1.14.2"}, "1.14.1", "1.14.2"),
    ("kernel_modules", {}, {"kernel_modules": "proprietary"}, "open", "proprietary"),
    ("driver_track", {"driver_track": "lts"}, {"driver_track": "production"}, "lts", "production"),
    ("taints", {}, {"taints": [Taint("dedicated", "ai")]}, [], [Taint("dedicated", "ai")]),
    ("product", {"product": "RTX 4090"}, {"product": "RTX 4080"}, "RTX 4090", "RTX 4080"),
    ("gpus_per_node", {"gpus_per_node": 1}, {"gpus_per_node": 2}, 1, 2),
    ("memory_per_gpu", {"memory_per_gpu": "16Gi"}, {"memory_per_gpu": "24Gi"}, "16Gi", "24Gi"),
    ("count", {"count": 1}, {"count": 2}, 1, 2),
    ("sharing", {}, {"sharing": TimeSlicing(replicas=2)}, None, TimeSlicing(replicas=2)),
    (
        "sharing",
        {"sharing": TimeSlicing(replicas=2)},
        {"sharing": TimeSlicing(replicas=2, rename_by_default=True)},
        TimeSlicing(replicas=2),
        TimeSlicing(replicas=2, rename_by_default=True),
    ),
    ("mig_strategy", {}, {"mig_strategy": "single"}, "none", "single"),
    ("mig_devices", {**MIXED, "mig_devices": {"1g.10gb": 7}}, {**MIXED, "mig_devices": {"2g.20gb": 3}}, {"1g.10gb": 7}, {"2g.20gb": 3}),
    ("mig_devices", {"mig_devices": CUT, "gpus_per_node": 2}, {"mig_devices": [CUT]}, CUT, [CUT]),
    ("mig_devices", {"mig_devices": CUT}, {"mig_devices": [CUT, {}]}, CUT, [CUT, {}]),
    ("name", {"name": "a", "labels": {"role": "gpu"}}, {"name": "b", "labels": {"role": "gpu"}}, "a", "b"),
    ("dra", {}, {"dra": Dra()}, None, Dra()),
    ("dra", {"dra": Dra()}, {"dra": Dra(share="claim")}, Dra(), Dra(share="claim")),
    ("passthrough", {}, {"passthrough": VIRTUAL}, None, VIRTUAL),
]


@pytest.mark.parametrize(("argument", "one", "other", "ours", "theirs"), CONTRADICTING)
def test_both_orders_name_the_argument_with_its_two_values(argument, one, other, ours, theirs):
    assert contradiction(nodes(**one), nodes(**other)) == (argument, ours, theirs)
    assert contradiction(nodes(**other), nodes(**one)) == (argument, theirs, ours)


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_time_slicing_contradicts_mps_of_as_many_replicas():
    assert contradiction(nodes(sharing=TimeSlicing(replicas=2)), nodes(sharing=Mps(replicas=2))) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({}, {"driver_track": "lts"}),
        ({}, {"product": "RTX 4090"}),
        ({}, {"gpus_per_node": 2}),
        ({}, {"memory_per_gpu": "24Gi"}),
        ({}, {"count": 2}),
        (MIXED, {**MIXED, "mig_devices": {"1g.10gb": 7}}),
        ({}, {"talos_version": "1.14.2"}),
        ({"product": "RTX 4090"}, {"product": "NVIDIA-GeForce-RTX-4090"}),
        ({"memory_per_gpu": "16Gi"}, {"memory_per_gpu": "16384Mi"}),
        ({"taints": [Taint("a"), Taint("b")]}, {"taints": [Taint("b"), Taint("a")]}),
        ({"extra_labels": {"a": "b"}}, {}),
        ({"mig_devices": CUT, "gpus_per_node": 1}, {"mig_devices": [CUT], "gpus_per_node": 1}),
        ({"mig_devices": CUT, "gpus_per_node": 1}, {"mig_devices": [CUT]}),
        ({"mig_devices": CUT}, {"mig_devices": [CUT, CUT]}),
        ({"product": "RTX 4090"}, {"product": "RTX 4090", "memory_per_gpu": "24564Mi"}),
        ({"product": "RTX 4090"}, {"memory_per_gpu": "24564Mi"}),
        ({"name": "a", "labels": {"role": "gpu"}}, {"labels": {"role": "gpu"}}),
        ({"name": "a", "labels": {"role": "gpu"}}, {"name": "b", "labels": {"role": "gpu", "zone": "a"}}),
        ({"count": 4, "labels": {"role": "gpu"}}, {"count": 2, "labels": {"role": "gpu", "zone": "a"}}),
    ],
)
def test_what_is_unknown_or_means_the_same_is_no_contradiction(one, other):
    assert contradiction(nodes(**one), nodes(**other)) is None
    assert contradiction(nodes(**other), nodes(**one)) is None


@pytest.mark.parametrize("labels", [({"name": "rtx"}, {"name": "h100"}), ({"labels": {"role": "a"}}, {"labels": {"role": "b"}})])
def test_classes_that_share_no_node_may_differ(labels):
    one, other = labels

    assert contradiction(nodes(**one), nodes(**other, sharing=TimeSlicing(replicas=2))) is None


def test_a_class_without_labels_may_be_the_nodes_of_every_other_class():
    assert contradiction(nodes(), nodes(name="rtx", sharing=TimeSlicing(replicas=2))) is not None


def test_every_argument_but_the_labels_is_compared():
    selecting = {"labels", "extra_labels"}

    assert {argument for argument, *_ in CONTRADICTING} == {field.name for field in attrs.fields(GpuNodes)} - selecting
