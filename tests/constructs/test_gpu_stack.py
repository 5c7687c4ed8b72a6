"""`GpuStack`: the objects of its parts by hand, what the nodes decide, and what stays the user's."""

import pytest
from cdk8s import App, Chart

import main
from conftest import message
from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Dra,
    DraDriver,
    Flux,
    GpuAlerts,
    GpuDashboard,
    GpuNodes,
    GpuStack,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Passthrough,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    attach,
    check,
)
from constructs_lib.checks.rule import Severity
from constructs_lib.testing import synthesize

NODES = GpuNodes(talos_version="1.13")
WHOLE = GpuNodes(talos_version="1.13", name="whole")
CLAIMED = GpuNodes(talos_version="1.13", name="claimed", dra=Dra())
MACHINES = GpuNodes(talos_version="1.13", name="machines", passthrough=Passthrough(pci_ids=["10de:2204"]))
PARTS = (
    NvidiaRuntimeClass, PrivilegedNamespace, NvidiaGpuOperator, StandaloneDevicePlugin, DraDriver, NodeFeatureDiscovery, DcgmExporter, GpuAlerts,
    GpuDashboard,
)  # fmt: skip
CHOSEN = {"release": "kube-prometheus-stack"}
SERVICE_MONITOR = {"operator": {"metrics": {"serviceMonitor": {"additionalLabels": CHOSEN}}}}

# The stack of each cluster of main.py in one call: the namespace of its chart, and its arguments.
CLUSTERS = {
    "operator_argocd": (None, {"operator": True, "delivery": ArgoCd(), "monitoring": False}),
    "operator_flux": (
        None,
        {"operator": True, "namespace": "nvidia-gpu-operator", "delivery": Flux(namespace="flux-system"), "monitoring": False},
    ),
    "standalone_shared": ("nvidia-device-plugin", {"delivery": ArgoCd(), "alerts": False, "dashboard": {"folder": "GPUs"}}),
    "runtime_class_taint": (None, {"monitoring": False}),
    "single_node_h100": (None, {"monitoring": False}),
    "today": (
        None,
        {
            "operator": {"values": SERVICE_MONITOR},
            "delivery": Flux(namespace="flux-system"),
            "dashboard": False,
            "monitoring_labels": CHOSEN,
        },
    ),
    "llm_platform": (None, {"operator": True, "delivery": ArgoCd(), "dashboard": {"folder": "GPUs"}, "monitoring_labels": CHOSEN}),
}


def objects(constructs):
    """The objects of constructs, by kind, namespace and name."""
    found = [each.to_json() for construct in constructs for each in construct.node.find_all() if hasattr(each, "to_json")]
    return {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]): each for each in found}


def stack_of(*nodes, chart=None, **arguments):
    return GpuStack(Chart(App(), "gpu", namespace=chart), "gpu-stack", nodes=nodes, **arguments)


def kinds(stack):
    return sorted(kind for kind, *_ in objects([stack]))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_objects_are_those_of_the_parts_by_hand_in_every_cluster_of_the_platform_app(cluster, tmp_path):
    app = App(outdir=str(tmp_path / "manifests"))
    getattr(main, cluster)(app)
    parts = [each for each in app.node.find_all() if isinstance(each, PARTS)]
    nodes = next(each.nodes for each in parts if hasattr(each, "nodes"))
    namespace, arguments = CLUSTERS[cluster]

    stack = GpuStack(Chart(App(), "gpu", namespace=namespace), "gpu-stack", nodes=nodes, **arguments)

    assert objects([stack]) == objects(parts)


def test_the_default_is_every_part_that_one_class_of_nodes_needs():
    stack = stack_of(NODES)

    assert [each.node.id for each in stack.node.children] == [
        "runtime-class",
        "device-plugin",
        "dcgm-exporter",
        "gpu-alerts",
        "gpu-dashboard",
    ]
    assert [each.namespace for each in (stack, *stack.device_plugins.values(), *stack.exporters.values())] == ["kube-system"] * 3
    assert (stack.gpu_alerts.namespace, stack.gpu_dashboard.namespace) == ("kube-system", "kube-system")


