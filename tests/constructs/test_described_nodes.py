"""Two descriptions of the same nodes in one app agree, or the second construct is refused; only what advertises GPUs says what nodes offer."""

import cdk8s_plus_28 as kplus
import pytest
from cdk8s import App, Chart

from conftest import message
from constructs_lib import (
    DcgmExporter,
    Dra,
    DraDriver,
    Flux,
    GpuClaim,
    GpuNodes,
    GpuWorkload,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    StandaloneDevicePlugin,
    TimeSlicing,
    ValidationBridge,
    attach,
    request_gpus,
)
from constructs_lib.constructs import _registry

WHOLE = GpuNodes(talos_version="1.12")
SHARED = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=4))
OTHERS = GpuNodes(talos_version="1.12", name="h100", sharing=TimeSlicing(replicas=2))
CLAIMED = GpuNodes(talos_version="1.14", name="claimed", dra=Dra())
HINT = "a node has one value of 'sharing': pass one GpuNodes to both, or give each class of nodes its own 'name' or 'labels'"


def pod(chart):
    return kplus.Pod(chart, "pod", containers=[kplus.ContainerProps(image="a:1", name="a")])


MAKERS = {
    "StandaloneDevicePlugin 'gpu/made'": lambda chart, nodes: StandaloneDevicePlugin(chart, "made", nodes=nodes),
    "NvidiaGpuOperator 'gpu/made'": lambda chart, nodes: NvidiaGpuOperator(chart, "made", nodes=nodes, delivery=Flux()),
    "GpuWorkload 'gpu/made'": lambda chart, nodes: GpuWorkload(chart, "made", nodes=nodes, image="a:1"),
    "DcgmExporter 'gpu/made'": lambda chart, nodes: DcgmExporter(chart, "made", nodes=nodes),
    "NodeFeatureDiscovery 'gpu/made'": lambda chart, nodes: NodeFeatureDiscovery(chart, "made", nodes=nodes, delivery=Flux()),
    "ValidationBridge 'gpu/made'": lambda chart, nodes: ValidationBridge(chart, "made", nodes=nodes),
    "request_gpus 'gpu/pod'": lambda chart, nodes: request_gpus(pod(chart), nodes=nodes),
    "attach": lambda chart, nodes: attach(chart.node.root, nodes=nodes),
}


@pytest.fixture
def app():
    return App()


def refusal(maker, theirs, ours, second):
    return f"'nodes' must be a class with sharing={theirs!r}, as {maker} has (got sharing={ours!r}); {second} can run on the same nodes, and {HINT}"


@pytest.mark.parametrize("maker", MAKERS)
def test_two_descriptions_of_the_same_nodes_that_differ_are_refused_in_both_orders(app, maker):
    chart, workload = Chart(app, "gpu"), "GpuWorkload 'ai/ollama'"
    MAKERS[maker](chart, WHOLE)
    given = {"nodes": SHARED, "image": "a:1"}
    ai = Chart(app, "ai")
    assert message(lambda: GpuWorkload(ai, "ollama", **given)) == refusal(maker, None, SHARED.sharing, workload)
    assert ai.node.children == []

    other = App()
    GpuWorkload(Chart(other, "ai"), "ollama", **given)
    assert message(lambda: MAKERS[maker](Chart(other, "gpu"), WHOLE)) == refusal(workload, SHARED.sharing, None, maker)


def test_the_error_names_the_argument_that_differs(app):
    GpuWorkload(Chart(app, "ai"), "ollama", nodes=WHOLE, image="a:1")
    with pytest.raises(ValueError, match="'nodes' must be") as caught:
        StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=GpuNodes(talos_version="1.13"))

    assert (caught.value.argument, caught.value.part) == ("nodes", "talos_version")


def test_a_claim_and_a_driver_agree_too(app):
    GpuClaim(Chart(app, "ai"), "claim", nodes=CLAIMED)
    other = GpuNodes(talos_version="1.14", name="claimed", dra=Dra(share="claim"))

    assert message(lambda: DraDriver(Chart(app, "gpu"), "driver", nodes=other, delivery=Flux())).startswith(
        "'nodes' must be a class with dra=Dra(), as GpuClaim 'ai/claim' has (got dra=Dra(share='claim'))"
    )


