"""What a cluster of a file says in place of what all clusters have in common."""

import json

import pytest

from constructs_lib.clusters.cluster_file import ClusterFile


def cluster(common, own):
    """The description of a cluster, whose file has something in common with other clusters."""
    ((_, description),) = ClusterFile("fleet.yaml", json.dumps({**common, "clusters": {"paris": own}})).clusters()
    return description.content


def of_an_object(part):
    return {"charts": {"a": {"objects": {"o": part}}}}


def of_an_argument(construct, **arguments):
    return of_an_object({construct: {"nodes": "rtx", **arguments}})


@pytest.mark.parametrize(
    ("common", "own", "expected"),
    [
        ({"Vllm": {"model": "a/b"}}, {"Ollama": {"keep_alive": "1h"}}, {"Ollama": {"keep_alive": "1h"}}),
        ({"Vllm": {"model": "a/b"}}, {"Ollama": None}, {"Ollama": None}),
        ({"Ollama": {"keep_alive": "24h"}}, {"Ollama": None}, {"Ollama": None}),
        ({"Ollama": {"keep_alive": "24h"}}, {"Ollama": {"gpus": 2}}, {"Ollama": {"keep_alive": "24h", "gpus": 2}}),
        ({"Ollama": {}}, {"Olama": {}}, {"Olama": {}}),
        ({"Ollama": {}}, {"Object": {"kind": "ConfigMap"}}, {"Object": {"kind": "ConfigMap"}}),
    ],
)
def test_a_construct_takes_the_place_of_another_and_merges_with_the_same(common, own, expected):
    assert cluster(of_an_object(common), of_an_object(own)) == of_an_object(expected)


@pytest.mark.parametrize(
    ("construct", "argument", "common", "own", "expected"),
    [
        ("NvidiaGpuOperator", "delivery", {"Flux": {"namespace": "a"}}, {"ArgoCd": None}, {"ArgoCd": None}),
        ("NvidiaGpuOperator", "delivery", {"Flux": {"namespace": "a"}}, {"Fluxx": {}}, {"Fluxx": {}}),
        ("NvidiaGpuOperator", "delivery", {"Flux": {"namespace": "a"}}, {"Flux": {"interval": "1h"}}, {"Flux": {"namespace": "a", "interval": "1h"}}),
        ("GpuWorkload", "readiness_probe", {"HttpProbe": "/health"}, {"TcpProbe": None}, {"TcpProbe": None}),
        ("GpuWorkload", "readiness_probe", {"HttpProbe": "/health"}, {"HttpProbe": None}, {"HttpProbe": None}),
        ("GpuWorkload", "readiness_probe", {"HttpProbe": "/health"}, None, ...),
        ("GpuWorkload", "volumes", {"/m": {"Persistent": "1Gi"}}, {"/m": {"Nfs": {"path": "/x"}}}, {"/m": {"Nfs": {"path": "/x"}}}),
        ("GpuWorkload", "volumes", {"/m": {"Persistent": "1Gi"}}, {"/n": {"Memory": None}}, {"/m": {"Persistent": "1Gi"}, "/n": {"Memory": None}}),
        ("GpuWorkload", "volumes", {"/m": {"Persistent": "1Gi"}}, {"/m": None}, {}),
        ("GpuWorkload", "env", {"A": {"SecretKey": {"key": "b"}}}, {"A": {"ConfigMapKey": {"key": "c"}}}, {"A": {"ConfigMapKey": {"key": "c"}}}),
        ("GpuWorkload", "env", {"A": "1"}, {"B": "2"}, {"A": "1", "B": "2"}),
        ("StandaloneDevicePlugin", "feature_discovery", {"FeatureDiscovery": {"image": "a"}}, {"FeatureDiscovery": None}, {"FeatureDiscovery": None}),
        ("GpuStack", "operator", {"delivery": {"Flux": {}}}, {"delivery": {"ArgoCd": None}}, {"delivery": {"ArgoCd": None}}),
    ],
)  # fmt: skip
def test_a_value_takes_the_place_of_another_and_null_is_no_arguments(construct, argument, common, own, expected):
    given = cluster(of_an_argument(construct, **{argument: common}), of_an_argument(construct, **{argument: own}))

    assert given == of_an_argument(construct, **({} if expected is ... else {argument: expected}))


@pytest.mark.parametrize("argument", ["values", "pod_spec", "labels"])
def test_mappings_of_kubernetes_and_of_charts_merge_whatever_the_names_in_them(argument):
    given = cluster(
        of_an_argument("GpuWorkload", **{argument: {"Empty": {"a": 1}}}), of_an_argument("GpuWorkload", **{argument: {"Memory": {}}})
    )

    assert given == of_an_argument("GpuWorkload", **{argument: {"Empty": {"a": 1}, "Memory": {}}})


def test_an_object_merges_whatever_the_names_in_it():
    common, own = ({"Object": {"kind": "ConfigMap", "data": data}} for data in ({"Memory": "1"}, {"Empty": "2"}))

    assert cluster(of_an_object(common), of_an_object(own)) == of_an_object(
        {"Object": {"kind": "ConfigMap", "data": {"Memory": "1", "Empty": "2"}}}
    )


SLICES, MPS = {"time_slicing": {"replicas": 4}}, {"mps": {"replicas": 2}}


@pytest.mark.parametrize(
    ("common", "own", "expected"),
    [
        ({"sharing": SLICES}, {"sharing": MPS}, {"sharing": MPS}),
        ({"sharing": SLICES}, {"sharing": {"time_slicing": {"replicas": 2}}}, {"sharing": {"time_slicing": {"replicas": 2}}}),
        ({"sharing": SLICES}, {"sharing": None}, {}),
    ],
)
def test_a_kind_of_sharing_takes_the_place_of_another(common, own, expected):
    others = {"rtx": {"sharing": SLICES}}

    assert cluster({"nodes": {**others, "h100": common}}, {"nodes": {"h100": own}}) == {"nodes": {**others, "h100": expected}}


@pytest.mark.parametrize(
    ("common", "own", "expected"),
    [
        ({"recipe": "Vllm", "model": "a/b"}, {"recipe": "Ollama"}, {"recipe": "Ollama"}),
        ({"recipe": "Ollama", "keep_alive": "24h"}, {"gpus": 2}, {"recipe": "Ollama", "keep_alive": "24h", "gpus": 2}),
        ({"image": "a:1", "port": 80}, {"recipe": "Ollama"}, {"recipe": "Ollama"}),
        ({"image": "a:1", "readiness_probe": {"HttpProbe": "/a"}}, {"readiness_probe": {"TcpProbe": None}}, {"image": "a:1", "readiness_probe": {"TcpProbe": None}}),
    ],
)  # fmt: skip
def test_a_workload_with_another_recipe_takes_the_place_of_the_common_one(common, own, expected):
    assert cluster({"workloads": {"a": common}}, {"workloads": {"a": own}}) == {"workloads": {"a": expected}}


def test_a_stack_merges_and_its_values_take_the_place_of_others():
    common = {"stack": {"operator": True, "delivery": {"Flux": {"namespace": "a"}}}}

    assert cluster(common, {"stack": {"delivery": {"ArgoCd": {}}}}) == {"stack": {"operator": True, "delivery": {"ArgoCd": {}}}}
    assert cluster(common, {"stack": "none"}) == {"stack": "none"}
