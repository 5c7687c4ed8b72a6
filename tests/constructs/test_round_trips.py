"""What a construct costs, counted in round trips to jsii's kernel, which are the same on every machine; and the pure builders, which make none."""

import inspect
import json
import subprocess
import sys
import warnings

import jsii
import pytest
from cdk8s import App, Chart, JsonPatch
from constructs import Construct
from recipe_cases import ARGUMENTS, RECIPES

from conftest import ROOT, synth
from constructs_lib import (
    ArgoCd,
    Companion,
    DcgmExporter,
    Dra,
    DraDriver,
    FeatureDiscovery,
    Flux,
    GpuAlerts,
    GpuClaim,
    GpuDashboard,
    GpuGang,
    GpuNodes,
    GpuQuota,
    GpuStack,
    GpuWorkload,
    HttpProbe,
    KueueQueue,
    Mps,
    MpsControlDaemon,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    SecretKey,
    StandaloneDevicePlugin,
    Taint,
    TalosGpuWarning,
    TimeSlicing,
    ValidationBridge,
)
from constructs_lib.clusters.app_registry import Registry
from constructs_lib.constructs import _emit, _registry
from constructs_lib.manifests.objects import manifest
from constructs_lib.monitoring import AlertThresholds
from constructs_lib.recipes import OpenWebUI
from public_face import every_public

LEGACY, CDI = GpuNodes(talos_version="1.12"), GpuNodes(talos_version="1.14")
SHARED = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5), name="shared")
PARTITIONED = GpuNodes(talos_version="1.14", mig_strategy="mixed", mig_devices={"1g.10gb": 7})
WHOLE = GpuNodes(talos_version="1.12", name="whole")
CLAIMED = GpuNodes(talos_version="1.14", dra=Dra(share="consumable", shares="memory"))
CLAIMED_TOO = GpuNodes(talos_version="1.14", name="claimed", dra=Dra())
with warnings.catch_warnings():
    warnings.simplefilter("ignore", TalosGpuWarning)
    BY_MPS = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4), mig_strategy="none", name="mps")


class Rendered:
    """A delivery that gives many objects, as a chart does that Helm renders: with more fields than one, and of the cluster."""

    def manifests(self, release):
        kinds = ("ClusterRole", "ClusterPolicy", "ServiceAccount", "DaemonSet", "CustomResourceDefinition")
        return {f"{kind}-{number}": manifest("v1", kind, f"{kind.lower()}-{number}", spec={}) for kind in kinds for number in range(4)}


def workload(chart, **given):
    GpuWorkload(chart, "made", image="ollama/ollama:0.32.15", **given)


def web_front(chart):
    server = GpuWorkload(chart, "server", nodes=CDI, image="ollama/ollama:0.32.15", port=11434)
    OpenWebUI(chart, "made", ollama=server)