def test_a_workload_of_cdk8s_plus_that_is_refused_is_as_it_was(app):
    StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=WHOLE)
    made = pod(Chart(app, "ai"))
    before = made.node.default_child.to_json()
    with pytest.raises(ValueError, match="as StandaloneDevicePlugin 'gpu/plugin' has"):
        request_gpus(made, nodes=SHARED)

    assert made.node.default_child.to_json() == before


def test_equal_classes_classes_of_other_nodes_and_another_app_are_left_alone(app):
    chart = Chart(app, "gpu")
    StandaloneDevicePlugin(chart, "plugin", nodes=GpuNodes(talos_version="1.12", name="rtx"))
    StandaloneDevicePlugin(chart, "other", nodes=OTHERS)
    GpuWorkload(chart, "ollama", nodes=GpuNodes(talos_version="1.12.4", name="rtx", product="RTX 4090", count=2), image="a:1")
    GpuWorkload(Chart(App(), "ai"), "ollama", nodes=GpuNodes(talos_version="1.13", name="rtx"), image="a:1")

    assert len(chart.node.children) == 3


def test_a_refused_construct_leaves_no_description_behind(app):
    chart = Chart(app, "ai")
    GpuWorkload(chart, "ollama", nodes=WHOLE, image="a:1")
    for nodes in (SHARED, OTHERS):
        with pytest.raises(ValueError, match="must be"):
            GpuWorkload(chart, "ollama", nodes=nodes, image="a:1")

    assert _registry.place_of(chart).classes_of_nodes() == [WHOLE]


@pytest.mark.parametrize(
    ("make", "advertised"),
    [
        (lambda chart: StandaloneDevicePlugin(chart, "made", nodes=OTHERS), [OTHERS]),
        (lambda chart: NvidiaGpuOperator(chart, "made", nodes=[OTHERS], delivery=Flux()), [OTHERS]),
        (lambda chart: DraDriver(chart, "made", nodes=CLAIMED, delivery=Flux()), [CLAIMED]),
        (lambda chart: NvidiaGpuOperator(chart, "made", nodes=CLAIMED, delivery=Flux()), []),
        (lambda chart: DcgmExporter(chart, "made", nodes=OTHERS), []),
        (lambda chart: NodeFeatureDiscovery(chart, "made", nodes=OTHERS, delivery=Flux()), []),
        (lambda chart: ValidationBridge(chart, "made", nodes=OTHERS), []),
        (lambda chart: GpuWorkload(chart, "made", nodes=OTHERS, image="a:1"), []),
        (lambda chart: GpuClaim(chart, "made", nodes=CLAIMED), []),
        (lambda chart: request_gpus(pod(chart), nodes=OTHERS), []),
    ],
)
def test_only_plugins_operators_and_drivers_advertise(app, make, advertised):
    chart = Chart(app, "gpu")
    make(chart)

    assert _registry.place_of(chart).advertised_classes() == advertised
    assert len(_registry.place_of(chart).classes_of_nodes()) == 1
    assert _registry.place_of(Chart(App(), "another")).advertised_classes() == []


def test_an_operator_advertises_no_class_whose_plugin_partitions_the_cards(app):
    cut = GpuNodes(talos_version="1.12", name="cut", mig_devices={"1g.10gb": 7})
    NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=[OTHERS, cut], delivery=Flux())

    assert _registry.place_of(app).advertised_classes() == [OTHERS]


def test_classes_with_the_same_labels_have_one_name():
    """The name is the value of a node label, and both classes select the same nodes."""
    chart = Chart(App(), "gpu")
    labels = {"role": "gpu"}
    StandaloneDevicePlugin(chart, "plugin", nodes=GpuNodes(talos_version="1.14", labels=labels, name="a"))

    told = message(
        lambda: GpuWorkload(chart, "app", nodes=GpuNodes(talos_version="1.14", labels=labels, name="b"), image="a:1"), ValueError
    )
    assert told == (
        "'nodes' must be a class with name='a', as StandaloneDevicePlugin 'gpu/plugin' has (got name='b'); GpuWorkload 'gpu/app' can run on the same "
        "nodes, and a node has one value of 'name': pass one GpuNodes to both, or give each class of nodes its own 'labels'"
    )
