import csv
import hashlib
import io

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import GENERATIONS, env_of, one, synth
from constructs_lib import DcgmExporter, Dra, GpuNodes, Mps, Taint, TimeSlicing
from constructs_lib.manifests.plugin.options import ImagePullPolicy
from constructs_lib.monitoring import Counter, Metric, MetricsSource, default_counters

NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
PLAIN = {"runAsUser": 0, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
LABELS = {
    "app.kubernetes.io/name": "dcgm-exporter",
    "app.kubernetes.io/instance": "dcgm-exporter",
    "app.kubernetes.io/component": "dcgm-exporter",
}
NODE = {"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
SHARED = TimeSlicing(replicas=4)


def made(chart, kind, **arguments):
    """The exporter's only object of a kind; on Talos 1.14 unless the nodes say something else."""
    DcgmExporter(chart, "exporter", **{"nodes": GpuNodes(talos_version="1.14"), **arguments})
    return one(synth(chart), kind)


def pod_of(chart, **arguments):
    return made(chart, "DaemonSet", **arguments)["spec"]["template"]["spec"]


def container_of(chart, **arguments):
    (only,) = pod_of(chart, **arguments)["containers"]
    return only


def exported(chart):
    """The names of the counters that the exporter reads."""
    text = one(synth(chart), "ConfigMap")["data"]["counters.csv"]
    return [line[0] for line in csv.reader(io.StringIO(text))]


def test_main_child_is_the_daemon_set(chart, legacy):
    exporter = DcgmExporter(chart, "exporter", nodes=legacy)

    assert (ApiObject.of(exporter).kind, ApiObject.of(exporter).name) == ("DaemonSet", "dcgm-exporter")


@pytest.mark.parametrize("talos", GENERATIONS)
def test_defaults(chart, talos, snapshot_yaml):
    DcgmExporter(chart, "exporter", nodes=GpuNodes(talos_version=talos))

    assert synth(chart) == snapshot_yaml
    assert [(each["kind"], each["metadata"]["name"]) for each in synth(chart)] == [
        ("ServiceAccount", "dcgm-exporter"),
        ("ConfigMap", "dcgm-exporter-counters"),
        ("DaemonSet", "dcgm-exporter"),
        ("Service", "dcgm-exporter"),
        ("ServiceMonitor", "dcgm-exporter"),
    ]


@pytest.mark.parametrize("talos", GENERATIONS)
def test_shared_nodes(chart, talos, snapshot_yaml):
    DcgmExporter(chart, "exporter", nodes=GpuNodes(talos_version=talos, sharing=SHARED))

    assert synth(chart) == snapshot_yaml
    assert [each["kind"] for each in synth(chart)] == [
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "DaemonSet",
        "Service",
        "ServiceMonitor",
    ]


@pytest.mark.parametrize("talos", GENERATIONS)
def test_runs_under_the_runtime_class_that_brings_nvml_into_it(chart, talos):
    assert pod_of(chart, nodes=GpuNodes(talos_version=talos))["runtimeClassName"] == "nvidia"


def test_the_whole_environment_by_default(chart):
    assert env_of(container_of(chart)) == {
        "DCGM_EXPORTER_COLLECTORS": "/etc/dcgm-exporter/counters.csv",
        "DCGM_EXPORTER_LISTEN": ":9400",
        "DCGM_EXPORTER_KUBERNETES": "true",
        "DCGM_EXPORTER_INTERVAL": "15000",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
        "NODE_NAME": {"fieldRef": {"fieldPath": "spec.nodeName"}},
    }


def test_has_no_privilege_no_access_to_the_api_and_no_sight_of_the_nodes_processes_by_default(chart):
    pod = pod_of(chart)

    assert pod["containers"][0]["securityContext"] == PLAIN
    assert pod["automountServiceAccountToken"] is False
    assert "hostPID" not in pod
    assert not {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"} & {each["kind"] for each in synth(chart)}


def test_reads_who_has_which_gpu_from_the_kubelet_and_its_counters_from_a_file_of_its_own(chart):
    pod = pod_of(chart)

    assert pod["volumes"] == [
        {"name": "pod-resources", "hostPath": {"path": "/var/lib/kubelet/pod-resources", "type": "Directory"}},
        {"name": "counters", "configMap": {"name": "dcgm-exporter-counters"}},
    ]
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "pod-resources", "mountPath": "/var/lib/kubelet/pod-resources", "readOnly": True},
        {"name": "counters", "mountPath": "/etc/dcgm-exporter/counters.csv", "subPath": "counters.csv", "readOnly": True},
    ]


def test_exports_the_default_counters(chart, legacy):
    exporter = DcgmExporter(chart, "exporter", nodes=legacy)

    assert list(exporter.counters) == default_counters()
    assert exported(chart) == [str(each.metric) for each in default_counters()]


def test_exports_what_it_is_told(chart, legacy):
    wanted = ["GPU_TEMP", Metric.FB_USED, Counter("DCGM_FI_DRIVER_VERSION")]
    exporter = DcgmExporter(chart, "exporter", nodes=legacy, counters=iter(wanted))

    assert exporter.counters == (Counter("GPU_TEMP"), Counter("FB_USED"), Counter("DRIVER_VERSION"))
    assert one(synth(chart), "ConfigMap")["data"] == {
        "counters.csv": "DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature in degrees Celsius\n"
        "DCGM_FI_DEV_FB_USED, gauge, Memory used in MiB\n"
        "DCGM_FI_DRIVER_VERSION, label, Driver version\n"
    }


def test_changed_counters_roll_the_pods_out(chart, legacy):
    DcgmExporter(chart, "exporter", nodes=legacy, pod_annotations={"team": "ml"})
    other = Chart(App(), "other")
    DcgmExporter(other, "exporter", nodes=legacy, counters=["GPU_TEMP"])

    sums = set()
    for each in (chart, other):
        annotations = one(synth(each), "DaemonSet")["spec"]["template"]["metadata"]["annotations"]
        text = one(synth(each), "ConfigMap")["data"]["counters.csv"]
        assert annotations["checksum/counters"] == hashlib.sha256(text.encode()).hexdigest()
        sums.add(annotations["checksum/counters"])
    assert len(sums) == 2
    assert one(synth(chart), "DaemonSet")["spec"]["template"]["metadata"]["annotations"]["team"] == "ml"


@pytest.mark.parametrize("profiling", [False, True])
def test_profiling_brings_its_counters_and_sys_admin_or_neither(chart, profiling):
    capabilities = container_of(chart, profiling=profiling)["securityContext"]["capabilities"]

    assert capabilities == ({"add": ["SYS_ADMIN"], "drop": ["ALL"]} if profiling else {"drop": ["ALL"]})
    assert any(name.startswith("DCGM_FI_PROF_") for name in exported(chart)) is profiling


def test_one_counter_of_profiling_is_enough_for_sys_admin(chart):
    capabilities = container_of(chart, profiling=True, counters=["SM_ACTIVE"])["securityContext"]["capabilities"]

    assert capabilities["add"] == ["SYS_ADMIN"]


@pytest.mark.parametrize(("interval", "expected"), [("15s", "15000"), ("1m30s", "90000"), ("10s", "10000")])
def test_dcgm_looks_as_often_as_it_is_scraped(chart, interval, expected):
    environment = env_of(container_of(chart, interval=interval))

    assert environment["DCGM_EXPORTER_INTERVAL"] == expected
    assert one(synth(chart), "ServiceMonitor")["spec"]["endpoints"][0]["interval"] == interval


def test_the_service_monitor_by_default(chart):
    assert made(chart, "ServiceMonitor")["spec"] == {
        "jobLabel": "app.kubernetes.io/name",
        "selector": {"matchLabels": LABELS},
        "endpoints": [
            {
                "port": "metrics",
                "path": "/metrics",
                "interval": "15s",
                "scrapeTimeout": "10s",
                "honorLabels": False,
                "relabelings": [NODE],
            }
        ],
    }


def test_the_service_monitor_finds_the_service_and_the_service_the_pods(chart):
    monitor = made(chart, "ServiceMonitor")
    service, pods = one(synth(chart), "Service"), one(synth(chart), "DaemonSet")["spec"]["template"]

    assert monitor["metadata"]["namespace"] == service["metadata"]["namespace"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert service["spec"]["selector"].items() <= pods["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
    assert service["spec"]["ports"] == [{"name": "metrics", "port": 9400, "targetPort": 9400}]
    assert pods["spec"]["containers"][0]["ports"] == [{"name": "metrics", "containerPort": 9400}]


@pytest.mark.parametrize("name", [None, "rtx"])
def test_the_job_that_queries_ask_for_is_that_of_each_class(chart, name):
    monitor = made(chart, "ServiceMonitor", nodes=GpuNodes(talos_version="1.14", name=name))

    assert one(synth(chart), "Service")["metadata"]["labels"][monitor["spec"]["jobLabel"]] == MetricsSource().job


def test_the_label_that_queries_ask_for_is_that_of_the_target(chart):
    relabeling = made(chart, "ServiceMonitor")["spec"]["endpoints"][0]["relabelings"][0]

    assert relabeling["targetLabel"] == MetricsSource().node_label


def test_with_honor_labels_an_idle_gpu_is_not_the_exporter_s(chart):
    endpoint = made(chart, "ServiceMonitor", honor_labels=True)["spec"]["endpoints"][0]

    assert endpoint["honorLabels"] is True
    assert endpoint["relabelings"] == [NODE, {"action": "labeldrop", "regex": "namespace|pod|container"}]


def test_the_service_monitor_gets_the_labels_that_a_prometheus_selects_by(chart):
    labels = made(chart, "ServiceMonitor", service_monitor_labels={"release": "kube-prometheus-stack"})["metadata"]["labels"]

    assert labels == {**LABELS, "release": "kube-prometheus-stack"}
    assert one(synth(chart), "Service")["metadata"]["labels"] == LABELS


def test_a_cluster_without_prometheus_operator_gets_no_service_monitor(chart):
    service = made(chart, "Service", service_monitor=False)

    assert service["spec"]["selector"] == LABELS
    assert "ServiceMonitor" not in [each["kind"] for each in synth(chart)]


@pytest.mark.filterwarnings("ignore:no report is known of MPS:constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("sharing", [SHARED, Mps(replicas=4)])
def test_pods_that_share_a_gpu_have_series_of_their_own_and_what_each_uses_in_them(chart, sharing):
    pod = pod_of(chart, nodes=GpuNodes(talos_version="1.14", sharing=sharing))

    environment = env_of(pod["containers"][0])
    assert environment["KUBERNETES_VIRTUAL_GPUS"] == "true"
    # Without any of these three each pod would be told to use nothing.
    assert environment["DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID"] == "true"
    assert pod["hostPID"] is True
    assert pod["automountServiceAccountToken"] is True
    assert pod["containers"][0]["securityContext"] == PLAIN


def test_who_shares_may_list_pods_and_nothing_else(chart):
    role = made(chart, "ClusterRole", nodes=GpuNodes(talos_version="1.14", name="rtx", sharing=SHARED), namespace="gpu")
    binding = one(synth(chart), "ClusterRoleBinding")

    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}]
    assert {each["metadata"]["name"] for each in (role, binding)} == {"dcgm-exporter-rtx-read-pods"}
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "dcgm-exporter-rtx-read-pods",
    }
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "dcgm-exporter-rtx", "namespace": "gpu"}]


