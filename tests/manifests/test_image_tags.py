"""Images whose release a restart may change: a warning beside each way to make a pod."""

import warnings

import pytest

from constructs_lib import GpuNodes, TalosGpuWarning, gpu_pod
from constructs_lib.manifests.workload.companion import CompanionSettings
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

NODES = GpuNodes(talos_version="1.13")
CALLS = {
    "GpuWorkload": lambda image: GpuWorkloadSettings(name="a", nodes=NODES, image=image),
    "Companion": lambda image: CompanionSettings(name="a", image=image),
    "gpu_pod": lambda image: gpu_pod({"spec": {"containers": [{"name": "a", "image": image}]}}, nodes=NODES),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_image_that_a_restart_may_change_is_warned_of(call):
    for image, words in {"a": "no tag", "b.io:5000/a/b": "no tag", "a:latest": "the tag latest"}.items():
        with pytest.warns(TalosGpuWarning, match=f"{words} .*a restart may run another release"):
            call(image)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_image_of_one_release_is_not_warned_of(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for image in ("a:1", "a@sha256:" + "0" * 64, "a:latest@sha256:" + "0" * 64):
            call(image)