# Each public construct, with no more than it needs and with everything that makes it larger.
CASES = {
    "NvidiaRuntimeClass": lambda chart: NvidiaRuntimeClass(chart, "made"),
    "NvidiaRuntimeClass of another name": lambda chart: NvidiaRuntimeClass(chart, "made", name="other"),
    "PrivilegedNamespace": lambda chart: PrivilegedNamespace(chart, "made"),
    "PrivilegedNamespace with labels": lambda chart: PrivilegedNamespace(chart, "made", name="gpu", labels={"a": "b"}),
    "ValidationBridge": lambda chart: ValidationBridge(chart, "made", nodes=LEGACY),
    "ValidationBridge with everything": lambda chart: ValidationBridge(
        chart, "made", nodes=SHARED, name="bridge", namespace="gpu", image="busybox:1", interval=5, driver_enabled=True
    ),
    "StandaloneDevicePlugin": lambda chart: StandaloneDevicePlugin(chart, "made", nodes=LEGACY),
    "StandaloneDevicePlugin with feature discovery": lambda chart: StandaloneDevicePlugin(chart, "made", nodes=SHARED, feature_discovery=True),
    "StandaloneDevicePlugin with MPS and everything": lambda chart: StandaloneDevicePlugin(
        chart, "made", nodes=BY_MPS, device_list_strategy=["envvar", "cdi-cri"], compat_with_cpu_manager=True,
        feature_discovery=FeatureDiscovery(resources={"limits": {"memory": "1Gi"}}, pod_spec={"dnsPolicy": "Default"}, no_timestamp=True),
        mps_control_daemon=MpsControlDaemon(resources={"limits": {"memory": "1Gi"}}, pod_spec={"dnsPolicy": "Default"}),
        cdi_feature_flags=["disable-nvsandboxutils"], cdi_disable_hooks=["all"], shared_devices_allocation_policy="packed",
        gdrcopy_enabled=True, resources={"limits": {"memory": "1Gi"}}, image_pull_secrets=["ghcr"], pod_annotations={"a": "b"},
        pod_spec={"hostNetwork": True},
    ),
    "GpuDashboard": lambda chart: GpuDashboard(chart, "made"),
    "GpuDashboard for the operator with everything": lambda chart: GpuDashboard(
        chart, "made", kind="grafana-dashboard", name="gpus", namespace="grafana", folder="GPUs", instance_selector={"a": "b"},
        allow_cross_namespace_import=True, labels={"a": "b"}, title="GPUs", uid="gpus", profiling=True,
    ),
    "DcgmExporter": lambda chart: DcgmExporter(chart, "made", nodes=LEGACY),
    "DcgmExporter with everything": lambda chart: DcgmExporter(
        chart, "made", nodes=SHARED, profiling=True, interval="30s", service_monitor_labels={"release": "kps"}, honor_labels=True,
        image_pull_secrets=["ghcr"], pod_annotations={"a": "b"}, pod_spec={"hostNetwork": True},
    ),
    "DcgmExporter without a ServiceMonitor": lambda chart: DcgmExporter(chart, "made", nodes=CLAIMED, service_monitor=False),
    "StandaloneDevicePlugin with partitions": lambda chart: StandaloneDevicePlugin(chart, "made", nodes=PARTITIONED),
    "NodeFeatureDiscovery by Flux": lambda chart: NodeFeatureDiscovery(chart, "made", nodes=CDI, delivery=Flux()),
    "NodeFeatureDiscovery by ArgoCd": lambda chart: NodeFeatureDiscovery(chart, "made", nodes=CDI, delivery=ArgoCd()),
    "NodeFeatureDiscovery of rendered objects": lambda chart: NodeFeatureDiscovery(
        chart, "made", nodes=[SHARED, WHOLE], delivery=Rendered(), create_namespace=False, values={"gc": {"enable": False}}
    ),
    "NvidiaGpuOperator by Flux": lambda chart: NvidiaGpuOperator(chart, "made", nodes=CDI, delivery=Flux()),
    "NvidiaGpuOperator by ArgoCd": lambda chart: NvidiaGpuOperator(chart, "made", nodes=CDI, delivery=ArgoCd()),
    "NvidiaGpuOperator with bridges for two classes": lambda chart: NvidiaGpuOperator(chart, "made", nodes=[SHARED, WHOLE], delivery=Flux()),
    "NvidiaGpuOperator without its namespace": lambda chart: NvidiaGpuOperator(
        chart, "made", nodes=CDI, delivery=ArgoCd(), create_namespace=False, nfd=False, values={"dcgmExporter": {"enabled": False}}
    ),
    "NvidiaGpuOperator of rendered objects": lambda chart: NvidiaGpuOperator(chart, "made", nodes=CDI, delivery=Rendered()),
    "DraDriver by Flux": lambda chart: DraDriver(chart, "made", nodes=CLAIMED, delivery=Flux()),
    "DraDriver with MIG profiles by ArgoCd": lambda chart: DraDriver(
        chart, "made", nodes=CLAIMED, delivery=ArgoCd(), mig_profiles=["1g.10gb", "2g.20gb"], values={"logVerbosity": "6"}
    ),
    "DraDriver of rendered objects": lambda chart: DraDriver(chart, "made", nodes=CLAIMED, delivery=Rendered()),
    "GpuClaim": lambda chart: GpuClaim(chart, "made", nodes=CLAIMED),
    "GpuClaim with everything": lambda chart: GpuClaim(
        chart, "made", nodes=CLAIMED, gpus=2, name="two", namespace="ai", gpu_memory="8Gi"
    ),
    "GpuAlerts": lambda chart: GpuAlerts(chart, "made"),
    "GpuAlerts with everything": lambda chart: GpuAlerts(
        chart, "made", enable=["GpuAllocatedIdle"], disable=["GpuPodPending"], thresholds=AlertThresholds(lookback="1d"), operator=True,
        for_={"GpuXidFatal": "1m"}, alert_labels={"a": "b"}, name="cards", namespace="monitoring", labels={"a": "b"},
    ),
    "GpuGang": lambda chart: GpuGang(chart, "made", nodes=CDI, image="app:1", size=2, gpus=1),
    "GpuGang of a server": lambda chart: GpuGang(chart, "made", nodes=CDI, image="app:1", size=2, gpus=1, port=8000),
    "GpuGang as a JobSet": lambda chart: GpuGang(chart, "made", nodes=CDI, image="app:1", size=2, gpus=1, kind="JobSet"),
    "GpuQuota": lambda chart: GpuQuota(chart, "made", nodes=CDI, gpus=1),
    "GpuQuota with a limit": lambda chart: GpuQuota(chart, "made", nodes=CDI, gpus=1, gpus_per_container=1),
    "GpuStack": lambda chart: GpuStack(chart, "made", nodes=CDI),
    "GpuStack with claims and discovery": lambda chart: GpuStack(chart, "made", nodes=[SHARED, CLAIMED_TOO], namespace="gpu", delivery=Flux()),
    "GpuStack with the operator": lambda chart: GpuStack(chart, "made", nodes=CDI, operator=True, delivery=ArgoCd()),
    "KueueQueue": lambda chart: KueueQueue(chart, "made", nodes=CDI, namespaces=["a", "b"], gpus=1),
    "GpuWorkload": lambda chart: workload(chart, nodes=CDI),
    "GpuWorkload that claims": lambda chart: workload(chart, nodes=CLAIMED, gpu_memory="8Gi"),
    "GpuWorkload with everything": lambda chart: workload(
        chart, nodes=WHOLE, gpus=2, namespace="ai", command=["a"], args=["b"], env={"A": "b", "C": SecretKey("d", "e")},
        port={"http": 80, "metrics": 81}, volumes={"/a": Persistent("1Gi"), "/b": Persistent("2Gi", name="b")}, cpu=2, memory="4Gi",
        startup_probe=HttpProbe("/"), liveness_probe=HttpProbe("/"), readiness_probe=HttpProbe("/"), shared_memory="2Gi", labels={"a": "b"},
        security_context={"runAsUser": 1}, pod_security_context={"fsGroup": 1}, priority_class_name="high", service_account_name="bot",
        image_pull_secrets=["ghcr"], pod_annotations={"a": "b"}, pod_spec={"hostname": "a"}, termination_grace_period=1,
    ),
    "GpuWorkload as a StatefulSet": lambda chart: workload(chart, nodes=CDI, kind="StatefulSet", port=80, volumes={"/a": Persistent("1Gi")}),
    "GpuWorkload as a CronJob": lambda chart: workload(chart, nodes=CDI, kind="CronJob", schedule="@daily", volumes={"/a": Persistent("1Gi")}),
    "Companion": lambda chart: Companion(chart, "made", image="app:1"),
    "Companion with everything": lambda chart: Companion(
        chart, "made", image="app:1", port=80, nodes=[CDI, LEGACY], required=True, replicas=2, volumes={"/a": Persistent("1Gi", access_mode="ReadWriteMany")},
        readiness_probe=HttpProbe("/"), env={"A": "b"}, namespace="web",
    ),
    "OpenWebUI": web_front,
}  # fmt: skip
CASES |= {
    name: lambda chart, recipe=recipe, name=name: recipe(chart, "made", nodes=CDI, **ARGUMENTS[name]) for name, recipe in RECIPES.items()
}


