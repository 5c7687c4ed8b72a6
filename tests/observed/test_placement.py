"""Tolerations, node selectors and required node affinity against a node, with what can't be read."""

import pytest

from constructs_lib import GpuNodes, Taint
from constructs_lib.observed.model import Answer, NodeConfig, NodeTaint, Unknown
from constructs_lib.observed.nodes.node import configured_node, described_node, live_node
from constructs_lib.observed.placement.placements import runs_on
from constructs_lib.observed.placement.selection import TERMS, selection_of, tolerates

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
A_VALUE = Unknown("${A}")
TAINT = NodeTaint("gpu", "yes", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"key": "gpu", "operator": "Exists"}, YES),
        ({"operator": "Exists"}, YES),
        ({"key": "gpu", "value": "yes"}, YES),
        ({"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}, YES),
        ({"key": "gpu", "value": "no"}, NO),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, NO),
        ({"key": "other", "operator": "Exists"}, NO),
        ({"value": "yes"}, NO),  # only Exists may come without a key
        ({}, NO),
        ("gpu", NO),
        ({"key": A_VALUE, "operator": "Exists"}, UNKNOWN),
        ({"key": "gpu", "operator": A_VALUE}, UNKNOWN),
        ({"key": "gpu", "operator": A_VALUE, "value": "yes"}, YES),
        ({"key": "gpu", "value": A_VALUE}, UNKNOWN),
        ({"key": "gpu", "operator": "Exists", "effect": A_VALUE}, UNKNOWN),
        ({"key": "gpu", "operator": "Gt", "value": "3"}, UNKNOWN),
        (A_VALUE, UNKNOWN),
    ],
)
def test_a_toleration_lets_a_pod_onto_a_node_by_key_operator_value_and_effect(toleration, expected):
    assert tolerates([toleration], TAINT) is expected
    assert tolerates([{"key": "else", "operator": "Exists"}, toleration], TAINT) is expected
    assert tolerates([toleration, {"operator": "Exists"}], TAINT) is YES


def test_without_a_toleration_no_taint_is_tolerated_and_of_an_unread_list_nothing_is_known():
    assert [tolerates(each, TAINT) for each in (None, [], A_VALUE)] == [NO, NO, UNKNOWN]


def test_a_taint_with_a_value_to_come_may_be_tolerated():
    taint = NodeTaint("gpu", A_VALUE, "NoSchedule")

    assert tolerates([{"key": "gpu", "value": "yes"}], taint) is UNKNOWN
    assert tolerates([{"key": "gpu", "operator": "Exists"}], taint) is YES
    assert tolerates([{"key": "other", "value": "yes"}], taint) is NO


def node_object(labels=None, *, name="gpu-1", taints=(), **spec):
    body = {"metadata": {"name": name, "labels": labels or {}}, "spec": {"taints": list(taints), **spec}, "status": {}}
    return live_node(body)


def expression(key, operator, *values):
    return {"key": key, "operator": operator, "values": list(values)}


def affinity(*terms, field="matchExpressions"):
    value = [{field: each} for each in terms]
    for step in reversed(TERMS):
        value = {step: value}
    return value


LIVE = {"card": "l4", "memory": "24", "rack": A_VALUE}


