import warnings

import pytest
import yaml
from cdk8s import ApiObject, App, Chart

from conftest import message, one, synth
from constructs_lib import (
    ArgoCd,
    Flux,
    GpuNodes,
    HelmTemplate,
    Mps,
    NvidiaGpuOperator,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    Taint,
    TalosGpuWarning,
    TimeSlicing,
    ValidationBridge,
)

DNS_LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
CHART_VERSION = "a version of the gpu-operator chart such as 'v26.7.0'"
PRIVILEGED = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}


def operator(scope, given=None, /, **arguments):
    """An operator by Flux, on Talos 1.14 unless the nodes say something else."""
    nodes = GpuNodes(talos_version="1.14") if given is None else given
    return NvidiaGpuOperator(scope, "operator", **{"nodes": nodes, "delivery": Flux(), **arguments})


def kinds(chart):
    return [(made["kind"], made["metadata"]["name"]) for made in synth(chart)]


@pytest.mark.parametrize(("delivery", "kind"), [(Flux(), "HelmRelease"), (ArgoCd(), "Application")])
def test_main_child_is_what_installs_the_chart(chart, delivery, kind):
    assert ApiObject.of(operator(chart, delivery=delivery)).kind == kind


def test_defaults_legacy(chart, legacy, snapshot_yaml):
    operator(chart, legacy)

    assert synth(chart) == snapshot_yaml
    assert kinds(chart) == [
        ("Namespace", "gpu-operator"),
        ("DaemonSet", "nvidia-validation-bridge"),
        ("HelmRepository", "gpu-operator"),
        ("HelmRelease", "gpu-operator"),
    ]
    assert one(synth(chart), "HelmRelease")["spec"]["chart"]["spec"]["version"] == "v25.10.1"


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_defaults_cdi(chart, talos, snapshot_yaml):
    operator(chart, GpuNodes(talos_version=talos))

    assert synth(chart) == snapshot_yaml
    assert kinds(chart) == [("Namespace", "gpu-operator"), ("HelmRepository", "gpu-operator"), ("HelmRelease", "gpu-operator")]
    assert one(synth(chart), "HelmRelease")["spec"]["chart"]["spec"]["version"] == "v26.7.0"


def test_defaults_nri_preview(chart, snapshot_yaml):
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        operator(chart, GpuNodes(talos_version="1.15"))

    assert synth(chart) == snapshot_yaml
    assert kinds(chart) == [("Namespace", "gpu-operator"), ("HelmRepository", "gpu-operator"), ("HelmRelease", "gpu-operator")]
    assert one(synth(chart), "HelmRelease")["spec"]["chart"]["spec"]["version"] == "v26.7.0"


def test_the_namespace_is_privileged(chart):
    operator(chart, namespace="nvidia")

    made = one(synth(chart), "Namespace")
    assert (made["metadata"]["name"], made["metadata"]["labels"]) == ("nvidia", PRIVILEGED)


def test_the_namespace_may_start_with_a_digit(chart):
    assert operator(chart, namespace="1-gpu").namespace == "1-gpu"
    assert one(synth(chart), "Namespace")["metadata"]["name"] == "1-gpu"


def test_the_namespace_can_be_somebody_elses(chart, legacy):
    operator(chart, legacy, create_namespace=False, namespace="nvidia")

    assert "Namespace" not in {kind for kind, _ in kinds(chart)}
    assert one(synth(chart), "DaemonSet")["metadata"]["namespace"] == "nvidia"


