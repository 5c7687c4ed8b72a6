"""Every manifest against the strict schemas of every Kubernetes that its Talos runs."""

import copy

import pytest

from constructs_lib import Dra, FeatureDiscovery, GpuNodes, Mps, MpsControlDaemon, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.dra.claim_objects import gpu_claim
from constructs_lib.manifests.dra.settings import mig_device_class
from constructs_lib.manifests.exporter.dashboard_object import GpuDashboardSettings, dashboard_object
from constructs_lib.manifests.exporter.objects import dcgm_exporter
from constructs_lib.manifests.exporter.settings import DcgmExporterSettings
from constructs_lib.manifests.operator.bridge_objects import ValidationBridgeSettings, validation_bridge
from constructs_lib.manifests.plugin.objects import standalone_device_plugin
from constructs_lib.manifests.plugin.settings import DevicePluginSettings
from constructs_lib.manifests.volumes.sources import Empty, ExistingClaim, HostPath, Memory, Nfs, OciImage
from constructs_lib.manifests.volumes.volume import Persistent
from constructs_lib.manifests.workload.kinds import WorkloadKind
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings
from constructs_lib.upstream.kubernetes.api import IMAGE_VOLUMES_SINCE
from constructs_lib.upstream.talos.releases import TALOS
from strict_schemas import KUBERNETES, all_faults, faults, is_custom, kubernetes_of
from test_clusters import CLUSTERS, objects

# The Talos that each cluster of main.py runs.
TALOS_OF = {
    "operator-argocd": "1.12",
    "operator-flux": "1.12",
    "standalone-shared": "1.12",
    "runtime-class-taint": "1.11",
    "single-node-h100": "1.11",
    "today": "1.14",
    "llm-platform": "1.14",
}


def built_in(manifests):
    """The objects whose kinds Kubernetes itself has; the others need the CRDs of CRDS."""
    return [manifest for manifest in manifests if not is_custom(manifest)]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_cluster_is_valid_for_every_kubernetes_of_its_talos(cluster):
    assert built_in(objects(cluster))
    assert all_faults(built_in(objects(cluster)), TALOS_OF[cluster]) == []


def test_every_custom_object_of_every_cluster_is_valid_for_its_crd():
    custom = [manifest for cluster in CLUSTERS for manifest in objects(cluster) if is_custom(manifest)]

    assert {manifest["kind"] for manifest in custom} == {
        "Application", "ClusterQueue", "HTTPRoute", "HelmRelease", "HelmRepository", "JobSet", "Kustomization", "LocalQueue", "NodeFeatureRule", "OCIRepository", "PrometheusRule", "ResourceFlavor",
        "ScaledObject", "ServiceMonitor",
    }  # fmt: skip
    assert all_faults(custom, "1.14") == []


@pytest.mark.parametrize("talos", TALOS)
def test_there_is_a_schema_for_every_kubernetes_of_each_talos_up_to_the_newest_schema(talos):
    first, last = TALOS[talos].kubernetes

    assert kubernetes_of(talos) == list(range(first, min(last, KUBERNETES[-1]) + 1))


@pytest.mark.parametrize("talos", [talos for talos in TALOS if talos != "1.15"])
def test_every_construct_with_all_it_can_make_is_valid_for_every_kubernetes_of_each_talos(talos):
    nodes = GpuNodes(talos_version=talos, sharing=TimeSlicing(replicas=2, rename_by_default=True))
    manifests = [*standalone_device_plugin(DevicePluginSettings(nodes=nodes, feature_discovery=True, namespace="gpu")).values()]
    if talos != "1.12":
        with pytest.warns(TalosGpuWarning):
            shared = GpuNodes(talos_version=talos, sharing=Mps(replicas=2), name="mps")
        own = {"resources": {"limits": {"memory": "1Gi"}}, "pod_spec": {"dnsPolicy": "Default"}}
        agents = {"feature_discovery": FeatureDiscovery(**own), "mps_control_daemon": MpsControlDaemon(**own)}
        manifests += standalone_device_plugin(DevicePluginSettings(nodes=shared, namespace="gpu", **agents)).values()
    claimed = GpuNodes(talos_version=talos, dra=None if nodes.generation == "legacy" else Dra())
    for settings in (
        DcgmExporterSettings(nodes=nodes, namespace="gpu", service_monitor=False),
        DcgmExporterSettings(
            nodes=GpuNodes(talos_version=talos, mig_strategy="mixed"), namespace="gpu", service_monitor=False, profiling=True
        ),
        DcgmExporterSettings(nodes=claimed, namespace="gpu", service_monitor=False),
        DcgmExporterSettings(nodes=GpuNodes(talos_version=talos), namespace="gpu", service_monitor=False, profiling=True),
    ):
        manifests += dcgm_exporter(settings).values()
    partitioned = GpuNodes(talos_version=talos, mig_strategy="mixed", mig_devices=[{}, {"1g.10gb": 7}], name="mig")
    manifests += standalone_device_plugin(DevicePluginSettings(nodes=partitioned, namespace="gpu")).values()
    manifests += gpu_workload(GpuWorkloadSettings(nodes=partitioned, name="partition", image="all:1", profile="1g.10gb")).values()
    if nodes.generation == "legacy":
        manifests += validation_bridge(ValidationBridgeSettings(nodes=nodes, namespace="gpu")).values()
    volumes = {
        "/a": Persistent("1Gi"),
        "/b": ExistingClaim("b"),
        "/c": HostPath("/var/c"),
        "/d": Memory("1Gi"),
        "/e": Empty(),
        "/f": Nfs("nas", "/f"),
    }
    for kind in WorkloadKind:
        schedule = "@daily" if kind is WorkloadKind.CRON_JOB else None
        workload = GpuWorkloadSettings(nodes=nodes, name="all", image="all:1", kind=kind, schedule=schedule, volumes=volumes, memory="8Gi")
        manifests += gpu_workload(workload).values()
    manifests += dashboard_object(GpuDashboardSettings(name="gpus", namespace="gpu", folder="GPUs", profiling=True)).values()

    assert all_faults(manifests, talos) == []


