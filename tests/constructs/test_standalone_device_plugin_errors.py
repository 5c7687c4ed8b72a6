import pytest
from cdk8s import App, Chart

from conftest import message, synth
from constructs_lib import Flux, GpuNodes, Mps, NvidiaGpuOperator, StandaloneDevicePlugin, TalosGpuWarning, TimeSlicing

DNS_LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
IMAGE = "an image reference without white space"
DNS_NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
LIST_STRATEGIES = "'envvar', 'volume-mounts', 'cdi-annotations', 'cdi-cri'"
CPUS = "a Kubernetes quantity above zero such as '500m'"
NO_LIMIT = "a node agent sees every GPU of its node, and needs no GPU limit: a limit would take a GPU from the workloads"
QUANTITY = "a Kubernetes quantity above zero such as '16Gi'"
LABEL_KEY = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
FLAGS = ["fail_on_init_error", "compat_with_cpu_manager", "gdrcopy_enabled", "gds_enabled", "mofed_enabled"]


def refused(chart, nodes, error, says, arguments):
    """The construct is refused in these words, leaves nothing behind, and its id is free again."""
    assert message(lambda: StandaloneDevicePlugin(chart, "device-plugin", **{"nodes": nodes, **arguments}), error) == says
    assert chart.node.children == []
    assert StandaloneDevicePlugin(chart, "device-plugin", nodes=GpuNodes(talos_version="1.14")).name == "nvidia-device-plugin"


def test_a_pod_spec_is_plain_data(chart, legacy):
    says = "'pod_spec[a]' must be a string, a number, True, False, None, a list or a mapping (got b'b')"

    refused(chart, legacy, TypeError, says, {"pod_spec": {"a": b"b"}})


def test_a_misspelt_strategy_is_refused_and_the_right_one_named(chart, legacy):
    says = "'device_list_strategy' must be one of 'envvar', 'volume-mounts', 'cdi-annotations', 'cdi-cri' (got 'envvars'); did you mean 'envvar'?"

    refused(chart, legacy, ValueError, says, {"device_list_strategy": "envvars"})