def test_the_chart_gets_the_values_that_the_construct_shows(chart):
    made = operator(chart, GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")]), values={"dcgm": {"enabled": True}})

    assert one(synth(chart), "HelmRelease")["spec"]["values"] == made.chart_values
    assert made.chart_values["dcgm"] == {"enabled": True}
    assert made.values == {"dcgm": {"enabled": True}}


def test_arguments_are_found_in_the_release(chart):
    made = operator(chart, version="v26.3.3", release_name="nvidia", repository="https://charts.local", chart="operator", namespace="gpu")

    release = one(synth(chart), "HelmRelease")
    assert release["metadata"] == {"name": "nvidia", "namespace": "gpu"}
    assert release["spec"]["chart"]["spec"] == {
        "chart": "operator",
        "version": "v26.3.3",
        "interval": "1h",
        "sourceRef": {"kind": "HelmRepository", "name": "nvidia"},
    }
    assert one(synth(chart), "HelmRepository")["spec"]["url"] == "https://charts.local"
    assert (made.version, made.release_name, made.nodes) == ("v26.3.3", "nvidia", (GpuNodes(talos_version="1.14"),))


@pytest.mark.parametrize(
    ("talos", "version"),
    [("1.12", "v25.3.0"), ("1.12", "v26.7.0"), ("1.13", "v26.3.1"), ("1.14", "v26.3.3")],
)
def test_every_chart_that_can_run_there_is_accepted(chart, talos, version):
    assert operator(chart, GpuNodes(talos_version=talos), version=version).version == version


def test_each_legacy_class_has_a_bridge_in_the_operators_namespace(chart):
    classes = [GpuNodes(talos_version="1.12", name=name, taints=[Taint(name)]) for name in ("rtx", "h100")]
    operator(chart, classes, namespace="nvidia")

    bridges = [made for made in synth(chart) if made["kind"] == "DaemonSet"]
    assert [(bridge["metadata"]["name"], bridge["metadata"]["namespace"]) for bridge in bridges] == [
        ("nvidia-validation-bridge-rtx", "nvidia"),
        ("nvidia-validation-bridge-h100", "nvidia"),
    ]
    pods = [bridge["spec"]["template"]["spec"] for bridge in bridges]
    assert [pod["nodeSelector"] for pod in pods] == [{"nvidia.com/device-plugin.config": name} for name in ("rtx", "h100")]
    assert [pod["tolerations"][1]["key"] for pod in pods] == ["rtx", "h100"]


def test_a_driver_that_the_user_wants_all_the_same_gets_the_file_that_its_validator_waits_for(chart, legacy):
    with pytest.warns(TalosGpuWarning, match="'values' sets driver.enabled to True"):
        operator(chart, legacy, values={"driver": {"enabled": True}})

    assert ".driver-ctr-ready" in one(synth(chart), "DaemonSet")["spec"]["template"]["spec"]["containers"][0]["command"][2]


@pytest.mark.parametrize(("folder", "is_warned_of"), [("/usr/local/", False), ("/usr/local/b/", True), ("/usr/local//", True)])
def test_the_folder_that_the_nodes_need_is_the_same_with_a_slash_at_its_end(chart, folder, is_warned_of):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        operator(chart, GpuNodes(talos_version="1.13"), values={"hostPaths": {"driverInstallDir": folder}})

    assert [f"'values' sets hostPaths.driverInstallDir to '{folder}'" in str(each.message) for each in caught] == [True] * is_warned_of


def test_the_bridge_of_an_operator_without_a_driver_leaves_that_file_out(chart, legacy):
    operator(chart, legacy)

    assert ".driver-ctr-ready" not in one(synth(chart), "DaemonSet")["spec"]["template"]["spec"]["containers"][0]["command"][2]


def test_shared_classes_have_a_config_each_under_the_name_that_the_node_says(chart):
    classes = [
        GpuNodes(talos_version="1.14", name="rtx", sharing=TimeSlicing(replicas=4)),
        GpuNodes(talos_version="1.14", name="h100"),
    ]
    made = operator(chart, classes)

    config = one(synth(chart), "ConfigMap")
    assert config["metadata"]["name"] == made.chart_values["devicePlugin"]["config"]["name"] == "gpu-operator-device-plugin"
    assert config["metadata"]["namespace"] == "gpu-operator"
    resources = [{"name": "nvidia.com/gpu", "replicas": 4}]
    assert made.chart_values["devicePlugin"]["config"]["default"] == "_unlabelled"
    assert {name: yaml.safe_load(text) for name, text in config["data"].items()} == {
        "_unlabelled": {"version": "v1"},
        "rtx": {
            "version": "v1",
            "flags": {"migStrategy": "none"},
            "sharing": {"timeSlicing": {"renameByDefault": False, "failRequestsGreaterThanOne": False, "resources": resources}},
        },
        "h100": {"version": "v1", "flags": {"migStrategy": "none"}},
    }


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_whole_cards_and_partitions_have_the_strategy_of_the_partitions(chart, strategy):
    classes = [GpuNodes(talos_version="1.14", name="rtx"), GpuNodes(talos_version="1.14", name="h100", mig_strategy=strategy)]

    assert operator(chart, classes).chart_values["mig"] == {"strategy": strategy}
    assert "ConfigMap" not in {kind for kind, _ in kinds(chart)}


A30 = {"talos_version": "1.14", "name": "a30", "mig_strategy": "single"}
H100 = {"talos_version": "1.14", "name": "h100", "mig_strategy": "mixed"}
BY_MPS = {"talos_version": "1.14", "name": "rtx", "sharing": Mps(replicas=2)}
OWN_PLUGIN = {"extra_labels": {"nvidia.com/gpu.deploy.device-plugin": "false"}}


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("classes", [[A30, H100], [BY_MPS, H100]])
def test_strategies_that_one_plugin_cannot_have_are_refused_unless_a_class_has_its_own_plugin(chart, classes):
    strategies = {each["name"]: each.get("mig_strategy", "none") for each in classes}
    text = message(lambda: operator(chart, [GpuNodes(**each) for each in classes]))

    assert text == (
        "'nodes' must be classes that one 'mig_strategy' fits: 'none' and 'single', or 'none' without MPS and 'mixed' "
        f"(got {strategies!r}); the operator hands one strategy to its plugin on all nodes (mig.strategy of the ClusterPolicy), and the "
        "plugin's config file can't change it. Give one of the classes the label 'nvidia.com/gpu.deploy.device-plugin': 'false' in "
        "'extra_labels', and a StandaloneDevicePlugin"
    )
    mine, theirs = classes
    apart = [GpuNodes(**mine), GpuNodes(**theirs, **OWN_PLUGIN)]
    assert operator(chart, apart).chart_values["mig"] == {"strategy": mine.get("mig_strategy", "none")}


@pytest.mark.parametrize("strategy", ["none", "single", "mixed"])
def test_one_mig_strategy_is_said_once_for_the_cluster(chart, strategy):
    classes = [GpuNodes(talos_version="1.14", name=name, mig_strategy=strategy) for name in ("a100", "h100")]

    assert operator(chart, classes).chart_values["mig"] == {"strategy": strategy}
    assert "ConfigMap" not in {kind for kind, _ in kinds(chart)}


PARTITIONED = {"mig_strategy": "mixed", "mig_devices": {"1g.10gb": 7}}
PLUGIN_LABEL = "nvidia.com/gpu.deploy.device-plugin"


def test_partitions_that_nobody_would_make_stop_the_synth():
    app = App()
    operator(Chart(app, "gpu"), GpuNodes(talos_version="1.14", name="a100", **PARTITIONED))

    with pytest.raises(RuntimeError) as error:
        app.synth()
    assert (
        "'nodes' must be classes with 'mig_devices' that have a StandaloneDevicePlugin each (got GpuNodes(talos_version='1.14', "
        "mig_devices={'1g.10gb': 7}, name='a100')); the operator's MIG manager waits for systemd (NVIDIA/gpu-operator#2501), so nothing partitions "
        "the cards: add StandaloneDevicePlugin(…, nodes=…) of the class, or leave 'mig_devices' out where another tool partitions the cards"
    ) in str(error.value)


@pytest.mark.parametrize("operator_first", [True, False])
@pytest.mark.parametrize("extra", [{}, {"extra_labels": {PLUGIN_LABEL: "false"}}])
def test_a_class_with_partitions_has_a_plugin_of_its_own_and_no_pod_selects_the_operators_label(chart, operator_first, extra):
    rtx = GpuNodes(talos_version="1.14", name="rtx", sharing=TimeSlicing(replicas=4))
    labels = {"nvidia.com/device-plugin.config": "a100"}
    a100 = GpuNodes(talos_version="1.14", name="a100", **extra, **PARTITIONED)
    makers = [lambda: operator(chart, [rtx, a100]), lambda: StandaloneDevicePlugin(chart, "plugin", nodes=a100)]
    for make in makers if operator_first else reversed(makers):
        make()

    assert one(synth(chart), "DaemonSet")["spec"]["template"]["spec"]["nodeSelector"] == labels
    assert list(one(synth(chart), "ConfigMap", "gpu-operator-device-plugin")["data"]) == ["_unlabelled", "rtx", "a100"]


def test_without_a_plugin_the_operator_leaves_every_class_to_others(chart):
    nodes = GpuNodes(talos_version="1.14", **PARTITIONED)
    operator(chart, nodes, values={"devicePlugin": {"enabled": False}})

    assert StandaloneDevicePlugin(chart, "plugin", nodes=nodes).nodes == nodes


def test_on_the_same_nodes_two_plugins_stay_refused(chart):
    rtx = GpuNodes(talos_version="1.14", labels={PLUGIN_LABEL: "true"})
    operator(chart, rtx)

    assert message(lambda: StandaloneDevicePlugin(chart, "plugin", nodes=rtx)).startswith(
        "'nodes' must be a class that no NvidiaGpuOperator of this app has"
    )


def test_mps_is_written_into_the_config_as_well(chart):
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        nodes = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))
    operator(chart, nodes)

    assert yaml.safe_load(one(synth(chart), "ConfigMap")["data"]["gpu"])["sharing"]["mps"]["resources"] == [
        {"name": "nvidia.com/gpu", "replicas": 4}
    ]