def test_each_class_has_its_own_plugin_and_exporter_by_its_name():
    rtx, h100 = (GpuNodes(talos_version="1.13", name=name) for name in ("rtx", "h100"))
    stack = stack_of(rtx, h100)

    assert {name: plugin.nodes for name, plugin in stack.device_plugins.items()} == {"rtx": rtx, "h100": h100}
    assert {name: exporter.nodes for name, exporter in stack.exporters.items()} == {"rtx": rtx, "h100": h100}
    assert list(stack_of(NODES).device_plugins) == ["default"]


def test_a_class_with_claims_has_the_driver_and_no_plugin():
    stack = stack_of(WHOLE, CLAIMED, delivery=Flux())

    assert list(stack.device_plugins) == ["whole"]
    assert stack.dra_driver.nodes == (CLAIMED,)
    assert list(stack.exporters) == ["whole", "claimed"]


def test_claims_alone_need_no_runtime_class_without_an_exporter():
    assert stack_of(CLAIMED, delivery=Flux(), monitoring=False).runtime_class is None
    assert stack_of(CLAIMED, delivery=Flux()).runtime_class is not None


@pytest.mark.parametrize(
    "nodes",
    [{"sharing": TimeSlicing(replicas=2)}, {"labels": {"nvidia.com/gpu.product": "L4"}}, {"labels": {"feature.node.kubernetes.io/a": "b"}}],
)
def test_sharing_and_labels_of_discovery_bring_discovery(nodes):
    stack = stack_of(GpuNodes(talos_version="1.13", **nodes), delivery=Flux())

    assert stack.node_feature_discovery.nodes == stack.nodes
    assert stack.device_plugins["default"].feature_discovery is not None
    without = stack_of(*stack.nodes, discovery=False)
    assert (without.node_feature_discovery, without.device_plugins["default"].feature_discovery) == (None, None)


def test_the_operator_s_plugin_leaves_classes_with_partitions_to_a_plugin_of_their_own():
    cut = GpuNodes(talos_version="1.13", name="cut", gpus_per_node=1, mig_devices={"1g.10gb": 7})
    stack = stack_of(WHOLE, cut, CLAIMED, operator={"values": {"devicePlugin": {"enabled": False}}}, delivery=Flux())

    assert list(stack.device_plugins) == ["whole", "cut"]
    assert list(stack_of(WHOLE, cut, operator=True, delivery=Flux()).device_plugins) == ["cut"]


def test_talos_1_15_has_the_operator_by_default():
    with pytest.warns(match="beta"):
        stack = stack_of(GpuNodes(talos_version="1.15"), delivery=Flux())

    assert stack.gpu_operator.namespace == stack.namespace == "gpu-operator"
    assert (stack.device_plugins, stack.runtime_class, stack.exporters) == ({}, None, {})
    assert stack.gpu_alerts.source.job == "nvidia-dcgm-exporter"


def test_the_operator_s_own_exporter_runs_where_the_stack_has_none_and_alerts_read_it():
    stack = stack_of(NODES, operator=True, delivery=Flux(), exporter=False)

    assert stack.gpu_operator.runs_dcgm_exporter
    assert [each.source.job for each in (stack.gpu_alerts, stack.gpu_dashboard)] == ["nvidia-dcgm-exporter"] * 2
    assert not stack_of(NODES, operator=True, delivery=Flux()).gpu_operator.runs_dcgm_exporter


def test_the_alerts_of_a_cluster_with_claims_name_the_taint_rule():
    assert stack_of(CLAIMED, delivery=Flux()).gpu_alerts.dra is True
    assert stack_of(NODES).gpu_alerts.dra is False


