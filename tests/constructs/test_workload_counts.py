"""More GPUs than the nodes have: an error for pods that stay, a warning for pods that may wait for each other."""

import warnings

import pytest
from cdk8s import Chart, Testing

from constructs_lib import GpuNodes, GpuWorkload, TalosGpuWarning

FOUR = GpuNodes(talos_version="1.14", count=1, gpus_per_node=4)


def job(**given) -> dict:
    chart = Chart(Testing.app(), "ai")
    GpuWorkload(chart, "train", nodes=FOUR, image="a/b:1", kind="Job", **given)
    (manifest,) = (each for each in Testing.synth(chart) if each["kind"] == "Job")
    return manifest


def test_a_job_with_more_pods_than_gpus_waits():
    with pytest.warns(TalosGpuWarning) as warned:
        manifest = job(parallelism=8)

    assert manifest["spec"]["parallelism"] == 8
    assert [str(each.message) for each in warned] == [
        "'parallelism' is more than 4 with gpus=1, as each of 1 nodes offers 4 (got 8); the other pods wait until pods end"
    ]


@pytest.mark.parametrize("given", [{"parallelism": 4}, {"parallelism": 2, "gpus": 2}])
def test_a_job_that_fits_is_silent(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        job(**given)


def test_pods_that_stay_are_refused():
    with pytest.raises(ValueError, match="'replicas' must be at most 4 with gpus=1"):
        GpuWorkload(Chart(Testing.app(), "ai"), "vllm", nodes=FOUR, image="a/b:1", replicas=5)