@pytest.mark.parametrize("delivery", [Flux(), ArgoCd()])
def test_a_namespace_of_the_chart_changes_nothing(legacy, delivery):
    plain, namespaced = Chart(App(), "gpu"), Chart(App(), "gpu", namespace="elsewhere")
    for chart in (plain, namespaced):
        operator(chart, legacy, delivery=delivery)

    assert synth(namespaced) == synth(plain)


OLD_FOR_CDI = "older operators can't read Talos' OS version, or don't find the driver under /usr/local"


@pytest.mark.parametrize(
    ("talos", "version", "error", "says"),
    [
        ("1.12", "v24.9.2", ValueError, "at least 'v25.3.0' on Talos 1.12 (got 'v24.9.2'); older charts have other values"),
        ("1.13", "v25.10.1", ValueError, f"at least 'v26.3.1' on Talos 1.13 (got 'v25.10.1'); {OLD_FOR_CDI}"),
        ("1.14", "26.7.0", ValueError, f"{CHART_VERSION} (got '26.7.0'); did you mean 'v26.7.0'?"),
        ("1.14", "latest", ValueError, f"{CHART_VERSION} (got 'latest')"),
        ("1.14", 26.7, TypeError, f"{CHART_VERSION} (got 26.7)"),
        *[
            (
                talos,
                "v26.3.0",
                ValueError,
                "one that works on Talos, such as 'v26.3.3' (got 'v26.3.0'); it reads Talos' OS version as a number, so the ClusterPolicy stays NotReady (strconv.Atoi: parsing \"v1\", NVIDIA/gpu-operator#2239)",
            )
            for talos in ("1.12", "1.14")
        ],
    ],
)
def test_a_version_that_breaks_on_this_talos_is_refused(chart, talos, version, error, says):
    nodes = GpuNodes(talos_version=talos)

    assert message(lambda: operator(chart, nodes, version=version), error) == f"'version' must be {says}"
    assert chart.node.children == []
    assert operator(chart, nodes).namespace == "gpu-operator"