@pytest.mark.parametrize("renamed", [False, True])
def test_a_renamed_resource_is_told_to_the_exporter(chart, renamed):
    nodes = GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=2, rename_by_default=renamed))

    assert env_of(container_of(chart, nodes=nodes)).get("NVIDIA_RESOURCE_NAMES") == ("nvidia.com/gpu.shared" if renamed else None)


@pytest.mark.parametrize("strategy", ["single", "mixed"])
@pytest.mark.parametrize("profiling", [False, True])
def test_partitioned_gpus_need_a_privileged_exporter_that_may_monitor_every_partition(chart, strategy, profiling):
    container = container_of(chart, nodes=GpuNodes(talos_version="1.14", mig_strategy=strategy), profiling=profiling)

    assert container["securityContext"] == {"privileged": True}
    assert env_of(container)["NVIDIA_MIG_MONITOR_DEVICES"] == "all"


def test_claims_are_looked_up_in_the_api_where_gpus_are_claimed(chart):
    pod = pod_of(chart, nodes=GpuNodes(talos_version="1.14", dra=Dra()))

    assert env_of(pod["containers"][0])["KUBERNETES_ENABLE_DRA"] == "true"
    assert pod["automountServiceAccountToken"] is True
    assert "hostPID" not in pod
    assert one(synth(chart), "ClusterRole")["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]},
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["list", "watch"]},
    ]


