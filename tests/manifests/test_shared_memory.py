import warnings

import pytest

from constructs_lib import Dra, Empty, GpuNodes, Memory, Mps, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

NODES = GpuNodes(talos_version="1.14")
MIXED = {"talos_version": "1.14", "mig_strategy": "mixed"}


def settings(nodes=NODES, gpus=2, **given):
    return GpuWorkloadSettings(nodes=nodes, name="app", image="app:1", gpus=gpus, **given)


def volumes(made):
    spec = gpu_workload(made)["Resource"]["spec"]["template"]["spec"]
    mounted = {mount["mountPath"]: mount["name"] for mount in spec["containers"][0].get("volumeMounts", [])}
    sources = {volume["name"]: volume for volume in spec.get("volumes", [])}
    return {path: sources[name] for path, name in mounted.items()}


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ({}, "2Gi"),
        ({"gpus": 8}, "8Gi"),
        ({"memory": "64Gi"}, "2Gi"),
        ({"memory": "4Gi"}, "2Gi"),
        ({"memory": "3Gi"}, "1536Mi"),
        ({"memory": "1G"}, "476Mi"),
        ({"memory": "1Mi"}, "1Mi"),
        ({"gpus": 8, "pod_spec": {"containers": [{"name": "app", "resources": {"limits": {"memory": "4Gi"}}}]}}, "2Gi"),
        ({"gpus": 8, "pod_spec": {"resources": {"limits": {"memory": "6Gi"}}}}, "3Gi"),
        ({"gpus": 8, "memory": "4Gi", "pod_spec": {"resources": {"limits": {"memory": "6Gi"}}}}, "2Gi"),
        (
            {
                "pod_spec": {
                    "containers": [{"name": "side", "image": "a:1", "volumeMounts": [{"name": "dev-shm", "mountPath": "/dev/shm"}]}]
                }
            },
            "2Gi",
        ),
        ({"volumes": {"/data": Empty()}}, "2Gi"),
        ({"nodes": GpuNodes(talos_version="1.14", dra=Dra())}, "2Gi"),
        ({"nodes": GpuNodes(**MIXED, mig_devices=[{"1g.10gb": 7}, {}, {}])}, "2Gi"),
        ({"shared_memory": "16Gi"}, "16Gi"),
    ],
    ids=str,
)
def test_several_whole_gpus_get_a_memory_volume_within_half_of_the_memory(given, size):
    made = settings(**given)

    assert made.shared_memory == size
    assert volumes(made)["/dev/shm"] == {"name": "dev-shm", "emptyDir": {"medium": "Memory", "sizeLimit": size}}


SHM_MOUNT = {"containers": [{"name": "app", "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm/"}]}]}


@pytest.mark.parametrize(
    "given",
    [
        {"gpus": 1},
        {"shared_memory": False},
        {"pod_spec": {"hostIPC": True}},
        {"nodes": GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=4))},
        {"nodes": GpuNodes(**MIXED), "profile": "1g.10gb"},
        {"nodes": GpuNodes(talos_version="1.14", mig_strategy="single")},
    ],
    ids=str,
)
def test_no_volume_is_added_where_none_is_of_use_or_wanted(given):
    assert volumes(settings(**given)) == {}


def test_no_volume_is_added_where_one_is_mounted_already():
    assert volumes(settings(volumes={"/dev/shm": Memory("7Gi")}))["/dev/shm"]["emptyDir"]["sizeLimit"] == "7Gi"
    assert settings(pod_spec=SHM_MOUNT).shared_memory is None


def test_no_volume_is_added_beside_that_of_the_mps_daemon():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        nodes = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))

    assert volumes(settings(nodes, gpus=1)) == {}
    assert volumes(settings(nodes, gpus=1, shared_memory=False)) == {}


def test_a_volume_in_memory_below_the_limit_or_read_only_is_no_error():
    assert settings(volumes={"/scratch": Memory("3Gi")}, memory="4Gi").memory == "4Gi"
    assert settings(volumes={"/scratch": Memory("8Gi", read_only=True)}, memory="4Gi").memory == "4Gi"