RTX = {"talos_version": "1.14", "name": "rtx"}


@pytest.mark.parametrize(
    ("classes", "says"),
    [
        ([], "a GpuNodes, or a list of them (got []); give at least one class of GPU nodes"),
        (
            [{"talos_version": "1.12", "name": "a"}, {"talos_version": "1.13", "name": "b"}],
            "of Talos up to 1.12, or of 1.13 and 1.14, or of 1.15 (got ['1.12', '1.13']); the operator has one set of values for the whole cluster",
        ),
        (
            [RTX, {"talos_version": "1.14"}],
            "classes with a different 'name' each (got ['rtx', None]); the node label nvidia.com/device-plugin.config names the class of a node",
        ),
        (
            [RTX, RTX],
            "classes with a different 'name' each (got ['rtx', 'rtx']); the node label nvidia.com/device-plugin.config names the class of a node",
        ),
        (
            [RTX, {**RTX, "name": "h100", "labels": {"gpu": "h100"}}],
            "classes that share no node, unlike 'rtx' and 'h100' (got [{'nvidia.com/device-plugin.config': 'rtx'}, {'gpu': 'h100'}]); give both classes the same label key with different values, such as nvidia.com/device-plugin.config with the class's name; or leave 'labels' out: the classes then differ by their names",
        ),
    ],
)
def test_classes_that_one_operator_cannot_serve_are_refused(chart, classes, says):
    nodes = [GpuNodes(**each) for each in classes]

    assert message(lambda: operator(chart, nodes)) == f"'nodes' must be {says}"
    assert chart.node.children == []


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"nodes": "1.14"}, TypeError, "'nodes' must be a GpuNodes, or a list of them (got '1.14')"),
        ({"nodes": 1}, TypeError, "'nodes' must be a GpuNodes, or a list of them (got 1)"),
        ({"nodes": ["1.14"]}, TypeError, "'nodes' must be a GpuNodes, or a list of them (got '1.14')"),
        ({"delivery": "flux"}, TypeError, "'delivery' must be a HelmTemplate, an ArgoCd or a Flux (got 'flux'); such as Flux()"),
        ({"namespace": "GPU"}, ValueError, f"'namespace' must be {NAMESPACE} (got 'GPU'); did you mean 'gpu'?"),
        ({"namespace": None}, TypeError, f"'namespace' must be {NAMESPACE} (got None)"),
        ({"repository": "helm.ngc.nvidia.com/nvidia"}, ValueError, "'repository' must be the address of a Helm repository ('https://…'), or of a registry ('oci://…') (got 'helm.ngc.nvidia.com/nvidia')"),
        ({"release_name": "gpu operator"}, ValueError, f"'release_name' must be {DNS_LABEL.replace('63', '53')} (got 'gpu operator'); did you mean 'gpu-operator'?"),
        ({"create_namespace": "no"}, TypeError, "'create_namespace' must be True or False (got 'no'); did you mean False?"),
        ({"nfd": 0}, TypeError, "'nfd' must be True or False (got 0)"),
        ({"repository": ""}, ValueError, "'repository' must be the address of a Helm repository ('https://…'), or of a registry ('oci://…') (got '')"),
        ({"chart": None}, TypeError, "'chart' must be a string that is not empty (got None)"),
        ({"values": "driver.enabled=false"}, TypeError, "'values' must be a mapping of the chart's values (got 'driver.enabled=false')"),
        ({"value": {}}, TypeError, "'value' must be an argument of NvidiaGpuOperator (got value={}); did you mean 'values'?"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, arguments, error, says):
    assert message(lambda: operator(chart, **arguments), error) == says
    assert chart.node.children == []
    assert operator(chart).release_name == "gpu-operator"


