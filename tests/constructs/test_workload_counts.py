"""More GPUs than the nodes have: an error for pods that stay, a warning for pods that may wait for each other."""

import warnings

import pytest
import yaml
from cdk8s import Chart, Testing

from constructs_lib import Dra, GpuNodes, GpuWorkload, TalosGpuWarning
from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.gpu_usage import usage

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


def counted(nodes: GpuNodes, **given) -> list[tuple[str, str]]:
    chart = Chart(Testing.app(), "ai", namespace="ai")
    GpuWorkload(chart, "vllm", nodes=nodes, image="a/b:1", **given)
    return [(str(row.total), row.requested) for row in usage(read_text(yaml.safe_dump_all(Testing.synth(chart)), nodes=[nodes]))]


def test_replicas_that_an_autoscaler_sets_are_at_least_one():
    assert counted(FOUR, replicas=None) == [("≥ 1", "nvidia.com/gpu")]
    assert counted(FOUR, replicas=2) == [("2", "nvidia.com/gpu")]


@pytest.mark.parametrize(
    ("dra", "total"),
    [
        (Dra(), "3"),
        (Dra(share="claim"), "1"),
        (Dra(share="time-slicing"), "1"),
        (Dra(share="consumable", shares=4), "3"),
        (Dra(share="consumable", shares="memory"), "3"),
    ],
)
def test_claims_of_a_workload_are_counted_as_they_are_shared(dra, total):
    nodes = GpuNodes(talos_version="1.14", count=1, gpus_per_node=4, dra=dra)

    assert counted(nodes, replicas=3) == [(total, "gpu.nvidia.com")]