# Asks for the namespace of its chart, and has no object in which to save that; the plugins ask too.
ASKS_ITS_CHART = {"ValidationBridge", "OpenWebUI"}


@pytest.fixture(autouse=True)
def _as_alone_in_a_process_that_has_the_patch(monkeypatch):
    # What other tests made is no neighbour here; the patches that objects share have tests of their own.
    monkeypatch.setattr(_registry, "_places", {})
    monkeypatch.setattr(_registry, "_registry", Registry())
    _emit._without_namespace()


@pytest.fixture
def round_trips(monkeypatch):
    """The requests that went to the kernel, by their kinds."""
    process, sent = jsii.kernel.provider._process, []
    send = process.send

    def counted(request, response):
        sent.append(type(request).__name__)
        return send(request, response)

    monkeypatch.setattr(process, "send", counted)
    return sent


def parts(chart):
    """How many objects a chart has, and how many other constructs."""
    objects = len(synth(chart))
    return objects, len(chart.node.find_all()) - 1 - objects


def within_budget(chart, make, round_trips):
    """Whether what is made costs at most 3 round trips an object and 1 a construct; both numbers, for the message of an assert."""
    objects_before, constructs_before = parts(chart)
    round_trips.clear()
    make(chart)
    made = list(round_trips)
    objects, constructs = parts(chart)
    return len(made), 3 * (objects - objects_before) + (constructs - constructs_before)