def test_only_the_operator_has_parts_for_passthrough():
    assert list(stack_of(WHOLE, MACHINES).device_plugins) == ["whole"]
    assert stack_of(MACHINES, operator=True, delivery=Flux(), monitoring=False).gpu_operator.nodes == (MACHINES,)
    assert message(lambda: stack_of(MACHINES)).startswith(
        "'nodes' must be at least one class without 'passthrough' where operator=False (got [GpuNodes("
    )


def test_monitoring_can_be_left_out_and_each_part_of_it():
    assert kinds(stack_of(NODES, monitoring=False)) == ["ConfigMap", "DaemonSet", "RuntimeClass", "ServiceAccount"]
    stack = stack_of(NODES, monitoring=False, alerts=True)
    assert (stack.exporters, stack.gpu_dashboard, stack.gpu_alerts.name) == ({}, None, "gpu-alerts")
    assert "ServiceMonitor" not in kinds(stack_of(NODES, exporter={"service_monitor": False}))


def test_the_namespace_is_privileged_and_made_once():
    stack = stack_of(NODES, namespace="gpu")

    assert stack.privileged_namespace.name == "gpu"
    assert {namespace for kind, namespace, _ in objects([stack]) if kind not in ("Namespace", "RuntimeClass")} == {"gpu"}
    assert stack_of(NODES, chart="gpu").privileged_namespace.name == "gpu"
    assert stack_of(NODES, namespace="gpu", create_namespace=False).privileged_namespace is None
    assert "Namespace" not in kinds(stack_of(NODES, namespace="gpu", operator=True, create_namespace=False, delivery=Flux()))


def test_the_arguments_of_a_part_win_over_those_of_the_stack():
    stack = stack_of(
        NODES, device_plugin={"image": "mirror/plugin:v0.20.0", "namespace": "plugin"}, exporter={"service_monitor_labels": {"a": "b"}},
        alerts={"namespace": "monitoring"}, monitoring_labels=CHOSEN,
    )  # fmt: skip

    assert (stack.device_plugins["default"].image, stack.device_plugins["default"].namespace) == ("mirror/plugin:v0.20.0", "plugin")
    assert dict(stack.exporters["default"].service_monitor_labels) == {"a": "b"}
    assert (stack.gpu_alerts.namespace, dict(stack.gpu_alerts.labels)) == ("monitoring", CHOSEN)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"device_plugin": {"nodes": NODES}}, ValueError, "'device_plugin[nodes]' must be left out (got GpuNodes("),
        (
            {"operator": {"namespace": "a"}},
            ValueError,
            "'operator[namespace]' must be left out (got 'a'); give 'namespace' to the GpuStack",
        ),
        ({"exporter": "yes"}, TypeError, "'exporter' must be True, False, or a mapping of the part's arguments (got 'yes')"),
        (
            {"device_plugin": {"imag": "a"}},
            TypeError,
            "'imag' must be an argument of StandaloneDevicePlugin (got imag='a'); did you mean 'image'?",
        ),
        ({"device_plugin": {"device_list_strategy": "envvars"}}, ValueError, "'device_list_strategy' must be one of "),
        ({"namespace": "default"}, ValueError, "'name' must be a namespace that not every cluster has (got 'default')"),
        ({"nfd": False}, TypeError, "'nfd' must be an argument of GpuStack (got nfd=False); the argument is 'discovery'"),
        ({"dashbord": False}, TypeError, "'dashbord' must be an argument of GpuStack (got dashbord=False); did you mean 'dashboard'?"),
    ],
)
def test_wrong_arguments_are_refused_in_the_words_of_the_part(arguments, error, says):
    assert message(lambda: stack_of(NODES, **arguments), error).startswith(says)


def test_classes_that_share_a_node_are_refused_before_anything_is_made(chart):
    says = message(lambda: GpuStack(chart, "gpu-stack", nodes=[NODES, WHOLE]))

    assert says.startswith("'nodes' must be classes that share no node (got [GpuNodes(")
    assert says.endswith("a node is of one class: give each class its own 'name', or different 'labels'")
    assert chart.node.children == []