@pytest.mark.parametrize("strategies", ["cdi-annotations", "cdi-cri", ["cdi-annotations", "cdi-cri"], ["envvar", "cdi-annotations"]])
def test_each_cdi_strategy_is_refused_before_talos_1_13(chart, legacy, strategies):
    got = ", ".join(each for each in ([strategies] if isinstance(strategies, str) else strategies) if each != "envvar")
    says = (
        f"'device_list_strategy' must be 'envvar' on Talos 1.12 (got {got!r}); the plugin finds no libraries for its CDI specs there, "
        "and ends (before 1.13 they are under /usr/local/glibc)"
    )

    refused(chart, legacy, ValueError, says, {"device_list_strategy": strategies})


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("device_list_strategy", ["envvar", "cdi"], f"one of {LIST_STRATEGIES} (got 'cdi'); did you mean 'cdi-cri'?"),
        (
            "device_list_strategy",
            "envvar,cdi-cri",
            "one strategy, or a list of them (got 'envvar,cdi-cri'); did you mean ['envvar', 'cdi-cri']?",
        ),
        ("device_list_strategy", "envvar, cdi", "one strategy, or a list of them (got 'envvar, cdi'); did you mean ['envvar', 'cdi']?"),
        ("device_list_strategy", [], "a list of at least one strategy, each named once (got [])"),
        ("device_list_strategy", ["envvar", "envvar"], "a list of at least one strategy, each named once (got ['envvar', 'envvar'])"),
        ("device_id_strategy", "uid", "one of 'uuid', 'index' (got 'uid'); did you mean 'uuid'?"),
        ("device_discovery_strategy", "nvm", "one of 'auto', 'nvml', 'tegra' (got 'nvm'); did you mean 'nvml'?"),
        (
            "device_discovery_strategy",
            "tegra",
            "'nvml' or 'auto' on Talos (got 'tegra'); Talos has no driver for a Tegra, such as a Jetson",
        ),
        ("device_discovery_strategy", "vfio", "one of 'auto', 'nvml', 'tegra' (got 'vfio')"),
        ("image_pull_policy", "always", "one of 'Always', 'IfNotPresent', 'Never' (got 'always'); did you mean 'Always'?"),
        ("update_strategy", "Recreate", "one of 'RollingUpdate', 'OnDelete' (got 'Recreate')"),
        ("name", "Plugin", f"{DNS_LABEL} (got 'Plugin'); did you mean 'plugin'?"),
        ("namespace", "kube_system", f"{NAMESPACE} (got 'kube_system'); did you mean 'kube-system'?"),
        ("nvidia_driver_root", "usr/local", "an absolute path on the node (got 'usr/local')"),
        ("nvidia_driver_root", "", "an absolute path on the node (got '')"),
        ("nvidia_cdi_hook_path", "nvidia-ctk", "an absolute path on the node (got 'nvidia-ctk')"),
        ("image", " ", f"{IMAGE} (got ' ')"),
        ("image", "plugin: 1", f"{IMAGE} (got 'plugin: 1')"),
        ("image_pull_secrets", ["Registry"], f"{DNS_NAME} (got 'Registry')"),
        ("priority_class_name", "", f"{DNS_NAME} (got '')"),
        ("resources", {"limit": {}}, "a mapping with 'requests' and 'limits' (got 'limit')"),
        ("pod_annotations", {"a b": "c"}, f"{LABEL_KEY} (got 'a b')"),
    ],
)
def test_a_wrong_value_is_refused(chart, legacy, argument, value, says):
    refused(chart, legacy, ValueError, f"'{argument}' must be {says}", {argument: value})


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("nodes", "1.12", "a GpuNodes (got '1.12')"),
        ("nodes", None, "a GpuNodes (got None)"),
        ("device_list_strategy", 5, "a strategy or a list of strategies (got 5)"),
        ("device_list_strategy", None, "a strategy or a list of strategies (got None)"),
        ("device_list_strategy", [1], f"one of {LIST_STRATEGIES} (got 1)"),
        ("device_id_strategy", None, "one of 'uuid', 'index' (got None)"),
        ("device_discovery_strategy", True, "one of 'auto', 'nvml', 'tegra' (got True)"),
        ("image_pull_policy", 1, "one of 'Always', 'IfNotPresent', 'Never' (got 1)"),
        ("update_strategy", {"type": "OnDelete"}, "one of 'RollingUpdate', 'OnDelete' (got {'type': 'OnDelete'})"),
        ("name", 5, f"{DNS_LABEL} (got 5)"),
        ("namespace", ["gpu"], f"{NAMESPACE} (got ['gpu']); did you mean 'gpu'?"),
        ("nvidia_driver_root", 1, "an absolute path on the node (got 1)"),
        ("nvidia_cdi_hook_path", True, "an absolute path on the node (got True)"),
        ("image", None, f"{IMAGE} (got None)"),
        ("image_pull_secrets", "registry", "a list of strings (got 'registry'); did you mean ['registry']?"),
        (
            "image_pull_secrets",
            [{"name": "registry"}],
            "a list of strings (got [{'name': 'registry'}]); item 0 is not a string",
        ),
        ("priority_class_name", None, f"{DNS_NAME} (got None)"),
        ("resources", "1Gi", "a mapping with 'requests' and 'limits' (got '1Gi')"),
        ("pod_annotations", ["a"], "a mapping of annotation keys to strings (got ['a'])"),
        ("pod_spec", ["a"], "a mapping of fields of a pod spec (got ['a'])"),
        ("pod_spec", {1: 2}, "a mapping of fields of a pod spec (got {1: 2}); the key 1 is not a string"),
        ("feature_discovery", "true", "True, False or a FeatureDiscovery (got 'true')"),
        ("mps_control_daemon", True, "a MpsControlDaemon (got True)"),
        *[(flag, "true", "True or False (got 'true'); did you mean True?") for flag in FLAGS],
    ],
)
def test_the_wrong_kind_is_refused(chart, legacy, argument, value, says):
    refused(chart, legacy, TypeError, f"'{argument}' must be {says}", {argument: value})


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"resources": {"limits": {"memory": "1 GB"}}}, ValueError, f"'resources[limits][memory]' must be {QUANTITY} (got '1 GB'); did you mean '1Gi'?"),
        ({"resources": {"limits": "1Gi"}}, TypeError, "'resources[limits]' must be a mapping (got '1Gi')"),
        ({"resources": {"limits": {"nvidia.com/gpu": 1}}}, ValueError, f"'resources[limits]' must be without nvidia.com/gpu (got 1); {NO_LIMIT}"),
        ({"resources": {"requests": {"nvidia.com/mig-1g.10gb": 1}}}, ValueError, f"'resources[requests]' must be without nvidia.com/mig-1g.10gb (got 1); {NO_LIMIT}"),
        ({"resources": {"limits": {"nvidia.com/gpu": "1"}}}, ValueError, f"'resources[limits]' must be without nvidia.com/gpu (got '1'); {NO_LIMIT}"),
        ({"resources": {"limits": {"cpu": True}}}, TypeError, f"'resources[limits][cpu]' must be {CPUS} (got True); True is a switch, and no amount: write the amount, such as '500m'"),
        ({"resources": {"limits": {"cpu": 0}}}, ValueError, f"'resources[limits][cpu]' must be {CPUS} (got 0)"),
        ({"resources": {"limits": {"memory": "128m"}}}, ValueError, "'resources[limits][memory]' must be at least 1Mi, such as '16Gi' (got '128m'); did you mean '128Mi'?"),
        ({"pod_annotations": {"a": True}}, TypeError, "'pod_annotations[a]' must be a string (got True)"),
        (
            {"device_list_startegy": "envvar"},
            TypeError,
            "'device_list_startegy' must be an argument of StandaloneDevicePlugin (got device_list_startegy='envvar'); did you mean 'device_list_strategy'?",
        ),
        (
            {"pod_spec": {"runtimeClassName": "runc"}},
            ValueError,
            "'pod_spec' must be without another runtimeClassName than 'nvidia' (got 'runc'); without 'nvidia' the container has no NVML library and finds no GPU",
        ),
        (
            {"pod_spec": {"runtimeClassName": None}},
            ValueError,
            "'pod_spec' must be without another runtimeClassName than 'nvidia' (got None); without 'nvidia' the container has no NVML library and finds no GPU",
        ),
        (
            {"nvidia_cdi_hook_path": "/usr/bin/nvidia-ctk"},
            ValueError,
            "'nvidia_cdi_hook_path' must be left out with these strategies (got '/usr/bin/nvidia-ctk'); the plugin writes no CDI spec without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'",
        ),
        (
            {"device_list_strategy": ["envvar", "cdi-cri"]},
            ValueError,
            "'device_list_strategy' must be 'envvar' on Talos 1.12 (got 'cdi-cri'); the plugin finds no libraries for its CDI specs there, and ends (before 1.13 they are under /usr/local/glibc)",
        ),
        (
            {"device_list_strategy": "volume-mounts"},
            ValueError,
            "'device_list_strategy' must be without 'volume-mounts' on Talos (got 'volume-mounts'); no Talos configures its toolkit to accept devices as volume mounts (accept-nvidia-visible-devices-as-volume-mounts)",
        ),
    ],
)  # fmt: skip
def test_a_wrong_part_or_combination_is_refused(chart, legacy, arguments, error, says):
    refused(chart, legacy, error, says, arguments)