def test_goes_where_its_nodes_are_and_tolerates_their_taints(chart):
    nodes = GpuNodes(talos_version="1.14", labels={"gpu": "rtx"}, taints=[Taint("dedicated", "ai")])
    pod = pod_of(chart, nodes=nodes)

    assert pod["nodeSelector"] == {"gpu": "rtx"}
    assert pod["tolerations"] == [NVIDIA_TOLERATION, {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("arguments", "path", "value"),
    [
        ({"image": "registry.local/exporter:4.8.4"}, "containers.0.image", "registry.local/exporter:4.8.4"),
        ({"image_pull_policy": "Always"}, "containers.0.imagePullPolicy", "Always"),
        ({"image_pull_policy": ImagePullPolicy.NEVER}, "containers.0.imagePullPolicy", "Never"),
        ({"image_pull_secrets": ("a", "b")}, "imagePullSecrets", [{"name": "a"}, {"name": "b"}]),
        ({}, "containers.0.resources", {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "200m", "memory": "512Mi"}}),
        ({"resources": {"limits": {"memory": "1Gi"}}}, "containers.0.resources", {"limits": {"memory": "1Gi"}}),
        ({"priority_class_name": "system-cluster-critical"}, "priorityClassName", "system-cluster-critical"),
        ({"name": "metrics"}, "serviceAccountName", "metrics"),
        ({"name": "metrics"}, "volumes.1.configMap.name", "metrics-counters"),
        ({"pod_spec": {"dnsPolicy": "Default"}}, "dnsPolicy", "Default"),
        ({}, "containers.0.livenessProbe", {"httpGet": {"path": "/health", "port": 9400}, "initialDelaySeconds": 45, "periodSeconds": 5}),
        ({}, "containers.0.readinessProbe", {"httpGet": {"path": "/health", "port": 9400}, "initialDelaySeconds": 45}),
    ],
)  # fmt: skip
def test_an_argument_is_found_at_its_path(chart, arguments, path, value):
    found = pod_of(chart, **arguments)
    for key in path.split("."):
        found = found[int(key) if key.isdigit() else key]
    assert found == value


