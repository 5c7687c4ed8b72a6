"""Which containers with several GPUs lack shared memory, and of which nothing is said."""

import warnings

import pytest

from constructs_lib import GpuNodes, Mps, TalosGpuWarning, TimeSlicing
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

TWO = "resources: {limits: {nvidia.com/gpu: 2}}"
SHM = "volumeMounts: [{name: shm, mountPath: %s}]"
PLUGIN = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: %s
"""
SHARED = "{config: {map: {a: 'version: v1\\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}'}}}"


def pod(container=TWO, spec="", image="vllm/vllm-openai:v0.11.0", key="containers"):
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: vllm, namespace: ai}}
spec:
{spec}  {key}:
    - {{name: main, image: "{image}", {container}}}
"""


def messages(yaml, rule="TG103", **given):
    return [(str(each.severity), each.message, each.path) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def test_a_container_with_several_gpus_and_the_runtimes_shared_memory_is_a_warning_at_its_limit():
    assert messages(pod()) == [
        (
            "warning",
            (
                "the container requests 2 GPUs and has nothing mounted at /dev/shm, so its shared memory is the runtime's 64 MiB. NCCL and "
                "tensor-parallel servers need more, and end with an unhandled system error or with a bus error"
            ),
            ("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu"),
        )
    ]


@pytest.mark.parametrize(
    "yaml",
    [
        pod('resources: {limits: {nvidia.com/gpu: "8"}}'),
        pod(f"{TWO}, {SHM % '/data'}"),
        pod(spec="  hostIPC: false\n"),
        pod(f"{TWO}, {SHM % '/dev/shm/x'}"),
        pod(image="registry.example/ollama-proxy/app:1"),
        pod() + PLUGIN % "{}",
    ],
)
def test_it_is_so_in_every_spelling_and_with_other_mounts(yaml):
    assert len(messages(yaml)) == 1


@pytest.mark.parametrize(
    "yaml",
    [
        pod("resources: {limits: {nvidia.com/gpu: 1}}"),
        pod("resources: {limits: {nvidia.com/gpu: '${GPUS}'}}"),
        pod("resources: {limits: {nvidia.com/gpu.shared: 2}}"),
        pod("resources: {limits: {nvidia.com/mig-1g.10gb: 2}}"),
        *(pod(f"{TWO}, {SHM % path}") for path in ("/dev/shm", "/dev/shm/", "/dev", "'${PATH}'")),
        pod(f"{TWO}, volumeMounts: '${{MOUNTS}}'"),
        pod(spec="  hostIPC: true\n"),
        pod(spec="  hostIPC: ${IPC}\n"),
        *(pod(image=image) for image in ("ollama/ollama:0.32.15", "ghcr.io/ggml-org/llama.cpp:server-cuda", "ollama")),
        pod(key="containers: [{name: a, image: 'a:1'}]\n  initContainers"),
        pod() + PLUGIN % SHARED,
        pod() + PLUGIN % "{migStrategy: single}",
        pod() + PLUGIN % "'${VALUES}'",
    ],
)
def test_nothing_is_said_where_it_is_not_so_or_not_known(yaml):
    assert messages(yaml) == []


def test_a_described_class_that_shares_or_partitions_has_no_whole_gpus():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        mps = GpuNodes(talos_version="1.14", sharing=Mps(replicas=2))
    shared = GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=2))
    single = GpuNodes(talos_version="1.14", mig_strategy="single")

    assert [messages(pod(), nodes=(nodes,)) for nodes in (mps, shared, single)] == [[], [], []]
    assert len(messages(pod(), nodes=(GpuNodes(talos_version="1.14"),))) == 1


def test_a_pod_spec_of_another_operators_object_is_left_to_that_operator():
    ray = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, namespace: ai}
spec: {headGroupSpec: {template: {spec: {containers: [{name: a, image: "rayproject/ray:2", resources: {limits: {nvidia.com/gpu: 2}}}]}}}}
"""

    assert messages(ray) == []


# The rule TG130: volumes in memory and the memory limit


def limited(size="2Gi", memory="2Gi", mount="", medium="Memory", spec=""):
    """A pod with a limit, and with a volume that its container mounts."""
    limit = f", memory: {memory}" if memory else ""
    volumes = f"  volumes: [{{name: shm, emptyDir: {{medium: {medium}, sizeLimit: {size}}}}}]\n"
    container = f"resources: {{limits: {{nvidia.com/gpu: 1{limit}}}}}, volumeMounts: [{{name: shm, mountPath: /dev/shm{mount}}}]"
    return messages(pod(container, spec=volumes + spec), "TG130")


LIMIT = ("spec", "containers", 0, "resources", "limits", "memory")
EFFECT = "The files of the volume count towards the limit, so the container is OOMKilled before the volume is full"


@pytest.mark.parametrize("size", ["2Gi", "2048Mi", "16Gi"])
def test_a_volume_in_memory_as_large_as_the_limit_is_a_warning_at_the_limit(size):
    message = f"the volume shm in memory has the sizeLimit {size}, and the container's memory limit is 2Gi. {EFFECT}"

    assert limited(size) == [("warning", message, LIMIT)]


def test_the_limit_of_the_pod_counts_where_it_is_the_smaller_one():
    spec = "  resources: {limits: {memory: 1Gi}}\n"
    message = f"the volume shm in memory has the sizeLimit 1Gi, and the pod's memory limit is 1Gi. {EFFECT}"
    found = [("warning", message, ("spec", "resources", "limits", "memory"))]

    assert limited("1Gi", spec=spec) == found
    assert limited("1Gi", memory="", spec=spec) == found
    assert limited("1Gi") == []


def test_a_volume_with_two_mounts_is_one_finding():
    assert len(limited(mount=", subPath: a}, {name: shm, mountPath: /b, subPath: b")) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"size": "1Gi"},
        {"memory": ""},
        {"memory": "'${MEMORY}'"},
        {"size": "'${SIZE}'"},
        {"size": "null"},
        {"medium": "''"},
        {"medium": "'${MEDIUM}'"},
        {"mount": ", readOnly: true"},
        {"mount": ", readOnly: '${READ_ONLY}'"},
    ],
    ids=str,
)
def test_nothing_is_said_of_a_smaller_volume_of_one_on_disk_or_of_an_unknown_amount(given):
    assert limited(**given) == []