def test_a_selector_that_contradicts_the_nodes_is_refused(chart):
    nodes = GpuNodes(talos_version="1.14", labels={"gpu": "rtx"})
    says = "'pod_spec' must be without another value for the node label gpu than 'rtx' (got 'h100'); no node matches both values"

    refused(chart, nodes, ValueError, says, {"pod_spec": {"nodeSelector": {"gpu": "h100"}}})


def test_is_refused_on_the_talos_where_only_the_operator_hands_out_gpus(chart):
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        preview = GpuNodes(talos_version="1.15")
    says = "'nodes' must be of Talos 1.14 or older (got '1.15'); from Talos 1.15 on only the operator's toolkit gives agents the driver; use NvidiaGpuOperator"

    refused(chart, preview, ValueError, says, {})


def test_mps_never_reaches_a_plugin_on_talos_1_12():
    assert message(lambda: GpuNodes(talos_version="1.12", sharing=Mps(replicas=4))).startswith(
        "'sharing' must be a TimeSlicing on Talos 1.12"
    )


def test_nodes_have_no_default(chart):
    assert message(lambda: StandaloneDevicePlugin(chart, "device-plugin"), TypeError) == (
        "'nodes' must be given to StandaloneDevicePlugin (got nothing); a plugin runs on one class of GPU nodes"
    )
    assert chart.node.children == []


