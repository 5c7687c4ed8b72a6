"""The recipe of Immich's machine learning."""

from conftest import env_of
from constructs_lib import GpuNodes
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.immich_machine_learning import ImmichMachineLearningSettings

NODES = GpuNodes(talos_version="1.13")


def immich(**given):
    return ImmichMachineLearningSettings(nodes=NODES, name="immich", **given)


def container(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]["containers"][0]


def test_the_models_and_all_caches_are_on_the_claim():
    made = container(immich())

    assert made["volumeMounts"] == [{"name": "cache", "mountPath": "/cache"}]
    assert gpu_workload(immich(storage="5Gi"))["Claim-cache"]["spec"]["resources"]["requests"]["storage"] == "5Gi"
    caches = {name: path for name, path in env_of(made).items() if name != "IMMICH_PORT"}
    assert {"HOME", "MACHINE_LEARNING_CACHE_FOLDER", "HF_XET_CACHE", "MPLCONFIGDIR"} == set(caches)
    assert all(path.partition("/cache")[0] == "" for path in caches.values())


def test_the_server_listens_on_the_given_port():
    assert env_of(container(immich()))["IMMICH_PORT"] == "3003"
    assert env_of(container(immich(port=80)))["IMMICH_PORT"] == "80"


def test_another_release_of_the_image_is_taken():
    image = "ghcr.io/immich-app/immich-machine-learning:v2.6.3-cuda"

    assert immich(image=image).image == image
    assert immich().image.endswith("-cuda")


def test_open_requests_end_before_the_sigterm():
    assert container(immich())["lifecycle"] == {"preStop": {"sleep": {"seconds": 10}}}


def test_the_server_runs_without_root_and_without_a_login():
    assert (immich().pod_security, immich().unauthenticated) == ("restricted", "Immich's machine learning has no authentication")
