import pytest
from cdk8s import App, Chart

from conftest import message, synth
from constructs_lib import DcgmExporter, Dra, Flux, GpuNodes, NvidiaGpuOperator, TalosGpuWarning, TimeSlicing
from constructs_lib.monitoring import Counter

DNS_LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
DNS_NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
DURATION = "a duration such as '15s' or '1m30s'"
KNOWN = "a metric that this library knows"
FLAGS = ["profiling", "service_monitor", "honor_labels"]
RTX = GpuNodes(talos_version="1.14", name="rtx")
RTX_SAID = "GpuNodes(talos_version='1.14', name='rtx')"


def refused(chart, error, says, arguments):
    """The construct is refused in these words, leaves nothing behind, and its id is free again."""
    nodes = GpuNodes(talos_version="1.14")
    assert message(lambda: DcgmExporter(chart, "exporter", **{"nodes": nodes, **arguments}), error) == says
    assert chart.node.children == []
    assert DcgmExporter(chart, "exporter", nodes=nodes).name == "dcgm-exporter"


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("counters", ["DCGM_FI_DEV_GPU_UTL"], f"{KNOWN} (got 'DCGM_FI_DEV_GPU_UTL'); did you mean 'DCGM_FI_DEV_GPU_UTIL'?"),
        ("counters", [], "a list of Counters, or of names of metrics, with one that is no label (got [])"),
        (
            "counters",
            ["GPU_TEMP", "SM_ACTIVE"],
            "without a metric of profiling where 'profiling' is False (got 'DCGM_FI_PROF_SM_ACTIVE'); set profiling=True, which adds the capability SYS_ADMIN that profiling needs",
        ),
        ("interval", "15", f"{DURATION} (got '15'); did you mean '15s'?"),
        ("scrape_timeout", "long", f"{DURATION} (got 'long')"),
        (
            "scrape_timeout",
            "20s",
            "at most the 'interval' of '15s' (got '20s'); the Prometheus operator drops a ServiceMonitor whose timeout is longer than its interval",
        ),
        ("service_monitor_labels", {"release": "a b"}, None),
        ("image_pull_policy", "always", "one of 'Always', 'IfNotPresent', 'Never' (got 'always'); did you mean 'Always'?"),
        ("name", "Exporter", f"{DNS_LABEL} (got 'Exporter'); did you mean 'exporter'?"),
        ("namespace", "kube_system", f"{NAMESPACE} (got 'kube_system'); did you mean 'kube-system'?"),
        ("image", " ", "an image reference without white space (got ' ')"),
        ("image_pull_secrets", ["Registry"], f"{DNS_NAME} (got 'Registry')"),
        ("priority_class_name", "", f"{DNS_NAME} (got '')"),
        ("resources", {"limit": {}}, "a mapping with 'requests' and 'limits' (got 'limit')"),
    ],
)
def test_a_wrong_value_is_refused(chart, argument, value, says):
    whole = (
        f"'{argument}' must be {says}"
        if says
        else "'service_monitor_labels[release]' must be a label value (at most 63 letters, digits, '-', '_' and '.', as a string) (got 'a b')"
    )
    refused(chart, ValueError, whole, {argument: value})


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("nodes", "1.12", "a GpuNodes (got '1.12')"),
        ("counters", "GPU_TEMP", "a list of Counters, or of names of metrics (got 'GPU_TEMP')"),
        ("counters", [Counter], f"{KNOWN} (got the class Counter)"),
        ("interval", 15, f"{DURATION} (got 15); did you mean '15s'?"),
        ("scrape_timeout", None, f"{DURATION} (got None)"),
        ("service_monitor_labels", ["release"], "a mapping of label keys to label values (got ['release'])"),
        ("image", None, "an image reference without white space (got None)"),
        ("image_pull_secrets", "registry", "a list of strings (got 'registry'); did you mean ['registry']?"),
        ("resources", "1Gi", "a mapping with 'requests' and 'limits' (got '1Gi')"),
        ("pod_annotations", ["a"], "a mapping of annotation keys to strings (got ['a'])"),
        ("pod_spec", ["a"], "a mapping of fields of a pod spec (got ['a'])"),
        ("pod_spec[tolerations]", {"tolerations": "Exists"}, "a list of mappings (got 'Exists')"),
        *[(flag, "true", "True or False (got 'true'); did you mean True?") for flag in FLAGS],
    ],
)
def test_the_wrong_kind_is_refused(chart, argument, value, says):
    refused(chart, TypeError, f"'{argument}' must be {says}", {argument.partition("[")[0]: value})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        *(
            ({"pod_spec": {"containers": none}}, f"'pod_spec' must be with a list of at least one container in 'containers' (got {none})")
            for none in (None, [])
        ),
        ({"pod_spec": {"a": float("nan")}}, "'pod_spec[a]' must be a number that JSON can hold (got nan)"),
        (
            {"interval": "5s"},
            "'scrape_timeout' must be at most the 'interval' of '5s' (got '10s'); the Prometheus operator drops a ServiceMonitor whose timeout is longer than its interval",
        ),
        (
            {"profiling": True, "counters": ["GPU_TEMP"]},
            "'profiling' must be False where no metric of profiling is in 'counters' (got True); no counter would use the capability SYS_ADMIN",
        ),
        (
            {"service_monitor": False, "service_monitor_labels": {"release": "kps"}},
            "'service_monitor_labels' must be left out where 'service_monitor' is False (got {'release': 'kps'}); the argument changes only the ServiceMonitor",
        ),
        (
            {"service_monitor": False, "honor_labels": True},
            "'honor_labels' must be left out where 'service_monitor' is False (got True); the argument changes only the ServiceMonitor",
        ),
        (
            {"nodes": GpuNodes(talos_version="1.14", dra=Dra()), "image": "nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless"},
            "'image' must be of dcgm-exporter 4.8.3 or newer with 'dra' (got 'nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless'); older exporters wait for ever for resource.k8s.io/v1beta1",
        ),
        (
            {"image": "nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2-4.7.1-distroless"},
            "'image' must be of dcgm-exporter 4.8.0 or newer, such as 'nvcr.io/nvidia/k8s/dcgm-exporter:4.6.1-4.8.4-distroless' (got 'nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2-4.7.1-distroless'); older exporters don't know DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION, and exit at start",
        ),
        (
            {"pod_spec": {"runtimeClassName": "runc"}},
            "'pod_spec' must be without another runtimeClassName than 'nvidia' (got 'runc'); without 'nvidia' the exporter finds no NVML library, and exits",
        ),
        (
            {"pod_spec": {"runtimeClassName": None}},
            "'pod_spec' must be without another runtimeClassName than 'nvidia' (got None); without 'nvidia' the exporter finds no NVML library, and exits",
        ),
        (
            {"nodes": GpuNodes(talos_version="1.14", labels={"gpu": "rtx"}), "pod_spec": {"nodeSelector": {"gpu": "h100"}}},
            "'pod_spec' must be without another value for the node label gpu than 'rtx' (got 'h100'); no node matches both values",
        ),
    ],
)  # fmt: skip
def test_a_combination_that_cannot_work_is_refused(chart, arguments, says):
    refused(chart, ValueError, says, arguments)