def test_wrong_combinations_are_refused_in_the_words_of_the_parts():
    with pytest.warns(match="beta"):
        newest = GpuNodes(talos_version="1.15")

    assert message(lambda: stack_of(newest, operator=False)).startswith("'nodes' must be of Talos 1.14 or older")
    own = {"operator": {"values": {"dcgmExporter": {"enabled": True}}}, "delivery": Flux()}
    assert message(lambda: stack_of(NODES, **own)).startswith("'nodes' must be a class that no NvidiaGpuOperator with its own exporter has")


def test_the_labels_of_monitoring_are_those_of_the_rules_alone_where_the_exporter_has_no_service_monitor():
    stack = stack_of(NODES, monitoring_labels=CHOSEN, exporter={"service_monitor": False})

    assert "ServiceMonitor" not in kinds(stack)
    assert stack.gpu_alerts.labels == CHOSEN


def test_a_refused_part_leaves_neither_the_stack_nor_its_nodes_in_the_app():
    chart = Chart(App(), "gpu")
    shared = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=2))
    refused = message(lambda: GpuStack(chart, "gpu-stack", nodes=shared, dashboard={"uid": 1}, delivery=Flux()), TypeError)

    assert refused.startswith("'uid' must be ")
    assert chart.node.children == []
    assert GpuStack(chart, "gpu-stack", nodes=NODES, delivery=Flux()).exporters.keys() == {"default"}


CHECKED = {
    "1.11 tainted": {"nodes": GpuNodes(talos_version="1.11", taints=[Taint("dedicated", "ai")])},
    "1.12 shared": {"nodes": GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=2)), "delivery": Flux()},
    "1.12 operator": {"nodes": GpuNodes(talos_version="1.12"), "operator": True, "delivery": Flux()},
    "1.13 claims": {"nodes": CLAIMED, "delivery": Flux()},
    "1.13 plugin and claims": {"nodes": [WHOLE, CLAIMED], "delivery": Flux()},
    "1.13 operator and claims": {"nodes": CLAIMED, "operator": True, "delivery": Flux()},
}


@pytest.mark.parametrize("name", CHECKED)
def test_the_checks_find_nothing_in_a_stack(name):
    app = App()
    attach(app)
    stack = GpuStack(Chart(app, "gpu"), "gpu-stack", **{"namespace": "gpu", **CHECKED[name]})
    talos = str(stack.nodes[0].talos_version)

    found = check(synthesize(app), talos_version=talos, nodes=stack.nodes)

    assert [each for each in found if each.severity is not Severity.INFO] == []


def test_an_argument_of_a_part_is_given_through_the_stack():
    chart = Chart(App(), "gpu")

    assert message(lambda: GpuStack(chart, "stack", nodes=NODES, values={"a": 1}), TypeError) == (
        "'values' must be an argument of GpuStack (got values={'a': 1}); write operator={'values': …} or driver={'values': …} or discovery={'values': …}"
    )
    assert message(lambda: GpuStack(chart, "stack", nodes=NODES, folder="GPUs"), TypeError) == (
        "'folder' must be an argument of GpuStack (got folder='GPUs'); write dashboard={'folder': …}"
    )


def test_a_second_stack_of_an_app_is_refused_with_the_one_stack_for_all_classes():
    app = App()
    GpuStack(Chart(app, "one", namespace="one"), "stack", nodes=WHOLE)
    second = Chart(app, "two", namespace="two")

    assert message(lambda: GpuStack(second, "stack", nodes=CLAIMED, delivery=Flux())) == (
        "'nodes' must be every class of GPU nodes of this app, in one GpuStack (got [GpuNodes(talos_version='1.13', dra=Dra(), name='claimed')]); "
        "a second GpuStack would make another RuntimeClass 'nvidia'"
    )
    claims = GpuStack(second, "claims", nodes=CLAIMED, monitoring=False, delivery=Flux())
    assert claims.dra_driver is not None
