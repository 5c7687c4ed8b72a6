"""Nodes whose DRA driver serves plain limits: pods, workloads, charts and queues ask as those of a device plugin, and need no RuntimeClass."""

import pytest

from constructs_lib import Dra, GpuNodes, gpu_pod, gpu_values
from constructs_lib.manifests.foreign.gpu_requests import GpuRequest
from constructs_lib.manifests.objects import MAIN
from constructs_lib.manifests.queues.gpu_quota_objects import GpuQuotaSettings, gpu_quota
from constructs_lib.manifests.queues.kueue_objects import KueueQueueSettings, kueue_queue
from constructs_lib.manifests.workload.objects import workload_claims
from constructs_lib.manifests.workload.pod import pod_template
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

NODES = GpuNodes(talos_version="1.13", gpus_per_node=4, count=2, labels={"role": "gpu"}, dra=Dra(extended_resource=True))
TWO = {"limits": {"nvidia.com/gpu": 2}, "requests": {"nvidia.com/gpu": 2}}


def workload(**given):
    return GpuWorkloadSettings(**{"name": "a", "nodes": NODES, "image": "a/b:1", **given})


def test_a_pod_has_the_limit_and_neither_a_claim_nor_a_runtime_class():
    spec = gpu_pod({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}, nodes=NODES, gpus=2, container="a")["spec"]

    assert spec["containers"] == [{"name": "a", "resources": TWO}, {"name": "b"}]
    assert {"resourceClaims", "runtimeClassName"}.isdisjoint(spec)
    assert (spec["nodeSelector"], spec["tolerations"][0]["key"]) == ({"role": "gpu"}, "nvidia.com/gpu")


def test_a_partition_is_the_limit_of_its_profile():
    (container,) = gpu_pod({"spec": {"containers": [{"name": "a"}]}}, nodes=NODES, profile="1g.10gb")["spec"]["containers"]

    assert container["resources"]["limits"] == {"nvidia.com/mig-1g.10gb": 1}


def test_a_workload_makes_no_claim():
    assert workload_claims(workload(gpus=2)) == {}
    assert pod_template(workload(gpus=2))["spec"]["containers"][0]["resources"] == TWO
    assert workload().allowed_gpu == ("nvidia.com/gpu", "without another GPU than nvidia.com/gpu")


@pytest.mark.parametrize("chart", ["jupyterhub", "ollama"])
def test_a_chart_gets_the_limit(chart):
    values = gpu_values(chart, nodes=NODES, gpus=2)

    if chart == "ollama":
        assert values["ollama"] == {"gpu": {"enabled": True, "type": "nvidia", "nvidiaResource": "nvidia.com/gpu", "number": 2}}
    else:
        assert values["singleuser"]["extraResource"]["limits"] == {"nvidia.com/gpu": 2}


def test_spark_counts_the_limit():
    assert gpu_values("spark-executor-conf", nodes=NODES)["spark.executor.resource.gpu.amount"] == "1"
    assert GpuRequest(nodes=NODES).nodes.by_claim is False


def test_queues_and_quotas_count_the_limit():
    settings = KueueQueueSettings(nodes=[NODES], name="gpus", namespaces=["ai"])
    (group,) = kueue_queue(settings)[MAIN]["spec"]["resourceGroups"]

    assert {"name": "nvidia.com/gpu", "nominalQuota": "8"} in group["flavors"][0]["resources"]
    assert settings.device_class_mappings == []
    limits = gpu_quota(GpuQuotaSettings(name="gpus", nodes=NODES, gpus=4, gpus_per_container=2))["LimitRange"]["spec"]["limits"]
    assert limits[0]["max"] == {"nvidia.com/gpu": "2"}