def test_nodes_have_no_default(chart):
    assert message(lambda: NvidiaGpuOperator(chart, "operator", delivery=HelmTemplate()), TypeError) == (
        "'nodes' must be given to NvidiaGpuOperator (got nothing); the operator's values follow from its nodes"
    )


def test_an_app_has_one_operator_also_across_its_charts():
    app = App()
    operator(Chart(app, "first"))

    assert message(lambda: operator(Chart(app, "second"), GpuNodes(**RTX))) == (
        "'nodes' must be given to the one NvidiaGpuOperator of this app (got [GpuNodes(talos_version='1.14', name='rtx')]); a cluster has one ClusterPolicy; give all classes of nodes to one operator: nodes=[…, …]"
    )
    assert operator(Chart(App(), "another-cluster")).version == "v26.7.0"


def test_a_bridge_of_the_users_own_is_refused_on_the_nodes_of_the_operators(chart, legacy):
    operator(chart, legacy)

    assert message(lambda: ValidationBridge(chart, "bridge", nodes=legacy)) == (
        "'nodes' must be a class that no other bridge of this app has (got GpuNodes(talos_version='1.12')); 'nvidia-validation-bridge' writes the same files on these nodes, and NvidiaGpuOperator brings its own bridges; leave this bridge out"
    )
    assert [child.node.id for child in chart.node.children] == ["operator"]


def test_an_operator_is_refused_on_the_nodes_of_a_bridge_of_the_users_own(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy)

    assert message(lambda: operator(chart, legacy)) == (
        "'nodes' must be classes that no ValidationBridge of this app has (got GpuNodes(talos_version='1.12')); the operator brings its own bridges; leave the ValidationBridge out"
    )
    assert [child.node.id for child in chart.node.children] == ["bridge"]


def test_a_namespace_that_the_app_has_is_not_made_again(chart, cdi):
    PrivilegedNamespace(chart, "gpu-operator")

    assert message(lambda: operator(chart, cdi)) == (
        "'create_namespace' must be False where the app has the namespace (got True); PrivilegedNamespace already makes the namespace 'gpu-operator'; the second object would replace the first"
    )
    assert [child.node.id for child in chart.node.children] == ["gpu-operator"]
    assert operator(chart, cdi, create_namespace=False).namespace == "gpu-operator"


@pytest.mark.parametrize("namespace", ["default", "kube-system", "kube-public", "kube-node-lease"])
def test_a_namespace_of_the_clusters_own_is_not_made(chart, cdi, namespace):
    assert message(lambda: operator(chart, cdi, namespace=namespace)) == (
        f"'create_namespace' must be False for {namespace} (got True); every cluster has that namespace"
    )
    assert operator(chart, cdi, namespace=namespace, create_namespace=False).namespace == namespace


@pytest.mark.parametrize("delivery", [Flux, ArgoCd, HelmTemplate])
def test_a_delivery_without_its_parentheses_is_refused(chart, delivery):
    assert message(lambda: operator(chart, delivery=delivery), TypeError) == (
        f"'delivery' must be a HelmTemplate, an ArgoCd or a Flux (got the class {delivery.__name__}); did you mean {delivery.__name__}()?"
    )
    assert chart.node.children == []


def test_an_app_as_scope_is_refused_and_leaves_nothing_behind():
    app = App()

    assert message(lambda: operator(app), TypeError) == (
        "'scope' must be a Chart, or a construct in a Chart (got an App); put a Chart between the app and the construct: Chart(app, …)"
    )
    assert app.node.children == []