def test_plugins_of_two_classes_select_neither_each_others_nodes_nor_pods(chart):
    rtx = GpuNodes(talos_version="1.14", name="rtx", sharing=TimeSlicing(replicas=4))
    for nodes in (rtx, GpuNodes(talos_version="1.14", name="h100")):
        StandaloneDevicePlugin(chart, str(nodes.name), nodes=nodes, feature_discovery=True)

    agents = [made["spec"] for made in synth(chart) if made["kind"] == "DaemonSet"]
    for agent in agents:
        chosen = agent["selector"]["matchLabels"].items()
        assert [other for other in agents if chosen <= other["template"]["metadata"]["labels"].items()] == [agent]
    assert [agent["template"]["spec"]["nodeSelector"] for agent in agents] == [
        {"nvidia.com/device-plugin.config": name} for name in ("rtx", "rtx", "h100", "h100")
    ]
    names = [(made["kind"], made["metadata"]["name"]) for made in synth(chart)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("same_chart", [True, False])
def test_a_second_plugin_for_nodes_that_have_one_is_refused_also_from_another_chart(legacy, same_chart):
    app = App()
    first = Chart(app, "first")
    second = first if same_chart else Chart(app, "second")
    StandaloneDevicePlugin(first, "one", nodes=legacy)
    before = len(second.node.children)

    assert message(lambda: StandaloneDevicePlugin(second, "two", nodes=GpuNodes(talos_version="1.12", name="rtx"))) == (
        "'nodes' must be a class that shares no node with that of 'nvidia-device-plugin' (got GpuNodes(talos_version='1.12', name='rtx')); the kubelet listens to only one of two plugins on a node; give each class of nodes its own 'name', or different 'labels'"
    )
    assert len(second.node.children) == before


def test_the_plugin_of_another_app_is_no_neighbour(legacy):
    for name in ("one", "two"):
        assert StandaloneDevicePlugin(Chart(App(), name), "device-plugin", nodes=legacy).name == "nvidia-device-plugin"


def operator(chart, nodes, **arguments):
    return NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux(), **arguments)


def test_is_refused_on_nodes_where_an_operator_runs_a_plugin_of_its_own(chart):
    nodes = GpuNodes(talos_version="1.14", name="rtx")
    operator(chart, nodes)

    assert message(lambda: StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)) == (
        "'nodes' must be a class that no NvidiaGpuOperator of this app has (got GpuNodes(talos_version='1.14', name='rtx')); the operator runs its own device plugin on these nodes; leave this plugin out, or set devicePlugin.enabled in the operator's 'values' to False"
    )
    assert [child.node.id for child in chart.node.children] == ["operator"]


def test_an_operator_is_refused_on_nodes_that_have_a_plugin(chart):
    nodes = GpuNodes(talos_version="1.14", name="rtx")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)

    assert message(lambda: operator(chart, nodes)) == (
        "'nodes' must be classes that no StandaloneDevicePlugin of this app has (got GpuNodes(talos_version='1.14', name='rtx')); 'nvidia-device-plugin-rtx' advertises the same GPUs; leave that plugin out, or set devicePlugin.enabled in 'values' to False"
    )
    assert [child.node.id for child in chart.node.children] == ["device-plugin"]