def test_a_timeout_is_no_matter_where_no_service_monitor_waits_for_it(chart):
    assert env_of(container_of(chart, service_monitor=False, interval="5s"))["DCGM_EXPORTER_INTERVAL"] == "5000"


def test_without_resources_it_asks_for_none(chart):
    assert "resources" not in container_of(chart, resources={})


def test_the_scrape_timeout_may_be_as_long_as_the_interval(chart):
    endpoint = made(chart, "ServiceMonitor", interval="1m", scrape_timeout="60s")["spec"]["endpoints"][0]

    assert (endpoint["interval"], endpoint["scrapeTimeout"]) == ("1m", "60s")


@pytest.mark.parametrize(("chart_namespace", "expected"), [(None, "kube-system"), ("gpu-agents", "gpu-agents")])
def test_goes_into_the_charts_namespace_or_the_one_that_talos_exempts(chart_namespace, expected):
    chart = Chart(App(), "gpu", namespace=chart_namespace)
    exporter = DcgmExporter(chart, "exporter", nodes=GpuNodes(talos_version="1.12", sharing=SHARED))

    assert exporter.namespace == expected
    assert {each["metadata"].get("namespace") for each in synth(chart)} == {expected, None}
    assert {each["kind"] for each in synth(chart) if "namespace" not in each["metadata"]} == {"ClusterRole", "ClusterRoleBinding"}
    assert one(synth(chart), "ClusterRoleBinding")["subjects"][0]["namespace"] == expected