@pytest.mark.parametrize(
    "variable",
    [
        {"name": "DCGM_EXPORTER_INTERVAL", "value": "30000"},
        {"name": "DCGM_EXPORTER_COLLECTORS", "value": "/etc/dcgm-exporter/default-counters.csv"},
        {"name": "NODE_NAME", "value": "me"},
    ],
)
def test_a_variable_that_an_argument_sets_is_not_laid_on(chart, variable):
    says = f"'pod_spec' must be without a {variable['name']} of its own (got {variable}); the arguments of DcgmExporter and GpuNodes set this variable"

    refused(chart, ValueError, says, {"pod_spec": {"containers": [{"name": "exporter", "env": [variable]}]}})


def test_an_unknown_keyword_is_answered_with_the_right_one(chart):
    says = "'honor_label' must be an argument of DcgmExporter (got honor_label=True); did you mean 'honor_labels'?"

    refused(chart, TypeError, says, {"honor_label": True})


def test_nodes_have_no_default(chart):
    assert message(lambda: DcgmExporter(chart, "exporter"), TypeError) == (
        "'nodes' must be given to DcgmExporter (got nothing); an exporter runs on one class of GPU nodes"
    )
    assert chart.node.children == []


def test_is_refused_on_the_talos_where_only_the_operator_hands_out_gpus(chart):
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        preview = GpuNodes(talos_version="1.15")
    says = "'nodes' must be of Talos 1.14 or older (got '1.15'); from Talos 1.15 on only the operator's toolkit gives agents the driver; use the exporter of NvidiaGpuOperator"

    refused(chart, ValueError, says, {"nodes": preview})