@pytest.mark.parametrize("operator_first", [True, False])
def test_stands_beside_an_operator_of_other_nodes_or_without_a_plugin(chart, operator_first):
    rtx, h100 = (GpuNodes(talos_version="1.14", name=name) for name in ("rtx", "h100"))
    makers = [
        lambda: operator(chart, h100),
        lambda: StandaloneDevicePlugin(chart, "device-plugin", nodes=rtx),
    ]
    for make in makers if operator_first else reversed(makers):
        make()
    assert len(chart.node.children) == 2

    other = Chart(App(), "other")
    operator(other, rtx, values={"devicePlugin": {"enabled": False}})
    assert StandaloneDevicePlugin(other, "device-plugin", nodes=rtx).nodes == rtx


def test_plugins_of_two_classes_without_a_name_are_told_apart_or_refused(chart):
    def both():
        for value in ("rtx", "h100"):
            StandaloneDevicePlugin(chart, value, nodes=GpuNodes(talos_version="1.14", labels={"gpu": value}))

    assert message(both) == (
        "'name' must be one that no other StandaloneDevicePlugin of this app has (got 'nvidia-device-plugin'); two plugins can't have objects of the same name; give each class of nodes, or each plugin, its own 'name'"
    )


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("resources", False, "a mapping with 'requests' and 'limits' (got False)"),
        ("pod_annotations", 0, "a mapping of annotation keys to strings (got 0)"),
        ("pod_spec", "", "a mapping of fields of a pod spec (got '')"),
        ("pod_spec[tolerations]", {"tolerations": "Exists"}, "a list of mappings (got 'Exists')"),
        ("pod_spec[nodeSelector]", {"nodeSelector": "gpu"}, "a mapping of strings (got 'gpu')"),
        ("pod_spec[containers]", {"containers": "main"}, "a list of mappings (got 'main')"),
    ],
)
def test_a_false_value_or_a_part_of_the_wrong_kind_is_refused_by_its_name(chart, legacy, argument, value, says):
    refused(chart, legacy, TypeError, f"'{argument}' must be {says}", {argument.partition("[")[0]: value})


@pytest.mark.parametrize("containers", [None, []])
def test_a_pod_spec_that_removes_every_container_is_refused(chart, legacy, containers):
    says = f"'pod_spec' must be with a list of at least one container in 'containers' (got {containers})"
    refused(chart, legacy, ValueError, says, {"pod_spec": {"containers": containers}})


def test_an_app_as_scope_is_refused_as_a_wrong_scope(legacy):
    app = App()

    assert message(lambda: StandaloneDevicePlugin(app, "device-plugin", nodes=legacy), TypeError) == (
        "'scope' must be a Chart, or a construct in a Chart (got an App); put a Chart between the app and the construct: Chart(app, …)"
    )
    assert app.node.children == []


@pytest.mark.parametrize(
    ("variable", "says"),
    [
        ({"name": "DEVICE_LIST_STRATEGY", "value": "envvars"}, "without another DEVICE_LIST_STRATEGY than 'envvar' (got 'envvars')"),
        ({"name": "NVIDIA_VISIBLE_DEVICES", "value": "0"}, "without another NVIDIA_VISIBLE_DEVICES than 'all' (got '0')"),
        ({"name": "CONFIG_FILE", "value": "/c"}, "without another CONFIG_FILE than '/config/config.yaml' (got '/c')"),
    ],
)
def test_a_variable_that_an_argument_sets_is_not_laid_on(chart, legacy, variable, says):
    pod_spec = {"containers": [{"name": "nvidia-device-plugin-ctr", "env": [variable]}]}

    assert message(lambda: StandaloneDevicePlugin(chart, "plugin", nodes=legacy, pod_spec=pod_spec)) == (
        f"'pod_spec' must be {says}; the arguments of StandaloneDevicePlugin and GpuNodes set this variable"
    )
    assert chart.node.children == []