@pytest.mark.parametrize(
    ("spec", "live", "described"),
    [
        ({}, YES, YES),
        ({"nodeSelector": {"card": "l4"}}, YES, YES),
        ({"nodeSelector": {"card": "t4"}}, NO, NO),
        ({"nodeSelector": {"zone": "a"}}, NO, UNKNOWN),
        ({"nodeSelector": {"rack": "a"}}, UNKNOWN, UNKNOWN),
        ({"nodeSelector": {"card": "l4", "rack": A_VALUE}}, UNKNOWN, UNKNOWN),
        ({"nodeSelector": A_VALUE}, UNKNOWN, UNKNOWN),
        (affinity([expression("card", "In", "t4", "l4")]), YES, YES),
        (affinity([expression("card", "In", "t4")]), NO, NO),
        (affinity([expression("card", "In", "t4", A_VALUE)]), UNKNOWN, UNKNOWN),
        (affinity([expression("card", "NotIn", "t4")]), YES, YES),
        (affinity([expression("card", "NotIn", "l4")]), NO, NO),
        (affinity([expression("zone", "NotIn", "a")]), YES, UNKNOWN),
        (affinity([expression("card", "Exists")]), YES, YES),
        (affinity([expression("rack", "Exists")]), YES, YES),
        (affinity([expression("zone", "Exists")]), NO, UNKNOWN),
        (affinity([expression("card", "DoesNotExist")]), NO, NO),
        (affinity([expression("zone", "DoesNotExist")]), YES, UNKNOWN),
        (affinity([expression("memory", "Gt", "16")]), YES, YES),
        (affinity([expression("memory", "Gt", "24")]), NO, NO),
        (affinity([expression("memory", "Lt", "32")]), YES, YES),
        (affinity([expression("card", "Lt", "32")]), NO, NO),
        (affinity([expression("zone", "Lt", "32")]), NO, UNKNOWN),
        (affinity([expression("card", "Near", "l4")]), UNKNOWN, UNKNOWN),
        (affinity([expression("card", "In", "t4")], [expression("card", "In", "l4")]), YES, YES),
        (affinity([expression("card", "In", "t4")], [A_VALUE]), UNKNOWN, UNKNOWN),
        (affinity([]), NO, NO),
        (affinity([expression("metadata.name", "In", "gpu-1")], field="matchFields"), YES, UNKNOWN),
        (affinity([expression("metadata.name", "In", "gpu-2")], field="matchFields"), NO, UNKNOWN),
        ({"nodeSelector": {"card": "l4"}, **affinity([expression("card", "In", "t4")])}, NO, NO),
        ({"affinity": A_VALUE}, UNKNOWN, UNKNOWN),
    ],
)
def test_a_pod_selects_a_node_by_its_selector_and_by_one_term_of_its_affinity(spec, live, described):
    """Of a live node all labels are known, of a node of a file only those that the file names."""
    config = NodeConfig(body={}, file="a.yaml", scope="group", name=A_VALUE, labels=LIVE)

    assert selection_of(spec).selects(node_object(LIVE)) is live
    assert selection_of(spec).selects(configured_node(config)) is described


def test_a_class_lacks_the_labels_of_the_other_classes():
    one, other = (GpuNodes(talos_version="1.14", name=name, labels={name: "yes"}) for name in ("one", "other"))
    selected = [selection_of({"nodeSelector": {key: "yes"}}).selects(described_node(one, [one, other])) for key in ("one", "other", "zone")]

    assert selected == [YES, NO, UNKNOWN]


def test_a_configured_node_has_its_name_as_a_label():
    pinned = selection_of({"nodeSelector": {"kubernetes.io/hostname": "a"}})
    answers = [
        pinned.selects(configured_node(NodeConfig(body={}, file="a.yaml", scope=scope, name=name)))
        for scope, name in (("node", "a"), ("node", "b"), ("group", "b"))
    ]

    assert answers == [YES, NO, UNKNOWN]


def test_pods_run_on_a_node_that_they_select_and_whose_taints_they_tolerate():
    tolerating = {"tolerations": [{"operator": "Exists"}]}
    preferring = {"key": "gpu", "effect": "PreferNoSchedule"}

    assert runs_on({}, node_object(taints=[preferring])) is YES
    assert runs_on({}, node_object(taints=[{"key": "gpu", "effect": "NoExecute"}])) is NO
    assert runs_on({}, node_object(unschedulable=True)) is NO
    assert runs_on(tolerating, node_object(unschedulable=True)) is YES
    assert runs_on(tolerating | {"nodeSelector": {"card": "l4"}}, node_object()) is NO
    assert runs_on({}, described_node(GpuNodes(talos_version="1.14", taints=[Taint("gpu")]))) is NO
    assert runs_on({}, described_node(GpuNodes(talos_version="1.14", taints=[Taint("gpu")])), is_whole=False) is UNKNOWN


def test_a_live_node_offers_what_its_status_names():
    amounts = {"cpu": "16", "nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": 7}
    node = live_node({"metadata": {"name": "a"}, "status": {"capacity": amounts | {"nvidia.com/gpu": "1"}, "allocatable": amounts}})

    assert (node.capacity, node.allocatable) == (
        {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.10gb": 7},
        {"nvidia.com/gpu": 0, "nvidia.com/mig-1g.10gb": 7},
    )