SHARES = [
    Dra(selectors=["device.attributes['gpu.nvidia.com'].productName == 'NVIDIA L4'"]),
    Dra(share="claim"),
    Dra(share="time-slicing", interval="Long"),
    Dra(share="consumable", shares=4),
    Dra(share="consumable", shares="memory"),
]


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
@pytest.mark.parametrize("dra", SHARES, ids=repr)
def test_claims_and_what_claims_are_valid_for_every_kubernetes_that_has_them(talos, dra):
    nodes = GpuNodes(talos_version=talos, dra=dra)
    memory = "8Gi" if dra.consumable_shares else None
    manifests = [gpu_claim(nodes=nodes, gpus=gpus, gpu_memory=memory, namespace="ai") for gpus in (1, 2)]
    for kind in WorkloadKind:
        schedule = "@daily" if kind is WorkloadKind.CRON_JOB else None
        settings = GpuWorkloadSettings(nodes=nodes, name="all", image="all:1", kind=kind, schedule=schedule, gpu_memory=memory)
        manifests += gpu_workload(settings).values()

    assert all_faults(manifests, talos) == []


@pytest.mark.parametrize("profile", ["1g.10gb", "1g.10gb+me", "1g.24gb-me", "1g.24gb+me.all"])
def test_the_class_of_a_mig_profile_is_valid_for_every_kubernetes_that_has_claims(profile):
    assert all_faults([mig_device_class(profile)], "1.14") == []


def test_the_volume_of_an_image_is_valid_for_every_kubernetes_that_mounts_images():
    volumes = {"/models": OciImage("registry.example.com/model:1", sub_path="models")}
    made = [*gpu_workload(GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", volumes=volumes)).values()]

    minors = kubernetes_of("1.14", IMAGE_VOLUMES_SINCE)

    assert minors
    assert [fault for minor in minors for each in made for fault in faults(each, minor)] == []


def test_a_claim_as_kubernetes_had_it_before_is_refused_so_the_schemas_know_claims():
    made = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra()))
    flat = {"requests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}]}

    assert any("deviceClassName" in fault for fault in faults({**made, "spec": {"spec": {"devices": flat}}}, 36))


def test_an_unknown_field_is_refused_so_the_schemas_are_strict():
    made = objects("today")[0]

    assert len(faults({**made, "sepc": {}}, 35)) == 1


def test_a_kind_that_a_kubernetes_does_not_have_is_refused_so_no_object_is_left_out():
    claim = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra()), name="gpu")

    assert faults(claim, 33) == ["ResourceClaimTemplate gpu on Kubernetes 1.33: resource.k8s.io/v1 has no such kind"]
    assert faults(claim, 34) == []


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("ServiceMonitor", ("spec", "jobLabels"), "app"),
        ("HelmRelease", ("spec", "install", "crd"), "Create"),
        ("HelmRelease", ("spec", "interval"), 60),
        ("Application", ("spec", "syncPolicy", "automated", "prune"), "yes"),
        ("Kustomization", ("spec", "sourceRef", "kin"), "a"),
    ],
)
def test_a_field_that_a_crd_does_not_know_is_refused_and_so_is_another_type(kind, path, value):
    made = next(copy.deepcopy(each) for cluster in CLUSTERS for each in objects(cluster) if each["kind"] == kind)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value

    assert len(faults(made, 36)) == 1


def test_the_values_of_a_chart_are_free_in_the_crds():
    made = next(copy.deepcopy(each) for each in objects("today") if each["kind"] == "HelmRelease")
    made["spec"]["values"]["anything"] = {"at": ["all"]}

    assert faults(made, 36) == []