def test_an_image_that_tells_no_version_is_warned_of_once_at_the_user_s_line(chart, legacy):
    with pytest.warns(TalosGpuWarning, match="'registry.local/exporter:latest' names no version in its tag") as caught:
        DcgmExporter(chart, "exporter", nodes=legacy, image="registry.local/exporter:latest")

    assert [each.filename for each in caught] == [__file__]


@pytest.mark.parametrize("same_chart", [True, False])
def test_a_second_exporter_for_nodes_that_have_one_is_refused_also_from_another_chart(legacy, same_chart):
    app = App()
    first = Chart(app, "first")
    second = first if same_chart else Chart(app, "second")
    DcgmExporter(first, "one", nodes=legacy)
    before = len(second.node.children)

    assert message(lambda: DcgmExporter(second, "two", nodes=RTX)) == (
        f"'nodes' must be a class that shares no node with that of 'dcgm-exporter' (got {RTX_SAID}); two exporters on one node count every GPU twice; give each class of nodes its own 'name', or different 'labels'"
    )
    assert len(second.node.children) == before


def test_exporters_of_two_classes_without_a_name_are_told_apart_or_refused(chart):
    def both():
        for value in ("rtx", "h100"):
            DcgmExporter(chart, value, nodes=GpuNodes(talos_version="1.14", labels={"gpu": value}))

    assert message(both) == (
        "'name' must be one that no other DcgmExporter of this app has (got 'dcgm-exporter'); two exporters can't have objects of the same name; give each class of nodes, or each exporter, its own 'name'"
    )


def test_a_name_may_be_there_twice_in_two_namespaces(chart):
    for value in ("rtx", "h100"):
        DcgmExporter(chart, value, nodes=GpuNodes(talos_version="1.14", labels={"gpu": value}), namespace=value)

    assert {each["metadata"]["namespace"] for each in synth(chart)} == {"rtx", "h100"}


def operator(chart, nodes, **arguments):
    return NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux(), **arguments)


WITHOUT = {"dcgmExporter": {"enabled": False}}


def test_is_refused_on_nodes_where_an_operator_runs_an_exporter_of_its_own(chart):
    operator(chart, RTX)

    assert message(lambda: DcgmExporter(chart, "exporter", nodes=RTX)) == (
        f"'nodes' must be a class that no NvidiaGpuOperator with its own exporter has (got {RTX_SAID}); the operator runs its own exporter on these nodes; "
        "give the operator values={'dcgmExporter': {'enabled': False}}, or leave this DcgmExporter out and read the operator's metrics with MetricsSource(job='nvidia-dcgm-exporter')"
    )
    assert [child.node.id for child in chart.node.children] == ["operator"]


def test_an_operator_is_refused_on_nodes_that_have_an_exporter(chart):
    DcgmExporter(chart, "exporter", nodes=RTX)

    assert message(lambda: operator(chart, RTX)) == (
        f"'nodes' must be classes that no DcgmExporter of this app has (got {RTX_SAID}); 'dcgm-exporter-rtx' exports the same metrics; leave that exporter out, or give values={{'dcgmExporter': {{'enabled': False}}}}"
    )
    assert [child.node.id for child in chart.node.children] == ["exporter"]


@pytest.mark.parametrize("operator_first", [True, False])
@pytest.mark.parametrize(("nodes", "values"), [(GpuNodes(talos_version="1.14", name="h100"), {}), (RTX, WITHOUT)], ids=["other", "off"])
def test_stands_beside_an_operator_of_other_nodes_or_without_an_exporter(chart, operator_first, nodes, values):
    makers = [lambda: operator(chart, nodes, values=values), lambda: DcgmExporter(chart, "exporter", nodes=RTX)]
    for make in makers if operator_first else reversed(makers):
        make()

    assert len(chart.node.children) == 2


def test_the_exporter_of_another_app_is_no_neighbour(legacy):
    for name in ("one", "two"):
        assert DcgmExporter(Chart(App(), name), "exporter", nodes=legacy).name == "dcgm-exporter"


def test_two_exporters_of_one_name_can_t_share_a_role_of_the_cluster(chart):
    def both():
        for value in ("rtx", "h100"):
            nodes = GpuNodes(talos_version="1.14", labels={"gpu": value}, sharing=TimeSlicing(replicas=2))
            DcgmExporter(chart, value, nodes=nodes, namespace=value)

    assert message(both) == (
        "'name' must be unique among the objects of kind ClusterRole in this app (got 'dcgm-exporter-read-pods'); DcgmExporter already makes a ClusterRole of this name; the second object would replace the first"
    )