@pytest.mark.parametrize("namespace", [None, "gpu"], ids=["", "in a chart with a namespace"])
@pytest.mark.parametrize("case", CASES)
def test_costs_at_most_3_round_trips_an_object_and_1_a_construct(case, namespace, round_trips):
    chart = Chart(App(), "chart", **({"namespace": namespace} if namespace else {}))

    spent, budget = within_budget(chart, CASES[case], round_trips)
    assert 0 < spent <= budget + (case in ASKS_ITS_CHART), round_trips


def test_each_public_construct_has_a_case_above():
    public = {name for name, made in every_public().items() if inspect.isclass(made) and issubclass(made, Construct)}

    assert {name.split()[0] for name in CASES} == public


def spent_on(make, round_trips):
    """How many round trips it takes to make something that shares no patch with an earlier object."""
    _emit._add.cache_clear()
    round_trips.clear()
    make()
    return len(round_trips)


def test_the_first_namespace_that_a_process_takes_from_a_cluster_scoped_object_costs_1_more(chart, round_trips):
    _emit._without_namespace.cache_clear()

    first, second = (spent_on(lambda name=name: PrivilegedNamespace(chart, name), round_trips) for name in ("a", "b"))
    assert (first, second) == (4, 3)


def test_an_object_with_a_field_that_equals_another_objects_costs_1_less(chart, round_trips):
    _emit._add.cache_clear()
    spent = []
    for name, size in (("a", "1Gi"), ("b", "1Gi"), ("c", "2Gi")):
        round_trips.clear()
        GpuWorkload(chart, name, nodes=CDI, image="app:1", volumes={"/data": Persistent(size)})
        spent.append(len(round_trips))

    assert spent == [7, 6, 7]


def test_a_patch_of_one_object_leaves_an_object_with_an_equal_field_as_it_is():
    chart = Chart(App(), "chart")
    one, other = (
        GpuWorkload(chart, name, nodes=CDI, image="app:1", volumes={"/data": Persistent("1Gi")}).claims["/data"] for name in ("a", "b")
    )
    one.add_json_patch(JsonPatch.replace("/spec/resources/requests/storage", "2Gi"))

    sizes = {each["metadata"]["name"]: each["spec"]["resources"]["requests"]["storage"] for each in synth(chart) if "Claim" in each["kind"]}
    assert sizes == {one.name: "2Gi", other.name: "1Gi"}


@pytest.mark.parametrize(("kind", "told"), [(StandaloneDevicePlugin, 8), (ValidationBridge, 4)])
@pytest.mark.parametrize("namespace", [None, "gpu"])
@pytest.mark.parametrize(("given", "more"), [({}, 1), ({"namespace": "ai"}, 0)], ids=["asked", "told"])
def test_a_chart_whose_namespace_is_asked_costs_1_more(kind, told, namespace, given, more, round_trips):
    chart = Chart(App(), "chart", namespace=namespace)

    assert spent_on(lambda: kind(chart, "made", nodes=LEGACY, **given), round_trips) == told + more


def plugin(chart, number):
    StandaloneDevicePlugin(chart, f"plugin-{number}", nodes=GpuNodes(talos_version="1.12", name=f"class-{number}"), namespace="ai")


def bridge(chart, number):
    ValidationBridge(chart, f"bridge-{number}", nodes=GpuNodes(talos_version="1.12", name=f"class-{number}"), namespace="ai")


