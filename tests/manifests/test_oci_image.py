"""A volume with the files of an image."""

import pytest

from conftest import message
from constructs_lib import GpuNodes, OciImage
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

MODEL = "registry.example.com/models/qwen3-8b:1"


def workload(talos, **given):
    nodes = GpuNodes(talos_version=talos)
    return GpuWorkloadSettings(nodes=nodes, name="app", image="app:1", volumes={"/models": OciImage(MODEL, **given)})


@pytest.mark.parametrize("talos", ["1.12", "1.13", "1.14"])
def test_the_kubelet_mounts_the_image(talos):
    spec = gpu_workload(workload(talos, sub_path="models"))["Resource"]["spec"]["template"]["spec"]

    assert spec["volumes"] == [{"name": "models", "image": {"reference": MODEL}}]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "models", "mountPath": "/models", "subPath": "models"}]


def test_a_talos_whose_kubernetes_mounts_no_images_is_refused():
    assert message(lambda: workload("1.11")) == (
        f"'volumes[/models]' must be another volume than an OciImage on these nodes (got {OciImage(MODEL)!r}); "
        "the kubelet mounts images from Kubernetes 1.35 on, and the newest of Talos 1.11 is 1.34"
    )


@pytest.mark.parametrize("image", ["", "Model:1", "model:1 "])
def test_an_image_is_a_reference(image):
    assert message(lambda: OciImage(image)).startswith("'image' must be ")
