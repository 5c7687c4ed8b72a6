"""Every manifest against the strict schemas of every Kubernetes that its Talos runs."""

import re
from typing import Any

import kubernetes_validate
import pytest

from constructs_lib import Dra, FeatureDiscovery, GpuNodes, Mps, MpsControlDaemon, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.bridge_objects import ValidationBridgeSettings, validation_bridge
from constructs_lib.manifests.claim_objects import gpu_claim
from constructs_lib.manifests.dashboard_object import GpuDashboardSettings, dashboard_object
from constructs_lib.manifests.device_plugin_objects import standalone_device_plugin
from constructs_lib.manifests.device_plugin_settings import DevicePluginSettings
from constructs_lib.manifests.dra_driver_settings import mig_device_class
from constructs_lib.manifests.exporter_objects import dcgm_exporter
from constructs_lib.manifests.exporter_settings import DcgmExporterSettings
from constructs_lib.manifests.nfs_volume import Nfs
from constructs_lib.manifests.node_volumes import HostPath
from constructs_lib.manifests.oci_image import OciImage
from constructs_lib.manifests.volumes import Empty, ExistingClaim, Memory, Persistent
from constructs_lib.manifests.workload_kinds import WorkloadKind
from constructs_lib.manifests.workload_objects import gpu_workload
from constructs_lib.manifests.workload_settings import GpuWorkloadSettings
from constructs_lib.upstream.kubernetes_api import IMAGE_VOLUMES_SINCE
from constructs_lib.upstream.talos_releases import TALOS
from test_clusters import CLUSTERS, objects

# The Talos that each cluster of main.py runs.
TALOS_OF = {
    "operator-argocd": "1.12",
    "operator-flux": "1.12",
    "standalone-shared": "1.12",
    "runtime-class-taint": "1.11",
    "single-node-h100": "1.11",
    "today": "1.14",
}
_BUILT_IN = re.compile(r"v1|(apps|batch|rbac\.authorization\.k8s\.io|node\.k8s\.io|resource\.k8s\.io)/v1")
_OLDEST, _NEWEST = 28, 37


def kubernetes_of(talos: str, oldest: int) -> list[str]:
    """The Kubernetes versions to try: all that this Talos runs and that there is a schema for."""
    first, last = TALOS[talos].kubernetes
    return [f"1.{minor}" for minor in range(max(first, oldest), min(last, _NEWEST) + 1)]


def check(manifests: list[dict[str, Any]], talos: str, oldest: int = _OLDEST) -> int:
    built_in = [made for made in manifests if _BUILT_IN.fullmatch(made["apiVersion"])]
    for version in kubernetes_of(talos, oldest):
        for made in built_in:
            kubernetes_validate.validate(made, version, strict=True)
    return len(built_in)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_cluster_is_valid_for_every_kubernetes_of_its_talos(cluster):
    assert check(objects(cluster), TALOS_OF[cluster]) > 0


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

    assert check(manifests, talos) == len(manifests)


# The first Kubernetes with claims of resource.k8s.io/v1.
_OLDEST_WITH_CLAIMS = 34
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

    assert check(manifests, talos, _OLDEST_WITH_CLAIMS) == len(manifests)


@pytest.mark.parametrize("profile", ["1g.10gb", "1g.10gb+me", "1g.24gb-me", "1g.24gb+me.all"])
def test_the_class_of_a_mig_profile_is_valid_for_every_kubernetes_that_has_claims(profile):
    assert check([mig_device_class(profile)], "1.14", _OLDEST_WITH_CLAIMS) == 1


def test_the_volume_of_an_image_is_valid_for_every_kubernetes_that_mounts_images():
    volumes = {"/models": OciImage("registry.example.com/model:1", sub_path="models")}
    made = [*gpu_workload(GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", volumes=volumes)).values()]

    assert check(made, "1.14", IMAGE_VOLUMES_SINCE) == 1


def test_a_claim_as_kubernetes_had_it_before_is_refused_so_the_schemas_know_claims():
    made = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra()))
    flat = {"requests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}]}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**made, "spec": {"spec": {"devices": flat}}}, "1.36", strict=True)


def test_an_unknown_field_is_refused_so_the_schemas_are_strict():
    made = objects("today")[0]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**made, "sepc": {}}, "1.35", strict=True)