@pytest.mark.parametrize("make", [plugin, bridge])
def test_each_chart_whose_app_is_asked_costs_2_more_and_is_asked_once(make, round_trips):
    app = App()
    one, two, three = (Chart(app, name) for name in ("one", "two", "three"))

    # The second asks for the app of both charts, the third for that of its own, and whoever comes to a known chart for nothing.
    alone, beside, *others = (
        spent_on(lambda at=at: make(*at), round_trips) for at in zip((one, two, three, one, three), range(5), strict=True)
    )
    assert [beside - alone, *(other - alone for other in others)] == [4, 2, 0, 0]


def test_registry_of_one_chart_ask_for_no_app(chart, round_trips):
    first, second = (spent_on(lambda number=number: plugin(chart, number), round_trips) for number in range(2))

    assert first == second


@pytest.mark.parametrize(("place", "more"), [("one", 0), ("two", 4)], ids=["in the same chart", "in another chart"])
def test_an_operator_asks_for_the_apps_of_charts_only_when_a_neighbour_is_in_another(place, more, round_trips):
    app = App()
    charts = {name: Chart(app, name) for name in ("one", "two")}
    NvidiaRuntimeClass(charts["one"], "first", name="a")

    made = spent_on(lambda: NvidiaGpuOperator(charts[place], "operator", nodes=CDI, delivery=ArgoCd()), round_trips)
    assert made == 6 + more


def test_the_cost_of_many_is_that_of_one_many_times(chart, round_trips):
    for number in range(20):
        GpuWorkload(chart, f"made-{number}", nodes=CDI, image="app:1", port=80)

    # Two objects of three each, and the construct.
    assert len(round_trips) == 20 * 7


def test_only_objects_of_one_kind_and_name_ask_where_they_are(round_trips):
    app = App()
    charts = [Chart(app, name, namespace=name) for name in ("one", "two", "three")]
    first, second, third = (
        spent_on(lambda chart=chart, name=name: GpuWorkload(chart, name, nodes=CDI, image="app:1"), round_trips)
        for chart, name in zip(charts, ("a", "a", "b"), strict=True)
    )

    # The app and the namespace of both charts.
    assert (first, second, third) == (4, 4 + 6, 4)


@pytest.mark.parametrize("attribute", ["resource", "service", "claims", "pod_selector", "volume_names"])
def test_a_part_of_a_workload_costs_no_round_trip(chart, round_trips, attribute):
    made = GpuWorkload(chart, "made", nodes=CDI, image="app:1", port=80, volumes={"/models": Persistent("1Gi")})

    assert spent_on(lambda: getattr(made, attribute), round_trips) == 0


def test_what_is_refused_costs_no_round_trip(chart, round_trips):
    with pytest.raises(ValueError, match="'gpus' must be"):
        GpuWorkload(chart, "made", nodes=CDI, image="app:1", gpus=0)

    assert round_trips == []


IN_A_NEW_PYTHON = """
import json, sys
sys.path.append("tests")
from counting import calls
from constructs_lib import GpuNodes, Persistent
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

nodes = GpuNodes(talos_version="1.12", labels={{"role": "gpu"}})
given = dict(nodes=nodes, image="ollama/ollama:0.32.15", {arguments})
build = lambda count: [gpu_workload(GpuWorkloadSettings(name=f"app-{{number}}", **given)) for number in range(count)]
made = build(1000)
loaded = [name for name in ("jsii", "cdk8s", "constructs") if name in sys.modules]
print(json.dumps([calls(lambda: build(1)), calls(lambda: build(1000)), sum(map(len, made)), loaded]))
"""


@pytest.mark.parametrize(
    ("arguments", "objects"),
    [("", 1000), ('port=11434, volumes={"/root/.ollama": Persistent("100Gi")}', 3000)],
    ids=["plain", "with port and volume"],
)
def test_a_workload_is_built_in_some_500_calls_however_many_there_are_and_without_node(arguments, objects):
    code = IN_A_NEW_PYTHON.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    one, thousand, made, loaded = json.loads(done.stdout)
    assert (made, loaded) == (objects, [])
    assert one < 520
    assert thousand <= 1000 * one