def test_the_longest_name_of_a_class_fits_into_every_label(chart):
    DcgmExporter(chart, "exporter", nodes=GpuNodes(talos_version="1.14", name="n" * 36, sharing=SHARED))

    labels = [each["metadata"]["labels"] for each in synth(chart)]
    assert {each["app.kubernetes.io/instance"] for each in labels} == {f"dcgm-exporter-{'n' * 36}"}
    assert max(len(value) for each in labels for value in each.values()) <= 63


def test_attributes_hold_what_was_resolved(chart, legacy):
    exporter = DcgmExporter(chart, "exporter", nodes=legacy, image_pull_policy="Always", resources=None)

    assert (exporter.nodes, exporter.interval, exporter.scrape_timeout) == (legacy, "15s", "10s")
    assert exporter.image_pull_policy is ImagePullPolicy.ALWAYS
    assert exporter.resources["limits"] == {"cpu": "200m", "memory": "512Mi"}
    assert (exporter.profiling, exporter.service_monitor, exporter.honor_labels) == (False, True, False)


def test_pod_spec_merges_named_things_and_cannot_lose_what_the_nodes_need(chart):
    nodes = GpuNodes(talos_version="1.14", labels={"gpu": "rtx"})
    container = {"name": "exporter", "env": [{"name": "DCGM_EXPORTER_XID_COUNT_WINDOW_SIZE", "value": "600000"}]}
    pod = pod_of(chart, nodes=nodes, pod_spec={"containers": [container], "tolerations": [], "nodeSelector": {"zone": "a"}})

    environment = env_of(pod["containers"][0])
    assert environment["DCGM_EXPORTER_XID_COUNT_WINDOW_SIZE"] == "600000"
    assert environment["DCGM_EXPORTER_INTERVAL"] == "15000"
    assert pod["tolerations"] == [NVIDIA_TOLERATION]
    assert pod["nodeSelector"] == {"zone": "a", "gpu": "rtx"}
    assert pod["runtimeClassName"] == "nvidia"


def test_exporters_of_two_classes_select_neither_each_others_nodes_nor_pods(chart):
    for name in ("rtx", "h100"):
        DcgmExporter(chart, name, nodes=GpuNodes(talos_version="1.14", name=name, sharing=SHARED))

    agents = [each for each in synth(chart) if each["kind"] == "DaemonSet"]
    services = [each for each in synth(chart) if each["kind"] == "Service"]
    monitors = [each for each in synth(chart) if each["kind"] == "ServiceMonitor"]
    for agent, service, monitor in zip(agents, services, monitors, strict=True):
        for chosen in (agent["spec"]["selector"]["matchLabels"], service["spec"]["selector"]):
            pods = [each for each in agents if chosen.items() <= each["spec"]["template"]["metadata"]["labels"].items()]
            assert pods == [agent]
        found = [each for each in services if monitor["spec"]["selector"]["matchLabels"].items() <= each["metadata"]["labels"].items()]
        assert found == [service]
    assert [agent["spec"]["template"]["spec"]["nodeSelector"] for agent in agents] == [
        {"nvidia.com/device-plugin.config": "rtx"},
        {"nvidia.com/device-plugin.config": "h100"},
    ]
    names = [(each["kind"], each["metadata"]["name"]) for each in synth(chart)]
    assert len(names) == len(set(names))
