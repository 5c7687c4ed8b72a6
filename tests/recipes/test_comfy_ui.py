"""The recipe of ComfyUI."""

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.comfy_ui import ComfyUISettings

NODES = GpuNodes(talos_version="1.13")


def comfyui(nodes=NODES, **given):
    return ComfyUISettings(nodes=nodes, name="comfyui", **given)


def pod(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]


def test_the_claim_never_holds_the_program_so_that_an_image_brings_a_new_one():
    mounts = pod(comfyui())["containers"][0]["volumeMounts"]
    paths = {each["mountPath"] for each in mounts if each["name"] == "data"}

    assert not {"/root", "/root/ComfyUI"} & paths
    assert all(each.get("subPath") for each in mounts if each["name"] == "data")
    assert {"/root/ComfyUI/models", "/root/ComfyUI/custom_nodes", "/root/ComfyUI/output", "/root/.local"} <= paths


def test_the_program_and_what_it_writes_beside_the_claim_go_with_the_pod():
    spec = pod(comfyui())
    paths = {each["mountPath"]: each["name"] for each in spec["containers"][0]["volumeMounts"]}

    assert [each for each in spec["volumes"] if each["name"] in (paths["/root"], paths["/tmp"])] == [
        {"name": "root", "emptyDir": {}},
        {"name": "tmp", "emptyDir": {}},
    ]


def test_comfyui_listens_on_one_port():
    said = message(lambda: comfyui(port=9000))

    assert said.startswith("'port' must be with 8188, the port on which the image listens (got {'http': 9000}); service=")


def test_all_folders_are_in_one_claim():
    claims = [each for each in gpu_workload(comfyui(storage="50Gi")).values() if each["kind"] == "PersistentVolumeClaim"]

    assert [(each["metadata"]["name"], each["spec"]["resources"]["requests"]["storage"]) for each in claims] == [("comfyui-data", "50Gi")]


def test_flags_reach_the_program_by_the_variable_of_the_image():
    assert env_of(pod(comfyui(flags=["--lowvram", "--fast"]))["containers"][0]) == {"CLI_ARGS": "--lowvram --fast"}


def test_a_program_that_ignores_sigterm_has_a_short_grace_period():
    assert pod(comfyui())["terminationGracePeriodSeconds"] == 10


def test_the_image_runs_on_the_card_and_the_driver():
    with_570 = GpuNodes(talos_version="1.12", driver_track="production")

    assert comfyui(with_570).image == "yanwk/comfyui-boot:cu126-slim"
    assert "use 'yanwk/comfyui-boot:cu126-slim'" in message(lambda: comfyui(with_570, image="yanwk/comfyui-boot:cu130-slim-v2"))


@pytest.mark.parametrize(("given", "size"), [({}, "1Gi"), ({"shared_memory": "4Gi"}, "4Gi"), ({"shared_memory": False}, False)])
def test_shared_memory(given, size):
    assert comfyui(**given).shared_memory == size
